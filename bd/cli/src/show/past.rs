//! Shows an earlier state of a bead.

use jiff::Timestamp;

use bd::bead::{Bead, Stamp};
use bd::store::{Snapshot, Store};

/// The reason why there is no such state.
#[derive(Debug, thiserror::Error)]
enum PastError {
    #[error("no issue found matching \"{0}\"")]
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
    let events = store.events_of(id)?;
    if snapshot.get(id).is_none() && events.is_empty() {
        return Err(PastError::Unknown(id.to_owned()).into());
    }
    if let Some(bead) = snapshot.bead_at(id, &events, at) {
        return Ok(bead);
    }
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
    Err(error.into())
}
