//! Burns molecules: removes a molecule with all its steps. Wisps vanish, and durable beads become
//! tombstones.

use super::{MoleculeError, progress};
use crate::change::{self, ChangeError};
use crate::store::Tx;

/// The beads of a burned molecule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BurnedMolecule {
    pub root: String,
    /// All ids, the root first.
    pub ids: Vec<String>,
    /// True if the molecule was a wisp.
    pub was_wisp: bool,
}

/// Returns the beads that burning a molecule would remove.
pub fn preview_burn(
    tx: &crate::store::Snapshot,
    root: &str,
) -> Result<BurnedMolecule, MoleculeError> {
    let root_ref = tx
        .bead_ref(root)
        .filter(|head| !head.is_tombstone())
        .ok_or_else(|| ChangeError::NotFound(root.to_owned()))?;
    let was_wisp = root_ref.is_ephemeral();
    let mut ids = vec![root.to_owned()];
    for member in progress::list_molecule_steps(tx, root) {
        if member.is_ephemeral() || !was_wisp {
            ids.push(member.id().to_owned());
        }
    }
    Ok(BurnedMolecule {
        root: root.to_owned(),
        ids,
        was_wisp,
    })
}

pub fn burn_molecule(tx: &mut Tx<'_>, root: &str) -> Result<BurnedMolecule, MoleculeError> {
    let burned = preview_burn(tx, root)?;
    tx.describe("burn", "");
    if burned.was_wisp {
        erase_wisps(tx, &burned.ids)?;
    } else {
        for id in burned.ids.iter().rev() {
            change::delete_bead(tx, id, "burned", false)?;
        }
    }
    Ok(burned)
}

/// Removes wisps and the edges of other wisps to them.
pub(super) fn erase_wisps(tx: &mut Tx<'_>, ids: &[String]) -> Result<(), MoleculeError> {
    let burned_ids: std::collections::BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    for id in ids {
        let mut holders: Vec<String> = tx
            .dependents_of(id)
            .into_iter()
            .map(|(holder, _)| holder.id.clone())
            .filter(|holder| !burned_ids.contains(holder.as_str()))
            .collect();
        holders.dedup();
        for holder in holders {
            if let Some(mut holder) = tx.get_live(&holder).cloned() {
                holder.dependencies.retain(|edge| edge.depends_on_id != *id);
                tx.put(holder)?;
            }
        }
        tx.erase_wisp(id)?;
    }
    Ok(())
}
