//! `gt plugin`, with one file per verb.

mod disable;
mod enable;
mod history;
mod list;
mod run;
mod show;
mod sync;

use super::{CommandResult, build_report, build_report_with_exit};
use crate::context::Context;

kit::family! {
    /// List, run and install plugins of the town
    ///
    /// A plugin is a folder with a file `plugin.md` in `plugins/` of the town or of a rig. gtd runs
    /// it when its gate opens: after a time, by a crontab line, a condition or an event. The
    /// program `run.sh` of its folder runs, or a dog carries out its instructions.
    Args:
    #[command(alias = "ls")]
    List => list,
    Show => show,
    Run => run,
    History => history,
    Sync => sync,
    Enable => enable,
    Disable => disable,
}
