//! `gt checkpoint`: records the state of a session's work for the next session on it.

mod clear;
mod show;
mod write;

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Record the state of your work for the next session
    ///
    /// A checkpoint is written automatically before a compaction and at the end of a session. Write
    /// one to add what only you know. The next session's context has it while it is younger than a
    /// day.
    Args:
    Write => write,
    #[command(alias = "read")]
    Show => show,
    Clear => clear,
}
