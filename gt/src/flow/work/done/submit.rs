//! Submits the work: one transaction creates the merge request with its receipt, stores the
//! summary, ends the molecule, clears the hook and makes the worker idle. Work without a change is
//! closed with its reason instead.

use bd::bead::{Bead, Dep, DepKind, Stamp, Status, attempt};
use bd::change;
use bd::store::Tx;

use super::{HeldWorker, IdentifyError, WorkProof};
use crate::flow::work::convoy::briefing::area_of;
use crate::flow::work::followup;
use crate::flow::work::molecule::{self, MoleculeEnding};
use crate::host::runtime::resolve_runtime;
use crate::record::merge_request::Receipt;
use crate::record::polecat::{self, DoneRecord, Slot, WorkCompletion, WorkOutcome};

/// Returns the bead, if the worker still has it and no later attempt has begun.
pub(super) fn held_bead(tx: &Tx, worker: &HeldWorker, slot: &Slot) -> anyhow::Result<Bead> {
    check_lease(tx, worker, slot)?;
    let bead = tx
        .get(&slot.bead)
        .cloned()
        .ok_or_else(|| crate::town::beads::UnknownBead {
            id: slot.bead.to_string(),
        })?;
    anyhow::ensure!(
        attempt::read_attempt(&bead) == slot.attempt,
        build_superseded_error(&bead, worker)
    );
    Ok(bead)
}

/// Submits the proven work to the merge queue. Returns the request's id, if there is anything to
/// merge.
pub(super) fn submit_work(
    worker: &HeldWorker,
    slot: &Slot,
    record: &DoneRecord,
    proof: &WorkProof,
) -> anyhow::Result<(Option<String>, Option<MoleculeEnding>)> {
    let prefix = worker.rig.prefix();
    let store = worker.rig.store()?;
    worker.rig.transact(&store, |tx| {
        let now = tx.now();
        let mut bead = held_bead(tx, worker, slot)?;
        let number = attempt::raise_attempt(&mut bead)?;
        set_summary(&mut bead, &record.summary)?;
        let area = area_of(&proof.files);
        if !area.is_empty() {
            bead.set_metadata("area", &area)?;
        }
        if let Some(spec) = &record.spec {
            bead.spec_id.clone_from(spec);
        }
        bead.assignee = worker.address().to_string();
        bead.updated_at = now.clone();
        let request = match &record.no_change {
            Some(reason) => {
                change::mark_closed(&mut bead, &format!("No change: {reason}"), &now);
                None
            }
            None => Some(create_request(
                tx, worker, slot, number, record, proof, &mut bead, &prefix,
            )?),
        };
        tx.put(bead)?;
        let concluded = molecule::conclude_molecule(tx, &slot.bead)?;
        set_idle(tx, worker, slot, record, request.as_deref(), &now)?;
        Ok((request, concluded))
    })
}

/// Builds the error for a bead that was closed or reopened since this worker got it.
pub(super) fn build_superseded_error(bead: &Bead, worker: &HeldWorker) -> IdentifyError {
    let what = match (&bead.status, bead.close_reason.as_str()) {
        (Status::Closed, "") => "closed by someone else".to_owned(),
        (Status::Closed, reason) => {
            format!(
                "closed by someone else: {}",
                kit::ui::escape::escape_line(reason)
            )
        }
        (Status::Tombstone, _) => "deleted".to_owned(),
        _ => "closed and reopened by someone else".to_owned(),
    };
    IdentifyError::Superseded {
        bead: bead.id.clone(),
        worker: worker.address().to_string(),
        what,
    }
}

/// Checks that the lease is still the one under which the work was proven.
fn check_lease(tx: &Tx, worker: &HeldWorker, slot: &Slot) -> Result<(), IdentifyError> {
    let current = Slot::load(tx, &worker.slot_id);
    let hook = tx
        .get(&worker.agent_id)
        .map(|agent| agent.hook_bead.as_str());
    let who = worker.address().to_string();
    if current.lease != slot.lease {
        return Err(IdentifyError::OldLease {
            who,
            held: slot.lease,
            current: current.lease,
        });
    }
    if hook != Some(slot.bead.as_str()) {
        return Err(IdentifyError::NoWork { who });
    }
    Ok(())
}

/// Creates the merge request, and makes the bead wait for it.
fn create_request(
    tx: &mut Tx,
    worker: &HeldWorker,
    slot: &Slot,
    attempt: u64,
    record: &DoneRecord,
    proof: &WorkProof,
    bead: &mut Bead,
    prefix: &str,
) -> anyhow::Result<String> {
    let now = tx.now();
    let receipt = Receipt {
        branch: slot.branch.to_string(),
        target: slot.target.clone(),
        base: proof.base.clone(),
        tip: proof.tip.clone(),
        commits: proof
            .commits
            .iter()
            .map(|commit| commit.id.clone())
            .collect(),
        files: proof.files.clone(),
        summary: record.summary.clone(),
        worker: worker.address().to_string(),
        lease: slot.lease,
        attempt,
        resolves: crate::record::merge_request::resolved_request(bead),
        pushed_to_target: proof.pushed_to_target,
    };
    let id = request_id(prefix, &slot.branch);
    let rig = worker.rig.name();
    let mut request = receipt.build_request(&id, rig, bead, &worker.agent_id, &now, tx.actor())?;
    if let Some(on) = followup::find_unmerged_base(tx, bead).filter(|on| on.tip == slot.base) {
        // The work that this branch starts from is merged first.
        request
            .dependencies
            .push(build_blocks_edge(tx, &id, &on.request));
    }
    tx.put(request)?;
    wait_for_request(tx, bead, &id);
    Ok(id)
}

/// Makes a bead wait for its merge request. A bead that was closed early is reopened, because it is
/// done when the request is merged.
pub(super) fn wait_for_request(tx: &Tx, bead: &mut Bead, request: &str) {
    change::mark_open(bead, Status::InProgress, &tx.now());
    if !bead
        .edges(&DepKind::Blocks)
        .any(|edge| edge.depends_on_id == request)
    {
        let edge = build_blocks_edge(tx, &bead.id, request);
        bead.dependencies.push(edge);
    }
}

fn build_blocks_edge(tx: &Tx, from: &str, to: &str) -> Dep {
    Dep {
        issue_id: from.to_owned(),
        depends_on_id: to.to_owned(),
        kind: DepKind::Blocks,
        created_at: tx.now(),
        created_by: tx.actor().to_owned(),
        ..Dep::default()
    }
}

/// Computes the request's id from the branch, so that one branch has one request.
pub(super) fn request_id(prefix: &str, branch: &str) -> String {
    format!(
        "{prefix}-mr-{}",
        bd::bead::hash::compute_short_hash(branch, 4)
    )
}

/// Clears the hook, makes the worker idle and writes its record.
pub(super) fn set_idle(
    tx: &mut Tx,
    worker: &HeldWorker,
    slot: &Slot,
    record: &DoneRecord,
    request: Option<&str>,
    now: &Stamp,
) -> anyhow::Result<()> {
    if let Some(mut agent) = tx.get(&worker.agent_id).cloned() {
        polecat::set_hook(&mut agent, None, "idle", now);
        let mr = Some(request.unwrap_or("null"));
        agent.description = bd::bead::fields::set_field(&agent.description, "active_mr", mr);
        let since = Stamp::parse(&slot.since).instant();
        let entry = WorkCompletion {
            bead: slot.bead.to_string(),
            outcome: match (&record.gave_up, &record.no_change) {
                (Some(_), _) => WorkOutcome::Failed,
                (None, Some(_)) => WorkOutcome::NoChange,
                (None, None) => WorkOutcome::Submitted,
            },
            at: now.to_string(),
            seconds: now.instant().duration_since(since).as_secs(),
            sessions: slot.session_count(),
            agent: name_runtime(worker, slot),
            kind: slot.assignment.kind.clone(),
            labels: slot.assignment.labels.clone(),
            stalls: slot.stall_count(),
            model: record.model.clone(),
            request: request.map(str::to_owned),
            result: None,
            gate_failures: 0,
            merged_after: None,
        };
        polecat::append_completion(tx, &mut agent, &entry)?;
        tx.put(agent)?;
    }
    Slot {
        lease: slot.lease,
        left: slot.last_token().to_owned(),
        ..Slot::default()
    }
    .save(tx, &worker.slot_id)
}

/// Returns the name of the agent runtime of the session: the one that it was started with, else the
/// one that was asked for or is configured.
fn name_runtime(worker: &HeldWorker, slot: &Slot) -> String {
    if !slot.assignment.program.is_empty() {
        return slot.assignment.program.clone();
    }
    let rig = &worker.rig;
    let address = worker.address();
    resolve_runtime(rig.town(), Some(rig), &address, slot.agent.as_deref()).map_or_else(
        |_| slot.agent.clone().unwrap_or_default(),
        |runtime| runtime.name,
    )
}

/// Stores the summary in the bead's metadata and keeps the other keys.
pub(super) fn set_summary(bead: &mut Bead, summary: &str) -> serde_json::Result<()> {
    if summary.trim().is_empty() {
        return Ok(());
    }
    bead.set_metadata("summary", summary.trim())
}
