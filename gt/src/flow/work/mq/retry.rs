//! Puts a merge request that waits back into the queue.

use bd::store::{Snapshot, Store};

use super::withdraw::stale_reason;
use crate::record::merge_request;
use crate::record::request_wait::RequestWait;
use crate::town::Rig;

/// Returns the other requests of a rig that wait for the same gate or the same target as a request.
/// The queue tries them again with it, because the cause may be over for all.
pub fn find_shared_waits(beads: &Snapshot, id: &str) -> Vec<String> {
    let request = beads.get(id);
    let Some(wait) = request.and_then(|request| RequestWait::find(beads, request)) else {
        return Vec::new();
    };
    merge_request::open_requests(beads)
        .into_iter()
        .filter(|other| {
            other.id != id
                && RequestWait::find(beads, other)
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

/// Continues a request that waits for a user or for its target, or that keeps failing. Returns the
/// reason for which it waited. Refuses a request that the queue is about to withdraw.
pub fn retry_request(rig: &Rig, store: &Store, id: &str) -> anyhow::Result<Option<String>> {
    let beads = store.snapshot()?;
    if let Some(reason) = beads
        .get(id)
        .and_then(|request| stale_reason(&beads, request))
    {
        anyhow::bail!("{id} may not merge any more: {reason}");
    }
    merge_request::retry_request(rig, store, id)
}
