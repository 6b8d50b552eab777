//! `gt config unset`.

use super::super::{CommandResult, build_report};
use super::SettingsScope;
use crate::context::Context;
use gt::town::config::{self, SettingsLayer};

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
    let layer = if args.local {
        SettingsLayer::Local
    } else {
        SettingsLayer::Settings
    };
    let file = config::change_setting(&town, rig.as_ref(), layer, &args.key, None)?;
    gt::host::daemon::wake_daemon(&town);
    let key = args.key.clone();
    let data = serde_json::json!({ "key": key, "file": file });
    build_report(data, move |_, page| {
        page.line(format!("{key} is no longer set in {}", file.display()));
    })
}
