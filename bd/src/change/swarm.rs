//! Creates swarms for epics.

use super::{ChangeError, NewBead, add_dep, create_bead, load_live_bead, set_parent};
use crate::bead::{Bead, DepKind, Kind};
use crate::graph::swarm::MOL_TYPE;
use crate::store::Tx;

/// Returns the epic for a swarm: the bead, or a new epic around a bead that is not an epic.
pub fn epic_for_swarm(tx: &mut Tx<'_>, id: &str) -> Result<Bead, ChangeError> {
    let bead = load_live_bead(tx, id)?;
    if bead.issue_type == Kind::Epic {
        return Ok(bead);
    }
    let new = NewBead {
        title: format!("Swarm: {}", bead.title),
        description: format!("Holds {id}, so that a swarm can work on it."),
        issue_type: Kind::Epic,
        priority: bead.priority,
        ephemeral: bead.ephemeral,
        ..NewBead::default()
    };
    let epic = create_bead(tx, new)?;
    set_parent(tx, id, Some(&epic.id))?;
    Ok(epic)
}

/// Creates the bead that stands for the swarm of an epic.
pub fn create_swarm(tx: &mut Tx<'_>, epic: &Bead, coordinator: &str) -> Result<Bead, ChangeError> {
    let new = NewBead {
        title: format!("Swarm: {}", epic.title),
        description: format!("Swarm for the epic {}", epic.id),
        issue_type: Kind::Molecule,
        mol_type: MOL_TYPE.to_owned(),
        priority: epic.priority,
        assignee: coordinator.to_owned(),
        ephemeral: epic.ephemeral,
        ..NewBead::default()
    };
    let swarm = create_bead(tx, new)?;
    add_dep(tx, &swarm.id, &epic.id, DepKind::RelatesTo)?;
    load_live_bead(tx, &swarm.id)
}
