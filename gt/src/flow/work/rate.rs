//! Rates finished work (`gt rate`). Only work that was handed in can be rated, and a rating is the
//! user's: the table of permissions refuses every agent.

use crate::host::LiveTown;
use crate::record::merge_request;
use crate::record::rating::{self, RATINGS, Rating};
use crate::town::event::event;
use serde::Serialize;

/// The maximum length of the reason, in bytes.
const MAX_REASON: usize = 1000;

/// A rating that could not be stored.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum RatingError {
    #[error("{rating} is no rating: give a number from 1 to 5")]
    OutOfRange { rating: u8 },
    #[error("a rating needs a reason: say in a few words why")]
    NoReason,
    #[error("the reason has {length} bytes, and may have {MAX_REASON}")]
    LongReason { length: usize },
    #[error("nothing was handed in for {bead}, so that there is no work to rate\n  gt why {bead}")]
    NotHandedIn { bead: String },
}

/// A stored rating, with the one that it replaces.
#[derive(Debug, Serialize)]
pub struct RatedWork {
    #[serde(flatten)]
    pub rating: Rating,
    pub title: String,
    /// The worker that handed the work in.
    pub worker: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<u8>,
}

/// Stores the caller's rating of a bead's work.
pub fn rate_work(town: &LiveTown, id: &str, rating: u8, why: &str) -> anyhow::Result<RatedWork> {
    let why = why.trim();
    anyhow::ensure!(
        RATINGS.contains(&rating),
        RatingError::OutOfRange { rating }
    );
    anyhow::ensure!(!why.is_empty(), RatingError::NoReason);
    let length = why.len();
    anyhow::ensure!(length <= MAX_REASON, RatingError::LongReason { length });
    let found = town.find_bead(id)?;
    let bead = found.bead.id;
    let beads = found.store.snapshot()?;
    let request = merge_request::find_last_request(&beads, &bead)
        .ok_or_else(|| RatingError::NotHandedIn { bead: bead.clone() })?;
    let worker = merge_request::receipt_of(request).worker;
    let new = Rating {
        bead: bead.clone(),
        request: request.id.clone(),
        rating,
        why: why.to_owned(),
        by: town.actor.to_string(),
        at: town.clock.now().to_string(),
    };
    let replaced = town.transact(&found.store, |tx| rating::put_rating(tx, &new))?;
    town.record_event(&event!(Rated, bead: bead, rating: rating, why: why));
    Ok(RatedWork {
        rating: new,
        title: found.bead.title,
        worker,
        replaced: replaced.map(|earlier| earlier.rating),
    })
}
