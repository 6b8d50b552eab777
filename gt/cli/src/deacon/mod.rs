//! `gt deacon`: controls the agent that patrols the town.

mod health_check;
mod heartbeat;
mod pause;
mod redispatch;
mod resume;
mod stale_hooks;
mod zombie_scan;

use super::{CommandResult, build_report, build_report_with_exit, role};
use crate::context::Context;

role::commands!(Deacon: attach, restart, start, status, stop);

kit::family! {
    /// Control the deacon, who patrols the town
    ///
    /// By default gtd does its work with plain code and it has no session: see
    /// `patrol.mode.deacon`.
    Args:
    #[command(alias = "at")]
    Attach => attach,
    HealthCheck => health_check,
    Heartbeat => heartbeat,
    Pause => pause,
    Redispatch => redispatch,
    Restart => restart,
    Resume => resume,
    StaleHooks => stale_hooks,
    Start => start,
    Status => status,
    Stop => stop,
    ZombieScan => zombie_scan,
}
