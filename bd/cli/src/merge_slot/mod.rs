//! `bd merge-slot`: one file per subcommand.

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

fn slot_id(store: &Store) -> anyhow::Result<String> {
    Ok(format!("{}-merge-slot", store.prefix()?))
}

/// Returns the given requester, or the actor.
fn choose_requester(ctx: &Context, given: Option<String>) -> String {
    given.unwrap_or_else(|| ctx.author().actor)
}
