//! `gt scheduler`: shows and controls the beads that wait for a worker.

mod clear;
mod list;
mod pause;
mod resume;
mod run;
mod status;

use super::{CommandResult, build_report, build_report_with_exit};
use crate::context::Context;

kit::family! {
    /// Show and control the beads that wait for a worker
    ///
    /// A bead that is slung to a rig is queued while something blocks it, while rig or town have no
    /// room, and if many are slung at once. The daemon starts queued beads in turn: rigs with the
    /// lowest `scheduler.priority` first, then the rig with the fewest workers; within a rig by
    /// priority, of which one step is worth a day of waiting.
    Args:
    Clear => clear,
    #[command(alias = "ls")]
    List => list,
    Pause => pause,
    Resume => resume,
    Run => run,
    Status => status,
}
