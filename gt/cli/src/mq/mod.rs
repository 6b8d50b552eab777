//! `gt mq`: the merge queue.

mod list;
mod retry;
mod run;
mod waive;

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Show and run a rig's merge queue
    Args:
    List => list,
    Run => run,
    Retry => retry,
    Waive => waive,
}
