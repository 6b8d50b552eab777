//! `bd admin`: one file per subcommand.

pub(super) mod cleanup;
mod reset;

use super::compact;
use crate::context::Context;
use kit::cli::report::CommandResult;

kit::family! {
    /// Delete closed beads, or move them to the archive
    Args:
    Cleanup => cleanup,
    Compact => compact,
    Reset => reset,
}
