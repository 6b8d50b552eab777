//! `gt polecat nuke`.

use super::super::{CommandResult, build_report};
use super::check_recovery;
use crate::context::Context;
use gt::flow;
use gt::record::town_view::TownView;

/// Remove a polecat's sandbox
///
/// This is the only command that removes one. It refuses while work is on the hook, files are
/// uncommitted or commits are on no remote. With --force that work is saved to a rescue ref first.
/// Identity and record stay.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The polecats: RIG/NAME
    #[arg(required = true)]
    polecats: Vec<String>,
    /// Remove it even with unsaved work, which goes to a rescue ref
    #[arg(short, long)]
    force: bool,
    /// Only show what would be lost; the exit code is 1 if anything would be
    #[arg(short = 'n', long, conflicts_with = "force")]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let view = TownView::read(&town)?;
    if args.dry_run {
        return check_recovery::report(&town, &view, &args.polecats);
    }
    let mut nuked = Vec::new();
    for text in &args.polecats {
        let (rig, name) = super::parse_polecat(&town, text)?;
        nuked.push(flow::agent::polecat::nuke_polecat(
            &town, &view, &rig, &name, args.force,
        )?);
    }
    build_report(nuked, |nuked, page| {
        for nuked_polecat in nuked {
            page.line(format!(
                "✓ the sandbox of {} is removed",
                nuked_polecat.polecat
            ));
            if let Some(bead) = &nuked_polecat.released {
                page.line(format!("  {bead} was on its hook and is open again"));
            }
            if let Some(reference) = &nuked_polecat.rescued {
                page.line(format!(
                    "  what was in it: gt rescue restore {reference} --into <tree>"
                ));
            }
            if let Some(path) = &nuked_polecat.moved_to {
                page.line(format!(
                    "  files that git ignores are in {}",
                    path.display()
                ));
            }
        }
    })
}
