//! What is done to a worker itself: removing its sandbox, and trying again after it got stuck.

mod nuke;
mod retry;

pub use nuke::{NukeRefused, Nuked, nuke};
pub use retry::{NotStuck, retry, unstick};
