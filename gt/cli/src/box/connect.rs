//! `gt box connect`.

use std::path::PathBuf;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::far::connect_to_box;

/// Connect to a box that listens at a socket of this machine
///
/// Its standard input and output are those of `gt box serve` at the socket.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The socket of `gt box serve --listen`
    socket: PathBuf,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let socket = ctx.env.make_absolute(&args.socket.to_string_lossy());
    connect_to_box(&socket)?;
    build_report((), |(), _| {})
}
