//! `gt shell`: the integration of towns into shells.

mod install;
mod place;
mod remove;
mod status;

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Set GT_TOWN_ROOT and GT_RIG in shells that enter a town
    ///
    /// A block of lines in the start file of the shell does it. It has no text of a town, and
    /// evaluates none.
    Args:
    Install => install,
    Remove => remove,
    Status => status,
    #[command(hide = true)]
    Place => place,
}
