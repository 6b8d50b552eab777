//! `bd merge-slot`: one file a verb.

mod acquire;
mod check;
mod create;
mod release;

use crate::context::Context;
use bd::store::Store;

use kit::cli::report::CommandResult;

kit::family! {
    /// Take turns at resolving merge conflicts
    ///
    /// The slot is the bead PREFIX-merge-slot. One holder has it at a time.
    Args:
    Create => create,
    Check => check,
    Acquire => acquire,
    Release => release,
}

/// The id of the slot.
fn slot_id(store: &Store) -> anyhow::Result<String> {
    Ok(format!("{}-merge-slot", store.prefix()?))
}

/// Who asks: the name that is given, else the actor.
fn choose_requester(ctx: &Context, given: Option<String>) -> String {
    given.unwrap_or_else(|| ctx.author().actor)
}
