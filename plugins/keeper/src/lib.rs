//! Keeper of the seeds: reviews what a convoy is to build against the patterns that a repository has, and keeps the
//! decision where every worker of the convoy reads it once.
//!
//! It speaks with Gas Town through town hooks and files only: `gt` knows nothing of it, and it knows nothing of
//! `gt` but the hooks' variables. What must always hold: an approved convoy asks nobody anything; a worker gets one
//! decision of a few hundred tokens however many beads it does; a rule that is broken is named with file and line.
//!
//! The map: `vault` holds the seeds, `plant` fills it, `code` finds definitions in source; `spec` finds what a text
//! proposes, `review` decides (reuse, extend, allow, gate), `decision` keeps the numbered records, `constraint` the
//! codes; `brief` tells a session, `validate` checks a merge, `waiver` lets by; `install` puts the hooks in place.
//! `sys` is the only one that touches the machine, `yaml` reads and writes the files.

pub mod brief;
mod cli;
pub mod code;
pub mod constraint;
pub mod decision;
pub mod install;
pub mod plant;
pub mod review;
pub mod rule;
pub mod spec;
pub mod sys;
pub mod validate;
pub mod vault;
pub mod waiver;
pub mod word;
pub mod yaml;

pub use cli::{build_command_line, main};
