//! `gt mail`: messages that last.

mod check;
mod inbox;
mod read;
mod send;

use super::Answer;
use crate::cli::context::Context;

bd::family! {
    /// Send and read mail
    Args:
    Send => send,
    Inbox => inbox,
    #[command(alias = "show")]
    Read => read,
    Check => check,
}

/// The mailbox of an address, or the caller's own.
fn mailbox(town: &crate::host::LiveTown, text: Option<&str>) -> anyhow::Result<String> {
    Ok(match text {
        Some(text) => town.address(text)?.mailbox(),
        None => town.actor.mailbox(),
    })
}
