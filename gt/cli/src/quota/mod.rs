//! `gt quota`: the accounts that hit a usage limit.

mod clear;
mod rotate;
mod scan;
mod status;

kit::family! {
    /// Manage the usage limits of accounts
    ///
    /// A new session does not use an account at its limit while another one is available.
    Args:
    Status => status,
    Scan => scan,
    Rotate => rotate,
    Clear => clear,
}

use super::CommandResult;
use crate::context::Context;
