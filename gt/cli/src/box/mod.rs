//! `gt box`: the far side of a host.

mod serve;

use super::{CommandResult, build_report};
use crate::context::Context;

kit::family! {
    /// Serve a town on another machine
    Args:
    Serve => serve,
}
