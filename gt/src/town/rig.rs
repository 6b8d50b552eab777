//! The handle of one rig of an open town: its beads, its repository, its slots.
//!
//! A function that works on one rig takes a [`Rig`], not the town. Paths come from the
//! [`RigLayout`] behind it.

use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use bd::git::{Git, GitError};
use bd::store::{Store, Tx};

use crate::town::lock::{Lock, LockError};
use crate::town::sandbox_git::open_sandbox;
use crate::town::{RigLayout, Town};

#[derive(Clone)]
pub struct Rig<'t> {
    town: &'t Town,
    layout: RigLayout,
}

impl Deref for Rig<'_> {
    type Target = RigLayout;

    fn deref(&self) -> &RigLayout {
        &self.layout
    }
}

/// Shows the layout alone.
impl fmt::Debug for Rig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.layout.fmt(f)
    }
}

/// Two handles are equal if they are of the same folder.
impl PartialEq for Rig<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.layout == other.layout
    }
}

impl Eq for Rig<'_> {}

impl<'t> Rig<'t> {
    pub(super) fn new(town: &'t Town, layout: RigLayout) -> Self {
        Self { town, layout }
    }

    pub fn town(&self) -> &'t Town {
        self.town
    }

    pub fn layout(&self) -> &RigLayout {
        &self.layout
    }

    /// Returns the prefix of the rig's beads without hyphen.
    pub fn prefix(&self) -> String {
        self.town.prefix_of_rig(self.name())
    }

    /// Opens the rig's beads. Their warnings go to the town's reports.
    pub fn store(&self) -> anyhow::Result<Store> {
        Ok(self.town.open_store(&self.beads())?)
    }

    /// Changes beads of `store` in one transaction, with the acting agent as author.
    pub fn transact<T>(
        &self,
        store: &Store,
        change: impl FnOnce(&mut Tx) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.town.transact(store, change)
    }

    /// Returns the bare clone that all worktrees share.
    pub fn git(&self) -> Git {
        Git::at(self.repo())
    }

    /// Opens a polecat's sandbox.
    pub fn sandbox_git(&self, name: &str) -> Result<Git, GitError> {
        open_sandbox(self, name)
    }

    /// Takes the lock of a polecat's slot, and waits for it if another process holds it.
    pub fn take_slot(&self, name: &str, wait: Duration) -> Result<Lock, LockError> {
        Lock::take(&self.slot_lock(name), wait)
    }

    /// Takes the lock of a polecat's slot if no process works under it.
    pub fn try_take_slot(&self, name: &str) -> Result<Lock, LockError> {
        Lock::try_take(&self.slot_lock(name))
    }
}
