//! Attaches molecules to work, and detaches them.

use bd::bead::{Bead, fields};
use bd::formula::vars::VarValues;
use bd::molecule::pour::{self, PouredMolecule};
use bd::molecule::template::PourOptions;
use bd::molecule::{bond, progress};
use bd::store::Tx;

use super::{formula_shelf, full_formula_name};
use crate::record;
use crate::record::molecule::Molecule;
use crate::town::beads::BeadsHome;
use crate::town::config::{SettingsLayers, target_branch_of};
use crate::town::event::event;
use crate::town::{Rig, Town};

/// Gives a bead that was slung to a polecat the molecule of its rig, unless it has one. A formula
/// that cannot be poured is recorded, and the work continues without it, because a molecule is only
/// guidance.
pub fn ensure_molecule(rig: &Rig, bead: &Bead, no_molecule: bool) -> anyhow::Result<()> {
    let layers = SettingsLayers::load(rig.town(), Some(rig))?;
    let formula = layers.valid_value("molecule.formula");
    let formula = formula.as_str().unwrap_or("");
    if no_molecule || formula.is_empty() || record::molecule::is_molecule_root(bead) {
        return Ok(());
    }
    let beads = rig.store()?.snapshot()?;
    if record::molecule::molecule_of_bead(&beads, &bead.id).is_some() {
        return Ok(());
    }
    drop(beads);
    match pour_for(rig, formula, &bead.id, &VarValues::new()) {
        Ok(_) => {}
        Err(error) => rig.town().record_event(&event!(MoleculeSkipped,
            bead: bead.id, formula: formula, reason: format!("{error:#}"),
        )),
    }
    Ok(())
}

/// Pours a formula as wisps and attaches it to a bead, in one transaction.
pub fn pour_for(
    rig: &Rig,
    formula: &str,
    bead: &str,
    given: &VarValues,
) -> anyhow::Result<PouredMolecule> {
    let shelf = formula_shelf(rig.town(), Some(rig));
    let store = rig.store()?;
    let poured = rig.transact(&store, |tx| {
        let work = tx.resolve(bead)?.clone();
        let options = PourOptions {
            values: values_for(rig, &work, given)?,
            ephemeral: true,
            ..PourOptions::default()
        };
        if let Some(root) = record::molecule::own_root_of(tx, &work.id) {
            anyhow::bail!(
                "{} has the molecule {root} already; `gt mol detach {}` takes it off",
                work.id,
                work.id
            );
        }
        let template = pour::find_template(&shelf, tx, formula, &options)?;
        let poured = pour::pour_template(tx, template, &options)?;
        let now = tx.now().to_string();
        bond::attach_molecule(tx, &poured.root, &work.id, &now)?;
        Ok(poured)
    })?;
    rig.town().record_event(&event!(MoleculePoured,
        bead: bead, formula: formula, molecule: poured.root, steps: poured.ids.len() - 1,
    ));
    Ok(poured)
}

/// Pours a formula as durable beads that are the work themselves. Returns the root.
pub fn pour_work(rig: &Rig, formula: &str, given: &VarValues) -> anyhow::Result<PouredMolecule> {
    let shelf = formula_shelf(rig.town(), Some(rig));
    let store = rig.store()?;
    let poured = rig.transact(&store, |tx| {
        let mut values = rig_values(rig)?;
        values.extend(given.clone());
        let options = PourOptions {
            values,
            ..PourOptions::default()
        };
        let template = pour::find_template(&shelf, tx, formula, &options)?;
        Ok(pour::pour_template(tx, template, &options)?)
    })?;
    rig.town().record_event(&event!(MoleculePoured,
        bead: poured.root, formula: formula, molecule: poured.root, steps: poured.ids.len() - 1,
    ));
    Ok(poured)
}

/// Returns the values for formulas of work. Values that the user gives win.
fn values_for(rig: &Rig, bead: &Bead, given: &VarValues) -> anyhow::Result<VarValues> {
    let mut values = rig_values(rig)?;
    for (name, value) in [
        ("issue", &bead.id),
        ("task", &bead.id),
        ("feature", &bead.title),
    ] {
        values.insert(name.to_owned(), value.clone());
    }
    values.extend(given.clone());
    Ok(values)
}

fn rig_values(rig: &Rig) -> anyhow::Result<VarValues> {
    let layers = SettingsLayers::load(rig.town(), Some(rig))?;
    let mut values = VarValues::from_iter([
        ("rig".to_owned(), rig.name().to_owned()),
        ("base_branch".to_owned(), target_branch_of(rig)?),
    ]);
    for name in ["setup", "typecheck", "lint", "test", "build"] {
        let command = layers.valid_value(&format!("merge_queue.{name}_command"));
        values.insert(
            format!("{name}_command"),
            command.as_str().unwrap_or("").to_owned(),
        );
    }
    Ok(values)
}

/// Returns the bead on the hook of an agent, or the bead of an id.
fn resolve_bead(town: &Town, target: &str) -> anyhow::Result<String> {
    let missing = match town.find_bead(target) {
        Ok(found) => return Ok(found.bead.id),
        Err(error) => error,
    };
    let address = if target.is_empty() {
        town.actor.clone()
    } else {
        match town.parse_address(target) {
            Err(_) if bd::bead::id::is_well_formed(target) => return Err(missing),
            address => address?,
        }
    };
    record::hook::find_hooked_bead(town, &address)
}

/// Returns the molecule of a bead, or of the bead on an agent's hook. Without a target, that of the
/// caller.
pub fn find_attached(town: &Town, target: &str) -> anyhow::Result<(String, Option<Molecule>)> {
    let bead = resolve_bead(town, target)?;
    let found = town.find_bead(&bead)?;
    let beads = found.store.snapshot()?;
    let molecule = match progress::root_of(&beads, &bead) {
        // The id of a step stands for its molecule.
        Some(root)
            if !record::molecule::is_molecule_root(&found.bead)
                && record::molecule::root_of(&beads, &bead).is_none() =>
        {
            Molecule::load(&beads, &root)
        }
        _ => record::molecule::molecule_of_bead(&beads, &bead),
    };
    Ok((bead, molecule))
}

/// A formula was given in place of a molecule.
#[derive(Debug, thiserror::Error)]
#[error("{formula} is a formula: only a molecule that was poured from it can be attached")]
pub struct FormulaNotPoured {
    pub formula: String,
    pub bead: String,
}

/// Attaches a molecule to a bead, or to the bead on an agent's hook.
pub fn attach_molecule(
    town: &Town,
    target: &str,
    molecule: &str,
) -> anyhow::Result<(String, String)> {
    let bead = resolve_bead(town, target)?;
    let found = town.find_bead(&bead)?;
    if found.store.snapshot()?.resolve(molecule).is_err() {
        let rig = match &found.home {
            BeadsHome::Rig(rig) => Some(town.rig(rig)),
            BeadsHome::Town => None,
        };
        let shelf = formula_shelf(town, rig.as_ref());
        if let Some(formula) = full_formula_name(&shelf, molecule) {
            return Err(FormulaNotPoured { formula, bead }.into());
        }
    }
    let root = town.transact(&found.store, |tx: &mut Tx<'_>| {
        let root = tx.resolve(molecule)?.id.clone();
        if let Some(other) = record::molecule::root_of(tx, &bead)
            && other != root
        {
            bond::detach_molecule(tx, &bead)?;
        }
        let now = tx.now().to_string();
        bond::attach_molecule(tx, &root, &bead, &now)?;
        Ok(root)
    })?;
    Ok((bead, root))
}

/// Attaches the molecule that a message names, and marks the message as read.
pub fn attach_molecule_from_mail(town: &Town, mail: &str) -> anyhow::Result<(String, String)> {
    let beads = town.open_town_store()?.snapshot()?;
    let message = record::mail::find_message(&beads, &town.actor.mailbox(), mail)?;
    let keys = ["attached_molecule", "molecule_id", "molecule", "mol"];
    let named = keys
        .iter()
        .find_map(|key| fields::get_field(&message.body, key));
    let molecule = named.ok_or_else(|| {
        anyhow::anyhow!("message {mail} names no molecule (a line `molecule: ID`)")
    })?;
    let done = attach_molecule(town, "", molecule.trim())?;
    record::mail::mark_read(town, &[message.id])?;
    Ok(done)
}

/// Detaches the molecule from a bead, or from the bead on an agent's hook. The molecule itself
/// stays.
pub fn detach_molecule(town: &Town, target: &str) -> anyhow::Result<(String, Option<String>)> {
    let bead = resolve_bead(town, target)?;
    let found = town.find_bead(&bead)?;
    let detached = town.transact(&found.store, |tx| Ok(bond::detach_molecule(tx, &bead)?))?;
    if let Some(molecule) = &detached {
        town.record_event(&event!(MoleculeDetached, bead: bead, molecule: molecule));
    }
    Ok((bead, detached))
}
