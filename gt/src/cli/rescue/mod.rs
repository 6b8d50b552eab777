//! `gt rescue`: work that was saved before a sandbox was reset or a session ended.

mod drop;
mod list;
mod restore;

use super::Answer;
use crate::cli::context::Context;

bd::family! {
    /// List, restore and drop saved work
    Args:
    List => list,
    Restore => restore,
    Drop => drop,
}
