//! `gt crew list`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::crew;
use gt::record::town_view::TownView;

/// List the crew
///
/// With `--json` an array of {name, rig, branch, path, has_session, git_clean}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only crew of this rig
    #[arg(long)]
    rig: Option<String>,
    /// List the crew of all rigs (the default without --rig)
    #[arg(long, conflicts_with = "rig")]
    all: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rigs = town.select_rigs(args.rig.as_deref())?;
    let sessions = TownView::read(&town)?.sessions.unwrap_or_default();
    let members: Vec<_> = rigs
        .iter()
        .flat_map(|rig| crew::list_members(rig, &sessions))
        .collect();
    build_report(members, |members, page| {
        if members.is_empty() {
            page.line("no crew yet: gt crew add NAME adds one");
        }
        for member in members {
            let dot = if member.has_session { "●" } else { "○" };
            let clean = if member.git_clean {
                ""
            } else {
                "  (uncommitted work)"
            };
            let rig = &member.rig;
            let name = &member.name;
            let branch = member.branch.as_deref().unwrap_or("");
            page.cut_line(format!("{dot} {rig}/{name}  {branch}{clean}"));
        }
    })
}
