//! Which requests may merge: only one whose bead is open and still at the attempt that handed it in. Any other is
//! withdrawn: its commits go to a rescue ref that the bead's comment names, and it is closed without being merged.
//!
//! A request that stands for another one, as the result of a conflict or repair task, may merge only as long as
//! that one may.

use bd::bead::{Bead, Status, attempt, fields};
use bd::store::{Snapshot, Tx};
use serde_json::json;

use super::queue::{Job, payload};
use super::request::{receipt_of, source_of};
use super::task;

/// The word that a withdrawn request has as its `close_reason`.
const WORD: &str = "withdrawn";

/// Why a request may not merge; `None` while it may.
pub fn why_stale(beads: &Snapshot, request: &Bead) -> Option<String> {
    let source = source_of(request);
    let receipt = receipt_of(request);
    // A request of another client may name no bead: then there is nothing that it could be held against.
    if !source.is_empty() {
        let Some(bead) = beads.get(&source) else {
            return Some(format!("{source} is deleted"));
        };
        if bead.is_tombstone() {
            return Some(format!("{source} is deleted"));
        }
        if !bead.is_open() {
            let reason = match bead.close_reason.as_str() {
                "" => String::new(),
                reason => format!(": {}", bd::ui::escape::line(reason)),
            };
            return Some(format!("{source} was closed{reason}"));
        }
        if attempt::of(bead) != receipt.attempt {
            return Some(format!(
                "{source} was reopened, released or given to another worker after it was handed in"
            ));
        }
    }
    let original = receipt.resolves.as_deref().and_then(|id| beads.get(id))?;
    if original.is_open() {
        why_stale(beads, original)
    } else {
        is_withdrawn(original)
            .then(|| format!("{} is withdrawn, which it was to resolve", original.id))
    }
}

/// Whether a request was closed without being merged, because its bead is no longer at its attempt.
pub fn is_withdrawn(request: &Bead) -> bool {
    fields::get(&request.description, "close_reason").as_deref() == Some(WORD)
}

/// Whether a rig has a request that may not merge any more.
pub(crate) fn has_stale(beads: &Snapshot) -> bool {
    stale(beads).next().is_some()
}

/// The open requests of a rig that may not merge any more.
pub(super) fn stale(beads: &Snapshot) -> impl Iterator<Item = &Bead> {
    let open = super::open_requests(beads).into_iter();
    open.filter(|request| why_stale(beads, request).is_some())
}

/// Withdraws a request, if it may not merge. Its commits are on a rescue ref before it is closed. Gives the reason.
pub(super) fn withdraw(job: &Job) -> anyhow::Result<Option<String>> {
    let kept = keep_commits(job)?;
    let id = &job.request.id;
    let why = job.town.transact(job.store, |tx| {
        let Some(request) = tx.get(id).filter(|bead| bead.is_open()).cloned() else {
            return Ok(None);
        };
        let why = why_stale(tx, &request);
        if let Some(why) = &why {
            close(tx, request, why, kept.as_deref())?;
        }
        Ok(why)
    })?;
    if let Some(why) = &why {
        let more = json!({ "reason": why, "rescue": kept });
        job.town.tell("merge_withdrawn", payload(job, more));
    }
    Ok(why)
}

/// Closes a request as withdrawn, with a comment on its bead and the tasks that were to bring its work to the target.
fn close(tx: &mut Tx, mut request: Bead, why: &str, kept: Option<&str>) -> anyhow::Result<()> {
    let now = tx.now();
    let (id, source) = (request.id.clone(), source_of(&request));
    request.description = fields::set(&request.description, "close_reason", Some(WORD));
    request.status = Status::Closed;
    request.closed_at = Some(now.clone());
    request.updated_at = now;
    request.close_reason = format!("Withdrawn: {why}");
    tx.put(request)?;
    task::cancel(tx, &id)?;
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

/// Puts the commits of a request on a rescue ref of its worker; none where they are nowhere to be found.
fn keep_commits(job: &Job) -> anyhow::Result<Option<String>> {
    let receipt = &job.receipt;
    if receipt.tip.is_empty() || job.git.resolve(&receipt.tip)?.is_none() {
        return Ok(None);
    }
    let kept = format!("refs/gt/rescue/{}/{}", receipt.worker, job.request.id);
    if job.git.resolve(&kept)?.is_none() {
        job.git.update_ref(&kept, &receipt.tip, None)?;
    }
    Ok(Some(kept))
}
