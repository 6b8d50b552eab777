//! The graph of beads: ready beads, blocked beads and explanations.
//!
//! Pure functions of a snapshot and an instant.

pub mod cycle;
pub mod epic;
pub mod explain;
pub mod external;
pub mod layers;
pub mod picture;
pub mod ready;
pub mod ready_counts;
pub mod swarm;

pub use ready::{find_blockers, is_blocked};
