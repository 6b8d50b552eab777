//! Filters the rows of open beads, and reads a bead only if neither its row nor the index decides.

use super::BeadFilter;
use crate::store::{ExactValues, ListRow, Snapshot};

/// A filter of the open rows of a snapshot.
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
        || filter.kind.is_some()
        || !filter.not_kinds.is_empty()
        || filter.priority.is_some()
        || filter.priority_min.is_some()
        || filter.priority_max.is_some()
}

fn has_values(filter: &BeadFilter, values: &ExactValues) -> bool {
    (filter.statuses.is_empty() || filter.statuses.contains(&values.status))
        && !filter.not_statuses.contains(&values.status)
        && filter
            .kind
            .as_ref()
            .is_none_or(|wanted| *wanted == values.kind)
        && !filter.not_kinds.contains(&values.kind)
        && filter.has_priority(values.priority)
}

fn find_needed_record(filter: &BeadFilter) -> NeededRecord {
    let row_conditions = BeadFilter {
        statuses: filter.statuses.clone(),
        not_statuses: filter.not_statuses.clone(),
        kind: filter.kind.clone(),
        not_kinds: filter.not_kinds.clone(),
        priority: filter.priority,
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
