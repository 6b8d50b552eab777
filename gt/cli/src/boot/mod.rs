//! `gt boot`: watches the deacon.

mod triage;

use super::{CommandResult, build_report, role};
use crate::context::Context;

role::commands!(Boot: attach, restart, start, status, stop);

kit::family! {
    /// Watch the deacon
    ///
    /// By default gtd does this with plain code and boot has no session: see `patrol.mode.boot`.
    Args:
    #[command(alias = "at")]
    Attach => attach,
    Restart => restart,
    Start => start,
    Status => status,
    Stop => stop,
    Triage => triage,
}
