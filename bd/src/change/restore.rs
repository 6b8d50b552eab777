//! Restores archived and deleted beads.

use std::collections::BTreeSet;

use super::{RevivedBead, revive_beads};
use crate::bead::record::{self, RecordFields};
use crate::bead::{Bead, id};
use crate::store::{ARCHIVE, Author, Snapshot, Store, StoreError};
use kit::sys::Clock;

/// The restored beads.
#[derive(Debug, Default)]
pub struct RestoredBeads {
    pub archived: Vec<Bead>,
    pub revived: Vec<RevivedBead>,
}

/// Restores beads: from the archive, from history if the archive is gone, or from the state before
/// their deletion. The prefix of an id can be omitted. Fails before writing anything if one of the
/// beads cannot be found.
pub fn restore_beads(
    store: &Store,
    author: &Author,
    clock: &Clock,
    given: &[String],
) -> anyhow::Result<RestoredBeads> {
    let snapshot = store.snapshot()?;
    let prefix = snapshot.prefix().unwrap_or_else(|_| String::new());
    let ids: BTreeSet<String> = given
        .iter()
        .map(|id| full_id(&snapshot, &prefix, id))
        .collect();
    let (deleted, archived): (Vec<String>, Vec<String>) = ids.into_iter().partition(|id| {
        let bead = snapshot.bead_ref(id);
        bead.is_some_and(|bead| bead.is_tombstone()) && !snapshot.is_archived(id)
    });
    let (archived, gone): (Vec<String>, Vec<String>) =
        archived.into_iter().partition(|id| is_there(&snapshot, id));
    let mut restored = RestoredBeads::default();
    for id in gone {
        // An archive that git removed is still in history.
        let found = find_archived_in_history(store, &id)?;
        restored
            .archived
            .push(found.ok_or(StoreError::NotArchived(id))?);
    }
    if !restored.archived.is_empty() {
        store.transact(author, clock, |tx| {
            for bead in &restored.archived {
                tx.put(bead.clone())?;
            }
            tx.describe("unarchive", "");
            Ok(())
        })?;
    }
    if !archived.is_empty() {
        restored
            .archived
            .extend(store.unarchive(author, clock, &archived)?);
    }
    if !deleted.is_empty() {
        let mut history = store.events()?;
        history.retain(|event| {
            event
                .changes
                .iter()
                .any(|change| deleted.contains(&change.id))
        });
        store.fill_in_events(&mut history)?;
        restored.revived = store.transact(author, clock, |tx| {
            Ok(revive_beads(tx, &deleted, &history)?)
        })?;
    }
    Ok(restored)
}

/// Restores the archived parent of a new bead and all its ancestors, and returns their ids. Without
/// the parent the child could not be created.
pub fn restore_parents(
    store: &Store,
    author: &Author,
    clock: &Clock,
    parent: &str,
) -> anyhow::Result<Vec<String>> {
    let snapshot = store.snapshot()?;
    let chain = std::iter::successors(Some(parent), |id| Some(id::split_child(id)?.0));
    let missing: Vec<String> = chain
        .filter(|id| snapshot.bead_ref(id).is_none() && snapshot.is_archived(id))
        .map(str::to_owned)
        .collect();
    if !missing.is_empty() {
        restore_beads(store, author, clock, &missing)?;
    }
    Ok(missing)
}

fn is_there(snapshot: &Snapshot, id: &str) -> bool {
    snapshot.bead_ref(id).is_some() || snapshot.is_archived(id)
}

fn full_id(snapshot: &Snapshot, prefix: &str, given: &str) -> String {
    let full = format!("{prefix}-{given}");
    if !is_there(snapshot, given) && is_there(snapshot, &full) {
        full
    } else {
        given.to_owned()
    }
}

/// Returns the bead from history if the last event on it moved it to the archive. Fails if the bead
/// was removed without a tombstone.
fn find_archived_in_history(store: &Store, id: &str) -> Result<Option<Bead>, StoreError> {
    let Some(event) = store.events_of(id)?.into_iter().next_back() else {
        return Ok(None);
    };
    let Some(change) = event
        .changes
        .iter()
        .find(|change| change.id == id && change.new.is_none())
    else {
        return Ok(None);
    };
    if event.verb != ARCHIVE {
        return Err(StoreError::Removed {
            id: id.to_owned(),
            by: event.actor,
            event: event.id,
        });
    }
    let line = change.old.as_ref().and_then(RecordFields::to_raw_json);
    Ok(line.and_then(|line| record::parse_bead(line.get().as_bytes()).ok()))
}
