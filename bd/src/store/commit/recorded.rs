//! The states of beads that history records, in the order in which they came from each other.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::bead::record::{self, ListElement, RecordFields};
use crate::bead::{Bead, Stamp};
use crate::store::StoreError;
use crate::store::disk::paths::StorePaths;
use crate::store::log::event::BeadChange;
use crate::store::log::history;
use crate::store::log::journal::line_hash;

/// A change and the verb of its event.
struct RecordedChange {
    verb: String,
    change: BeadChange,
}

/// States of a bead that came from each other, oldest first.
pub(super) struct RecordedStates {
    pub states: Vec<Bead>,
    pub begin: StatesBegin,
}

/// The beginning of recorded states.
pub(super) enum StatesBegin {
    /// The bead was created in the first state.
    Creation,
    /// The hash of the first state's line, which no recorded change made.
    Line(String),
}

/// The recorded changes of some beads, oldest first.
pub(super) struct RecordedChanges(BTreeMap<String, Vec<RecordedChange>>);

impl RecordedChanges {
    /// Reads the changes of these beads.
    pub(super) fn read<'a>(
        paths: &StorePaths,
        ids: impl Iterator<Item = &'a String>,
    ) -> Result<Self, StoreError> {
        let ids: BTreeSet<&str> = ids.map(String::as_str).collect();
        let mut changes: BTreeMap<String, Vec<RecordedChange>> = BTreeMap::new();
        for event in history::read_events_of(paths, &ids)? {
            for change in event.changes {
                if ids.contains(change.id.as_str()) {
                    let verb = event.verb.clone();
                    let of_bead = changes.entry(change.id.clone()).or_default();
                    of_bead.push(RecordedChange { verb, change });
                }
            }
        }
        Ok(Self(changes))
    }

    fn changes_of(&self, id: &str) -> &[RecordedChange] {
        self.0.get(id).map_or(&[], Vec::as_slice)
    }

    /// The verb of the last event of a bead.
    pub(super) fn last_verb(&self, id: &str) -> Option<&str> {
        Some(&self.changes_of(id).last()?.verb)
    }

    /// The last update of a bead whose last change removed it, by a hard delete or to the archive.
    pub(super) fn last_removed(&self, id: &str) -> Option<Stamp> {
        let removal = &self.changes_of(id).last()?.change;
        let old = removal.old.as_ref().filter(|_| removal.after.is_none())?;
        Some(Stamp::parse(&old.plain_text("updated_at")?))
    }

    /// Returns true if a bead had exactly this line.
    pub(super) fn has_state(&self, id: &str, line: &[u8]) -> bool {
        let hash = Some(line_hash(line));
        self.changes_of(id)
            .iter()
            .any(|RecordedChange { change, .. }| change.before == hash || change.after == hash)
    }

    /// Returns true if the last recorded change of a member of a list added it. A change of which
    /// history has only a part of the list counts as one that added it.
    pub(super) fn has_added<T: ListElement>(
        &self,
        id: &str,
        field: &str,
        is_member: impl Fn(&T) -> bool,
    ) -> bool {
        let has_member = |side: Option<&RecordFields>| {
            side.and_then(|fields| record::parse_list::<T>(fields.raw_text(field)?))
                .is_some_and(|list| list.elements.iter().any(&is_member))
        };
        self.changes_of(id)
            .iter()
            .rev()
            .map(
                |RecordedChange { change, .. }| match change.parts.get(field) {
                    Some(_) => [false, true],
                    None => [&change.old, &change.new].map(|side| has_member(side.as_ref())),
                },
            )
            .find(|[old, new]| old != new)
            .is_some_and(|[_, new]| new)
    }

    /// Compares two lines of a bead by their ages. Returns `None` if no changes lead from one to
    /// the other.
    pub(super) fn compare_states(&self, id: &str, a: &[u8], b: &[u8]) -> Option<Ordering> {
        let changes = self.changes_of(id);
        let [a, b] = [a, b].map(line_hash);
        let last_of = |hash: &String| {
            changes
                .iter()
                .rposition(|recorded| recorded.change.after.as_ref() == Some(hash))
        };
        match [leads_to(changes, &a, &b), leads_to(changes, &b, &a)] {
            [true, false] => Some(Ordering::Less),
            [false, true] => Some(Ordering::Greater),
            // A bead that returns to an earlier state has its line twice.
            [true, true] => Some(last_of(&a).cmp(&last_of(&b))),
            [false, false] => None,
        }
    }

    /// Returns the recorded states of a bead up to this line, oldest first, without a gap. There are
    /// none if the line is the result of no recorded change.
    pub(super) fn states_until(&self, bead: &Bead, line: &[u8]) -> RecordedStates {
        let mut hash = line_hash(line);
        let mut fields = RecordFields::from_bead(bead);
        let mut states = Vec::new();
        for RecordedChange { change, .. } in self.changes_of(&bead.id).iter().rev() {
            if change.after.as_ref() != Some(&hash) {
                continue;
            }
            states.extend(fields.to_bead());
            let Some(before) = &change.before else {
                states.reverse();
                return RecordedStates {
                    states,
                    begin: StatesBegin::Creation,
                };
            };
            let Some(earlier) = change.revert(Some(fields.clone())) else {
                break;
            };
            fields = earlier;
            hash.clone_from(before);
        }
        if !states.is_empty() {
            states.extend(fields.to_bead());
        }
        states.reverse();
        RecordedStates {
            states,
            begin: StatesBegin::Line(hash),
        }
    }
}

/// Returns true if recorded changes lead from one line to another.
fn leads_to(changes: &[RecordedChange], from: &str, to: &str) -> bool {
    let mut reached = BTreeSet::from([from]);
    for RecordedChange { change, .. } in changes {
        if let (Some(before), Some(after)) = (&change.before, &change.after)
            && reached.contains(before.as_str())
        {
            reached.insert(after);
        }
    }
    from != to && reached.contains(to)
}
