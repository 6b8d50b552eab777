//! `gt deacon`: who patrols the town.

mod heartbeat;
mod pause;
mod resume;

use super::{Answer, answer, role};
use crate::cli::context::Context;

role::commands!(Deacon: attach, restart, start, status, stop);

bd::family! {
    /// Control the deacon, who patrols the town
    ///
    /// By default gtd does its work with plain code and it has no session: see `patrol.mode.deacon`.
    Args:
    #[command(alias = "at")]
    Attach => attach,
    Heartbeat => heartbeat,
    Pause => pause,
    Restart => restart,
    Resume => resume,
    Start => start,
    Status => status,
    Stop => stop,
}
