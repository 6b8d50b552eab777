//! Makes a bead for a crew member and puts it on the member's hook, `gt assign`.

use bd::change::{self, NewBead};

use super::{SlingOptions, SlingReport, SlingRequest, sling_bead};
use crate::flow::place::crew;
use crate::host::LiveTown;
use crate::town::Rig;

/// Creates a bead in the member's rig and slings it to the member.
pub fn assign_new_bead(
    town: &LiveTown,
    rig: &Rig,
    member: &str,
    new: NewBead,
) -> anyhow::Result<SlingReport> {
    let store = rig.store()?;
    let bead = rig.transact(&store, |tx| Ok(change::create_bead(tx, new)?))?;
    let request = SlingRequest {
        bead: bead.id,
        target: crew::member_address(rig, member).to_string(),
        options: SlingOptions::default(),
    };
    sling_bead(town, &request)
}
