//! `gt rig`: manages the repositories that the town works on.

mod add;
mod list;
mod remove;
mod status;

pub(super) use status::{resolve_rig, rig_of_caller};

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Add, show and remove rigs: the town's repositories
    Args:
    Add => add,
    List => list,
    #[command(alias = "rm")]
    Remove => remove,
    Status => status,
}
