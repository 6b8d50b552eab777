//! Reconstructs earlier states of beads: starts from the current records and reverts later changes
//! one by one.
//!
//! Changes outside bd are not in history, so they appear at every instant. Wisps have no history at
//! all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::{Snapshot, Store, StoreError, TimeField};
use crate::bead::record::RecordFields;
use crate::bead::{Bead, Stamp};
use crate::store::log::event::{BeadChange, Event};
use crate::store::view::overlay::PendingBead;

impl Store {
    /// Returns the durable beads at an instant, without wisps. A bead without history is there
    /// since its creation time.
    pub fn snapshot_at(&self, at: Timestamp) -> Result<Snapshot, StoreError> {
        let mut snapshot = self.snapshot()?;
        let mut states: BTreeMap<String, Option<RecordFields>> = BTreeMap::new();
        for change in later_changes(&self.events()?, at) {
            let state = states
                .entry(change.id.clone())
                .or_insert_with(|| snapshot.get(&change.id).map(RecordFields::from_bead));
            *state = change.revert(state.take());
        }
        for (id, state) in states {
            let bead = state.and_then(|fields| fields.to_bead());
            snapshot.set(&id, bead.map(PendingBead::from_bead));
        }
        let later: Vec<String> = snapshot
            .bead_refs()
            .filter(|bead| {
                let created_at = bead.time(TimeField::Created);
                bead.is_ephemeral() || created_at.is_some_and(|created_at| created_at > at)
            })
            .map(|bead| bead.id().to_owned())
            .collect();
        for id in later {
            snapshot.set(&id, None);
        }
        Ok(snapshot)
    }

    /// Fills in the whole values of large fields in changes, each with the id of its event. Changes
    /// of other stores stay as they are.
    pub fn fill_in_values<'a>(
        &self,
        changes: impl IntoIterator<Item = (&'a str, &'a mut BeadChange)>,
    ) -> Result<(), StoreError> {
        let mut wanted: HashMap<(&str, String), &mut BeadChange> = changes
            .into_iter()
            .filter(|(_, change)| !change.parts.is_empty())
            .map(|(event, change)| ((event, change.id.clone()), change))
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let ids: BTreeSet<String> = wanted.keys().map(|(_, id)| id.clone()).collect();
        let events = self.events()?;
        let snapshot = self.snapshot()?;
        for id in ids {
            let mut state = snapshot.get(&id).map(RecordFields::from_bead);
            for event in events.iter().rev() {
                for change in event.changes.iter().rev().filter(|change| change.id == id) {
                    if let Some(wanted) = wanted.get_mut(&(event.id.as_str(), id.clone())) {
                        wanted.fill_in_values(state.as_ref());
                    }
                    state = change.revert(state);
                }
            }
        }
        Ok(())
    }
}

impl Snapshot {
    /// Returns a bead of this snapshot at an earlier instant. None if it did not exist. `events`
    /// are the bead's events, oldest first.
    pub fn bead_at(&self, id: &str, events: &[Event], at: Timestamp) -> Option<Bead> {
        let mut state = self.get(id).map(RecordFields::from_bead);
        for change in later_changes(events, at).filter(|change| change.id == id) {
            state = change.revert(state);
        }
        state?.to_bead()
    }
}

/// Returns the changes after an instant, newest first.
fn later_changes(events: &[Event], at: Timestamp) -> impl Iterator<Item = &BeadChange> {
    events
        .iter()
        .rev()
        .take_while(move |event| Stamp::parse(&event.at).instant() > at)
        .flat_map(|event| event.changes.iter().rev())
}
