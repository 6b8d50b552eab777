//! `gt box serve`.

use std::path::PathBuf;

use super::{CommandResult, box_place, build_report};
use crate::context::Context;
use gt::host::far::{PipeEnds, serve_box};

/// Serve a town that connects to this machine
///
/// Speaks over its standard input and output, and ends with the connection; the sessions of workers
/// go on. A town starts it by `ssh`, or by another command of `gt host add`. This machine needs no
/// town, no daemon and no open port.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder of sandboxes (default: gastown/box in the folder of user data)
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    serve_box(box_place(ctx, args.folder), PipeEnds::Standard)?;
    // The town is gone, so that nobody reads more.
    build_report((), |(), _| {})
}
