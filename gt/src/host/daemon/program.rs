//! The installed programs, and their difference from a running daemon.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::town::Town;
use crate::town::process::Process;

/// The version of these programs.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Finds the program `gtd`: beside `gt`, otherwise on `PATH`.
pub(super) fn find_daemon_program(town: &Town) -> Option<PathBuf> {
    town.exe
        .parent()
        .map(|folder| folder.join("gtd"))
        .filter(|path| path.is_file())
        .or_else(|| which::which_in("gtd", town.env.get("PATH"), town.env.cwd()).ok())
}

/// Describes the difference between a running daemon and the installed programs.
pub(super) fn find_difference(town: &Town, pid: u32, version: Option<&str>) -> Option<String> {
    match version {
        None => Some("the daemon is older than this program".to_owned()),
        Some(version) if version != VERSION => Some(format!(
            "the daemon has version {version}, this is {VERSION}"
        )),
        Some(_) => find_file_difference(town, pid),
    }
}

/// Describes the difference if the daemon's process runs another file than the installed `gtd`.
/// None on systems that do not show a process's file.
fn find_file_difference(town: &Town, pid: u32) -> Option<String> {
    let process = Process::find(i32::try_from(pid).ok()?)?;
    let installed = find_daemon_program(town)?;
    let runs = process.program_file()?;
    let is = installed.metadata().ok()?;
    let is_same = (runs.dev(), runs.ino()) == (is.dev(), is.ino());
    (!is_same).then(|| format!("the daemon runs another file than {}", installed.display()))
}
