//! The daemon from the view of `gt`: its status, its protocol, its start and stop.
//!
//! Every command gives the right answer without the daemon. With it, the town acts promptly and
//! unattended.

mod build;
mod client;
mod life;
mod log_file;
mod program;
pub mod protocol;
mod unit;

pub use build::{DaemonBuild, compare_daemon_build};
pub use client::{ask_daemon, wake_daemon};
pub(crate) use life::is_foreign;
pub use life::{
    DaemonError, DaemonState, DaemonStatus, is_daemon_running, lock_path, log_path, pid_path,
    read_daemon_status, read_start_time, record_end, start_daemon, state_path, stop_daemon,
};
pub use log_file::rotate_log;
pub use program::VERSION;
pub use unit::{InstalledUnit, can_install_unit, install_unit, list_unit_files};

use std::path::PathBuf;

use crate::host::socket_folder::find_socket_folder;
use crate::town::{Town, TownLayout};

/// Returns the daemon's socket: `$XDG_RUNTIME_DIR/gastown/<hash of the town's root>.sock`,
/// otherwise in a subfolder of the system's temporary folder that only its owner can enter.
pub fn socket_path(town: &Town) -> PathBuf {
    let root = real_root(&town.layout);
    let name = bd::bead::hash::compute_short_hash(root.as_os_str().as_encoded_bytes(), 8);
    socket_folder(town).join(format!("{name}.sock"))
}

/// Returns the root of a town without links, by which its daemon and its socket are known.
fn real_root(layout: &TownLayout) -> PathBuf {
    let folder = layout.root();
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Returns the folder of sockets, which the daemon creates with mode 0700.
pub fn socket_folder(town: &Town) -> PathBuf {
    find_socket_folder(&town.env)
}
