//! Molecules: poured workflows, whose steps are beads.
//!
//! A cooked [`formula`](crate::formula) becomes a [`template`]. [`pour`] creates beads from it:
//! durable ones, or wisps that stay on this machine. [`progress`] computes the state of a molecule.
//! At the end [`squash`] leaves one bead, the digest, and [`burn`] leaves nothing. A template can
//! be stored as a [`proto`], a frozen bead tree.

pub mod bond;
pub mod burn;
pub mod distill;
pub mod draw;
pub mod forge;
pub mod gate;
pub mod parallel;
pub mod pour;
pub mod progress;
pub mod proto;
pub mod squash;
pub mod stale;
pub mod step_tree;
pub mod template;

#[cfg(test)]
mod tests;

use crate::change::{ChangeError, PlanError};
use crate::formula::FormulaError;
use crate::store::StoreError;

/// The reason why a molecule cannot be created or changed.
#[derive(Debug, thiserror::Error)]
pub enum MoleculeError {
    #[error(transparent)]
    Formula(#[from] FormulaError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A change of a bead failed.
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The id belongs to a bead that is not a template.
    #[error("{0} is not a proto (missing 'template' label)")]
    NotAProto(String),
    #[error("{given} not found as formula or proto ID{note}")]
    NotFound { given: String, note: String },
    /// The bead has no steps below it.
    #[error("{0} has no steps: it is no molecule")]
    NoSteps(String),
    /// The operation is not possible, for this reason.
    #[error("{0}")]
    Refused(String),
}
