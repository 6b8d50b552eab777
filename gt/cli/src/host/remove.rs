//! `gt host remove`.

use serde::Serialize;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::host::remove_host;

/// Remove a host that has no workers
///
/// Nothing is removed on the machine itself. With `--gone`, the town no longer waits for the
/// sessions there: `gt unsling` then frees their beads, with the state that the town took last. The
/// place of one worker that does not answer is removed by its engine with `--gone`, and the worker goes
/// on in another. With `--json` {name}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of the host
    name: String,
    /// Remove it with its workers, because the machine does not come back
    #[arg(long)]
    gone: bool,
}

#[derive(Serialize)]
struct RemovedHost {
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    remove_host(&town, &args.name, args.gone)?;
    build_report(RemovedHost { name: args.name }, |removed, page| {
        page.line(format!("Host {} is removed", removed.name));
    })
}
