//! End-to-end tests: real programs, real git, real tmux, scripted agents.

#![expect(clippy::unwrap_used, reason = "a step that fails fails its test")]

mod convoy;
mod daemon;
mod demo;
mod done;
mod flow;
mod install;
mod mail;
mod old_town;
mod polecat;
mod prime;
mod rescue;
mod sling;
mod status;
