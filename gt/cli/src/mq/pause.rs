//! `gt mq pause`.

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::town::queue_pause::QueuePause;

/// Merge nothing in a rig until `gt mq resume`
///
/// Work is still submitted, and agents go on. A run of the gates ends, but its requests are not
/// merged. With `--json` {rig, reason, paused_by, paused_at}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
    /// The reason, which `gt mq list` and `gt why` show
    #[arg(short, long, default_value = "")]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    let pause = QueuePause::start(&rig, &args.reason)?;
    build_report(pause, |pause, page| {
        page.line(format!("✓ {}", pause.describe()));
        page.line(format!("  → {}", pause.next_step()));
    })
}
