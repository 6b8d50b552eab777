//! Molecules: workflows that were poured, whose steps are beads.
//!
//! A cooked [`formula`](crate::formula) becomes a [`template`]. [`pour`] makes beads of it: durable ones, or wisps
//! that stay on this machine. [`progress`] says where a molecule stands. In the end [`squash`] leaves one bead, the
//! digest, and [`burn`] leaves nothing. A template can be kept as a [`proto`], a frozen bead tree.

pub mod bond;
pub mod burn;
pub mod distill;
pub mod draw;
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

/// Why a molecule cannot be made or changed.
#[derive(Debug, thiserror::Error)]
pub enum MoleculeError {
    /// Its formula.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// Its beads.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A change of a bead.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An id is a bead, but no template.
    #[error("{0} is not a proto (missing 'template' label)")]
    NotAProto(String),
    /// Neither formula nor bead.
    #[error("{given} not found as formula or proto ID{note}")]
    NotFound {
        /// What was given.
        given: String,
        /// Formulas with similar names.
        note: String,
    },
    /// A bead that has no steps below it.
    #[error("{0} has no steps: it is no molecule")]
    NoSteps(String),
    /// What is asked of it cannot be done.
    #[error("{0}")]
    Refused(String),
}
