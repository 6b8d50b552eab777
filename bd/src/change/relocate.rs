//! Moves a bead to another store: copies it there, redirects the edges of other beads here, and
//! closes the original.

use super::{ChangeError, NewBead, close_bead, load_live_bead};
use crate::bead::{Bead, DepKind};
use crate::store::Tx;

/// Builds the copy of a bead for another store. Edges and comments stay behind, because their ids
/// refer to beads of the old store.
pub fn copy_for_move(bead: &Bead) -> NewBead {
    let note = format!("(Moved from {})", bead.id);
    let description = match bead.description.trim_end() {
        "" => note,
        text => format!("{text}\n\n{note}"),
    };
    NewBead {
        description,
        due_at: bead.due_at.clone(),
        defer_until: bead.defer_until.clone(),
        external_ref: bead.external_ref.clone(),
        created_by: Some(bead.created_by.clone()).filter(|name| !name.is_empty()),
        ..NewBead::from_bead(bead)
    }
}

/// Redirects the edges of other beads to the new location of a moved bead. Children keep their
/// parent here. Returns the number of changed edges.
pub fn remap_edges(
    tx: &mut Tx<'_>,
    id: &str,
    rig: &str,
    target: &str,
) -> Result<usize, ChangeError> {
    let target = format!("external:{rig}:{target}");
    let mut holders: Vec<String> = tx
        .dependents_of(id)
        .into_iter()
        .map(|(holder, _)| holder.id.clone())
        .collect();
    holders.dedup();
    let mut changed = 0;
    for holder in holders {
        let mut holder = load_live_bead(tx, &holder)?;
        for edge in &mut holder.dependencies {
            if edge.depends_on_id == id && edge.kind != DepKind::ParentChild {
                edge.depends_on_id.clone_from(&target);
                changed += 1;
            }
        }
        tx.put(holder)?;
    }
    Ok(changed)
}

pub fn close_moved(tx: &mut Tx<'_>, id: &str, target: &str) -> Result<Bead, ChangeError> {
    close_bead(tx, id, &format!("Moved to {target}"), "", true)
}
