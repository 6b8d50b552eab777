//! What the deacon looks after by hand: hooks of agents that are gone, processes without a session, work of stuck
//! workers, agents that do not answer. Each is a command; none of them ends a worker.

pub mod health;
pub mod redispatch;
pub mod stale_hooks;
pub mod zombies;
