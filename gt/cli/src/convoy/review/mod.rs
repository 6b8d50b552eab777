//! `gt convoy review`: decides on convoys that a hook left to the user.

mod approve;
mod list;
mod reject;
mod show;

use super::super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Decide on convoys that a pre-convoy hook left to you
    Args:
    List => list,
    Show => show,
    Approve => approve,
    Reject => reject,
}
