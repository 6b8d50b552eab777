//! Closes beads that another bead replaces.

use super::{ChangeError, close_bead, load_live_bead};
use crate::bead::{Bead, Dep, DepKind};
use crate::store::Tx;

/// Closes a bead and links it to its replacement. Closes a blocked bead too.
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
        // This kind of edge blocks nothing, so it may close a cycle.
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
