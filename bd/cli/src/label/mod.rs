//! `bd label`: one file per subcommand.

mod add;
mod list;
mod list_all;
mod remove;

pub(super) use add::{refuse_reserved, report_added};

use crate::context::Context;
use kit::cli::report::CommandResult;

kit::family! {
    /// Add, remove and list labels
    Args:
    Add => add,
    #[command(visible_alias = "rm")]
    Remove => remove,
    List => list,
    ListAll => list_all,
}
