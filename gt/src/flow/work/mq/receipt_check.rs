//! Compares a receipt with the records of this machine before anything is merged by it. A merge
//! request is a bead: it comes from other machines with the rig's beads, and a worker without a jail
//! can write to it.
//!
//! The target must be the one of the rig or the branch of an open convoy, and the commit must be the
//! one that `gt done` or `gt mq submit` handed in here, if an event says so. Else the request waits
//! for the user, who accepts exactly this receipt with `gt mq retry`.

use std::collections::BTreeSet;

use bd::bead::Bead;

use super::block;
use super::job::{MergeJob, MergeOutcome};
use crate::flow::work::convoy::integration;
use crate::record::approval::Approval;
use crate::record::merge_request::{Receipt, receipt_of};
use crate::town::Rig;
use crate::town::config;
use crate::town::event;

/// Makes a request wait for the user if the records of this machine contradict its receipt.
pub(super) fn block_for_receipt(job: &MergeJob) -> anyhow::Result<Option<MergeOutcome>> {
    let Some(fault) = find_receipt_fault(job.queue.rig, &job.request)? else {
        return Ok(None);
    };
    let id = &job.request.id;
    let mut approval = Approval::load(job.queue.rig, id)?;
    approval.receipt_asked = Some(describe_receipt(&job.receipt));
    approval.save(job.queue.rig, id)?;
    let reason = format!(
        "{fault}. `gt mq retry {id}` merges it nevertheless, `gt mq reject {id} --reason WHY` gives the work back"
    );
    block::block_for_user(job, &reason).map(Some)
}

/// Returns what the records of this machine contradict in a receipt, unless a user accepted it.
pub(super) fn find_receipt_fault(rig: &Rig, request: &Bead) -> anyhow::Result<Option<String>> {
    let receipt = receipt_of(request);
    let fault = match find_foreign_target(rig, &receipt.target)? {
        Some(fault) => Some(fault),
        None => find_foreign_commit(rig, &request.id, &receipt.tip)?,
    };
    if fault.is_none() {
        return Ok(None);
    }
    let accepted = Approval::load(rig, &request.id)?.receipt_accepted;
    Ok(fault.filter(|_| accepted != Some(describe_receipt(&receipt))))
}

fn describe_receipt(receipt: &Receipt) -> String {
    format!("{} to {}", receipt.tip, receipt.target)
}

fn find_foreign_target(rig: &Rig, target: &str) -> anyhow::Result<Option<String>> {
    let of_rig = config::target_branch_of(rig)?;
    if target == of_rig {
        return Ok(None);
    }
    let convoys = rig.town().open_town_store()?.snapshot()?;
    if integration::convoy_of_branch(&convoys, rig.name(), target).is_some() {
        return Ok(None);
    }
    Ok(Some(format!(
        "its target {target} is neither {of_rig}, the target of the rig, nor the branch of an open convoy"
    )))
}

fn find_foreign_commit(rig: &Rig, request: &str, tip: &str) -> anyhow::Result<Option<String>> {
    let town = rig.town();
    let events = event::read_events_with(&town.layout, "request", &BTreeSet::from([request]))?;
    let handed_in: Vec<&str> = events
        .iter()
        .filter(|event| event.kind == "done")
        .filter_map(|event| event.payload.get("tip")?.as_str())
        .collect();
    Ok(match handed_in.last() {
        Some(last) if !handed_in.contains(&tip) => Some(format!(
            "its commit {tip:.12} is not the one that was handed in, {last:.12}"
        )),
        _ => None,
    })
}
