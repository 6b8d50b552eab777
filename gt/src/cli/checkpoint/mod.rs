//! `gt checkpoint`: where a session stands, for the next one on the same work.

mod clear;
mod show;
mod write;

use super::Answer;
use crate::cli::context::Context;

bd::family! {
    /// Write down where you stand, for the next session on the same work.
    ///
    /// It is written by itself before a compaction and at the end of a session; write it yourself to add what only you know.
    /// The next session's context tells of it while it is younger than a day.
    Args:
    Write => write,
    #[command(alias = "read")]
    Show => show,
    Clear => clear,
}
