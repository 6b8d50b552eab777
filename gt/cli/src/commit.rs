//! `gt commit`.

use std::ffi::OsString;

use kit::gateway;
use kit::sys::ChildCommand;

use super::CommandResult;
use crate::context::Context;
use gt::flow::agent::session;
use gt::town::identity::Address;

/// Commit as the agent that you are
///
/// Runs `git commit` with the arguments. Author and committer are the caller's address and the
/// overseer's e-mail address, as in the agents' sessions. For the overseer, git's own identity
/// counts. The exit code is git's.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The arguments of `git commit`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut command = ChildCommand::new("git");
    // In a jail only the variables of the session say who commits.
    if ctx.env.get(gateway::ADDRESS_VARIABLE).is_none() {
        let town = ctx.open_town()?;
        if town.actor != Address::Overseer {
            for (key, value) in session::commit_identity(&town, &town.actor) {
                command = command.env(key, value);
            }
        }
    }
    let failed = command.arg("commit").args(args.arguments).replace_process();
    Err(failed.into())
}
