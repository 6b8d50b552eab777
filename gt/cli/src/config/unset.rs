//! `gt config unset`.

use super::super::{CommandResult, build_report};
use super::SettingsScope;
use crate::context::Context;
use gt::flow::townwide::setting_change::SettingChange;
use gt::town::config::SettingsLayer;
use kit::ui::escape::escape_line;

/// Remove a setting, so that lower layers count again
///
/// With `--json` {key, file}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The setting
    key: String,
    #[command(flatten)]
    whose: SettingsScope,
    /// Remove it from this machine's local layer, together with a block on it
    #[arg(long, conflicts_with = "town")]
    local: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = args.whose.rig(ctx, &town)?;
    let change = SettingChange {
        key: &args.key,
        value: None,
        layer: if args.local {
            SettingsLayer::Local
        } else {
            SettingsLayer::Settings
        },
    };
    let file = change.apply(&town, rig.as_ref())?;
    let key = args.key.clone();
    let data = serde_json::json!({ "key": key, "file": file });
    build_report(data, move |_, page| {
        page.line(format!(
            "{} is no longer set in {}",
            escape_line(&key),
            file.display()
        ));
    })
}
