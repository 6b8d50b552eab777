//! Decides when a journal is folded.

use jiff::SignedDuration;

use crate::bead::Stamp;

/// The total size of issues and journal up to which every write is folded at once.
const AT_ONCE: u64 = 1 << 20;
/// The size from which the journal is folded after the answer, because every command reads it.
const FOLD_SIZE: u64 = 128 << 10;
/// The age of the oldest entry from which the next writer folds the journal after its answer.
const FOLD_AGE: SignedDuration = SignedDuration::from_secs(30);

/// The fold policy of a store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoldPolicy {
    /// The total size of both files up to which a write is folded at once. `None` disables folding,
    /// even by the journal's size.
    at_once: Option<u64>,
}

/// The time at which a fold is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoldDue {
    Now,
    Soon,
    /// After the answer, if the journal is still old then.
    WhenOld,
    No,
}

impl FoldPolicy {
    pub(crate) const USUAL: Self = Self {
        at_once: Some(AT_ONCE),
    };

    /// Folds at once only up to this size; 0 means never.
    #[cfg(test)]
    pub(crate) fn with_limit(size: u64) -> Self {
        Self {
            at_once: (size > 0).then_some(size),
        }
    }

    /// Decides when a fold is due after a write, from the sizes of issues and journal, the part of
    /// the journal that this write added, and the journal's first entry.
    pub(crate) fn due(
        self,
        issues: u64,
        journal: u64,
        added: u64,
        began: Option<&Stamp>,
        now: &Stamp,
    ) -> FoldDue {
        match self.at_once {
            Some(most) if issues.saturating_add(journal) <= most => FoldDue::Now,
            // The change is in memory now, and would have to be read again after the answer.
            Some(_) if added > FOLD_SIZE => FoldDue::Now,
            Some(_) if journal > FOLD_SIZE => FoldDue::Soon,
            _ if is_old(began, now) => FoldDue::WhenOld,
            _ => FoldDue::No,
        }
    }
}

/// Returns true if a journal that began at `began` is old.
pub(crate) fn is_old(began: Option<&Stamp>, now: &Stamp) -> bool {
    began.is_some_and(|began| now.instant().duration_since(began.instant()) >= FOLD_AGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_stores_fold_at_once_and_large_ones_by_journal_size_or_age() {
        let (began, now) = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z");
        let (began, now) = (Stamp::parse(began), Stamp::parse(now));
        let due = |issues, journal, added, at: &Stamp| {
            FoldPolicy::USUAL.due(issues, journal, added, Some(&began), at)
        };
        assert_eq!(due(AT_ONCE - 1, 1, 1, &began), FoldDue::Now);
        assert_eq!(
            due(AT_ONCE, FOLD_SIZE + 1, FOLD_SIZE + 1, &began),
            FoldDue::Now
        );
        assert_eq!(
            due(AT_ONCE, FOLD_SIZE + 1, FOLD_SIZE, &began),
            FoldDue::Soon
        );
        assert_eq!(due(AT_ONCE, FOLD_SIZE, 1, &now), FoldDue::WhenOld);
        assert_eq!(due(AT_ONCE, FOLD_SIZE, 1, &began), FoldDue::No);
    }
}
