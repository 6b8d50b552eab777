//! Puts a merge request that waits back into the queue.

use bd::bead::Bead;
use bd::store::{Snapshot, Store};

use super::target::release_waiting_requests;
use super::withdraw::stale_reason;
use crate::record::merge_request;
use crate::record::request_wait::{BrokenTargets, RequestWait};
use crate::town::Rig;

/// Returns the other requests of a rig that wait for the same gate or the same target as a request.
/// The queue tries them again with it, because the cause may be over for all.
pub fn find_shared_waits(beads: &Snapshot, id: &str) -> Vec<String> {
    let broken_targets = BrokenTargets::find(beads);
    let find_wait = |request: &Bead| RequestWait::find_among(beads, request, &broken_targets);
    let Some(wait) = beads.get(id).and_then(find_wait) else {
        return Vec::new();
    };
    merge_request::open_requests(beads)
        .into_iter()
        .filter(|other| {
            other.id != id
                && find_wait(other)
                    .as_ref()
                    .is_some_and(|other| match (&wait, other) {
                        (RequestWait::Gate { gate, .. }, RequestWait::Gate { gate: other, .. }) => {
                            gate == other
                        }
                        (
                            RequestWait::Target { branch, .. },
                            RequestWait::Target { branch: other, .. },
                        ) => branch == other,
                        _ => false,
                    })
        })
        .map(|other| other.id.clone())
        .collect()
}

/// Continues a request that waits for a user or for its target, or that keeps failing, and the
/// others that wait for the same target. Returns the
/// reason for which it waited. Refuses a request that the queue is about to withdraw.
pub fn retry_request(rig: &Rig, store: &Store, id: &str) -> anyhow::Result<Option<String>> {
    let beads = store.snapshot()?;
    if let Some(reason) = beads
        .get(id)
        .and_then(|request| stale_reason(&beads, request))
    {
        anyhow::bail!("{id} may not merge any more: {reason}");
    }
    let wait = beads
        .get(id)
        .and_then(|request| RequestWait::find(&beads, request));
    let was = merge_request::retry_request(rig, store, id)?;
    // The target is tested again with this request, whichever of its requests the queue tries first.
    if let Some(RequestWait::Target { branch, .. }) = wait {
        rig.transact(store, |tx| release_waiting_requests(tx, &branch))?;
    }
    Ok(was)
}
