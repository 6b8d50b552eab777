//! Where a bead stands.

use super::fields_table::word_enum;

word_enum! {
    /// Where a bead stands. A word we do not know is kept as it is.
    pub enum Status: Open {
        /// To be done.
        Open = "open",
        /// Being done.
        InProgress = "in_progress",
        /// Cannot go on.
        Blocked = "blocked",
        /// Put off.
        Deferred = "deferred",
        /// Done, or given up.
        Closed = "closed",
        /// Deleted; kept so that the deletion spreads.
        Tombstone = "tombstone",
        /// Kept in place as context.
        Pinned = "pinned",
        /// On an agent's hook.
        Hooked = "hooked",
    }
}

impl Status {
    /// Whether it is one of the built-in words.
    pub fn is_built_in(&self) -> bool {
        !matches!(self, Self::Other(_))
    }

    /// Whether a bead of this status holds up those that wait for it.
    pub fn is_blocking(&self) -> bool {
        matches!(
            self,
            Self::Open | Self::InProgress | Self::Blocked | Self::Deferred | Self::Hooked
        )
    }
}
