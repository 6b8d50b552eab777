//! A polecat as lists show it, and in full.

use std::path::PathBuf;

use bd::git::Git;
use serde::Serialize;

use crate::flow::session::end;
use crate::host::LiveTown;
use crate::host::ended::SessionEnd;
use crate::record::polecat::{self, Polecat, PolecatState, WorkCompletion};
use crate::record::progress::WorkerProgress;
use crate::record::town_view::TownView;
use crate::town::RigLayout;
use crate::town::name::Lease;

/// A polecat as shown and as JSON.
#[derive(Debug, Serialize)]
pub struct PolecatRow {
    /// Its rig.
    pub rig: String,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: PolecatState,
    /// Why it has that state.
    pub why: String,
    /// The bead on its hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Whether its session runs.
    pub session_running: bool,
    /// The lease of its last session.
    pub lease: Lease,
    /// The branch of its sandbox.
    pub branch: String,
    /// Its progress, if it is at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<WorkerProgress>,
    /// Why it is not restarted; empty if it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stuck: String,
    /// Where its `gt done` failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_step: Option<String>,
    /// How its last session ended unasked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_end: Option<SessionEnd>,
}

impl PolecatRow {
    /// The row of a polecat.
    pub fn from_polecat(polecat: &Polecat) -> Self {
        let failed = polecat
            .slot
            .state
            .done_record()
            .and_then(|done| done.failed.as_ref());
        Self {
            rig: polecat.rig.clone(),
            name: polecat.name.clone(),
            state: polecat.state,
            why: polecat.why.clone(),
            issue: polecat.hook.clone(),
            session_running: polecat
                .session
                .as_ref()
                .is_some_and(|live| live.dead.is_none()),
            lease: polecat.slot.lease,
            branch: polecat.slot.branch.to_string(),
            progress: polecat.progress.clone(),
            stuck: polecat
                .slot
                .state
                .stuck_reason()
                .unwrap_or_default()
                .to_owned(),
            last_end: polecat.slot.ended.clone(),
            failed_step: failed.map(|failed| format!("{}: {}", failed.step, failed.reason)),
        }
    }

    /// The sign of its state.
    pub fn state_sign(&self) -> &'static str {
        match self.state {
            PolecatState::Working => "◐",
            PolecatState::Idle => "○",
            PolecatState::Stalled => "!",
            PolecatState::Zombie => "✗",
        }
    }
}

/// A polecat in full.
#[derive(Debug, Serialize)]
pub struct PolecatStatus {
    /// As lists show it.
    #[serde(flatten)]
    pub row: PolecatRow,
    /// Its sandbox.
    pub clone_path: PathBuf,
    /// The branch that the sandbox is on; none if detached.
    pub current_branch: Option<String>,
    /// How many files in it are not committed.
    pub uncommitted: usize,
    /// How many sessions have worked on its bead.
    pub sessions: usize,
    /// The beads that it has finished.
    pub record: Vec<WorkCompletion>,
}

impl PolecatStatus {
    /// Reads it.
    pub fn read(town: &LiveTown, rig: &RigLayout, name: &str) -> anyhow::Result<Self> {
        let view = TownView::read(town)?;
        let polecat = view.find_polecat(rig.name(), name)?;
        let clone_path = rig.sandbox(name);
        let git = Git::at(&clone_path);
        let mut row = PolecatRow::from_polecat(polecat);
        let dead = polecat.session.as_ref();
        let dead = dead.and_then(|live| end::end_of_dead_session(town, live, &polecat.slot));
        row.last_end = dead.or(row.last_end);
        Ok(Self {
            current_branch: git.head_branch().ok().flatten(),
            uncommitted: git.status().map_or(0, |changes| changes.len()),
            sessions: polecat.slot.session_count(),
            record: polecat::read_record(&polecat.bead),
            row,
            clone_path,
        })
    }
}
