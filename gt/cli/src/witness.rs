//! `gt witness`: controls the agent that watches the workers of a rig.

use super::{CommandResult, role};
use crate::context::Context;

role::commands!(Witness: attach, restart, start, status, stop);

kit::family! {
    /// Start, open and stop the agent that watches a rig
    ///
    /// By default gtd does its work with plain code and it has no session: see
    /// `patrol.mode.witness`.
    Args:
    #[command(alias = "at")]
    Attach => attach,
    Restart => restart,
    Start => start,
    Status => status,
    Stop => stop,
}
