//! Moving a bead to another store: a copy there, and here the edges of others and the bead itself.

use super::{ChangeError, NewBead, close_bead, load_live_bead};
use crate::bead::{Bead, DepKind};
use crate::store::Tx;

/// What is made of a bead in another store. Edges and comments stay behind: the ids in them mean beads of the old store.
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

/// Points the edges of other beads to a bead that moved at where it is now. Children keep their parent here. Returns how many
/// edges were changed.
pub fn remap_edges(
    tx: &mut Tx<'_>,
    id: &str,
    rig: &str,
    target: &str,
) -> Result<usize, ChangeError> {
    let target = format!("external:{rig}:{target}");
    let holders = tx.dependents_of(id).into_iter();
    let mut holders: Vec<String> = holders.map(|(holder, _)| holder.id.clone()).collect();
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

/// Closes a bead that moved.
pub fn close_moved(tx: &mut Tx<'_>, id: &str, target: &str) -> Result<Bead, ChangeError> {
    close_bead(tx, id, &format!("Moved to {target}"), "", true)
}
