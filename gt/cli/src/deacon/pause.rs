//! `gt deacon pause`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;
use gt::record::pause::TownPause;

/// Pause the patrol: it only reads and writes messages
///
/// Sessions that run go on, and every command works. With `--json` {paused, reason, paused_at,
/// paused_by}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Why the town is paused
    #[arg(long, default_value = "")]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let pause = TownPause::start(&town, &args.reason)?;
    daemon::wake_daemon(&town);
    build_report(pause, |pause, page| {
        page.line(format!("✓ {}", pause.describe()));
        page.line("  → gt deacon resume");
    })
}
