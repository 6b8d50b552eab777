//! Places of work: the town's folders, rigs, crew members, sandboxes, and the exchange between
//! repositories.

pub mod backup;
pub(crate) mod carry;
pub mod crew;
pub mod desk;
pub mod discovery;
pub(crate) mod engine;
pub mod host;
mod host_program;
pub mod install;
pub(crate) mod merged_refs;
pub mod moved;
pub mod push;
pub mod repair;
pub mod rescue;
pub mod restore;
pub mod rig;
pub mod sandbox;
pub mod shell;
pub mod sync;
pub(crate) mod target_history;
pub mod town_hook;
pub(crate) mod unsaved;
mod worker_push;
