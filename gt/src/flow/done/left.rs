//! What a worker whose bead was closed without `gt done` still has in its sandbox.

use bd::git::{Git, GitError};

use super::proof::find_own_commits;
use crate::record::polecat::Slot;
use crate::town::RigLayout;

/// What is in a sandbox and on no target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxLeftovers {
    /// Nothing.
    #[default]
    Nothing,
    /// Files that are not committed, and no commit.
    Files,
    /// Commits.
    Commits,
}

/// Looks at a sandbox. Nothing is fetched: what is not known to be on the target is not there. A sandbox
/// that does not answer may hold commits.
pub(crate) fn find_sandbox_leftovers(rig: &RigLayout, name: &str, slot: &Slot) -> SandboxLeftovers {
    let sandbox = rig.sandbox(name);
    if slot.base.is_empty() || !sandbox.exists() {
        return SandboxLeftovers::Nothing;
    }
    find_leftovers(&Git::at(sandbox), slot).unwrap_or(SandboxLeftovers::Commits)
}

/// Whether a commit of a sandbox has commits of its worker that are not known to be on the target.
pub(crate) fn has_commits(rig: &RigLayout, name: &str, slot: &Slot, tip: &str) -> bool {
    let git = Git::at(rig.sandbox(name));
    // What cannot be asked may be there.
    find_own_commits(&git, slot, tip).map_or(true, |own| !own.commits.is_empty())
}

fn find_leftovers(git: &Git, slot: &Slot) -> Result<SandboxLeftovers, GitError> {
    let tip = git.resolve("HEAD")?.unwrap_or_default();
    if !find_own_commits(git, slot, &tip)?.commits.is_empty() {
        return Ok(SandboxLeftovers::Commits);
    }
    Ok(if git.status()?.is_empty() {
        SandboxLeftovers::Nothing
    } else {
        SandboxLeftovers::Files
    })
}
