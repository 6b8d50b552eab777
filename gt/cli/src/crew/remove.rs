//! `gt crew remove`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::crew;

/// Remove crew members with their clones
///
/// Refuses while a session runs, a bead is on the hook, or the clone has work that is on no remote.
/// With --force, a clone with such work is moved to `crew/.removed/` instead of deleted. With
/// `--json` an array of {name, rig, moved_to?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The names, or RIG/NAME
    #[arg(required = true)]
    names: Vec<String>,
    /// The rig
    #[arg(long)]
    rig: Option<String>,
    /// Remove members with unsaved work; their clones are moved aside
    #[arg(short, long)]
    force: bool,
    /// Accepted for scripts: the member's bead is closed
    #[arg(long, hide = true)]
    purge: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let members = super::select_members(ctx, &town, &args.names, args.rig.as_deref(), false)?;
    let mut removed = Vec::new();
    for (rig, name) in members {
        removed.push(crew::remove_member(&town, &rig, &name, args.force)?);
    }
    build_report(removed, |removed, page| {
        for member in removed {
            page.line(format!("✓ {}/crew/{} is removed", member.rig, member.name));
            if let Some(path) = &member.moved_to {
                page.line(format!("  its clone is in {}", path.display()));
            }
        }
    })
}
