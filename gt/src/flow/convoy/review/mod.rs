//! What happens when a convoy is made where hooks are installed:
//!
//! 1. `gather`: the beads must exist; they are grouped by rig (`ask`).
//! 2. `ask`: for each rig the `pre-convoy` hooks of town and rig are run, before anything is written (`ask`).
//!    Rejected or broken: nothing is made, the reason is shown. Deferred: the request is kept as a bead of the town
//!    and waits for a person (`request`).
//! 3. `finish`: the request is kept as an intent; the front matter goes before the beads' descriptions, one
//!    transaction a rig; the convoy is made and the intent removed in one transaction of the town (`finish`).
//!
//! An answer to a request ([`approve`], [`reject`]) goes on at the rig that was deferred. Each step looks first
//! whether it is done, so that after a crash the patrol, or the same command, finishes what was begun. Without a
//! hook none of this happens: the convoy is made as ever.

mod answer;
mod ask;
mod finish;
mod request;

use std::collections::BTreeMap;

use bd::bead::Bead;

pub use answer::{ReviewApproval, approve_request, reject_request, resume_request};
pub use request::{
    PendingDecision, ReviewRequest, ReviewState, find_request, list_requests, list_unfinished,
};

use super::create::{self, ConvoyChange, NewConvoy};
use crate::host::LiveTown;
use crate::record;
use crate::town::lock::Lock;

/// Why a convoy was not made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ReviewError {
    /// A hook rejected it.
    #[error("{hook} rejected the convoy: {reason}")]
    Rejected {
        /// The hook.
        hook: String,
        /// Its words.
        reason: String,
    },
    /// A hook came to no decision.
    #[error("{hook} came to no decision, so no convoy is made: {reason}")]
    Broken {
        /// The hook.
        hook: String,
        /// Why.
        reason: String,
    },
    /// A person is to decide.
    #[error("{hook} leaves the convoy to a person: {reason} (request {request})")]
    Deferred {
        /// The request.
        request: String,
        /// The hook.
        hook: String,
        /// Its words.
        reason: String,
    },
    /// There is no such request.
    #[error(
        "there is no request `{id}`: not found (`gt convoy review list` shows those that wait)"
    )]
    Unknown {
        /// What was asked for.
        id: String,
    },
    /// It was answered already.
    #[error("{id} was {answer} already")]
    Answered {
        /// The request.
        id: String,
        /// How.
        answer: String,
    },
}

/// What was made, and what is to be told besides.
#[derive(Debug)]
pub struct ReviewedConvoy {
    /// The convoy.
    pub created: ConvoyChange,
    /// Hooks that were passed over, and the like.
    pub warnings: Vec<String>,
}

/// What a convoy is made for, beside its own facts.
#[derive(Debug, Clone, Default)]
pub struct ConvoyPurpose {
    /// What it is to achieve; the texts of its beads where nothing is said.
    pub spec: String,
    /// The sling that goes on once the convoy is made, for a convoy of one slung bead.
    pub then: Option<serde_json::Value>,
}

/// Makes a convoy: the story above.
pub fn create_reviewed_convoy(
    town: &LiveTown,
    new: &NewConvoy,
    purpose: ConvoyPurpose,
) -> anyhow::Result<ReviewedConvoy> {
    if new.title.trim().is_empty() || !ask::has_hooks(town, &new.beads)? {
        let created = create::create_convoy(town, new)?;
        let warnings = Vec::new();
        return Ok(ReviewedConvoy { created, warnings });
    }
    complete_review(
        town,
        ReviewRequest::for_new_convoy(town, new.clone(), purpose)?,
    )
}

/// Lets a convoy track more beads: those of a rig whose hooks have not been asked yet are reviewed like those of
/// a new convoy, the others get the front matter that was decided.
pub fn add_reviewed_beads(
    town: &LiveTown,
    id: &str,
    beads: &[String],
) -> anyhow::Result<ReviewedConvoy> {
    let store = town.open_town_store()?.snapshot()?;
    let convoy = store.get(id).filter(|bead| record::convoy::is_convoy(bead));
    // Before anything is written: what is refused must leave no bead changed.
    convoy.map_or(Ok(()), create::check_can_grow)?;
    let decided = convoy
        .map(super::decision::read_decisions)
        .unwrap_or_default();
    let Some(convoy) = convoy.filter(|_| !decided.is_empty()) else {
        return add_undecided(town, convoy, id, beads);
    };
    let mut request = ReviewRequest::for_added_beads(town, convoy, beads)?;
    request.decisions = decided;
    complete_review(town, request)
}

fn add_undecided(
    town: &LiveTown,
    convoy: Option<&Bead>,
    id: &str,
    beads: &[String],
) -> anyhow::Result<ReviewedConvoy> {
    match convoy {
        Some(convoy) if ask::has_hooks(town, beads)? => {
            complete_review(town, ReviewRequest::for_added_beads(town, convoy, beads)?)
        }
        // One that is not there is told of there.
        _ => Ok(ReviewedConvoy {
            created: create::add_beads(town, id, beads)?,
            warnings: Vec::new(),
        }),
    }
}

/// Asks and finishes, alone with its request.
fn complete_review(town: &LiveTown, mut request: ReviewRequest) -> anyhow::Result<ReviewedConvoy> {
    if let Some(waits) = request.find_waiting_error(town)? {
        return Err(waits.into());
    }
    let _turn = Lock::try_take(&town.layout.review_lock(&request.id))?;
    let warnings = ask::ask_hooks(town, &mut request)?;
    let created = finish::finish_request(town, &mut request)?;
    Ok(ReviewedConvoy { created, warnings })
}

/// The beads of a request by the rig that holds them; the town's own under an empty name.
type BeadsByRig<'a> = BTreeMap<String, Vec<&'a Bead>>;

#[cfg(test)]
mod tests;
