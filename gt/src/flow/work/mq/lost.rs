//! Brings back merged work that a target has lost, or accepts the loss.
//!
//! A deleted target gets its branch again. On a target that was moved back, each lost request goes
//! to the queue again, which merges its own commits and runs the gates: other commits that left the
//! target stay away.

use std::collections::BTreeSet;
use std::time::Duration;

use bd::bead::{Status, attempt, fields};
use bd::change;
use bd::git::PushLease;
use bd::store::Tx;
use serde::Serialize;

use crate::flow::place::rig::check_remote;
use crate::flow::place::target_history;
use crate::record::merge_request::{
    self, AS_IT_WAS, Receipt, RequestState, receipt_of, request_state, set_request_state,
    source_bead_of,
};
use crate::town::Rig;
use crate::town::target_loss::{LossEnding, LostMerge, TargetLoss};

/// The time limit of a fetch for a user who waits.
const FETCH_TIMEOUT: Duration = Duration::from_secs(20);

/// The outcome for one lost request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestoredMerge {
    #[serde(flatten)]
    pub merge: LostMerge,
    pub target: String,
    #[serde(flatten)]
    pub outcome: RestoreOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum RestoreOutcome {
    /// The deleted branch exists again.
    BranchRestored,
    /// The request is in the queue again.
    Requeued,
    /// The target has the work again.
    OnTarget,
    /// The work comes back with the request of its repair.
    WithRepair,
    /// The bead has changed since the merge, so its request stays closed.
    Skipped { reason: String },
}

/// Returns the open losses of a rig.
pub fn list_losses(rig: &Rig) -> anyhow::Result<Vec<TargetLoss>> {
    let mut losses = TargetLoss::load(rig)?;
    losses.retain(TargetLoss::is_open);
    Ok(losses)
}

/// Fetches the targets, and notices those that lost commits. Returns why they could not be fetched.
pub fn look_for_losses(rig: &Rig) -> anyhow::Result<Option<String>> {
    let failed = if check_remote(rig)? {
        let git = rig.git().with_network(FETCH_TIMEOUT);
        git.fetch("origin").err().map(|error| error.to_string())
    } else {
        None
    };
    target_history::check_targets(rig)?;
    Ok(failed)
}

/// Accepts all open losses of a rig, and returns them.
pub fn accept_losses(rig: &Rig) -> anyhow::Result<Vec<TargetLoss>> {
    target_history::end_losses(rig, LossEnding::Accepted, |_| true)
}

/// Brings back the work of all open losses of a rig. Work that cannot come back stays lost with the
/// reason, until a user accepts that.
pub fn restore_losses(rig: &Rig) -> anyhow::Result<Vec<RestoredMerge>> {
    let mut restored = Vec::new();
    for loss in list_losses(rig)? {
        if loss.merges.is_empty() {
            continue;
        }
        let is_deleted = loss.new_tip.is_none();
        if is_deleted {
            restore_branch(rig, &loss)?;
        }
        let mut of_loss = Vec::new();
        for merge in &loss.merges {
            let outcome = if is_deleted {
                RestoreOutcome::BranchRestored
            } else {
                restore_merge(rig, merge, &loss.target)?
            };
            of_loss.push(RestoredMerge {
                merge: merge.clone(),
                target: loss.target.clone(),
                outcome,
            });
        }
        skip_without_repair(rig, &mut of_loss)?;
        let mut skipped = Vec::new();
        let mut reasons = Vec::new();
        for RestoredMerge { merge, outcome, .. } in &of_loss {
            if let RestoreOutcome::Skipped { reason } = outcome {
                reasons.push(format!("{}: {reason}", merge.bead));
                skipped.push(merge.clone());
            }
        }
        target_history::record_restore(rig, &loss, &skipped, &reasons.join(", "))?;
        restored.extend(of_loss);
    }
    Ok(restored)
}

/// Skips the requests that would come back with a repair that does not come back.
fn skip_without_repair(rig: &Rig, of_loss: &mut [RestoredMerge]) -> anyhow::Result<()> {
    let beads = rig.store()?.snapshot()?;
    let returning: BTreeSet<String> = merge_request::open_requests(&beads)
        .into_iter()
        .flat_map(|repair| merge_request::find_originals(&beads, repair))
        .map(|original| original.id)
        .collect();
    for merge in of_loss {
        if merge.outcome == RestoreOutcome::WithRepair && !returning.contains(&merge.merge.request)
        {
            merge.outcome = skip("its repair is gone");
        }
    }
    Ok(())
}

/// Creates a deleted branch again, at its last known tip.
fn restore_branch(rig: &Rig, loss: &TargetLoss) -> anyhow::Result<()> {
    let git = rig.git();
    if check_remote(rig)? {
        git.push(
            "origin",
            &loss.old_tip,
            &loss.target,
            PushLease::Absent,
            false,
        )?;
        git.fetch("origin")?;
    } else {
        git.update_ref(&format!("refs/heads/{}", loss.target), &loss.old_tip, None)?;
    }
    Ok(())
}

/// Gives a lost request to the queue again, unless its work is on the target.
fn restore_merge(rig: &Rig, merge: &LostMerge, target: &str) -> anyhow::Result<RestoreOutcome> {
    let request = rig.store()?.snapshot()?.get(&merge.request).cloned();
    if let Some(request) = request
        && !request.is_open()
        && target_history::is_work_on_target(rig, &request, target)?
    {
        return Ok(RestoreOutcome::OnTarget);
    }
    requeue_request(rig, merge)
}

/// Opens a request and its bead again, as they were before the merge.
fn requeue_request(rig: &Rig, merge: &LostMerge) -> anyhow::Result<RestoreOutcome> {
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        let Some(request) = tx.get(&merge.request).cloned() else {
            return Ok(skip("its request is not in the store"));
        };
        // A restore that failed had opened it again.
        if request.is_open() {
            return Ok(RestoreOutcome::Requeued);
        }
        if request.close_reason.starts_with(AS_IT_WAS) {
            return Ok(RestoreOutcome::WithRepair);
        }
        let bead = tx.get(&source_bead_of(&request)).cloned();
        let Some(bead) = bead.filter(|bead| !bead.is_tombstone()) else {
            return Ok(skip("its bead is deleted"));
        };
        // The queue names the request when it closes a bead.
        if bead.is_open() || !bead.close_reason.contains(&request.id) {
            return Ok(skip("its bead was changed since the merge"));
        }
        reopen(tx, request, bead)?;
        Ok(RestoreOutcome::Requeued)
    })
}

fn reopen(
    tx: &mut Tx,
    mut request: bd::bead::Bead,
    mut bead: bd::bead::Bead,
) -> anyhow::Result<()> {
    let now = tx.now();
    for key in ["merge_commit", "found_in", "close_reason"] {
        request.description = fields::set_field(&request.description, key, None);
    }
    let state = RequestState {
        candidate: String::new(),
        onto: String::new(),
        needs_person: String::new(),
        ..request_state(&request)
    };
    set_request_state(&mut request, &state)?;
    change::mark_open(&mut request, Status::Open, &now);
    change::mark_open(&mut bead, Status::InProgress, &now);
    let receipt = Receipt {
        attempt: attempt::raise_attempt(&mut bead)?,
        ..receipt_of(&request)
    };
    request.set_metadata("receipt", receipt)?;
    tx.put(request)?;
    tx.put(bead)?;
    Ok(())
}

fn skip(reason: &str) -> RestoreOutcome {
    RestoreOutcome::Skipped {
        reason: reason.to_owned(),
    }
}
