//! Withdraws requests that may not merge any more. A request may merge only if its bead is open and
//! still at the attempt that submitted it. The commits of a withdrawn request go to a rescue ref
//! that a comment on the bead names, and the request is closed without a merge.
//!
//! A request that stands for another one, as the result of a conflict or repair task, may merge
//! only while that one may.

use bd::bead::{Bead, attempt, fields};
use bd::store::{Snapshot, Store, Tx};

use super::job::{MergeJob, MergeOutcome};
use super::task;
use crate::record::approval::Approval;
use crate::record::merge_request;
use crate::record::merge_request::{receipt_of, request_state, source_bead_of};
use crate::record::polecat::{self, MergeResult};
use crate::town::Town;
use crate::town::event::event;
use crate::town::identity::Address;

/// The `close_reason` of a withdrawn request, and of one that a user rejected.
const WITHDRAWN_REASON: &str = "withdrawn";
const REJECTED_REASON: &str = "rejected";

/// Returns why a request may not merge. `None` if it may.
pub fn stale_reason(beads: &Snapshot, request: &Bead) -> Option<String> {
    let mut seen: Vec<&str> = Vec::new();
    let mut request = request;
    loop {
        if is_rejected(request) {
            return Some(request_state(request).rejected);
        }
        if let Some(why) = source_change_reason(beads, request) {
            return Some(why);
        }
        let original = receipt_of(request)
            .resolves
            .as_deref()
            .and_then(|id| beads.get(id))?;
        if seen.contains(&original.id.as_str()) {
            return None;
        }
        if !original.is_open() {
            return (!is_request_merged(original))
                .then(|| format!("{}, which it was to resolve, is closed", original.id));
        }
        seen.push(&original.id);
        request = original;
    }
}

/// Returns true if a user rejected a request.
pub fn is_rejected(request: &Bead) -> bool {
    !request_state(request).rejected.is_empty()
}

/// Returns true if a closed request was merged or had nothing to merge.
fn is_request_merged(request: &Bead) -> bool {
    let word = fields::get_field(&request.description, "close_reason");
    word.is_some_and(|word| {
        ["merged", merge_request::ALREADY_THERE, "no change"].contains(&word.as_str())
    })
}

/// Returns why the bead of a request no longer matches the request.
fn source_change_reason(beads: &Snapshot, request: &Bead) -> Option<String> {
    let source = source_bead_of(request);
    // A request of another client may name no bead. Such a request is never stale.
    if source.is_empty() {
        return None;
    }
    let Some(bead) = beads.get(&source).filter(|bead| !bead.is_tombstone()) else {
        return Some(format!("{source} is deleted"));
    };
    if !bead.is_open() {
        let reason = match bead.close_reason.as_str() {
            "" => String::new(),
            reason => format!(": {}", kit::ui::escape::escape_line(reason)),
        };
        return Some(format!("{source} was closed{reason}"));
    }
    let is_current = attempt::read_attempt(bead) == receipt_of(request).attempt;
    (!is_current).then(|| {
        format!("{source} was reopened, released or given to another worker after it was handed in")
    })
}

/// Returns true if a rig has a request that may not merge any more.
pub(crate) fn has_stale_requests(beads: &Snapshot) -> bool {
    find_stale_requests(beads).next().is_some() || !task::find_unneeded_tasks(beads).is_empty()
}

/// Closes the tasks whose request was closed without a merge.
pub(crate) fn cancel_unneeded_tasks(town: &Town, store: &Store) -> anyhow::Result<()> {
    if task::find_unneeded_tasks(&store.snapshot()?).is_empty() {
        return Ok(());
    }
    town.transact(store, |tx| {
        let requests: Vec<String> = task::find_unneeded_tasks(tx)
            .into_iter()
            .filter_map(merge_request::resolved_request)
            .collect();
        requests
            .iter()
            .try_for_each(|request| task::cancel_tasks(tx, request))
    })
}

/// Returns the open requests of a rig that may not merge any more.
pub(crate) fn find_stale_requests(beads: &Snapshot) -> impl Iterator<Item = &Bead> {
    merge_request::open_requests(beads)
        .into_iter()
        .filter(|request| stale_reason(beads, request).is_some())
}

/// Withdraws a request if it may not merge, and returns the outcome with the reason. Its commits
/// are on a rescue ref before it is closed.
pub(crate) fn withdraw_request(job: &MergeJob) -> anyhow::Result<Option<MergeOutcome>> {
    let kept = keep_commits(job)?;
    let id = &job.request.id;
    let why = job.queue.rig.transact(job.queue.store, |tx| {
        let Some(request) = tx.get(id).filter(|bead| bead.is_open()).cloned() else {
            return Ok(None);
        };
        let Some(reason) = stale_reason(tx, &request) else {
            return Ok(None);
        };
        let outcome = if is_rejected(&request) {
            MergeOutcome::Rejected {
                reason: reason.clone(),
            }
        } else {
            MergeOutcome::Withdrawn {
                reason: reason.clone(),
            }
        };
        close_withdrawn(tx, request, &reason, kept.as_deref())?;
        Ok(Some((reason, outcome)))
    })?;
    let Some((why, outcome)) = why else {
        return Ok(None);
    };
    Approval::remove(job.queue.rig, id);
    job.queue
        .rig
        .town()
        .record_event(&event!(MergeWithdrawn, reason: why, rescue: kept, request: job.merge_ref()));
    Ok(Some(outcome))
}

/// Closes a request as withdrawn, comments on its bead, and closes the tasks that were to bring its
/// work to the target.
fn close_withdrawn(
    tx: &mut Tx,
    mut request: Bead,
    why: &str,
    kept: Option<&str>,
) -> anyhow::Result<()> {
    let id = request.id.clone();
    let source = source_bead_of(&request);
    let (word, title) = if is_rejected(&request) {
        (
            REJECTED_REASON,
            format!("Rejected{}", why.trim_start_matches("rejected")),
        )
    } else {
        (WITHDRAWN_REASON, format!("Withdrawn: {why}"))
    };
    request.description = fields::set_field(&request.description, "close_reason", Some(word));
    polecat::record_result(tx, &request, |entry, _| {
        entry.result = Some(MergeResult::Failed);
    })?;
    super::close::close_bead(tx, request, &title)?;
    task::cancel_tasks(tx, &id)?;
    let is_there = tx.get(&source).is_some_and(|bead| !bead.is_tombstone());
    if is_there {
        let kept = kept.map_or_else(String::new, |kept| {
            format!(" Its commits are on {kept} (`gt rescue list`).")
        });
        let text = format!("{id} was not merged: {why}.{kept}");
        let actor = tx.actor().to_owned();
        bd::change::add_comment(tx, &source, &actor, &text)?;
    }
    Ok(())
}

/// Saves the commits of a request on a rescue ref of its worker. None if the commits are missing.
fn keep_commits(job: &MergeJob) -> anyhow::Result<Option<String>> {
    let receipt = &job.receipt;
    if receipt.tip.is_empty() || job.queue.git.resolve(&receipt.tip)?.is_none() {
        return Ok(None);
    }
    let is_worker = receipt.worker.parse::<Address>().is_ok();
    let whose = if is_worker {
        receipt.worker.as_str()
    } else {
        "requests"
    };
    let kept = format!("refs/gt/rescue/{whose}/{}", job.request.id);
    if job.queue.git.resolve(&kept)?.is_none() {
        job.queue.git.update_ref(&kept, &receipt.tip, None)?;
    }
    Ok(Some(kept))
}
