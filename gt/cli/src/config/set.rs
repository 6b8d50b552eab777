//! `gt config set`.

use super::super::{CommandResult, build_report};
use super::SettingsScope;
use crate::context::Context;
use gt::flow::townwide::setting_change::SettingChange;
use gt::town::config::SettingsLayer;
use kit::ui::escape::escape_line;

/// Set a setting of the rig, the town or this machine
///
/// With `--json` {key, value, file}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The setting
    key: String,
    /// The value
    #[arg(allow_negative_numbers = true)]
    value: String,
    #[command(flatten)]
    whose: SettingsScope,
    /// Set it on this machine only
    #[arg(long, conflicts_with = "town")]
    local: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = args.whose.rig(ctx, &town)?;
    let change = SettingChange {
        key: &args.key,
        value: Some(&args.value),
        layer: if args.local {
            SettingsLayer::Local
        } else {
            SettingsLayer::Settings
        },
    };
    let file = change.apply(&town, rig.as_ref())?;
    let key = args.key.clone();
    let value = args.value.clone();
    let data = serde_json::json!({ "key": key, "value": value, "file": file });
    build_report(data, move |_, page| {
        page.line(format!(
            "{} = {}  ({})",
            escape_line(&key),
            escape_line(&value),
            file.display()
        ));
    })
}
