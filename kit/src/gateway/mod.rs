//! The way by which a program in a jail reaches the town: it hands its command line to a process
//! outside, which runs the same program there.
//!
//! ```text
//! in the jail                          outside
//! gt status ─ call ─→ gateway ─ starts ─→ gt --forwarded=FOLDER status
//!           ←─ output, errors, exit code ─┘
//! ```
//!
//! The gateway knows by the connection who calls; nothing that the caller sends says so. The started
//! program opens no file that the caller names: the caller sends the content, and gets back what was
//! written.

use std::path::{Path, PathBuf};

mod client;
mod forwarded;
mod frame;

pub use client::{CallerLine, forward_call};
pub use forwarded::{
    ForwardedError, check_listed, check_named_files, check_options, find_call_folder,
    prepare_input, read_input, take_forwarded,
};
pub use frame::{Call, CallFile, Frame, FrameError, GatewayAddress, MAX_CONTENT, VERSION};

/// The variable with the address of the gateway: `unix:PATH`, or `tcp:PORT:TOKEN`.
pub const ADDRESS_VARIABLE: &str = "GT_GATEWAY";

/// The first argument of a program that runs for a caller in a jail, with the folder of the call.
pub const FORWARDED_ARGUMENT: &str = "--forwarded=";

/// Returns the file beside the socket of a box in which a call waits for the town, as its messages:
/// the call, then its files.
pub fn kept_call_file(socket: &Path) -> PathBuf {
    socket.with_extension("kept")
}

/// The variable with the width of the caller's terminal.
const WIDTH: &str = "COLUMNS";

/// Returns true for a variable that a caller may set, because it only says how its output looks.
pub fn is_display_variable(name: &str) -> bool {
    matches!(
        name,
        WIDTH | "NO_COLOR" | "CLICOLOR" | "CLICOLOR_FORCE" | "LANG" | "LC_ALL" | "TZ"
    )
}

/// The files of a call, in its folder.
pub const FILES: &str = "files";
/// The commands that the caller may run, one on a line, in the folder of a call. Missing if the
/// program itself knows.
pub const COMMANDS: &str = "commands";
/// The pipe to the gateway, in the folder of a call.
pub const CONTROL: &str = "control";
/// What a program writes to the pipe before it reads its standard input.
pub const WANTS_INPUT: &str = "input";
/// What a program writes to the pipe before the command that it refused.
pub const REFUSED: &str = "refused ";
