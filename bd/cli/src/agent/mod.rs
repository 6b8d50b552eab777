//! `bd agent`: one file per subcommand.

mod heartbeat;
mod show;
mod state;

use crate::context::Context;
use kit::cli::report::CommandResult;

kit::family! {
    /// Show and report the state of agents
    Args:
    State => state,
    Heartbeat => heartbeat,
    Show => show,
}
