//! Rejects a merge request: its bead is open again at a new attempt, so that the request may not
//! merge any more. The queue then closes it as rejected, with its commits on a rescue ref.

use bd::bead::{Status, attempt};
use bd::change;
use bd::store::Store;
use serde::Serialize;

use crate::record::attempt::WAS_REJECTED;
use crate::record::merge_request::{
    RequestState, is_merge_request, receipt_of, request_state, set_request_state, source_bead_of,
};
use crate::town::Rig;
use crate::town::event::{MergeRef, event};
use crate::town::identity::Address;

/// A request that may not merge any more.
#[derive(Debug, Clone, Serialize)]
pub struct RejectedRequest {
    pub request: String,
    pub rig: String,
    pub bead: String,
    pub worker: String,
    pub reason: String,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum RejectError {
    /// No open request has this id.
    #[error("`{id}` is no open merge request: not found (`gt mq list` shows them)")]
    Unknown { id: String },
    /// The request names no open bead of the rig.
    #[error("the bead of {id} is not open: the queue withdraws the request")]
    NoBead { id: String },
    /// Workers may not judge their own work.
    #[error("{worker} is a worker: only the user, the mayor or crew can reject a request")]
    Worker { worker: String },
}

/// Rejects an open request, and adds the reason to its bead.
pub fn reject_request(
    rig: &Rig,
    store: &Store,
    id: &str,
    reason: &str,
) -> anyhow::Result<RejectedRequest> {
    if let Address::Polecat(..) = &rig.town().actor {
        let worker = rig.town().actor.to_string();
        return Err(RejectError::Worker { worker }.into());
    }
    let (rejected, receipt) = rig.transact(store, |tx| {
        let id = id.to_owned();
        let mut request = tx
            .get(&id)
            .filter(|bead| is_merge_request(bead) && bead.is_open())
            .cloned()
            .ok_or_else(|| RejectError::Unknown { id: id.clone() })?;
        let mut bead = tx
            .get(&source_bead_of(&request))
            .filter(|bead| bead.is_open())
            .cloned()
            .ok_or_else(|| RejectError::NoBead { id: id.clone() })?;
        bead.status = Status::Open;
        bead.assignee = String::new();
        bead.updated_at = tx.now();
        attempt::raise_attempt(&mut bead)?;
        let receipt = receipt_of(&request);
        let rejected = RejectedRequest {
            request: id,
            rig: rig.name().to_owned(),
            bead: bead.id.clone(),
            worker: receipt.worker.clone(),
            reason: reason.to_owned(),
        };
        tx.put(bead)?;
        let actor = tx.actor().to_owned();
        let state = RequestState {
            // The queue itself rejects a request whose pull request a user closed.
            rejected: if actor == format!("{}/refinery", rig.name()) {
                format!("rejected: {reason}")
            } else {
                format!("rejected by {actor}: {reason}")
            },
            ..request_state(&request)
        };
        set_request_state(&mut request, &state)?;
        request.updated_at = tx.now();
        tx.put(request)?;
        let text = format!("{}{WAS_REJECTED}{reason}", rejected.request);
        change::add_comment(tx, &rejected.bead, &actor, &text)?;
        Ok((rejected, receipt))
    })?;
    let request = MergeRef {
        mr: rejected.request.clone(),
        rig: rig.name().to_owned(),
        bead: rejected.bead.clone(),
        worker: receipt.worker,
        branch: receipt.branch,
    };
    let by = rig.town().actor.to_string();
    let reason = reason.to_owned();
    rig.town()
        .record_event(&event!(MergeRejected, by: by, reason: reason, request: request));
    Ok(rejected)
}
