//! `gt dog`: manages the deacon's helpers.

mod add;
mod call;
mod clear;
mod dispatch;
mod done;
mod health_check;
mod list;
mod refresh;
mod remove;
mod status;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::town::Town;
use gt::town::identity::Address;

kit::family! {
    /// Manage dogs: helpers of the deacon
    ///
    /// A dog does one task at a time over all rigs. Chores (`gt dog dispatch`) are plain code, and
    /// a plugin is a program or a task for its agent. A bead on a dog's hook (`gt sling BEAD
    /// deacon/dogs/NAME`) starts its agent, too.
    Args:
    Add => add,
    Call => call,
    Clear => clear,
    Dispatch => dispatch,
    Done => done,
    HealthCheck => health_check,
    #[command(alias = "ls")]
    List => list,
    Refresh => refresh,
    #[command(alias = "rm")]
    Remove => remove,
    #[command(alias = "show")]
    Status => status,
}

/// Returns the name of the given dog, otherwise of the dog that calls.
fn resolve_dog_name(town: &Town, name: Option<String>) -> anyhow::Result<String> {
    match (name, &town.actor) {
        (Some(name), _) => Ok(name),
        (None, Address::Dog(name)) => Ok(name.clone()),
        (None, _) => anyhow::bail!("say which dog: `gt dog list` shows them"),
    }
}
