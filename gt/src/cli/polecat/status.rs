//! `gt polecat status`.

use bd::git::Git;
use clap::Args;
use serde::Serialize;

use super::super::{Answer, answer};
use super::Row;
use crate::context::Context;
use crate::polecat::{self, Completion};

/// Show one polecat: state and reason, work, sandbox, session, record.
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// The polecat: RIG/NAME.
    polecat: String,
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    row: Row,
    clone_path: std::path::PathBuf,
    current_branch: Option<String>,
    uncommitted: usize,
    sessions: usize,
    record: Vec<Completion>,
}

pub(super) fn run(ctx: &Context, args: &StatusArgs) -> Answer {
    let town = ctx.town()?;
    let (rig, name) = super::parse(&town, &args.polecat)?;
    let beads = town.rig_store(&rig)?.snapshot()?;
    let sessions = town.backend.list().ok();
    let polecat = polecat::one(&rig, &beads, sessions.as_deref(), &name)?;
    let clone_path = rig.sandbox(&name);
    let git = Git::at(&clone_path);
    let shown = Shown {
        current_branch: git.head_branch().ok().flatten(),
        uncommitted: git.status().map_or(0, |changes| changes.len()),
        sessions: polecat.slot.respawns.len() + 1,
        record: polecat::read_record(&polecat.bead),
        row: Row::of(&polecat),
        clone_path,
    };
    answer(shown, |shown, page| {
        let row = &shown.row;
        page.line(format!(
            "{} {}/{}: {} ({})",
            row.mark(),
            row.rig,
            row.name,
            row.state.word(),
            row.why
        ));
        if let Some(issue) = &row.issue {
            page.line(format!(
                "  work:     {issue}, session {} on it",
                shown.sessions
            ));
        }
        page.line(format!("  sandbox:  {}", shown.clone_path.display()));
        let branch = shown.current_branch.as_deref().unwrap_or("(detached)");
        page.line(format!(
            "  branch:   {branch}, {} uncommitted files",
            shown.uncommitted
        ));
        let session = if row.session_running { "runs" } else { "none" };
        page.line(format!("  session:  {session}, lease {}", row.lease));
        if let Some(failed) = &row.failed_step {
            page.line(format!(
                "  gt done stopped at {}",
                bd::ui::escape::line(failed)
            ));
        }
        if !row.stuck.is_empty() {
            page.line(format!("  stuck:    {}", row.stuck));
        }
        page.line(format!("  record:   {} beads", shown.record.len()));
        for entry in shown.record.iter().rev().take(5) {
            page.line(format!(
                "    {} {} ({}s, {} sessions)",
                entry.at, entry.bead, entry.seconds, entry.sessions
            ));
        }
    })
}
