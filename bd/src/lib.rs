//! Beads: work tracked as JSONL records in git.
//!
//! The modules, in the direction in which data flows:
//!
//! - [`error`] the output of failures, [`config`] settings in layers
//! - [`doctor`] checks and repairs of a store, [`hooks`] the hooks that git runs
//! - [`molecule`] poured workflows: steps, gates, digests; [`formula`] the workflows' sources
//! - [`change`] the operations on beads, [`graph`] ready and blocked beads, [`query`] filters and
//!   orders
//! - [`sync`] beads and their branch: commit, merge, push; a fresh clone
//! - [`merge`] the merge of two changed copies of the beads
//! - [`store`] the files: snapshots for readers, transactions for writers
//! - [`bead`] the record: one line of JSON
//! - [`git`] repositories: the only place that runs git

pub mod bead;
pub mod change;
pub mod config;
pub mod doctor;
pub mod error;
pub mod foreign;
pub mod forge;
pub mod formula;
pub mod git;
pub mod graph;
pub mod hooks;
pub mod merge;
pub mod molecule;
pub mod query;
pub mod store;
pub mod sync;
