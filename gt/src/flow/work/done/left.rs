//! Finds the work that remains in the sandbox of a worker whose bead was closed without `gt done`.

use bd::git::{Git, GitError};

use super::proof::find_own_commits;
use crate::record::polecat::Slot;
use crate::town::sandbox_git::open_sandbox;
use crate::town::{Rig, RigLayout};

/// The work in a sandbox that is on no target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxLeftovers {
    #[default]
    Nothing,
    /// Uncommitted files without commits.
    Files,
    Commits,
}

/// Finds the remaining work of a sandbox. Nothing is fetched: a commit that is not known to be on
/// the target counts as remaining. A sandbox that git cannot read counts as one with commits.
pub(crate) fn find_sandbox_leftovers(rig: &RigLayout, name: &str, slot: &Slot) -> SandboxLeftovers {
    let sandbox = rig.sandbox(name);
    if slot.base.is_empty() || !sandbox.exists() {
        return SandboxLeftovers::Nothing;
    }
    let leftovers = open_sandbox(rig, name).and_then(|git| find_leftovers(&git, slot));
    leftovers.unwrap_or(SandboxLeftovers::Commits)
}

/// Returns true if `tip` has commits of the worker that are not known to be on the target.
pub(crate) fn has_commits(rig: &Rig, name: &str, slot: &Slot, tip: &str) -> bool {
    let own_commits = rig
        .sandbox_git(name)
        .and_then(|git| find_own_commits(&git, slot, tip));
    // If git cannot answer, there may be commits.
    own_commits.map_or(true, |own_commits| !own_commits.commits.is_empty())
}

fn find_leftovers(git: &Git, slot: &Slot) -> Result<SandboxLeftovers, GitError> {
    let tip = git.resolve("HEAD")?.unwrap_or_default();
    if !find_own_commits(git, slot, &tip)?.commits.is_empty() {
        return Ok(SandboxLeftovers::Commits);
    }
    Ok(if git.has_unsaved_files()? {
        SandboxLeftovers::Files
    } else {
        SandboxLeftovers::Nothing
    })
}
