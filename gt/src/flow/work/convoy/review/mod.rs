//! Creates convoys with a review by hooks:
//!
//! 1. `group_beads`: the beads must exist. They are grouped by rig (`ask`).
//! 2. `ask_hooks`: for each rig, the `pre-convoy` hooks of town and rig run before anything is
//!    written (`ask`). If one rejects or breaks, nothing is created and the reason is shown. If one
//!    defers, the request is kept as a bead of the town and waits for a user (`request`).
//! 3. `finish_request`: the request is kept as an intent. The front matter goes before the beads'
//!    descriptions, one transaction per rig. One transaction of the town creates the convoy and
//!    removes the intent (`finish`).
//!
//! An answer to a request ([`approve_request`], [`reject_request`]) continues at the rig that was
//! deferred. Each step first checks whether it is done, so that after a crash the patrol or the
//! same command can finish. Without a hook, the convoy is created directly.

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

use self::ask::HooksAnswer;
use super::create::{self, ConvoyChange, NewConvoy};
use crate::record;
use crate::town::Town;
use crate::town::lock::Lock;

/// Defines why a convoy was not created.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ReviewError {
    #[error("{hook} rejected the convoy: {reason}")]
    Rejected { hook: String, reason: String },
    /// A hook did not reach a decision.
    #[error("{hook} came to no decision, so no convoy is made: {reason}")]
    Broken { hook: String, reason: String },
    /// A user must decide.
    #[error("{hook} leaves the convoy to the user: {reason} (request {request})")]
    Deferred {
        request: String,
        hook: String,
        reason: String,
    },
    #[error(
        "there is no request `{id}`: not found (`gt convoy review list` shows those that wait)"
    )]
    Unknown { id: String },
    #[error("{id} was {answer} already")]
    Answered { id: String, answer: String },
}

/// A created or extended convoy with warnings.
#[derive(Debug)]
pub struct ReviewedConvoy {
    pub created: ConvoyChange,
    /// Warnings for the user, for example about hooks that were skipped.
    pub warnings: Vec<String>,
}

/// The purpose of a new convoy.
#[derive(Debug, Clone, Default)]
pub struct ConvoyPurpose {
    /// The goal of the convoy. If empty, the texts of its beads are used.
    pub spec: String,
    /// The sling that continues once the convoy exists, for a convoy of one slung bead.
    pub then: Option<serde_json::Value>,
}

/// Creates a convoy with the steps above.
pub fn create_reviewed_convoy(
    town: &Town,
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

/// Adds beads to a convoy. Beads of a rig without a decision are reviewed like those of a new
/// convoy. The others get the front matter that was decided for their rig.
pub fn add_reviewed_beads(
    town: &Town,
    id: &str,
    beads: &[String],
) -> anyhow::Result<ReviewedConvoy> {
    let store = town.open_town_store()?.snapshot()?;
    let convoy = store.get(id).filter(|bead| record::convoy::is_convoy(bead));
    if let Some(convoy) = convoy {
        // Checked before any write, because a refusal must leave every bead unchanged.
        create::check_can_grow(convoy)?;
        let decided = super::decision::read_decisions(convoy);
        if !decided.is_empty() {
            let mut request = ReviewRequest::for_added_beads(town, convoy, beads)?;
            request.decisions = decided;
            return complete_review(town, request);
        }
    }
    add_undecided(town, convoy, id, beads)
}

fn add_undecided(
    town: &Town,
    convoy: Option<&Bead>,
    id: &str,
    beads: &[String],
) -> anyhow::Result<ReviewedConvoy> {
    match convoy {
        Some(convoy) if ask::has_hooks(town, beads)? => {
            complete_review(town, ReviewRequest::for_added_beads(town, convoy, beads)?)
        }
        // `create::add_beads` reports a missing convoy.
        _ => Ok(ReviewedConvoy {
            created: create::add_beads(town, id, beads)?,
            warnings: Vec::new(),
        }),
    }
}

/// Asks the hooks and finishes the request, under the request's lock.
fn complete_review(town: &Town, mut request: ReviewRequest) -> anyhow::Result<ReviewedConvoy> {
    if let Some(waits) = request.find_waiting_error(town)? {
        return Err(waits.into());
    }
    let _turn = Lock::try_take(&town.layout.review_lock(&request.id))?;
    let warnings = match ask::ask_hooks(town, &mut request)? {
        HooksAnswer::Approved { warnings } => warnings,
        HooksAnswer::Refused(refusal) => return Err(refusal.into()),
    };
    let created = finish::finish_request(town, &mut request)?;
    Ok(ReviewedConvoy { created, warnings })
}

/// The beads of a request by rig. The town's own beads have an empty rig name.
type BeadsByRig<'a> = BTreeMap<String, Vec<&'a Bead>>;

#[cfg(test)]
mod tests;
