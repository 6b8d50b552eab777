//! When a journal is folded.

use jiff::SignedDuration;

use crate::bead::Stamp;

/// Up to this size of issues and journal together every write is folded at once.
const AT_ONCE: u64 = 1 << 20;
/// From this size on the journal is folded after the answer: every command reads it.
const JOURNAL: u64 = 128 << 10;
/// From this age on of its oldest entry the journal is folded by the next writer, after its answer.
const AGE: SignedDuration = SignedDuration::from_secs(30);

/// When a store folds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoldPolicy {
    /// Up to this size of both at once; never, nor by the journal's size, where it is none.
    at_once: Option<u64>,
}

/// When a fold is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoldDue {
    /// Before the answer.
    Now,
    /// After the answer.
    Soon,
    /// After the answer, if the journal is still that old then.
    WhenOld,
    /// Later.
    No,
}

impl FoldPolicy {
    pub(crate) const USUAL: Self = Self {
        at_once: Some(AT_ONCE),
    };

    /// Folds at once up to this size only; 0 is never.
    #[cfg(test)]
    pub(crate) fn with_limit(size: u64) -> Self {
        Self {
            at_once: (size > 0).then_some(size),
        }
    }

    /// When a fold is due after a write, by the sizes of issues and journal, how much of the journal this write is, and
    /// the journal's first entry.
    pub(crate) fn due(
        self,
        issues: u64,
        (journal, own): (u64, u64),
        began: Option<&Stamp>,
        now: &Stamp,
    ) -> FoldDue {
        match self.at_once {
            Some(most) if issues.saturating_add(journal) <= most => FoldDue::Now,
            // What would be read again after the answer is at hand now.
            Some(_) if own > JOURNAL => FoldDue::Now,
            Some(_) if journal > JOURNAL => FoldDue::Soon,
            _ if is_old(began, now) => FoldDue::WhenOld,
            _ => FoldDue::No,
        }
    }
}

/// Whether a journal that began then is old.
pub(crate) fn is_old(began: Option<&Stamp>, now: &Stamp) -> bool {
    began.is_some_and(|began| now.instant().duration_since(began.instant()) >= AGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_issues_are_folded_at_once_and_large_ones_by_size_and_age_of_the_journal() {
        let (began, now) = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z");
        let (began, now) = (Stamp::parse(began), Stamp::parse(now));
        let due =
            |issues, journal, at: &Stamp| FoldPolicy::USUAL.due(issues, journal, Some(&began), at);
        assert_eq!(due(AT_ONCE - 1, (1, 1), &began), FoldDue::Now);
        assert_eq!(
            due(AT_ONCE, (JOURNAL + 1, JOURNAL + 1), &began),
            FoldDue::Now
        );
        assert_eq!(due(AT_ONCE, (JOURNAL + 1, JOURNAL), &began), FoldDue::Soon);
        assert_eq!(due(AT_ONCE, (JOURNAL, 1), &now), FoldDue::WhenOld);
        assert_eq!(due(AT_ONCE, (JOURNAL, 1), &began), FoldDue::No);
    }
}
