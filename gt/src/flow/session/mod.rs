//! Starts and ends the sessions of agents.

pub mod end;
pub mod show;
pub mod start;
