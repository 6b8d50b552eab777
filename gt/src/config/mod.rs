//! Settings of town and rigs.

mod rig;

pub use rig::{Gate, RigSettings, max_polecats, names, target_branch};
