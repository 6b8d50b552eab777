//! `gt host drain`.

use serde::Serialize;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::host::{HostChanges, change_host};

/// Give a host no new work, or give it work again
///
/// Its workers finish what they have. With `--json` {name, draining}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of the host
    name: String,
    /// Give it work again
    #[arg(long)]
    off: bool,
}

#[derive(Serialize)]
struct DrainedHost {
    name: String,
    draining: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let changes = HostChanges {
        draining: Some(!args.off),
        ..HostChanges::default()
    };
    change_host(&town, &args.name, changes)?;
    let drained = DrainedHost {
        name: args.name,
        draining: !args.off,
    };
    build_report(drained, |drained, page| {
        let gets = if drained.draining {
            "gets no new work"
        } else {
            "gets work again"
        };
        page.line(format!("Host {} {gets}", drained.name));
    })
}
