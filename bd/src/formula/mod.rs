//! Formulas: workflows written as text, and the steps that they cook to.
//!
//! A formula is a `NAME.formula.toml` (or `.json`) file. Cooking runs these steps in this order:
//!
//! 1. [`find`] the file: project, town, user, built-in; [`source`] parses it and reports problems
//!    with line and step;
//! 2. [`extend`]: the steps of its parents come first;
//! 3. [`control`]: loops are unrolled, branches and gates become edges and labels;
//! 4. [`advice`]: its own advice inserts steps before and after others;
//! 5. [`expansion`]: steps are replaced by the template of an expansion formula;
//! 6. [`advice`] again: the advice of its aspects;
//! 7. [`overlay`]: steps are replaced, appended to or skipped for this town or rig;
//! 8. [`check`]: ids are unique, needs exist, no step waits for itself.
//!
//! Values are substituted later, by [`vars`], when a molecule is poured: a cooked formula is the
//! same for all pours. The same files give the same result.

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

/// The maximum number of steps that a formula may cook to. A mistyped loop must not fill the disk.
pub const MOST_STEPS: usize = 20_000;
