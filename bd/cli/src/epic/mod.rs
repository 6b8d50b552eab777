//! `bd epic`: one file per subcommand.

mod close_eligible;
mod status;

use crate::context::Context;
use kit::cli::report::CommandResult;

kit::family! {
    /// Show and close epics by their children
    Args:
    Status => status,
    CloseEligible => close_eligible,
}
