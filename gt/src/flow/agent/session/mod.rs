//! Starts and ends the sessions of agents.

pub mod cycle;
pub mod end;
mod guards;
pub(super) mod identity;
mod message;
mod place;
pub mod show;
pub mod start;

pub use identity::commit_identity;
