//! Describes a polecat for lists, and in full.

use std::path::PathBuf;

use kit::sys::file;
use serde::Serialize;

use crate::flow::agent::polecat::describe_hire;
use crate::flow::agent::session::end;
use crate::host::ended::SessionEnd;
use crate::host::{LiveTown, UnreachableHost};
use crate::patrol::explain_worker;
use crate::record::desk::{DeskNumber, DeskNumbers, DeskProgress};
use crate::record::polecat::{self, Polecat, PolecatState, WorkCompletion};
use crate::record::progress::WorkerProgress;
use crate::record::town_view::TownView;
use crate::town::name::Lease;
use crate::town::{Rig, TownLayout};

/// A polecat in a list, for text and JSON.
#[derive(Debug, Serialize)]
pub struct PolecatRow {
    pub rig: String,
    pub name: String,
    pub state: PolecatState,
    /// The word for the state on screens.
    #[serde(skip)]
    pub word: &'static str,
    /// The reason for the state.
    pub why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    pub session_running: bool,
    /// The lease of the last session.
    pub lease: Lease,
    /// The branch of the sandbox.
    pub branch: String,
    /// The other machine on which it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The state of that machine, if it cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<UnreachableHost>,
    /// The progress, if it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<WorkerProgress>,
    /// The reason why it is not restarted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<String>,
    /// The failed step of `gt done`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_step: Option<String>,
    /// The end of its last session, if it ended on its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_end: Option<SessionEnd>,
}

impl PolecatRow {
    pub fn from_polecat(layout: &TownLayout, view: &TownView, polecat: &Polecat) -> Self {
        let failed = polecat
            .slot
            .state
            .done_record()
            .and_then(|done| done.failed.as_ref());
        Self {
            rig: polecat.rig.clone(),
            name: polecat.name.clone(),
            state: polecat.state,
            word: polecat.state_word(),
            why: explain_worker(layout, view, polecat),
            issue: polecat.hook.clone(),
            session_running: polecat
                .session
                .as_ref()
                .is_some_and(|live| live.dead.is_none()),
            lease: polecat.slot.lease,
            branch: polecat.slot.branch.to_string(),
            host: polecat.host().map(str::to_owned),
            unreachable: polecat.unreachable.clone(),
            progress: polecat.progress.clone(),
            stuck: polecat
                .slot
                .state
                .stuck_reason()
                .filter(|reason| !reason.is_empty())
                .map(str::to_owned),
            last_end: polecat.slot.ended.clone(),
            failed_step: failed.map(|failed| format!("{}: {}", failed.step, failed.reason)),
        }
    }

    /// Returns the sign of the state.
    pub fn state_sign(&self) -> &'static str {
        mark_of_word(self.word)
    }
}

/// Returns the sign for the word of a polecat's state.
pub(super) fn mark_of_word(word: &str) -> &'static str {
    match word {
        "working" => "◐",
        "hands in" => "⇡",
        "stalled" => "!",
        "zombie" => "✗",
        _ => "○",
    }
}

/// A polecat in full.
#[derive(Debug, Serialize)]
pub struct PolecatStatus {
    #[serde(flatten)]
    pub row: PolecatRow,
    pub clone_path: PathBuf,
    /// The branch that is checked out. None if detached.
    pub current_branch: Option<String>,
    /// The number of uncommitted files.
    pub uncommitted: usize,
    /// The number of its desk on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desk: Option<DeskNumber>,
    /// The command of its desk that runs, or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desk_progress: Option<DeskProgress>,
    /// The jail of its last session: `bubblewrap`, `landlock`, or `none:` with the reason. None if
    /// no setting asks for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jail: Option<String>,
    /// The number of sessions that have worked on the bead.
    pub sessions: usize,
    /// The user and the time of the last hire with a persona, or of its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hired: Option<String>,
    /// The finished beads.
    pub record: Vec<WorkCompletion>,
}

/// Returns the changes of a worker since its branch started, with those not committed yet, as a
/// patch. New files that git does not track yet are listed by name.
pub fn read_changes_so_far(rig: &Rig, name: &str) -> anyhow::Result<String> {
    let beads = rig.store()?.snapshot()?;
    let all = polecat::list_polecats(rig, &beads, None);
    let polecat = all.iter().find(|polecat| polecat.name == name);
    let polecat = polecat
        .ok_or_else(|| anyhow::anyhow!("there is no polecat `{name}` in rig `{}`", rig.name()))?;
    let base = &polecat.slot.base;
    anyhow::ensure!(!base.is_empty(), "{name} has not begun any work");
    let git = rig.sandbox_git(name)?;
    // No diff programs of the repository's configuration, and no colours.
    let call = git.plumbing(["diff", "--no-ext-diff", "--no-textconv", "--no-color"]);
    let call = call
        .args(git.submodule_option())
        .args([base.as_str(), "--"]);
    let mut patch = call.text()?;
    let untracked = git.plumbing(["ls-files", "--others", "--exclude-standard", "-z"]);
    for path in untracked.records()? {
        patch.push_str(&format!("new file {path}\n"));
    }
    Ok(patch)
}

impl PolecatStatus {
    pub fn read(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<Self> {
        let view = TownView::read(town)?;
        let polecat = view.find_polecat(rig.name(), name)?;
        let clone_path = rig.sandbox(name);
        let git = rig.sandbox_git(name).ok();
        let mut row = PolecatRow::from_polecat(&town.layout, &view, polecat);
        let dead = polecat
            .session
            .as_ref()
            .and_then(|live| end::end_of_dead_session(town, live, &polecat.slot));
        row.last_end = dead.or(row.last_end);
        Ok(Self {
            current_branch: git.as_ref().and_then(|git| git.head_branch().ok()?),
            uncommitted: git.map_or(0, |git| git.status().map_or(0, |changes| changes.len())),
            desk: DeskNumbers::open(&town.env)
                .ok()
                .and_then(|numbers| numbers.find_of_tree(&clone_path)),
            desk_progress: DeskProgress::read(rig, &clone_path),
            jail: file::read_file_if_exists(&rig.session_jail_note(name))
                .ok()
                .flatten()
                .map(|text| String::from_utf8_lossy(&text).into_owned()),
            sessions: polecat.slot.session_count(),
            hired: describe_hire(&polecat.bead),
            record: view
                .stores
                .rigs
                .get(rig.name())
                .map_or_else(Vec::new, |beads| polecat::read_record(beads, &polecat.bead)),
            row,
            clone_path,
        })
    }
}
