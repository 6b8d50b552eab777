//! `gt worktree remove`.

use super::super::{CommandResult, build_report};
use super::Visitor;
use crate::context::Context;
use gt::flow::place::crew;

/// Remove your place in another rig
///
/// Refuses if it has work that is on no remote. With `--force` it is moved aside instead. With
/// `--json` {name, rig, moved_to?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The other rig
    rig: String,
    /// Remove it with unsaved work; the clone is moved aside
    #[arg(short, long)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let visitor = Visitor::of_caller(&town)?;
    let rig = visitor.find_other_rig(&town, &args.rig)?;
    let name = visitor.clone_name();
    anyhow::ensure!(
        rig.crew(&name).is_dir(),
        "you have no place in rig {}: not found",
        rig.name()
    );
    let removed = crew::remove_member(&town, &rig, &name, args.force)?;
    build_report(removed, |removed, page| {
        page.line(format!(
            "✓ {}/crew/{} is removed",
            removed.rig, removed.name
        ));
        if let Some(path) = &removed.moved_to {
            page.line(format!("  its clone is in {}", path.display()));
        }
    })
}
