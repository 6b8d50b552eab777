//! Manages molecules of the town's work: a formula is poured for a bead when it is slung, its steps
//! are done one by one, and in the end one bead remains, the digest.
//!
//! The steps are beads beside the work, so a crash, a handoff or another worker does not change
//! them. The next session continues at the step where the last one stopped.

mod attach;
mod conclude;
mod signal;
mod step;

pub use attach::{
    FormulaNotPoured, attach_molecule, attach_molecule_from_mail, detach_molecule, ensure_molecule,
    find_attached, pour_for, pour_work,
};
pub use conclude::{
    MoleculeEnding, OpenStepsError, burn_molecule, check_steps_closed, conclude_molecule,
    discard_molecule, squash_molecule,
};
pub use signal::{SignalReport, await_signal};
pub use step::{StepReport, finish_step};

use bd::formula::FormulaSearchPath;

use crate::town::{Rig, Town};

/// Returns the formulas of a rig: its own, the town's, the user's and the built-in ones.
pub fn formula_shelf(town: &Town, rig: Option<&Rig>) -> FormulaSearchPath {
    let root = town.layout.root();
    let cwd = rig.map_or_else(|| root.to_owned(), |rig| rig.root().to_owned());
    let env = town
        .env
        .in_dir(&cwd)
        .with_var("GT_ROOT", &root.to_string_lossy());
    let beads = rig.map(|rig| rig.beads());
    FormulaSearchPath::new(&env, beads.as_deref(), &[])
}

/// Returns the full name of an abbreviated formula: `polecat-work` is `mol-polecat-work`.
pub fn full_formula_name(shelf: &FormulaSearchPath, name: &str) -> Option<String> {
    let plain = name.split('@').next().unwrap_or("");
    let names = shelf.names();
    if names.contains(plain) || bd::formula::find::is_formula_path(name) {
        return Some(name.to_owned());
    }
    let long = format!("mol-{name}");
    names
        .contains(long.split('@').next().unwrap_or(""))
        .then_some(long)
}
