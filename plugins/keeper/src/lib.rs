//! Keeper of the seeds: reviews the plan of a convoy against the patterns of a repository, and
//! writes the decision to a place where every worker of the convoy reads it once.
//!
//! The keeper communicates with Gas Town only through town hooks and files: `gt` does not depend on
//! the keeper, and the keeper depends only on the hooks' variables. An approved convoy asks the
//! user nothing. A worker gets one decision of a few hundred tokens, regardless of the number of
//! its beads. A broken rule is reported with file and line.
//!
//! The modules: `vault` holds the seeds, `plant` fills it from the rig's `target`, `code` finds
//! definitions in source; `spec` finds the elements that a text proposes, `review` decides (reuse,
//! extend, allow, gate), `decision` stores the numbered records, `constraint` has the codes;
//! `brief` builds the text for a session, `validate` checks a merge, `waiver` permits exceptions;
//! `install` installs the hooks. Only `sys` accesses the machine; `yaml` reads and writes the
//! files.

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
pub mod target;
pub mod validate;
pub mod vault;
pub mod waiver;
pub mod word;
pub mod yaml;

pub use cli::{build_command_line, main};
