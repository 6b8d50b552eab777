//! Ends the attempt of a worker that gives up: records it as failed with the worker's explanation
//! and merges nothing. Commits and files go to a rescue ref. The bead is open for another attempt
//! unless the worker closes it.

use bd::bead::{Status, attempt};
use bd::change;

use super::submit::{held_bead, set_idle, set_summary};
use super::{DoneReport, FailedAttempt, HeldWorker, has_commits};
use crate::flow::place::sandbox::Sandbox;
use crate::flow::work::molecule;
use crate::record::attempt::{self as history, AttemptEnd};
use crate::record::polecat::{DoneRecord, GivingUp, Slot};
use crate::town::event::event;

/// Ends the attempt of a worker.
pub(super) fn give_up(
    worker: &HeldWorker,
    slot: &Slot,
    record: &DoneRecord,
    gave_up: &GivingUp,
) -> anyhow::Result<DoneReport> {
    let is_work = |tip: &str| has_commits(&worker.rig, &worker.name, slot, tip);
    // A sandbox that git cannot read is moved aside as a whole.
    let head = worker.git().and_then(|git| git.resolve("HEAD"));
    let head = head.ok().flatten();
    let tip = head.filter(|tip| is_work(tip)).unwrap_or_default();
    let rescue = Sandbox::new(&worker.rig, &worker.name).keep_work(slot, &is_work)?;
    record_failure(worker, slot, record, gave_up, &tip, rescue.as_deref())?;
    let left = Sandbox::new(&worker.rig, &worker.name).leave_branch(|git| {
        if let Ok(Some(head_commit)) = git.resolve("HEAD")
            && git.checkout_detach(&head_commit).is_ok()
        {
            // The rescue ref has the commits and the uncommitted files. The next sling cleans the
            // files up.
            git.delete_branch(slot.branch.as_str(), &head_commit).ok();
            super::switch_to_target(worker, slot, git);
        }
    });
    // The next sling does the same.
    left.ok();
    worker.rig.town().record_event(&event!(AttemptFailed,
        bead: slot.bead, rig: worker.rig.name(), polecat: worker.name, reason: gave_up.why, rescue: rescue,
        closed: gave_up.close,
    ));
    Ok(DoneReport {
        bead: slot.bead.to_string(),
        request: None,
        branch: slot.branch.to_string(),
        tip,
        commits: 0,
        remote: false,
        molecule: None,
        kept_commits: Vec::new(),
        ignored_files: Vec::new(),
        open_question: None,
        failed: Some(FailedAttempt {
            why: gave_up.why.clone(),
            closed: gave_up.close,
            rescue,
        }),
    })
}

fn record_failure(
    worker: &HeldWorker,
    slot: &Slot,
    record: &DoneRecord,
    gave_up: &GivingUp,
    tip: &str,
    rescue: Option<&str>,
) -> anyhow::Result<()> {
    let store = worker.rig.store()?;
    worker.rig.transact(&store, |tx| {
        let now = tx.now();
        let mut bead = held_bead(tx, worker, slot)?;
        attempt::raise_attempt(&mut bead)?;
        let why = format!("failed: {}", gave_up.why.trim());
        let address = worker.address().to_string();
        let end = AttemptEnd {
            worker: &address,
            why: &why,
            kept: rescue,
        };
        history::record_giving_up(&mut bead, slot, end, tip, &record.summary, &now.to_string())?;
        if let Some(spec) = &record.spec {
            bead.spec_id.clone_from(spec);
        }
        if gave_up.close {
            set_summary(&mut bead, &record.summary)?;
            bead.assignee = address;
            change::mark_closed(&mut bead, &format!("Failed: {}", gave_up.why.trim()), &now);
        } else {
            bead.assignee = String::new();
            change::mark_open(&mut bead, Status::Open, &now);
        }
        bead.updated_at = now.clone();
        tx.put(bead)?;
        molecule::discard_molecule(tx, &slot.bead)?;
        set_idle(tx, worker, slot, record, None, &now)
    })
}
