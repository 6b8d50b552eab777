//! `gt mayor`: controls the agent that the user talks to about the whole town.

use super::{CommandResult, role};
use crate::context::Context;

role::commands!(Mayor: attach, restart, start, status, stop);

kit::family! {
    /// Start, open and stop the mayor, who runs the town for you
    Args:
    #[command(alias = "at")]
    Attach => attach,
    Restart => restart,
    Start => start,
    Status => status,
    Stop => stop,
}
