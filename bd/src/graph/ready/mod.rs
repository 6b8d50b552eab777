//! Ready work: open, not deferred, and not blocked.
//!
//! Selects beads from the index alone; only the beads that are shown are parsed. [`blocked`]
//! determines the blocked beads.

use kit::sys::clock::to_nanoseconds;
use std::cmp::Ordering;
use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use crate::bead::blocked::{self, is_open};
use crate::bead::internal::is_internal_label;
use crate::bead::{Bead, DepKind, Kind, Status};
use crate::query::sort::TopItems;
use crate::store::{BeadRef, ExactValues, ListRow, Snapshot, TimeField};

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
    /// Only beads with one of these statuses.
    pub statuses: Vec<Status>,
    /// Only this kind. A requested kind may be an internal kind.
    pub kind: Option<Kind>,
    pub priority: Option<i64>,
    pub assignee: Option<String>,
    /// Only unassigned beads; overrides the assignee.
    pub unassigned: bool,
    /// Only beads with all of these labels.
    pub labels: Vec<String>,
    /// Only beads with at least one of these labels.
    pub labels_any: Vec<String>,
    /// Only beads without any of these labels.
    pub not_labels: Vec<String>,
    pub not_kinds: Vec<Kind>,
    pub parent: Option<String>,
    /// Only this kind of molecule.
    pub mol_type: Option<String>,
    /// Include beads that are deferred to a later time.
    pub include_deferred: bool,
    pub order: ReadyOrder,
    /// The maximum number of beads; 0 means no limit.
    pub limit: usize,
}

impl ReadyQuery {
    /// Returns true if a requested label is one of internal beads.
    fn wants_internal(&self) -> bool {
        self.labels
            .iter()
            .chain(&self.labels_any)
            .any(|label| is_internal_label(label))
    }
}

impl Default for ReadyQuery {
    fn default() -> Self {
        Self {
            statuses: vec![Status::Open],
            kind: None,
            priority: None,
            assignee: None,
            unassigned: false,
            labels: Vec::new(),
            labels_any: Vec::new(),
            not_labels: Vec::new(),
            not_kinds: Vec::new(),
            parent: None,
            mol_type: None,
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
    let consider = |row: ListRow| {
        if filter.accepts(&row) {
            found.offer(row);
        }
    };
    if query.statuses.iter().all(|status| is_open(status.code())) {
        snapshot.open_rows().for_each(consider);
    } else {
        snapshot.all_rows().into_iter().for_each(consider);
    }
    found.finish()
}

/// Decides which rows are ready work that matches a query.
pub(super) struct ReadyFilter<'a> {
    snapshot: &'a Snapshot,
    query: &'a ReadyQuery,
    below: Option<HashSet<&'a str>>,
    hidden: Vec<String>,
    asks: RowGaps,
    now: Timestamp,
}

impl<'a> ReadyFilter<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, query: &'a ReadyQuery, now: Timestamp) -> Self {
        let hidden = snapshot.config().list("ready.exclude_id_patterns");
        Self {
            snapshot,
            query,
            below: query
                .parent
                .as_deref()
                .map(|id| collect_descendants(snapshot, id)),
            asks: RowGaps::for_query(query, &hidden),
            hidden,
            now,
        }
    }

    pub(super) fn accepts(&self, row: &ListRow) -> bool {
        let fits = row_fits(self.query, row);
        if fits == Some(false) {
            return false;
        }
        let is_certain = fits.is_some() && self.below.is_none() && !self.asks.needs_bead(row);
        let bead_ref = || self.snapshot.bead_ref_at(row.node);
        let query = self.query;
        let below = self.below.as_ref();
        is_certain || is_candidate(&bead_ref(), query, &self.hidden, below, self.now)
    }
}

/// Returns true if a row matches a query, or `None` if only the bead can answer.
fn row_fits(query: &ReadyQuery, row: &ListRow) -> Option<bool> {
    let is_taken = query.unassigned && row.assigned;
    if row.is_blocked() || row.is_pinned() || row.is_ephemeral() || is_taken {
        return Some(false);
    }
    let ExactValues {
        status,
        kind,
        priority,
    } = row.exact_values()?;
    let is_of_kind = match &query.kind {
        Some(wanted) => kind == *wanted,
        None => query.wants_internal() || (!row.is_internal() && is_work_kind(&kind)),
    };
    let is_kind_allowed = is_of_kind && !query.not_kinds.contains(&kind);
    Some(
        is_kind_allowed
            && query.statuses.contains(&status)
            && query.priority.is_none_or(|wanted| priority == wanted),
    )
}

/// The conditions of a query that a row cannot answer.
struct RowGaps {
    always: bool,
    /// True if the bead must be read for ids with more than one hyphen.
    of_hyphens: bool,
}

impl RowGaps {
    fn for_query(query: &ReadyQuery, hidden: &[String]) -> Self {
        Self {
            of_hyphens: !hidden.is_empty(),
            always: hidden.iter().any(|part| part.matches('-').count() < 2)
                || (query.assignee.is_some() && !query.unassigned)
                || !query.labels.is_empty()
                || !query.labels_any.is_empty()
                || !query.not_labels.is_empty()
                || query.mol_type.is_some(),
        }
    }

    fn needs_bead(&self, brief: &ListRow) -> bool {
        self.always || brief.has_deferral() || (self.of_hyphens && brief.has_hyphens())
    }
}

/// Returns true if a bead matches the query, regardless of its blockers.
#[cold]
fn is_candidate(
    bead_ref: &BeadRef<'_>,
    query: &ReadyQuery,
    hidden: &[String],
    below: Option<&HashSet<&str>>,
    now: Timestamp,
) -> bool {
    let is_work = match &query.kind {
        Some(kind) => bead_ref.kind() == *kind,
        None => {
            (query.wants_internal() || (!bead_ref.is_internal() && is_work_kind(&bead_ref.kind())))
                && !hidden
                    .iter()
                    .any(|part| bead_ref.id().contains(part.as_str()))
        }
    };
    let owner = if query.unassigned {
        bead_ref.assignee().is_empty()
    } else {
        query
            .assignee
            .as_ref()
            .is_none_or(|who| bead_ref.assignee() == who)
    };
    let labels = query.labels.iter().all(|label| bead_ref.has_label(label));
    let any = query.labels_any.is_empty()
        || query
            .labels_any
            .iter()
            .any(|label| bead_ref.has_label(label));
    let exactly = || {
        let bead = bead_ref.bead();
        bead.is_some_and(|bead| {
            query.priority.is_none_or(|wanted| bead.priority == wanted)
                && query
                    .mol_type
                    .as_ref()
                    .is_none_or(|kind| bead.mol_type == *kind)
        })
    };
    below.is_none_or(|below| below.contains(bead_ref.id()))
        && query.statuses.contains(&bead_ref.status())
        && is_work
        && !query.not_kinds.contains(&bead_ref.kind())
        && !query
            .not_labels
            .iter()
            .any(|label| bead_ref.has_label(label))
        && owner
        && labels
        && any
        && (query.include_deferred
            || bead_ref
                .time(TimeField::Deferred)
                .is_none_or(|until| until <= now))
        && ((query.priority.is_none() && query.mol_type.is_none()) || exactly())
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
    let id = |brief: &ListRow| snapshot.bead_ref_at(brief.node).id();
    let age = || a.created.cmp(&b.created).then_with(|| id(a).cmp(id(b)));
    let urgency = || a.priority.cmp(&b.priority).then_with(age);
    let fresh = |brief: &ListRow| brief.created >= fresh_since;
    match order {
        ReadyOrder::Priority => urgency(),
        ReadyOrder::Oldest => age(),
        ReadyOrder::Hybrid => match (fresh(a), fresh(b)) {
            (true, true) => urgency(),
            (false, false) => age(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        },
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
