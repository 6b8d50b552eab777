//! `gt host`: manages the other machines on which workers run.

mod add;
mod check;
mod drain;
mod link;
mod list;
mod remove;
mod set;

use super::{CommandResult, build_report};
use crate::context::Context;

kit::family! {
    /// Run workers on other machines
    Args:
    Add => add,
    #[command(alias = "ls")]
    List => list,
    Check => check,
    Drain => drain,
    Set => set,
    #[command(alias = "rm")]
    Remove => remove,
    #[command(hide = true)]
    Link => link,
}
