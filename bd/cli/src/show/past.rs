//! Reconstructs an earlier state of a bead: starts from its current record and reverts later
//! changes one by one.

use jiff::Timestamp;

use bd::bead::record::{self, RecordFields};
use bd::bead::{Bead, Stamp};
use bd::store::{Snapshot, Store};

/// The reason why there is no such state.
#[derive(Debug, thiserror::Error)]
enum PastError {
    #[error("bead not found: \"{0}\"")]
    Unknown(String),
    #[error("{id} did not exist at {at}: it was created later")]
    NotYet { id: String, at: Timestamp },
    #[error("{id} was removed before {at}")]
    Gone { id: String, at: Timestamp },
}

/// Returns the bead at an instant. Changes outside bd are not in history, so they appear at every
/// instant.
pub(super) fn bead_at(
    store: &Store,
    snapshot: &Snapshot,
    id: &str,
    at: Timestamp,
) -> anyhow::Result<Bead> {
    let mut state: Option<RecordFields> = snapshot.get(id).map(RecordFields::from_bead);
    let events = store.events_of(id)?;
    if state.is_none() && events.is_empty() {
        return Err(PastError::Unknown(id.to_owned()).into());
    }
    for event in events.iter().rev() {
        if Stamp::parse(&event.at).instant() <= at {
            break;
        }
        for change in event.changes.iter().rev().filter(|change| change.id == id) {
            state = match (&change.old, state) {
                (None, _) => None,
                (Some(old), Some(now)) if change.new.is_some() => Some(now.patched_with(old)),
                (Some(old), _) => Some(old.clone()),
            };
        }
    }
    let Some(fields) = state else {
        let id = id.to_owned();
        // Either the bead was removed without a trace earlier, or it was not created yet.
        let made = events
            .first()
            .map(|event| Stamp::parse(&event.at).instant());
        let error = if made.is_some_and(|made| made <= at) {
            PastError::Gone { id, at }
        } else {
            PastError::NotYet { id, at }
        };
        return Err(error.into());
    };
    let raw = fields
        .to_raw_json()
        .ok_or_else(|| PastError::Unknown(id.to_owned()))?;
    Ok(record::parse_bead(raw.get().as_bytes())?)
}
