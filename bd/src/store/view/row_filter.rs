//! What a brief alone can say of a question that is asked of very many beads.

use crate::bead::{Kind, Status};
use crate::store::view::bead_ref::ListRow;

/// Conditions on a brief, as bits: what the next brief is cannot be guessed, so a branch for each would cost more.
#[derive(Debug, Clone)]
pub(crate) struct RowFilter {
    /// One bit for each built-in word by its code, and for each priority.
    statuses: u64,
    kinds: u64,
    priorities: u64,
    /// Flags that matter, and how they have to be.
    flags: u32,
    wanted: u32,
    unassigned: bool,
}

impl RowFilter {
    /// Lets through beads of these statuses, kinds and priorities.
    pub(crate) fn of(
        status: impl Fn(&Status) -> bool,
        kind: impl Fn(&Kind) -> bool,
        priority: impl Fn(i64) -> bool,
    ) -> Self {
        Self {
            statuses: bits(|code| Status::from_code(code).is_some_and(|it| status(&it))),
            kinds: bits(|code| Kind::from_code(code).is_some_and(|it| kind(&it))),
            priorities: bits(|number| priority(i64::from(number))),
            flags: 0,
            wanted: 0,
            unassigned: false,
        }
    }

    /// Of these only those with the flags.
    pub(crate) fn with(self, flags: u32) -> Self {
        Self {
            flags: self.flags | flags,
            wanted: self.wanted | flags,
            ..self
        }
    }

    /// Of these only those without any of the flags.
    pub(crate) fn without(self, flags: u32) -> Self {
        Self {
            flags: self.flags | flags,
            ..self
        }
    }

    /// Of these only those that nobody has, where that is asked for.
    pub(crate) fn unassigned(self, only: bool) -> Self {
        Self {
            unassigned: only,
            ..self
        }
    }

    /// Whether it lets a brief through; `None` where only the bead itself can say.
    pub(crate) fn fits(&self, brief: &ListRow) -> Option<bool> {
        let is_taken = self.unassigned && brief.assigned;
        let may_fit = brief.flags & self.flags == self.wanted && !is_taken;
        // Words of the users' own have no code, and such a priority is beyond ours or cut to the ends of its room.
        let [priority] = brief.priority.to_ne_bytes();
        if brief.status | brief.kind | priority >= 64 {
            return (!may_fit).then_some(false);
        }
        let words = (self.statuses >> brief.status) & (self.kinds >> brief.kind);
        Some(may_fit && words & (self.priorities >> priority) & 1 != 0)
    }
}

fn bits(wanted: impl Fn(u8) -> bool) -> u64 {
    (0..64).map(|code| u64::from(wanted(code)) << code).sum()
}
