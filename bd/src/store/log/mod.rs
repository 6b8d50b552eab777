//! The logs: acknowledged changes that are not folded yet, history, and the archive of old closed
//! beads.

pub mod archive;
pub(crate) mod damage;
pub mod event;
pub(crate) mod history;
pub mod journal;
mod part;
pub(crate) mod sealed;
