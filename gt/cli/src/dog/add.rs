//! `gt dog add`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog;

/// Add a dog, with a work tree of each rig
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name (default: the next free one of alpha, bravo, charlie …)
    name: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let added = dog::add_dog(&town, args.name.as_deref())?;
    build_report(added, |dog, page| {
        page.line(format!("Added {}", dog.address()));
        for path in dog.worktrees.values() {
            page.line(format!("  {}", path.display()));
        }
    })
}
