//! `gt session-wrapper`: the first process of every session.

use std::path::PathBuf;

use super::CommandResult;
use crate::context::Context;
use gt::host::wrapper;

/// Become the command that a start file names
///
/// The file is read and removed first, so that what it holds is on the disk only for a moment and
/// never in an argument list.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The start file
    file: PathBuf,
}

pub(crate) fn run(ctx: &Context, args: Args) -> CommandResult {
    let start = wrapper::take_start_file(&args.file)?;
    Err(wrapper::become_command(start, ctx.env.get("TERM")).into())
}
