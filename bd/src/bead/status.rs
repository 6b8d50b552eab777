//! The status of a bead.

use super::fields_table::word_enum;

word_enum! {
    /// The status of a bead. An unknown word is preserved.
    pub enum Status: Open {
        /// Work that has not begun.
        Open = "open",
        /// Work in progress.
        InProgress = "in_progress",
        /// Work that cannot continue.
        Blocked = "blocked",
        /// Postponed.
        Deferred = "deferred",
        /// Finished or abandoned.
        Closed = "closed",
        /// Deleted, and kept so that the deletion spreads.
        Tombstone = "tombstone",
        /// Kept permanently as context.
        Pinned = "pinned",
        /// On an agent's hook.
        Hooked = "hooked",
    }
}

impl Status {
    /// Returns true if the status is one of the built-in words.
    pub fn is_built_in(&self) -> bool {
        !matches!(self, Self::Other(_))
    }

    /// Returns true if a bead with this status blocks the beads that wait for it.
    pub fn is_blocking(&self) -> bool {
        matches!(
            self,
            Self::Open | Self::InProgress | Self::Blocked | Self::Deferred | Self::Hooked
        )
    }
}
