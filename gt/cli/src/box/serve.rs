//! `gt box serve`.

use std::path::PathBuf;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon::find_socket_folder;
use gt::host::far::{BoxPlace, PipeEnds, serve_box};
use gt::host::live_town::find_gt_program;

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
    let env = &ctx.env;
    let folder = match args.folder {
        Some(folder) => env.make_absolute(&folder.to_string_lossy()),
        None => env
            .folder_named_by("XDG_DATA_HOME", "~/.local/share")
            .join("gastown/box"),
    };
    let place = BoxPlace {
        exe: find_gt_program(env),
        sockets: find_socket_folder(env),
        env: env.clone(),
        folder,
    };
    let reason = serve_box(place, PipeEnds::Standard)?;
    build_report((), move |(), page| {
        // The town is gone, so that nobody reads more.
        let _ = (&reason, page);
    })
}
