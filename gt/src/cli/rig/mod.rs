//! `gt rig`: the repositories that the town works on.

mod add;
mod list;
mod remove;
mod status;

pub(super) use status::{around, wanted};

use super::Answer;
use crate::cli::context::Context;

bd::family! {
    /// Add, look at and remove rigs: the repositories that the town works on.
    Args:
    Add => add,
    List => list,
    #[command(alias = "rm")]
    Remove => remove,
    Status => status,
}
