//! `gt deacon resume`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;
use gt::record::pause::TownPause;

/// End the pause of the patrol
///
/// With `--json` {was_paused}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let was_paused = TownPause::end(&town.layout)?.is_some();
    daemon::wake_daemon(&town);
    build_report(
        serde_json::json!({ "was_paused": was_paused }),
        move |_, page| {
            page.line(if was_paused {
                "✓ the patrol goes on"
            } else {
                "○ the town was not paused"
            });
        },
    )
}
