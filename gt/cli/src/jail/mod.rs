//! `gt jail`.

#[path = "try.rs"]
mod try_;

use super::{CommandResult, build_report_with_exit, rig};
use crate::context::Context;

kit::family! {
    /// See what a jail keeps from an agent program
    Args:
    Try => try_,
}
