//! Ready work: open, not deferred, and not blocked.
//!
//! Selects beads from the index alone; only the beads that are shown are parsed. [`blocked`]
//! determines the blocked beads.

use kit::sys::clock::to_nanoseconds;
use std::cmp::Ordering;
use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use crate::bead::blocked;
use crate::bead::internal::is_internal_label;
use crate::bead::{Bead, DepKind, Kind, Status};
use crate::query::BeadFilter;
use crate::query::filter::RowFilter;
use crate::query::sort::TopItems;
use crate::store::{BeadRef, ListRow, Snapshot, TimeField};

/// The order of ready work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadyOrder {
    /// Beads of the last two days by priority, then older beads by age.
    #[default]
    Hybrid,
    Priority,
    Oldest,
}

impl ReadyOrder {
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "" | "hybrid" => Some(Self::Hybrid),
            "priority" => Some(Self::Priority),
            "oldest" => Some(Self::Oldest),
            _ => None,
        }
    }
}

/// The filter and order of ready work.
#[derive(Debug, Clone)]
pub struct ReadyQuery {
    /// The conditions on the beads; by default that they are open. A requested kind or label may be
    /// an internal one.
    pub filter: BeadFilter,
    /// Only descendants of this bead.
    pub ancestor: Option<String>,
    /// Include beads that are deferred to a later time.
    pub include_deferred: bool,
    pub order: ReadyOrder,
    /// The maximum number of beads; 0 means no limit.
    pub limit: usize,
}

impl Default for ReadyQuery {
    fn default() -> Self {
        Self {
            filter: BeadFilter {
                statuses: vec![Status::Open],
                ..BeadFilter::default()
            },
            ancestor: None,
            include_deferred: false,
            order: ReadyOrder::Hybrid,
            limit: 0,
        }
    }
}

/// Returns the ready beads up to the limit, and the number of all ready beads.
pub fn find_ready<'a>(
    snapshot: &'a Snapshot,
    query: &ReadyQuery,
    now: Timestamp,
) -> (Vec<&'a Bead>, usize) {
    let (found, total) = find_ready_rows(snapshot, query, now);
    (
        found
            .iter()
            .filter_map(|row| snapshot.bead_ref_at(row.node).bead())
            .collect(),
        total,
    )
}

/// Returns the rows of the ready beads up to the limit, and the number of all ready beads.
pub fn find_ready_rows(
    snapshot: &Snapshot,
    query: &ReadyQuery,
    now: Timestamp,
) -> (Vec<ListRow>, usize) {
    let filter = ReadyFilter::new(snapshot, query, now);
    let two_days_ago = now.checked_sub(SignedDuration::from_hours(48));
    let fresh_since = to_nanoseconds(two_days_ago.unwrap_or(now));
    let mut found = TopItems::new(query.limit, |a: &ListRow, b: &ListRow| {
        compare_ready(snapshot, query.order, fresh_since, a, b)
    });
    snapshot
        .open_rows()
        .filter(|row| filter.accepts(row))
        .for_each(|row| found.offer(row));
    found.finish()
}

/// Decides which open rows are ready work that matches a query.
pub(super) struct ReadyFilter<'a> {
    snapshot: &'a Snapshot,
    rows: RowFilter<'a>,
    below: Option<HashSet<&'a str>>,
    hidden: HiddenIds,
    /// The time until which a bead may be deferred; `None` for any.
    deferred_until: Option<Timestamp>,
}

impl<'a> ReadyFilter<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, query: &ReadyQuery, now: Timestamp) -> Self {
        let mut filter = query.filter.clone();
        let mut hidden = HiddenIds::default();
        if filter.kinds.is_empty() {
            hidden = HiddenIds::new(snapshot.config().list("ready.exclude_id_patterns"));
            if !names_internal_label(&filter) {
                filter.no_internal = true;
                filter.not_kinds.extend([Kind::Gate, Kind::Molecule]);
            }
        }
        let ancestor = query.ancestor.as_deref();
        Self {
            snapshot,
            rows: RowFilter::new(snapshot, filter),
            below: ancestor.map(|id| collect_descendants(snapshot, id)),
            hidden,
            deferred_until: (!query.include_deferred).then_some(now),
        }
    }

    pub(super) fn accepts(&self, row: &ListRow) -> bool {
        !(row.is_blocked() || row.is_pinned() || row.is_ephemeral())
            && self.rows.accepts(row)
            && !(row.has_deferral() && self.is_deferred(row))
            && !(self.hidden.may_hide(row) && self.hidden.hides(self.bead_ref(row).id()))
            && self
                .below
                .as_ref()
                .is_none_or(|below| below.contains(self.bead_ref(row).id()))
    }

    fn bead_ref(&self, row: &ListRow) -> BeadRef<'a> {
        self.snapshot.bead_ref_at(row.node)
    }

    fn is_deferred(&self, row: &ListRow) -> bool {
        let until = self.bead_ref(row).time(TimeField::Deferred);
        self.deferred_until
            .zip(until)
            .is_some_and(|(now, until)| until > now)
    }
}

/// Returns true if a requested label is one of internal beads.
fn names_internal_label(filter: &BeadFilter) -> bool {
    filter
        .labels
        .iter()
        .chain(&filter.labels_any)
        .any(|label| is_internal_label(label))
}

/// The texts in ids of beads that are not work, as of the steps of molecules.
#[derive(Default)]
struct HiddenIds {
    texts: Vec<String>,
    /// True if an id with a single hyphen may have such a text.
    may_be_short: bool,
}

impl HiddenIds {
    fn new(texts: Vec<String>) -> Self {
        let may_be_short = texts.iter().any(|text| text.matches('-').count() < 2);
        Self {
            texts,
            may_be_short,
        }
    }

    /// Returns false if the row already shows that no text is in the id.
    fn may_hide(&self, row: &ListRow) -> bool {
        self.may_be_short || (row.has_hyphens() && !self.texts.is_empty())
    }

    fn hides(&self, id: &str) -> bool {
        self.texts.iter().any(|text| id.contains(text.as_str()))
    }
}

/// Returns true if a bead is deferred to a time after `now`.
pub fn is_deferred(bead: &Bead, now: Timestamp) -> bool {
    bead.defer_until
        .as_ref()
        .is_some_and(|until| until.instant() > now)
}

/// Returns true for kinds that someone works on.
pub fn is_work_kind(kind: &Kind) -> bool {
    !kind.is_internal() && !matches!(kind, Kind::Gate | Kind::Molecule)
}

/// Compares two rows by the order of the query. `fresh_since` is the start of the period of fresh
/// beads.
fn compare_ready(
    snapshot: &Snapshot,
    order: ReadyOrder,
    fresh_since: i64,
    a: &ListRow,
    b: &ListRow,
) -> Ordering {
    let compare_age = || {
        a.created.cmp(&b.created).then_with(|| {
            let [a_id, b_id] = [a, b].map(|row| snapshot.bead_ref_at(row.node).id());
            a_id.cmp(b_id)
        })
    };
    let is_by_priority = match order {
        ReadyOrder::Priority => true,
        ReadyOrder::Oldest => false,
        ReadyOrder::Hybrid => match (a.created >= fresh_since, b.created >= fresh_since) {
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (are_fresh, _) => are_fresh,
        },
    };
    if is_by_priority {
        a.priority.cmp(&b.priority).then_with(compare_age)
    } else {
        compare_age()
    }
}

/// Returns true if a bead is blocked, directly or through a parent.
pub fn is_blocked(snapshot: &Snapshot, id: &str) -> bool {
    snapshot
        .bead_ref(id)
        .filter(|head| !head.is_tombstone())
        .is_some_and(|head| head.is_blocked())
}

/// Returns the open targets of a bead's `blocks` edges.
pub fn find_blockers<'a>(snapshot: &'a Snapshot, id: &str) -> Vec<&'a str> {
    let Some(bead) = snapshot.bead_ref(id).filter(|head| !head.is_tombstone()) else {
        return Vec::new();
    };
    let blocks = DepKind::Blocks.code();
    bead.blocking_edges()
        .into_iter()
        .filter(|link| link.kind == blocks && blocked::is_blocking_edge(snapshot, link))
        .filter_map(|link| Some(snapshot.bead_ref_at(link.target?).id()))
        .collect()
}

/// Returns all descendants of a bead by parent-child edges, including deleted ones.
pub fn collect_descendants<'a>(snapshot: &'a Snapshot, id: &str) -> HashSet<&'a str> {
    let mut found: HashSet<&str> = HashSet::new();
    let mut front: Vec<BeadRef<'a>> = snapshot.every_child(id);
    while let Some(bead) = front.pop() {
        if found.insert(bead.id()) {
            front.extend(snapshot.every_child(bead.id()));
        }
    }
    found
}

#[cfg(test)]
mod tests;
