//! The deacon's manual checks: hooks of agents that are gone, processes without a session, work of
//! stuck workers, agents that do not respond. Each is a command, and none of them ends a worker.

pub mod health;
pub mod redispatch;
pub mod stale_hooks;
pub mod zombies;
