//! Builds the restrictions of Landlock for a plan, and the home folder of the program.
//!
//! Landlock cannot show other content at a path, so the program gets other paths: its home folder
//! and its temporary folder are in the private folder, and toolchains are links in that home.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::{JailError, JailNetwork, JailPlan, PrivatePlaces, table};
use crate::sys::confine::{Confinement, ProcessGroups, ReachableFiles, SocketFamilies};
use crate::sys::file;

pub(super) fn build_confinement(
    plan: &JailPlan,
    places: &PrivatePlaces,
    readable: &[PathBuf],
) -> Confinement {
    let system = table::system().map(Path::to_owned);
    // Without it programs do not find themselves. The secrets of other processes stay closed,
    // because Landlock refuses to trace them.
    let processes = std::iter::once(PathBuf::from("/proc"));
    let private = [places.home.clone(), places.temporary.clone()];
    // A program at the user's terminal asks there. Others could read and write what is not theirs.
    let terminal = plan.is_interactive.then(|| PathBuf::from("/dev/tty"));
    Confinement {
        files: Some(ReachableFiles {
            readable: system
                .chain(processes)
                .chain(readable.iter().cloned())
                .collect(),
            writable: plan
                .writable
                .iter()
                .cloned()
                .chain(private)
                .chain(terminal)
                .collect(),
        }),
        sockets: match plan.network {
            JailNetwork::Full => SocketFamilies::Internet,
            JailNetwork::None => SocketFamilies::None,
            JailNetwork::Ports(_) => SocketFamilies::Tcp,
        },
        ports: match &plan.network {
            JailNetwork::Ports(ports) => Some(ports.clone()),
            JailNetwork::Full | JailNetwork::None => None,
        },
        groups: if plan.is_interactive {
            ProcessGroups::Any
        } else {
            ProcessGroups::One
        },
    }
}

/// Links what the program may reach of the user's home folder into its own one.
pub(super) fn link_home(
    plan: &JailPlan,
    places: &PrivatePlaces,
    readable: &[PathBuf],
) -> Result<(), JailError> {
    let Some(home) = &plan.home else {
        return Ok(());
    };
    let mut paths: Vec<&PathBuf> = plan.writable.iter().chain(readable).collect();
    // A folder is linked before a path in it.
    paths.sort_by_key(|path| path.components().count());
    for path in paths {
        let Ok(below) = path.strip_prefix(home) else {
            continue;
        };
        let link = places.home.join(below);
        if below.as_os_str().is_empty() || link.exists() {
            continue;
        }
        if let Some(folder) = link.parent() {
            file::create_folder(folder, 0o700).map_err(JailError::at(folder))?;
        }
        symlink(path, &link).map_err(JailError::at(&link))?;
    }
    Ok(())
}

/// Returns the value of a variable, moved to the program's own home folder if it is a path in the
/// user's. A list of paths stays, because programs only read what it names.
pub(super) fn move_into_home(user: Option<&Path>, own: &Path, value: &OsStr) -> OsString {
    if value.as_encoded_bytes().contains(&b':') {
        return value.to_owned();
    }
    let path = Path::new(value);
    match user.and_then(|user| path.strip_prefix(user).ok()) {
        Some(below) => own.join(below).into_os_string(),
        None => value.to_owned(),
    }
}
