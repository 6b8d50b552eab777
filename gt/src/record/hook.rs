//! Reads the hook: the bead that an agent is to work on.

use bd::bead::{Bead, Status};
use bd::store::BeadMark;

use super::polecat::Slot;
use crate::town::Town;
use crate::town::beads::TownStores;
use crate::town::identity::Address;

/// Returns the bead on the hook of an agent.
pub fn find_hooked_bead(town: &Town, address: &Address) -> anyhow::Result<String> {
    let stores = town.read_stores()?;
    let slot = slot_of(town, &stores, address);
    match hooked_bead_of(&stores, address, &slot) {
        Some(bead) => Ok(bead.id.clone()),
        None => anyhow::bail!("no work is on the hook of {address}: name a bead"),
    }
}

pub fn slot_of(town: &Town, stores: &TownStores, address: &Address) -> Slot {
    if let Address::Polecat(rig, name) = address
        && let Some(beads) = stores.rigs.get(rig)
    {
        return Slot::load(beads, &Slot::id(&town.prefix_of_rig(rig), rig, name));
    }
    Slot::default()
}

/// Returns the bead that is hooked and assigned to an agent, in any store.
pub fn hooked_bead_of<'a>(
    stores: &'a TownStores,
    address: &Address,
    slot: &Slot,
) -> Option<&'a Bead> {
    let long = address.to_string();
    let mailbox = address.mailbox();
    let is_own = |bead: &&Bead| {
        bead.status == Status::Hooked && (bead.assignee == long || bead.assignee == mailbox)
    };
    if let Some(bead) = stores.get(&slot.bead).filter(is_own) {
        return Some(bead);
    }
    std::iter::once(&stores.town)
        .chain(stores.rigs.values())
        .find_map(|beads| {
            let hooked = beads.select_open(&[BeadMark::Status(&Status::Hooked)]);
            let mut own_beads: Vec<&Bead> = hooked.filter(is_own).collect();
            own_beads.sort_by(|a, b| (a.priority, &a.id).cmp(&(b.priority, &b.id)));
            own_beads.first().copied()
        })
}
