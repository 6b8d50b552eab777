//! `gt convoy review`: convoys that a hook left to a person.

mod approve;
mod list;
mod reject;
mod show;

use super::super::Answer;
use crate::cli::context::Context;

bd::family! {
    /// Answer the requests for convoys that a pre-convoy hook left to a person.
    Args:
    List => list,
    Show => show,
    Approve => approve,
    Reject => reject,
}
