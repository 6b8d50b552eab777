//! Checks what would be lost if a polecat's sandbox were removed now.

use bd::git::FileChange;
use serde::Serialize;

use super::nuke::find_refusal_reasons;
use crate::flow::place::sandbox::Sandbox;
use crate::flow::place::unsaved::{count_own_stashes, count_unpushed};
use crate::record::town_view::TownView;
use crate::town::Rig;

/// The verdict on a polecat's sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RecoveryVerdict {
    SafeToNuke,
    NeedsRecovery,
}

/// The unsaved work in a polecat's sandbox.
#[derive(Debug, Clone, Serialize)]
pub struct RecoveryCheck {
    pub rig: String,
    pub polecat: String,
    /// `clean`, or `has_work`.
    pub cleanup_status: &'static str,
    pub needs_recovery: bool,
    pub verdict: RecoveryVerdict,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The bead on its hook.
    #[serde(rename = "issue", skip_serializing_if = "Option::is_none")]
    pub bead: Option<String>,
    /// The reasons against a removal.
    pub reasons: Vec<String>,
}

/// Checks a polecat's sandbox as `gt polecat nuke` does, and changes nothing.
pub fn check_recovery(view: &TownView, rig: &Rig, name: &str) -> anyhow::Result<RecoveryCheck> {
    let polecat = view.find_polecat(rig.name(), name)?;
    let sandbox = Sandbox::new(rig, &polecat.name);
    let defect = if sandbox.path().join(".git").exists() {
        sandbox.describe_defect()
    } else {
        None
    };
    let reasons = find_refusal_reasons(rig, polecat, defect.as_deref())?;
    let needs_recovery = !reasons.is_empty();
    Ok(RecoveryCheck {
        rig: rig.name().to_owned(),
        polecat: polecat.name.clone(),
        cleanup_status: if needs_recovery { "has_work" } else { "clean" },
        needs_recovery,
        verdict: if needs_recovery {
            RecoveryVerdict::NeedsRecovery
        } else {
            RecoveryVerdict::SafeToNuke
        },
        branch: polecat.slot.branch.to_string(),
        bead: polecat.hook.clone(),
        reasons,
    })
}

/// The state of a polecat's worktree in git.
#[derive(Debug, Clone, Serialize)]
pub struct SandboxGitState {
    pub clean: bool,
    pub uncommitted_files: Vec<String>,
    /// The number of commits that no remote has.
    pub unpushed_commits: usize,
    /// The number of stashes of its branch.
    pub stash_count: usize,
    /// The branch that is checked out. None if detached.
    pub branch: Option<String>,
}

/// Reads the git state of a polecat's worktree.
pub fn read_git_state(rig: &Rig, name: &str) -> anyhow::Result<SandboxGitState> {
    let path = rig.sandbox(name);
    anyhow::ensure!(
        path.join(".git").exists(),
        "{}/{name} has no sandbox",
        rig.name()
    );
    let git = rig.sandbox_git(name)?;
    let changes = git.status()?;
    let uncommitted_files: Vec<String> = changes.iter().map(FileChange::display_path).collect();
    let unpushed_commits = count_unpushed(&git)?;
    let branch = git.head_branch()?;
    let stash_count = count_own_stashes(&git)?;
    Ok(SandboxGitState {
        clean: Sandbox::new(rig, name).find_unsaved_work()?.is_empty(),
        uncommitted_files,
        unpushed_commits,
        stash_count,
        branch,
    })
}
