//! Slings a formula: on a bead, whose worker gets its steps, or as work of its own.

use bd::formula::vars::VarValues;

use crate::flow::work::molecule;
use crate::record;
use crate::town::beads::BeadsHome;
use crate::town::{Rig, Town};

/// Returns the full name of a formula, if it exists.
pub fn find_formula(town: &Town, name: &str) -> Option<String> {
    let rig = town.actor.rig().and_then(|rig| town.find_rig(rig).ok());
    molecule::full_formula_name(&molecule::formula_shelf(town, rig.as_ref()), name)
}

/// Pours a formula for a bead that is to be slung. If the bead has its molecule already, the
/// molecule stays.
pub fn pour_on_bead(
    town: &Town,
    formula: &str,
    bead: &str,
    values: &VarValues,
) -> anyhow::Result<String> {
    let found = town.find_bead(bead)?;
    let BeadsHome::Rig(rig) = &found.home else {
        anyhow::bail!("{bead} is a bead of the town: formulas are poured for beads of a rig");
    };
    let rig = town.find_rig(rig)?;
    let beads = found.store.snapshot()?;
    let has = record::molecule::own_root_of(&beads, &found.bead.id);
    let origin = has.and_then(|root| Some(beads.get(&root)?.source_formula.clone()));
    // A sling that failed after the pour may be repeated.
    let plain = formula.split('@').next();
    if origin.is_none_or(|origin| origin.split('@').next() != plain) {
        molecule::pour_for(&rig, formula, &found.bead.id, values)?;
    }
    Ok(found.bead.id)
}

/// Pours a formula as work of its own that is to be slung. Returns its root.
pub fn pour_as_work(
    town: &Town,
    formula: &str,
    target: &str,
    values: &VarValues,
) -> anyhow::Result<String> {
    let rig = rig_of_target(town, target)?;
    Ok(molecule::pour_work(&rig, formula, values)?.root)
}

/// Returns the rig of a target: the rig that it names, or that of the agent.
pub fn rig_of_target<'t>(town: &'t Town, target: &str) -> anyhow::Result<Rig<'t>> {
    let name = target.trim_end_matches('/');
    if let Ok(rig) = town.find_rig(name) {
        return Ok(rig);
    }
    let address = if name.is_empty() {
        town.actor.clone()
    } else {
        town.parse_address(name)?
    };
    match address.rig() {
        Some(rig) => town.find_rig(rig),
        None => anyhow::bail!("name a rig for this formula: its beads are made there"),
    }
}
