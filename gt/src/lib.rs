//! Gas Town: a machine as a town of coding agents, over beads.
//!
//! The map: `cli` parses and shows; `sling`, `done`, `mq`, `convoy`, `mail`, `prime` are the flows; `polecat`,
//! `session`, `runtime`, `tmux`, `rig` are what they act on; `patrol` is facts → rules → actions for the
//! daemon; `share` puts beads on their branch; `discovery` keeps what explorers write down; `town_hook` runs the
//! town's own executables; `town`, `identity`, `beads`, `event`, `lock`, `temporary` are the ground.

pub mod attempt;
pub mod attention;
pub mod beads;
pub mod checkpoint;
pub mod cli;
pub mod config;
pub mod context;
pub mod convoy;
pub mod crew;
pub mod daemon;
pub mod demo;
pub mod discovery;
pub mod doctor;
pub mod done;
pub mod error;
pub mod event;
pub mod followup;
pub mod handoff;
pub mod identity;
pub mod lock;
pub mod mail;
pub mod mq;
pub mod patrol;
pub mod polecat;
pub mod prime;
pub mod process;
pub mod rig;
pub mod runtime;
pub mod seance;
pub mod session;
pub mod share;
pub mod sling;
pub mod status;
mod temporary;
pub mod tmux;
pub mod town;
pub mod town_hook;
pub mod turn;
pub mod why;
