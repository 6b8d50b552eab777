//! Closing and reopening.

use super::{ChangeError, load_live_bead};
use crate::bead::{Bead, Stamp, Status};
use crate::graph::ready;
use crate::store::Tx;

/// Closes a bead. Without `force`, refuses to close a template, a pinned bead or a blocked bead.
/// Closing a closed bead again updates its time and reason.
pub fn close_bead(
    tx: &mut Tx<'_>,
    id: &str,
    reason: &str,
    session: &str,
    force: bool,
) -> Result<Bead, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    if !force {
        check_closable(tx, &bead)?;
    }
    mark_closed(&mut bead, reason, &tx.now());
    session.clone_into(&mut bead.closed_by_session);
    tx.put(bead)?;
    load_live_bead(tx, id)
}

/// Marks a bead as closed before the caller writes it. The caller checks all other rules of
/// closing.
pub fn mark_closed(bead: &mut Bead, reason: &str, now: &Stamp) {
    bead.status = Status::Closed;
    bead.closed_at = Some(now.clone());
    bead.updated_at = now.clone();
    reason.clone_into(&mut bead.close_reason);
}

/// Gives a bead a status other than closed before the caller writes it, and clears the fields that
/// closing had set.
pub fn mark_open(bead: &mut Bead, status: Status, now: &Stamp) {
    bead.status = status;
    bead.closed_at = None;
    bead.close_reason.clear();
    bead.closed_by_session.clear();
    bead.updated_at = now.clone();
}

fn check_closable(tx: &Tx<'_>, bead: &Bead) -> Result<(), ChangeError> {
    if bead.is_template {
        return Err(ChangeError::Template(bead.id.clone()));
    }
    if bead.status == Status::Pinned {
        return Err(ChangeError::Pinned(bead.id.clone()));
    }
    let blockers = ready::find_blockers(tx, &bead.id);
    if blockers.is_empty() {
        return Ok(());
    }
    Err(ChangeError::Blocked {
        id: bead.id.clone(),
        blockers: blockers.into_iter().map(str::to_owned).collect(),
    })
}

/// Reopens a closed bead and records the reason in its history. An open bead stays unchanged.
pub fn reopen_bead(tx: &mut Tx<'_>, id: &str, reason: Option<&str>) -> Result<Bead, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    if bead.status != Status::Open {
        let now = tx.now();
        super::edit::apply_status(&mut bead, &Status::Open, &now)?;
        bead.defer_until = None;
        bead.updated_at = now;
        tx.put(bead)?;
    }
    if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
        tx.describe(&format!("reopen: {reason}"), "");
    }
    load_live_bead(tx, id)
}
