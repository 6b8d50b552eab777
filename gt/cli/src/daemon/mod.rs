//! `gt daemon`: controls gtd, the town's daemon.

mod install;
mod logs;
mod restart;
mod rotate_logs;
mod start;
mod status;
mod stop;

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Start, stop and show the town's daemon
    Args:
    Start => start,
    Stop => stop,
    Restart => restart,
    Status => status,
    Logs => logs,
    RotateLogs => rotate_logs,
    Install => install,
}
