//! `gt refinery`: controls the agent that watches a rig's merge queue.

use super::{CommandResult, role};
use crate::context::Context;

role::commands!(Refinery: attach, restart, start, status, stop);

kit::family! {
    /// Start, open and stop the agent of a merge queue
    ///
    /// By default gtd does its work with plain code and it has no session: see
    /// `patrol.mode.refinery`.
    Args:
    #[command(alias = "at")]
    Attach => attach,
    Restart => restart,
    Start => start,
    Status => status,
    Stop => stop,
}
