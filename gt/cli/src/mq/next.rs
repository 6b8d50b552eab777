//! `gt mq next`.

use super::super::{CommandResult, build_report, rig};
use super::list;
use crate::context::Context;
use gt::host::daemon::is_daemon_running;
use gt::view::request::{self, RequestStanding};

/// Show the request that is merged next
///
/// With `--json` the object of `gt mq list --json`, or nothing if no request is ready.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
    /// Print only the id, and nothing if no request is ready
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    let next = request::read_requests(&rig)?
        .into_iter()
        .find(|row| row.status != RequestStanding::Blocked);
    let quiet = args.quiet;
    let is_daemon_up = is_daemon_running(&town.layout);
    build_report(next, move |next, page| match next {
        Some(row) if quiet => page.line(&row.id),
        Some(row) => list::write_request_row(row, is_daemon_up, page),
        None if quiet => {}
        None => page.line("no request is ready"),
    })
}
