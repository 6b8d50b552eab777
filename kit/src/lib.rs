//! The ground of every program of Gas Town, without any knowledge of beads.
//!
//! - [`gateway`] the way out of a jail
//! - [`cli`] tables of commands, the parser, shell completion
//! - [`ui`] the screen, [`failure`] a failed command as it is shown, [`json`] JSON as clients
//!   expect it
//! - [`sys`] files, locks, clock, random numbers, environment, child processes

pub mod cli;
pub mod failure;
pub mod gateway;
pub mod json;
pub mod sys;
pub mod table;
pub mod ui;
