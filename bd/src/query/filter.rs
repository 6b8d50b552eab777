//! Filters the beads of a list.

use jiff::Timestamp;
use kit::sys::clock::to_nanoseconds;

use crate::bead::{Bead, Kind, Status};
use crate::store::{BeadRef, ExactValues, ListRow, Snapshot, StoreError, TimeField};

/// A time range that excludes both ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeRange {
    pub after: Option<Timestamp>,
    pub before: Option<Timestamp>,
}

impl TimeRange {
    /// Returns true if the range may contain a time from the index, which is clamped to the limits
    /// of the index.
    fn can_contain(&self, at: Option<Timestamp>) -> bool {
        if self.after.is_none() && self.before.is_none() {
            return true;
        }
        let ends = [i64::MIN + 1, i64::MAX];
        at.is_some_and(|at| {
            ends.contains(&to_nanoseconds(at))
                || (self.after.is_none_or(|after| at > after)
                    && self.before.is_none_or(|before| at < before))
        })
    }

    fn contains(&self, stamp: Option<&crate::bead::Stamp>) -> bool {
        if self.after.is_none() && self.before.is_none() {
            return true;
        }
        stamp.is_some_and(|stamp| {
            let at = stamp.instant();
            self.after.is_none_or(|after| at > after)
                && self.before.is_none_or(|before| at < before)
        })
    }
}

/// A regular expression. Two of them are equal if their texts are.
#[derive(Debug, Clone)]
pub struct LabelRegex(pub regex::Regex);

impl PartialEq for LabelRegex {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for LabelRegex {}

/// All conditions that a bead must meet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    missing_docs,
    clippy::struct_excessive_bools,
    reason = "the fields are named as the flags are"
)]
pub struct BeadFilter {
    /// One of these statuses; empty means any except tombstones.
    pub statuses: Vec<Status>,
    pub not_statuses: Vec<Status>,
    /// One of these types; empty means any.
    pub kinds: Vec<Kind>,
    pub not_kinds: Vec<Kind>,
    /// One of these priorities; empty means any.
    pub priorities: Vec<i64>,
    pub priority_min: Option<i64>,
    pub priority_max: Option<i64>,
    pub assignee: Option<String>,
    pub no_assignee: bool,
    pub labels: Vec<String>,
    pub labels_any: Vec<String>,
    pub not_labels: Vec<String>,
    /// A pattern with `*` and `?` that a label must match.
    pub label_pattern: Option<String>,
    /// A regular expression that a label must match.
    pub label_regex: Option<LabelRegex>,
    pub no_labels: bool,
    pub ids: Vec<String>,
    /// A text in title, description, id or external reference.
    pub text: Option<String>,
    pub title_contains: Vec<String>,
    pub desc_contains: Option<String>,
    pub notes_contains: Option<String>,
    pub spec_prefix: Option<String>,
    /// A pattern with `*` and `?` that the external reference must match.
    pub external_ref: Option<String>,
    pub empty_description: bool,
    pub created: TimeRange,
    pub updated: TimeRange,
    pub closed: TimeRange,
    pub due: TimeRange,
    pub deferral: TimeRange,
    pub deferred: bool,
    pub overdue_at: Option<Timestamp>,
    pub pinned: Option<bool>,
    pub no_templates: bool,
    /// Neither internal beads nor wisps.
    pub no_internal: bool,
    pub parent: Option<String>,
    pub mol_type: Option<String>,
    pub wisp_type: Option<String>,
    /// Only wisps.
    pub ephemeral: bool,
}

impl BeadFilter {
    /// Returns the matching beads of a snapshot, sorted by id.
    pub fn apply<'a>(&self, snapshot: &'a Snapshot) -> Vec<&'a Bead> {
        self.choose(snapshot.bead_refs())
    }

    /// Returns the first matching beads in the usual order. Searches the bytes of the files for the
    /// text first, and reads no more lines than necessary.
    pub fn search_first<'a>(
        &self,
        snapshot: &'a Snapshot,
        limit: usize,
    ) -> Result<Vec<&'a Bead>, StoreError> {
        let text = self.text.as_deref().unwrap_or("");
        let mut heads = snapshot.find_text_candidates(text)?;
        heads.retain(|bead_ref| self.can_match(bead_ref));
        let mut heads: Vec<_> = heads
            .into_iter()
            .map(|bead_ref| (bead_ref.rank(), bead_ref))
            .collect();
        // If the index clamped a value, the records determine the order.
        if heads.iter().any(|(rank, _)| rank.is_clamped()) {
            let mut found = self.choose(heads.into_iter().map(|(_, bead_ref)| bead_ref));
            super::sort::sort_usual(&mut found, limit);
            found.truncate(limit);
            return Ok(found);
        }
        let mut found = Vec::new();
        let mut rest = &mut heads[..];
        while found.len() < limit && !rest.is_empty() {
            // Most beads whose line contains the text have it in a searched field.
            let some = limit.saturating_mul(2).min(rest.len());
            super::sort::first_in_order(rest, some, |a, b| {
                a.0.cmp(&b.0).then_with(|| a.1.id().cmp(b.1.id()))
            });
            let (first, others) = rest.split_at_mut(some);
            let room = limit - found.len();
            found.extend(
                first
                    .iter()
                    .filter_map(|(_, bead_ref)| bead_ref.bead())
                    .filter(|bead| self.matches(bead))
                    .take(room),
            );
            rest = others;
        }
        Ok(found)
    }

    fn choose<'a>(&self, heads: impl Iterator<Item = BeadRef<'a>>) -> Vec<&'a Bead> {
        heads
            .filter(|bead_ref| self.can_match(bead_ref))
            .filter_map(|bead_ref| bead_ref.bead())
            .filter(|bead| self.matches(bead))
            .collect()
    }

    /// Returns the first `limit` matching beads in the usual order, and the number of all matches.
    pub fn first<'a>(&self, snapshot: &'a Snapshot, limit: usize) -> (Vec<&'a Bead>, usize) {
        if !self.is_limited_to_open() {
            let mut found = self.apply(snapshot);
            let total = found.len();
            super::sort::sort_usual(&mut found, limit);
            found.truncate(limit);
            return (found, total);
        }
        let mut found = Vec::new();
        let mut total = 0;
        let filter = RowFilter::new(snapshot, self.clone());
        snapshot
            .open_rows()
            .filter(|row| filter.accepts(row))
            .for_each(|row| {
                total += 1;
                if found.len() < limit {
                    found.extend(snapshot.bead_ref_at(row.node).bead());
                }
            });
        (found, total)
    }

    /// Returns true if a bead meets the conditions. Reads the bead only if the index does not
    /// suffice.
    #[cold]
    fn is_match(&self, bead_ref: &BeadRef<'_>) -> bool {
        self.can_match(bead_ref) && bead_ref.bead().is_some_and(|bead| self.matches(bead))
    }

    /// Returns the number of matching beads.
    pub fn count(&self, snapshot: &Snapshot) -> usize {
        if *self == Self::default() {
            return snapshot.live_count();
        }
        let not_internal = Self {
            no_internal: true,
            ..Self::default()
        };
        if *self == not_internal {
            let beads = snapshot.bead_refs();
            return beads
                .filter(|bead| !bead.is_tombstone() && !bead.is_internal())
                .count();
        }
        if self.is_limited_to_open() {
            return self.first(snapshot, 0).1;
        }
        self.apply(snapshot).len()
    }

    /// Returns true if closed and deleted beads cannot match.
    fn is_limited_to_open(&self) -> bool {
        if self.statuses.is_empty() {
            return self.not_statuses.contains(&Status::Closed);
        }
        !self
            .statuses
            .iter()
            .any(|status| matches!(status, Status::Closed | Status::Tombstone))
    }

    /// Returns false if the index already shows that a bead does not match.
    fn can_match(&self, bead_ref: &BeadRef<'_>) -> bool {
        let tombstones = self.statuses.contains(&Status::Tombstone);
        if bead_ref.is_tombstone() && !tombstones {
            return false;
        }
        let status = bead_ref.status();
        let times = [
            (TimeField::Created, &self.created),
            (TimeField::Updated, &self.updated),
            (TimeField::Closed, &self.closed),
            (TimeField::Due, &self.due),
            (TimeField::Deferred, &self.deferral),
        ];
        (self.statuses.is_empty() || self.statuses.contains(&status))
            && !self.not_statuses.contains(&status)
            && !(self.no_internal && bead_ref.is_internal())
            && (self.kinds.is_empty() || self.kinds.contains(&bead_ref.kind()))
            && (self.not_kinds.is_empty() || !self.not_kinds.contains(&bead_ref.kind()))
            && self
                .assignee
                .as_ref()
                .is_none_or(|who| bead_ref.assignee() == who)
            && (!self.no_assignee || bead_ref.assignee().is_empty())
            && self.labels.iter().all(|label| bead_ref.has_label(label))
            && (self.labels_any.is_empty()
                || self
                    .labels_any
                    .iter()
                    .any(|label| bead_ref.has_label(label)))
            && !self
                .not_labels
                .iter()
                .any(|label| bead_ref.has_label(label))
            && (self.ids.is_empty() || self.ids.iter().any(|id| id == bead_ref.id()))
            && self
                .parent
                .as_ref()
                .is_none_or(|parent| bead_ref.is_child_of(parent))
            && times
                .iter()
                .all(|(which, span)| span.can_contain(bead_ref.time(*which)))
    }

    /// Returns true if one bead meets the conditions.
    pub fn matches(&self, bead: &Bead) -> bool {
        self.has_state(bead)
            && self.has_labels(bead)
            && self.has_texts(bead)
            && self.has_times(bead)
            && self.has_links(bead)
    }

    fn has_state(&self, bead: &Bead) -> bool {
        (self.statuses.is_empty() || self.statuses.contains(&bead.status))
            && !self.not_statuses.contains(&bead.status)
            && (self.kinds.is_empty() || self.kinds.contains(&bead.issue_type))
            && !self.not_kinds.contains(&bead.issue_type)
            && self.has_priority(bead.priority)
            && self
                .assignee
                .as_ref()
                .is_none_or(|who| bead.assignee == *who)
            && (!self.no_assignee || bead.assignee.is_empty())
            && self.pinned.is_none_or(|wanted| bead.pinned == wanted)
            && !(self.no_templates && bead.is_template)
            && !(self.no_internal && bead.is_internal())
    }

    fn has_priority(&self, priority: i64) -> bool {
        (self.priorities.is_empty() || self.priorities.contains(&priority))
            && self.priority_min.is_none_or(|least| priority >= least)
            && self.priority_max.is_none_or(|most| priority <= most)
    }

    fn has_labels(&self, bead: &Bead) -> bool {
        let pattern = self.label_pattern.as_deref();
        self.labels.iter().all(|label| bead.has_label(label))
            && (self.labels_any.is_empty()
                || self.labels_any.iter().any(|label| bead.has_label(label)))
            && !self.not_labels.iter().any(|label| bead.has_label(label))
            && pattern.is_none_or(|pattern| {
                bead.labels
                    .iter()
                    .any(|label| is_glob_match(pattern, label))
            })
            && self
                .label_regex
                .as_ref()
                .is_none_or(|regex| bead.labels.iter().any(|label| regex.0.is_match(label)))
            && (!self.no_labels || bead.labels.is_empty())
    }

    fn has_texts(&self, bead: &Bead) -> bool {
        let external_ref = bead.external_ref.as_deref().unwrap_or("");
        (self.ids.is_empty() || self.ids.contains(&bead.id))
            && self.text.as_ref().is_none_or(|text| {
                contains_ignore_case(&bead.title, text)
                    || contains_ignore_case(&bead.description, text)
                    || contains_ignore_case(&bead.id, text)
                    || contains_ignore_case(external_ref, text)
            })
            && self
                .title_contains
                .iter()
                .all(|text| contains_ignore_case(&bead.title, text))
            && self
                .desc_contains
                .as_ref()
                .is_none_or(|text| contains_ignore_case(&bead.description, text))
            && self
                .notes_contains
                .as_ref()
                .is_none_or(|text| contains_ignore_case(&bead.notes, text))
            && self
                .spec_prefix
                .as_ref()
                .is_none_or(|start| bead.spec_id.starts_with(start))
            && self
                .external_ref
                .as_ref()
                .is_none_or(|pattern| is_glob_match(pattern, external_ref))
            && (!self.empty_description || bead.description.is_empty())
    }

    fn has_times(&self, bead: &Bead) -> bool {
        self.created.contains(Some(&bead.created_at))
            && self.updated.contains(Some(&bead.updated_at))
            && self.closed.contains(bead.closed_at.as_ref())
            && self.due.contains(bead.due_at.as_ref())
            && self.deferral.contains(bead.defer_until.as_ref())
            && !(self.deferred && bead.defer_until.is_none())
            && self.overdue_at.is_none_or(|now| {
                bead.is_open() && bead.due_at.as_ref().is_some_and(|due| due.instant() < now)
            })
    }

    fn has_links(&self, bead: &Bead) -> bool {
        self.parent.as_ref().is_none_or(|parent| {
            bead.edges(&crate::bead::DepKind::ParentChild)
                .any(|edge| edge.depends_on_id == *parent)
        }) && self
            .mol_type
            .as_ref()
            .is_none_or(|kind| bead.mol_type == *kind)
            && self
                .wisp_type
                .as_ref()
                .is_none_or(|kind| bead.wisp_type == *kind)
            && (!self.ephemeral || bead.ephemeral)
    }
}

/// A filter of the open rows of a snapshot. Reads a bead only if neither its row nor the index
/// decides.
pub(crate) struct RowFilter<'a> {
    snapshot: &'a Snapshot,
    filter: BeadFilter,
    /// True if the filter has conditions on status, kind or priority.
    checks_values: bool,
    needs: NeededRecord,
}

/// The least that must be read to check the conditions of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NeededRecord {
    Row,
    IndexRow,
    Bead,
}

impl<'a> RowFilter<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, filter: BeadFilter) -> Self {
        Self {
            snapshot,
            checks_values: has_value_conditions(&filter),
            needs: find_needed_record(&filter),
            filter,
        }
    }

    /// Returns true if the bead of an open row meets the conditions.
    pub(crate) fn accepts(&self, row: &ListRow) -> bool {
        let filter = &self.filter;
        let is_out = filter
            .pinned
            .is_some_and(|pinned| row.is_pinned() != pinned)
            || (filter.no_templates && row.is_template())
            || (filter.no_internal && row.is_internal())
            || (filter.no_assignee && row.assigned);
        if is_out {
            return false;
        }
        let mut needs = self.needs;
        if self.checks_values {
            match row.exact_values() {
                Some(values) if !has_values(filter, &values) => return false,
                Some(_) => {}
                None => needs = NeededRecord::Bead,
            }
        }
        match needs {
            NeededRecord::Row => true,
            NeededRecord::IndexRow => filter.can_match(&self.snapshot.bead_ref_at(row.node)),
            NeededRecord::Bead => filter.is_match(&self.snapshot.bead_ref_at(row.node)),
        }
    }
}

fn has_value_conditions(filter: &BeadFilter) -> bool {
    !filter.statuses.is_empty()
        || !filter.not_statuses.is_empty()
        || !filter.kinds.is_empty()
        || !filter.not_kinds.is_empty()
        || !filter.priorities.is_empty()
        || filter.priority_min.is_some()
        || filter.priority_max.is_some()
}

fn has_values(filter: &BeadFilter, values: &ExactValues) -> bool {
    (filter.statuses.is_empty() || filter.statuses.contains(&values.status))
        && !filter.not_statuses.contains(&values.status)
        && (filter.kinds.is_empty() || filter.kinds.contains(&values.kind))
        && !filter.not_kinds.contains(&values.kind)
        && filter.has_priority(values.priority)
}

fn find_needed_record(filter: &BeadFilter) -> NeededRecord {
    let row_conditions = BeadFilter {
        statuses: filter.statuses.clone(),
        not_statuses: filter.not_statuses.clone(),
        kinds: filter.kinds.clone(),
        not_kinds: filter.not_kinds.clone(),
        priorities: filter.priorities.clone(),
        priority_min: filter.priority_min,
        priority_max: filter.priority_max,
        no_assignee: filter.no_assignee,
        pinned: filter.pinned,
        no_templates: filter.no_templates,
        no_internal: filter.no_internal,
        ..BeadFilter::default()
    };
    if *filter == row_conditions {
        return NeededRecord::Row;
    }
    let index_conditions = BeadFilter {
        assignee: filter.assignee.clone(),
        labels: filter.labels.clone(),
        labels_any: filter.labels_any.clone(),
        not_labels: filter.not_labels.clone(),
        ids: filter.ids.clone(),
        parent: filter.parent.clone(),
        ..row_conditions
    };
    if *filter == index_conditions {
        NeededRecord::IndexRow
    } else {
        NeededRecord::Bead
    }
}

/// Returns true if a text contains another, ignoring the case of ASCII letters.
pub fn contains_ignore_case(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase()
        .contains(&part.to_ascii_lowercase())
}

/// Returns true if a text matches a pattern with the wildcards `*` for any text and `?` for any
/// character.
pub fn is_glob_match(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let mut p = 0;
    let mut t = 0;
    let mut retry = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((star, from)) = retry else {
                    return false;
                };
                retry = Some((star, from + 1));
                (p, t) = (star + 1, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::Stamp;

    #[test]
    fn patterns_match_like_shell_globs() {
        for (pattern, text, wanted) in [
            ("gt:*", "gt:agent", true),
            ("*:agent", "gt:agent", true),
            ("g?:*t", "gt:agent", true),
            ("gt", "gt:agent", false),
            ("*", "", true),
            ("?", "", false),
        ] {
            assert_eq!(is_glob_match(pattern, text), wanted, "{pattern} {text}");
        }
    }

    #[test]
    fn all_conditions_must_match() {
        let bead = Bead {
            id: "bd-1".into(),
            title: "Fix Login".into(),
            priority: 1,
            labels: vec!["auth".into()],
            created_at: Stamp::parse("2026-03-01T00:00:00Z"),
            ..Bead::default()
        };
        let filter = BeadFilter {
            title_contains: vec!["login".into()],
            labels: vec!["auth".into()],
            priority_max: Some(1),
            no_assignee: true,
            ..BeadFilter::default()
        };
        assert!(filter.matches(&bead));
        let later = BeadFilter {
            created: TimeRange {
                after: Some("2026-03-01T00:00:00Z".parse().unwrap()),
                before: None,
            },
            ..filter.clone()
        };
        assert!(!later.matches(&bead));
        let closed = BeadFilter {
            closed: TimeRange {
                before: Some("2027-01-01T00:00:00Z".parse().unwrap()),
                after: None,
            },
            ..filter
        };
        assert!(!closed.matches(&bead));
    }
}
