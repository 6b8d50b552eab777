//! `gt rescue`: manages the work that was saved before a sandbox was reset or a session ended.

mod drop;
mod list;
mod restore;
mod show;

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// List, show, restore and drop saved work
    Args:
    #[command(alias = "ls")]
    List => list,
    Show => show,
    Restore => restore,
    #[command(alias = "rm")]
    Drop => drop,
}
