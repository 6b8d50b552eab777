//! `gt mq`: the merge queue.

mod list;
mod next;
mod retry;
mod run;
mod waive;

use gt::town::beads::{BeadsHome, FoundBead};
use gt::town::{Rig, Town};

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Show and run a rig's merge queue
    Args:
    List => list,
    Next => next,
    Run => run,
    Retry => retry,
    Waive => waive,
}

/// Returns the rig whose queue a request is in.
fn rig_of_request<'t>(town: &'t Town, request: &FoundBead) -> anyhow::Result<Rig<'t>> {
    match &request.home {
        BeadsHome::Rig(name) => Ok(town.find_rig(name)?),
        BeadsHome::Town => {
            anyhow::bail!("`{}` is no open merge request: not found", request.bead.id)
        }
    }
}
