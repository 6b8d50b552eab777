//! Puts a merge request that waits back into the queue.

use bd::store::Store;

use super::withdraw::stale_reason;
use crate::record::merge_request;
use crate::town::Rig;

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
