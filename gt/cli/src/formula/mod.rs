//! `gt formula`, with one file per verb.

mod create;
mod list;
mod run;
mod show;

use super::{CommandResult, build_report};
use crate::context::Context;

kit::family! {
    /// List, show and run formulas
    ///
    /// A formula is a workflow. `gt sling FORMULA --on BEAD` gives its steps to the worker of a
    /// bead; `gt formula run` starts one whose legs run in parallel. `bd formula` writes and checks
    /// them.
    Args:
    #[command(alias = "ls")]
    List => list,
    Show => show,
    Run => run,
    Create => create,
}
