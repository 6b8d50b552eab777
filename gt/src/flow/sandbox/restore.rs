//! Restores the sandbox of a worker that has work: after its folder was removed, or after its
//! links to the repository broke because the town was moved.
//!
//! 1. A folder that is there gets its links repaired (`git worktree repair`).
//! 2. What git cannot read is moved aside as a whole.
//! 3. The sandbox is added again on the branch of the work, which is in the rig's repository.
//! 4. The last snapshot of uncommitted files is put back.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use bd::git::{Git, GitError, rescue};

use super::{Sandbox, SandboxError, find_start_commit, provision_worktree};
use crate::record::polecat::Slot;
use crate::town::Rig;
use crate::town::event::event;
use crate::town::lock::Lock;

impl Sandbox<'_> {
    /// Makes the sandbox a working worktree on the branch of its work again. Does nothing if it is
    /// one. The caller holds the slot, and no process of the worker runs.
    pub fn restore(&self, slot: &Slot) -> Result<(), SandboxError> {
        let Err(reason) = self.check() else {
            return Ok(());
        };
        let snapshot = if self.repair_links()? {
            None
        } else {
            if self.path().exists() {
                self.move_aside(&reason)?;
            }
            self.add_again(slot)?;
            self.restore_snapshot(slot)?
        };
        provision_worktree(self.rig, &self.path())?;
        self.rig.town().record_event(&event!(SandboxRestored,
            rig: self.rig.name(), polecat: self.name, reason: reason, snapshot: snapshot,
        ));
        Ok(())
    }

    /// Repairs the links between sandbox and repository after one of them was moved. Returns true
    /// if the sandbox works.
    pub fn repair_links(&self) -> Result<bool, SandboxError> {
        if !self.path().join(".git").exists() {
            return Ok(false);
        }
        if self.check().is_ok() {
            return Ok(true);
        }
        let _held = Lock::take(&self.rig.repo_lock(), Duration::from_secs(120))?;
        repair_worktrees(self.rig)?;
        Ok(self.check().is_ok())
    }

    /// Adds the sandbox on its branch.
    fn add_again(&self, slot: &Slot) -> Result<(), SandboxError> {
        let _held = Lock::take(&self.rig.repo_lock(), Duration::from_secs(120))?;
        let (git, path) = (self.rig.git(), self.path());
        prune_worktrees(self.rig)?;
        let branch = format!("refs/heads/{}", slot.branch);
        if let Some(tip) = git.resolve(&branch)? {
            git.worktree_add_detached(&path, &tip)?;
            Git::at(&path)
                .plumbing(["symbolic-ref", "HEAD", &branch])
                .finish_checked()?;
            return Ok(());
        }
        let start = match self.find_branch_start(slot)? {
            Some(start) => start,
            None => find_start_commit(self.rig, &slot.target)?,
        };
        Ok(git.worktree_add(&path, &slot.branch, &start)?)
    }

    /// Returns the last known commit of a branch that is gone.
    fn find_branch_start(&self, slot: &Slot) -> Result<Option<String>, GitError> {
        let git = self.rig.git();
        let pushed = format!("refs/remotes/origin/{}", slot.branch);
        let snapshot = self.last_snapshot(slot)?.map(|name| format!("{name}^1"));
        for known in snapshot.into_iter().chain([pushed, slot.base.clone()]) {
            if known.is_empty() {
                continue;
            }
            if let Some(commit) = git.resolve(&format!("{known}^{{commit}}"))? {
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }

    /// Puts the last snapshot of the work back. Returns its ref. A snapshot that does not fit the
    /// branch any more stays where it is.
    fn restore_snapshot(&self, slot: &Slot) -> Result<Option<String>, SandboxError> {
        let Some(name) = self.last_snapshot(slot)? else {
            return Ok(None);
        };
        let restored = rescue::restore_rescue(&self.rig.git(), &Git::at(self.path()), &name);
        Ok(restored.is_ok().then_some(name))
    }

    fn last_snapshot(&self, slot: &Slot) -> Result<Option<String>, GitError> {
        let folder = format!("refs/gt/snap/{}/polecats/{}", self.rig.name(), self.name);
        let of_bead = format!(" on {}", slot.bead);
        let all = rescue::list_rescues(&self.rig.git(), &folder)?.into_iter();
        let mut of_work = all.filter(|snapshot| snapshot.subject.ends_with(&of_bead));
        Ok(of_work.next_back().map(|snapshot| snapshot.refname))
    }
}

/// Removes git's records of worktrees that are gone. Those of worktrees that were moved stay,
/// because the folder of the town may have been moved.
pub(super) fn prune_worktrees(rig: &Rig) -> Result<(), GitError> {
    repair_worktrees(rig)?;
    rig.git().worktree_prune()
}

/// Repairs the links of all worktrees of a rig that are in their places.
fn repair_worktrees(rig: &Rig) -> Result<(), GitError> {
    let polecats = fs::read_dir(rig.polecats()).into_iter().flatten().flatten();
    let names = polecats.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let sandboxes = names.map(|name| rig.sandbox(&name));
    let mut places: Vec<PathBuf> = sandboxes.chain([rig.refinery()]).collect();
    places.retain(|place| place.join(".git").is_file());
    if places.is_empty() {
        return Ok(());
    }
    // It fails if one of them cannot be repaired, and repairs the others.
    let git = rig.git();
    let repair = git.plumbing(["worktree", "repair"]).args(&places);
    repair.finish().map(drop)
}
