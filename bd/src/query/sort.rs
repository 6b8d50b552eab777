//! Sorts lists.

use std::cmp::Ordering;

use crate::bead::Bead;

/// The sort key of a list. Times sort newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SortOrder {
    Priority,
    #[value(alias = "-created")]
    Created,
    #[value(alias = "-updated")]
    Updated,
    #[value(alias = "-closed")]
    Closed,
    /// The nearest due date first.
    Due,
    Status,
    Id,
    Title,
    Type,
    Assignee,
}

/// Sorts beads, with ties by id. Beads without the time come last.
pub fn sort_beads(beads: &mut [&Bead], order: SortOrder, reverse: bool) {
    beads.sort_by(|a, b| {
        let ascending = compare_beads(a, b, order);
        let by = if reverse {
            ascending.reverse()
        } else {
            ascending
        };
        by.then_with(|| a.id.cmp(&b.id))
    });
}

/// Sorts the first `count` beads into the usual order: most urgent first, then newest.
pub fn sort_usual(beads: &mut [&Bead], count: usize) {
    first_in_order(beads, count, |a, b| {
        a.priority
            .cmp(&b.priority)
            .then_with(|| b.created_at.instant().cmp(&a.created_at.instant()))
            .then_with(|| a.id.cmp(&b.id))
    });
}

/// Sorts the first `count` items. The order of the others is unspecified.
pub(crate) fn first_in_order<T>(
    items: &mut [T],
    count: usize,
    compare: impl Fn(&T, &T) -> Ordering,
) {
    if count == 0 {
        return;
    }
    let items = if count < items.len() {
        items.select_nth_unstable_by(count - 1, &compare);
        &mut items[..count]
    } else {
        items
    };
    items.sort_unstable_by(&compare);
}

/// The number of items above the limit that are kept before the surplus is removed.
const SPARE_ITEMS: usize = 500;

/// Collects the first items of an order from any number of offered items. Keeps only a few more
/// than the limit.
pub(crate) struct TopItems<T, C> {
    limit: usize,
    compare: C,
    items: Vec<T>,
    offered: usize,
    /// The last item within the limit so far, once there are enough items.
    last_kept: Option<T>,
}

impl<T: Copy, C: Fn(&T, &T) -> Ordering> TopItems<T, C> {
    /// Creates a collector for up to `limit` items; 0 means all.
    pub(crate) fn new(limit: usize, compare: C) -> Self {
        Self {
            limit: if limit == 0 { usize::MAX } else { limit },
            compare,
            items: Vec::new(),
            offered: 0,
            last_kept: None,
        }
    }

    pub(crate) fn offer(&mut self, item: T) {
        self.offered += 1;
        if self
            .last_kept
            .as_ref()
            .is_some_and(|bar| (self.compare)(&item, bar) == Ordering::Greater)
        {
            return;
        }
        self.items.push(item);
        if self.items.len() >= self.limit.saturating_add(SPARE_ITEMS) {
            first_in_order(&mut self.items, self.limit, &self.compare);
            self.items.truncate(self.limit);
            self.last_kept = self.items.last().copied();
        }
    }

    /// Returns the first items in order, and the number of offered items.
    pub(crate) fn finish(mut self) -> (Vec<T>, usize) {
        let limit = self.limit.min(self.items.len());
        first_in_order(&mut self.items, limit, &self.compare);
        self.items.truncate(limit);
        (self.items, self.offered)
    }
}

fn compare_beads(a: &Bead, b: &Bead, order: SortOrder) -> Ordering {
    match order {
        SortOrder::Priority => a.priority.cmp(&b.priority),
        SortOrder::Created => b.created_at.cmp(&a.created_at),
        SortOrder::Updated => b.updated_at.cmp(&a.updated_at),
        SortOrder::Closed => b.closed_at.cmp(&a.closed_at),
        SortOrder::Due => {
            let due = |bead: &Bead| (bead.due_at.is_none(), bead.due_at.clone());
            due(a).cmp(&due(b))
        }
        SortOrder::Status => a.status.as_str().cmp(b.status.as_str()),
        SortOrder::Id => a.id.cmp(&b.id),
        SortOrder::Title => a.title.to_lowercase().cmp(&b.title.to_lowercase()),
        SortOrder::Type => a.issue_type.as_str().cmp(b.issue_type.as_str()),
        SortOrder::Assignee => a.assignee.cmp(&b.assignee),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::Stamp;

    #[test]
    fn a_partial_sort_returns_the_first_items_of_a_full_sort() {
        for limit in [0, 1, 3, 10, 5000] {
            let items: Vec<u32> = (0..2000).map(|at| at * 7919 % 2003).collect();
            let mut first = TopItems::new(limit, |a: &u32, b: &u32| a.cmp(b));
            for item in &items {
                first.offer(*item);
            }
            let mut wanted = items.clone();
            wanted.sort_unstable();
            wanted.truncate(if limit == 0 { 2000 } else { limit });
            assert_eq!(first.finish(), (wanted, 2000), "{limit}");
        }
    }

    #[test]
    fn beads_that_were_never_closed_come_last() {
        let bead = |id: &str, closed: Option<&str>| Bead {
            id: id.into(),
            closed_at: closed.map(Stamp::parse),
            ..Bead::default()
        };
        let (a, b, c) = (
            bead("a", None),
            bead("b", Some("2026-01-01T00:00:00Z")),
            bead("c", Some("2026-02-01T00:00:00Z")),
        );
        let mut list = [&a, &b, &c];
        sort_beads(&mut list, SortOrder::Closed, false);
        let ids: Vec<_> = list.iter().map(|bead| bead.id.as_str()).collect();
        assert_eq!(ids, ["c", "b", "a"]);
    }
}
