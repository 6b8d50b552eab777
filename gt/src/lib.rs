//! Gas Town: a machine as a town of coding agents, over beads.
//!
//! The map: `cli` parses and shows; `sling`, `done`, `mq`, `convoy`, `mail`, `prime` are the flows; `polecat`,
//! `session`, `runtime`, `tmux`, `rig` are what they act on; `patrol` is facts → rules → actions for the
//! daemon; `town`, `identity`, `beads`, `event`, `lock` are the ground.

pub mod beads;
pub mod cli;
pub mod context;
pub mod error;
pub mod event;
pub mod identity;
pub mod lock;
pub mod process;
pub mod session;
pub mod tmux;
pub mod town;
