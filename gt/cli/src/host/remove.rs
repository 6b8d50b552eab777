//! `gt host remove`.

use serde::Serialize;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::host::remove_host;

/// Remove a host that has no workers
///
/// Nothing is removed on the machine itself. With `--json` {name}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    name: String,
}

#[derive(Serialize)]
struct RemovedHost {
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    remove_host(&town, &args.name)?;
    build_report(RemovedHost { name: args.name }, |removed, page| {
        page.line(format!("Host {} is removed", removed.name));
    })
}
