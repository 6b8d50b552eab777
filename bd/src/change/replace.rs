//! Beads that another one stands for.

use super::{ChangeError, close, live};
use crate::bead::{Bead, Dep, DepKind};
use crate::store::Tx;

/// Closes a bead and points it at the one that stands for it. A bead that waits for others is closed, too.
pub fn replace_by(
    tx: &mut Tx<'_>,
    id: &str,
    by: &str,
    kind: DepKind,
    reason: &str,
) -> Result<Bead, ChangeError> {
    if id == by {
        return Err(ChangeError::SelfDependency);
    }
    live(tx, by)?;
    let mut bead = live(tx, id)?;
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
    close(tx, id, reason, "", true)
}
