//! `gt worktree list`.

use super::super::{CommandResult, build_report};
use super::{Visitor, WorktreeReport};
use crate::context::Context;

/// List your places in other rigs
///
/// With `--json` an array of {rig, name, path, created}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let name = Visitor::of_caller(&town)?.clone_name();
    let places: Vec<WorktreeReport> = town
        .list_rigs()?
        .into_iter()
        .filter(|rig| rig.crew(&name).is_dir())
        .map(|rig| WorktreeReport {
            rig: rig.name().to_owned(),
            path: rig.crew(&name),
            name: name.clone(),
            created: false,
        })
        .collect();
    build_report(places, |places, page| {
        if places.is_empty() {
            page.line("none: gt worktree RIG makes one");
        }
        for place in places {
            page.line(format!("{:<16} {}", place.rig, place.path.display()));
        }
    })
}
