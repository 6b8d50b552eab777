//! `gt box`: the far side of a host.

mod attach;
mod connect;
mod serve;

use std::path::PathBuf;

use kit::sys::Clock;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::seance::transcript::far::read_new_lines;
use gt::host::far::BoxPlace;
use gt::host::live_town::find_gt_program;
use gt::host::socket_folder::find_socket_folder;

kit::family! {
    /// Serve a town on another machine
    Args:
    Serve => serve,
    Connect => connect,
    Attach => attach,
}

/// Returns the place of the box on this machine.
fn box_place(ctx: &Context, folder: Option<PathBuf>) -> BoxPlace {
    let env = &ctx.env;
    let folder = match folder {
        Some(folder) => env.make_absolute(&folder.to_string_lossy()),
        None => env
            .folder_named_by("XDG_DATA_HOME", "~/.local/share")
            .join("gastown/box"),
    };
    BoxPlace {
        exe: find_gt_program(env),
        sockets: find_socket_folder(env),
        env: env.clone(),
        clock: Clock::choose(env.get("BD_NOW")),
        folder,
        read_transcripts: read_new_lines,
    }
}
