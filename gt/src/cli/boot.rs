//! `gt boot`: the agent that watches the deacon.

use super::{Answer, role};
use crate::cli::context::Context;

role::commands!(Boot: attach, restart, start, status, stop);

bd::family! {
    /// Start, open and stop boot, which watches the deacon
    ///
    /// By default gtd does its work with plain code and it has no session: see `patrol.mode.boot`.
    Args:
    #[command(alias = "at")]
    Attach => attach,
    Restart => restart,
    Start => start,
    Status => status,
    Stop => stop,
}
