//! The harness of the end-to-end tests: a town in a temporary folder with its own HOME, git
//! identity and tmux sockets, driven through the real programs.
//!
//! What must always hold: nothing outside the temporary folder is touched; every child starts from
//! an empty environment; dropping the town ends its daemon and its tmux server.

#![expect(clippy::unwrap_used, reason = "a harness that fails fails its test")]

pub mod browser;
mod cable;
mod claude;
mod codex;
mod command;
mod count;
mod engine;
mod far;
mod forge;
mod forget;
mod gemini;
mod imports;
mod network;
mod npm;
mod opencode;
mod programs;
mod repo;
pub mod showcase;
mod skip;
mod small_disk;
mod terminal;
mod text;
mod town;
mod wait;
mod worker;

pub use cable::Cable;
pub use claude::{Model, program as claude};
pub use codex::program as codex;
pub use command::{Run, Said};
pub use count::count;
pub use engine::StandInEngine;
pub use far::FarMachine;
pub use forge::{Forge, program as forge, protect};
pub use gemini::program as gemini;
pub use imports::{Imports, files_below};
pub use opencode::program as opencode;
pub use programs::programs;
pub use repo::Repo;
pub use skip::report_skip;
pub use small_disk::SmallDisk;
pub use terminal::Terminal;
pub use text::read_text;
pub use town::Town;
pub use wait::{eventually, within};
pub use worker::Worker;
