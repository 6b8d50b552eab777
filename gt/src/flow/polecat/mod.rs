//! What is done to a worker itself: removing its sandbox, and trying again after it got stuck.

mod nuke;
mod retry;

pub use nuke::{NukeRefused, NukeReport, nuke_polecat};
pub use retry::{NotStuck, clear_stuck_mark, retry_polecat};
