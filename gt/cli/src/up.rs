//! `gt up`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::up;

/// Start the town's daemon, which starts sessions for work
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print nothing if it succeeds
    #[arg(short, long)]
    quiet: bool,
    /// Accepted for scripts: all agents with work are started
    #[arg(short, long, hide = true)]
    all: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let up = up::start_town(&ctx.open_town()?)?;
    if let Some(reason) = &up.degraded {
        ctx.ui.warn(&format!(
            "{reason}: work that needs no session goes on without it"
        ));
    }
    build_report(up, move |up, page| {
        if args.quiet {
            return;
        }
        if let Some(earlier) = &up.moved_from {
            page.line(format!(
                "✓ the daemon of the town's earlier place {} has ended",
                earlier.display()
            ));
        }
        let how = if up.started {
            "is up"
        } else {
            "was up already"
        };
        let pid = up.daemon_pid;
        if let Some(hold) = &up.stopped {
            page.line(format!("✓ the daemon {how} (pid {pid})"));
            page.line(format!("! {}: nothing is started. To go on:", hold.reason));
            page.line(format!("  {}", hold.next));
            return;
        }
        page.line(format!(
            "✓ the daemon {how} (pid {pid}): it starts sessions when there is work"
        ));
        if up.mayor.is_some() {
            page.line("  the mayor was started: work is on its hook");
        }
        if up.may_install {
            page.line("  to start it at each login: gt daemon install");
        }
        page.line("  talk to the mayor: gt mayor attach");
    })
}
