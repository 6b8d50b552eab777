//! Closing a bead for the queue.

use bd::bead::{Bead, Status};
use bd::store::Tx;

/// Closes a bead with a reason.
pub(crate) fn close_bead(tx: &mut Tx, mut bead: Bead, reason: &str) -> anyhow::Result<()> {
    let now = tx.now();
    bead.status = Status::Closed;
    bead.closed_at = Some(now.clone());
    bead.updated_at = now;
    reason.clone_into(&mut bead.close_reason);
    tx.put(bead)?;
    Ok(())
}
