//! Beads: work tracked as JSONL records in git.
//!
//! The map of the crate, in the direction in which data flows:
//!
//! - [`cli`] the `bd` command, [`context`] what it starts with
//! - [`ui`] the screen, [`error`] how a failure is shown, [`config`] settings in layers
//! - [`doctor`] whether a store is sound, [`hooks`] the hooks that git runs
//! - [`molecule`] workflows that were poured: steps, gates, digests; [`formula`] what they are poured from
//! - [`change`] the verbs, [`graph`] what is ready and what is blocked, [`query`] filters and orders
//! - [`sync`] beads and their branch: commit, merge, push; a fresh clone
//! - [`merge`] two changed copies of the beads become one
//! - [`store`] the files: snapshots for readers, transactions for writers
//! - [`bead`] the record: one line of JSON
//! - [`git`] repositories: the only place that runs git
//! - [`sys`] the seams to the machine: clock, chance, environment, files, child processes

pub mod bead;
pub mod change;
pub mod config;
pub mod doctor;
pub mod error;
pub mod foreign;
pub mod formula;
pub mod git;
pub mod graph;
pub mod hooks;
pub mod merge;
pub mod molecule;
pub mod query;
pub mod store;
pub mod sync;
