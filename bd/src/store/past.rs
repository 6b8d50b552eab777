//! Reconstructs earlier states of beads: starts from the current records and reverts later changes
//! one by one.
//!
//! Changes outside bd are not in history, so they appear at every instant. Wisps have no history at
//! all.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{BeadRef, Snapshot, Store, StoreError, TimeField};
use crate::bead::record::{self, RecordFields};
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
            *state = revert_change(state.take(), change);
        }
        for (id, state) in states {
            let bead = state.and_then(|fields| parse_fields(&fields));
            snapshot.set(&id, bead.map(PendingBead::from_bead));
        }
        let is_later = |bead: &BeadRef| {
            let created_at = bead.time(TimeField::Created);
            bead.is_ephemeral() || created_at.is_some_and(|created_at| created_at > at)
        };
        let later: Vec<String> = snapshot
            .bead_refs()
            .filter(is_later)
            .map(|bead| bead.id().to_owned())
            .collect();
        for id in later {
            snapshot.set(&id, None);
        }
        Ok(snapshot)
    }
}

impl Snapshot {
    /// Returns a bead of this snapshot at an earlier instant. None if it did not exist. `events` are
    /// the bead's events, oldest first.
    pub fn bead_at(&self, id: &str, events: &[Event], at: Timestamp) -> Option<Bead> {
        let mut state = self.get(id).map(RecordFields::from_bead);
        for change in later_changes(events, at).filter(|change| change.id == id) {
            state = revert_change(state, change);
        }
        parse_fields(&state?)
    }
}

/// Returns the changes after an instant, newest first.
fn later_changes(events: &[Event], at: Timestamp) -> impl Iterator<Item = &BeadChange> {
    let later = events.iter().rev();
    later
        .take_while(move |event| Stamp::parse(&event.at).instant() > at)
        .flat_map(|event| event.changes.iter().rev())
}

fn revert_change(state: Option<RecordFields>, change: &BeadChange) -> Option<RecordFields> {
    let old = change.old.as_ref()?;
    match state {
        Some(now) if change.new.is_some() => Some(now.patched_with(old)),
        _ => Some(old.clone()),
    }
}

fn parse_fields(fields: &RecordFields) -> Option<Bead> {
    record::parse_bead(fields.to_raw_json()?.get().as_bytes()).ok()
}
