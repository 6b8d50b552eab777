//! `gt down`.

use kit::ui::{Page, counted, escape};

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::down::{self, DownReport};

/// Stop the town: the daemon, then every session of its agents.
///
/// Hooks, branches and files stay. The uncommitted work of polecats is saved to a snapshot first.
/// `gt up` continues where it stopped. With `--json` {daemon, sessions[], stopped[{worker, bead,
/// title, snapshot?}]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Stop only the daemon and keep the sessions
    #[arg(long)]
    daemon_only: bool,
    /// Accepted for scripts: every session ends
    #[arg(short, long, hide = true)]
    all: bool,
    /// Accepted for scripts: the sessions of polecats end, too
    #[arg(short, long, hide = true)]
    polecats: bool,
    /// Accepted for scripts: no question is asked
    #[arg(short, long, hide = true, short_alias = 'y', alias = "yes")]
    force: bool,
    /// Accepted for scripts: uncommitted work is always saved first
    #[arg(short, long, hide = true)]
    graceful: bool,
    /// Accepted for scripts: sessions end at once, with their work saved
    #[arg(short, long, hide = true, value_name = "SECONDS")]
    wait: Option<u32>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    build_report(
        down::stop_town(&ctx.open_town()?, args.daemon_only)?,
        write_report,
    )
}

fn write_report(down: &DownReport, page: &mut Page) {
    let daemon = if down.daemon {
        "the daemon has ended"
    } else {
        "no daemon was running"
    };
    page.line(format!(
        "✓ {daemon}; {} ended",
        counted(down.sessions.len(), "session")
    ));
    for session in &down.sessions {
        page.line(format!("  {session}"));
    }
    if down.stopped.is_empty() {
        return;
    }
    page.line("stopped in the middle of their work, which stays on their hooks:");
    for stopped_worker in &down.stopped {
        let title = escape::escape_line(&stopped_worker.title);
        page.cut_line(format!(
            "  {} on {} {title}",
            stopped_worker.worker, stopped_worker.bead
        ));
        if let Some(snapshot) = &stopped_worker.snapshot {
            page.line(format!("    not committed yet; a copy is in {snapshot}"));
        }
    }
    page.line("nothing is lost: `gt up` starts each of them again in its sandbox");
}
