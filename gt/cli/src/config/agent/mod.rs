//! `gt config agent`: the agent programs that the town can start.

mod get;
mod list;
mod remove;
mod set;

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Show and define agents: programs that sessions run
    ///
    /// An agent of the town's settings (`agents` in settings/config.json) takes precedence over a
    /// built-in one of the same name. `gt config set default_agent NAME` chooses one.
    Args:
    #[command(alias = "show")]
    Get => get,
    #[command(alias = "ls")]
    List => list,
    Set => set,
    #[command(alias = "rm")]
    Remove => remove,
}
