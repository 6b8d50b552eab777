//! The internal beads and files of the town, and the state that is read from them. Never changes a
//! session.

pub mod account;
pub mod approval;
pub mod attempt;
pub mod boot_status;
pub mod chores;
pub mod convoy;
pub mod dog;
pub mod escalation;
pub(crate) mod gate_history;
pub mod heartbeat;
pub mod hidden;
pub mod hint;
pub mod hook;
pub mod hook_nudges;
pub mod mail;
pub mod merge_request;
pub mod merge_task;
pub mod molecule;
pub mod notification_level;
mod observed;
pub mod pause;
pub mod polecat;
pub mod progress;
pub mod pull_request;
pub mod pulse;
pub mod pushed;
pub mod queued_sling;
pub mod quota;
pub mod restarts;
pub mod role;
pub mod scheduler;
pub mod start_limit;
pub(crate) mod state_file;
pub mod theme;
pub mod town_view;
pub mod work_metadata;
