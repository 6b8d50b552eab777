//! Closes beads for the queue.

use bd::bead::Bead;
use bd::change;
use bd::store::Tx;

pub(crate) fn close_bead(tx: &mut Tx, mut bead: Bead, reason: &str) -> anyhow::Result<()> {
    change::mark_closed(&mut bead, reason, &tx.now());
    tx.put(bead)?;
    Ok(())
}
