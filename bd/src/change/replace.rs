//! Beads that another one stands for.

use super::{ChangeError, close_bead, load_live_bead};
use crate::bead::{Bead, Dep, DepKind};
use crate::store::Tx;

/// Closes a bead and points it at the one that stands for it. A bead that waits for others is closed, too.
pub fn replace_bead(
    tx: &mut Tx<'_>,
    id: &str,
    by: &str,
    kind: DepKind,
    reason: &str,
) -> Result<Bead, ChangeError> {
    if id == by {
        return Err(ChangeError::SelfDependency);
    }
    load_live_bead(tx, by)?;
    let mut bead = load_live_bead(tx, id)?;
    if !bead
        .dependencies
        .iter()
        .any(|edge| edge.depends_on_id == by)
    {
        // Such an edge holds nothing up: it may close a circle.
        bead.dependencies.push(Dep {
            issue_id: id.to_owned(),
            depends_on_id: by.to_owned(),
            kind,
            created_at: tx.now(),
            created_by: tx.actor().to_owned(),
            ..Dep::default()
        });
        tx.put(bead)?;
    }
    close_bead(tx, id, reason, "", true)
}
