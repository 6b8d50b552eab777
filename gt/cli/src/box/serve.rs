//! `gt box serve`.

use std::path::PathBuf;

use super::{CommandResult, box_place, build_report};
use crate::context::Context;
use gt::host::far::{PipeEnds, listen_for_towns, serve_box};
use gt::host::live_town::find_gt_program;

/// Serve a town that connects to this machine
///
/// Speaks over its standard input and output, and ends with the connection; the sessions of workers
/// go on. A town starts it by `ssh`, or by another command of `gt host add`. This machine needs no
/// town, no daemon and no open port. With `--listen`, it serves at a socket until it is ended, for
/// `gt box connect`: so the sessions are those of a job, and not of the step that a town starts in it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder of sandboxes (default: gastown/box in the folder of user data)
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Serve at a new socket of this machine instead
    #[arg(long, value_name = "SOCKET")]
    listen: Option<PathBuf>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(socket) = args.listen {
        let socket = ctx.env.make_absolute(&socket.to_string_lossy());
        let folder = args.folder.iter();
        let folder = folder.map(|folder| format!("--folder={}", folder.display()));
        listen_for_towns(
            &find_gt_program(&ctx.env),
            &folder.collect::<Vec<_>>(),
            &socket,
        )?;
        return build_report((), |(), _| {});
    }
    serve_box(box_place(ctx, args.folder), PipeEnds::Standard)?;
    // The town is gone, so that nobody reads more.
    build_report((), |(), _| {})
}
