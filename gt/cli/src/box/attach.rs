//! `gt box attach`.

use std::path::PathBuf;

use super::{CommandResult, box_place};
use crate::context::Context;
use gt::host::far::attach_command;
use kit::sys::ChildCommand;

/// Show a session of a town that runs on this machine
///
/// `gt attach WORKER` in the town does this over ssh.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The id of the town
    town: String,
    /// The name of the session
    session: String,
    /// The folder of sandboxes (default: gastown/box in the folder of user data)
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let place = box_place(ctx, args.folder);
    let command = attach_command(&place, &args.town, &args.session)?;
    let (program, rest) = match command.split_first() {
        Some((program, rest)) => (program.as_str(), rest),
        None => ("", &[][..]),
    };
    let attached = ChildCommand::new(program).args(rest).env_remove("TMUX");
    Err(attached.replace_process().into())
}
