//! Starts and ends the sessions of agents.

pub mod end;
mod identity;
pub mod show;
pub mod start;
