//! `gt polecat git-state`.

use kit::ui::{counted, escape};

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::polecat;

/// Show the git state of a polecat's sandbox
///
/// With `--json` {clean, uncommitted_files[], unpushed_commits, stash_count, branch}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The polecat: RIG/NAME
    polecat: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (rig, name) = super::parse_polecat(&town, &args.polecat)?;
    let state = polecat::read_git_state(&rig, &name)?;
    build_report(state, |state, page| {
        let branch = state.branch.as_deref().unwrap_or("(detached)");
        let word = if state.clean { "clean" } else { "has work" };
        page.line(format!("{branch}: {word}"));
        page.line(format!(
            "  {}, {} on no remote, {}",
            counted(state.uncommitted_files.len(), "uncommitted file"),
            counted(state.unpushed_commits, "commit"),
            counted(state.stash_count, "stashed change")
        ));
        for file in &state.uncommitted_files {
            page.line(format!("  {}", escape::escape_line(file)));
        }
    })
}
