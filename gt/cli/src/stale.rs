//! `gt stale`.

use kit::ui::escape::escape_line;

use super::{CommandResult, build_report_with_exit};
use crate::context::Context;
use gt::host::daemon;

/// Show whether the daemon runs from another build
///
/// After an update of the programs, a running daemon is still the old one. With `--quiet`, the exit
/// code is the answer: 0 if the daemon is from another build, 1 if it is not, 2 if that is unknown.
/// With `--json` {stale, version, daemon_version, reason, error?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print nothing: the exit code answers
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let build = daemon::compare_daemon_build(&*ctx.open_town()?);
    let quiet = args.quiet;
    let exit = match (&build.error, build.stale) {
        (Some(_), _) if quiet => 2,
        (None, false) if quiet => 1,
        // The error is in the JSON.
        (Some(_), _) if !ctx.ui.is_json() => 1,
        _ => 0,
    };
    build_report_with_exit(exit, build, move |build, page| {
        if quiet {
            return;
        }
        let reason = escape_line(build.error.as_ref().unwrap_or(&build.reason));
        if build.stale {
            page.line(format!("! {reason}"));
            page.line("  gt daemon restart");
        } else {
            page.line(reason);
        }
    })
}
