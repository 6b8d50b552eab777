//! Formulas: workflows written as text, and what they cook to.
//!
//! A formula is a `NAME.formula.toml` (or `.json`) file. Cooking runs these steps in this order:
//!
//! 1. [`find`] the file: project, town, user, built-in; [`source`] reads it and names line and step of what is wrong;
//! 2. [`extend`]: the parents that it extends come first;
//! 3. [`control`]: loops are unrolled, branches and gates become edges and labels;
//! 4. [`advice`]: its own advice puts steps before and after others;
//! 5. [`expansion`]: steps are replaced by the template of an expansion formula;
//! 6. [`advice`] again: that of its aspects;
//! 7. [`overlay`]: replace, append to, or skip steps for this town or rig;
//! 8. [`check`]: ids are unique, needs exist, nothing waits for itself.
//!
//! Values are put in later, by [`vars`], when a molecule is poured: a cooked formula is the same for everyone.
//! Same files, same result.

pub mod advice;
pub mod arithmetic;
pub mod builtin;
pub mod check;
pub mod condition;
pub mod control;
pub mod cook;
pub mod expansion;
pub mod extend;
pub mod find;
pub mod overlay;
pub mod problem;
pub mod schema;
pub mod source;
pub mod vars;

#[cfg(test)]
mod tests;

pub use cook::{CookedFormula, cook_formula, cook_named};
pub use find::FormulaSearchPath;
pub use problem::{FormulaError, FormulaProblem};
pub use schema::{Formula, FormulaKind, FormulaStep};

/// The most steps that a formula may cook to. A loop of a typing error must not fill the disk.
pub const MOST_STEPS: usize = 20_000;
