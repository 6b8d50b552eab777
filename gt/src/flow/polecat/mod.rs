//! Acts on a worker itself: removes its sandbox, or retries after it got stuck.

mod nuke;
mod retry;

pub use nuke::{NukeRefused, NukeReport, nuke_polecat};
pub use retry::{NotStuck, clear_restarts, clear_stuck_mark, retry_polecat};
