//! Finds the executables of a hook event, and checks that they may run.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::TownHookEvent;
use crate::town::{Rig, Town, TownLayout};

/// The result of inspecting a hook's path.
pub(super) enum HookFileState {
    None,
    /// A file that is not a hook, with the reason.
    Ignored(String),
    /// A hook that must not run, with the reason.
    Refused(String),
    Executable,
}

/// The place of a hook, whether or not it has a file.
pub(super) struct HookPlace {
    pub path: PathBuf,
    /// The path relative to the town, for display.
    pub name: String,
}

/// Returns the places of an event's hooks in the order in which they run: the town's, then the
/// rig's.
pub(super) fn hook_places(
    layout: &TownLayout,
    rig: Option<&Rig>,
    event: TownHookEvent,
) -> Vec<HookPlace> {
    [Some(layout.hooks()), rig.map(|rig| rig.hooks())]
        .into_iter()
        .flatten()
        .map(|folder| {
            let path = folder.join(event.name());
            let inside = path.strip_prefix(layout.root()).unwrap_or(&path);
            HookPlace {
                name: inside.display().to_string(),
                path,
            }
        })
        .collect()
}

/// Inspects a hook's path. A symbolic link must resolve to a file inside the town.
pub(super) fn inspect_hook(town: &Town, path: &Path) -> HookFileState {
    if path.symlink_metadata().is_err() {
        return HookFileState::None;
    }
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) => {
            return HookFileState::Refused(format!("where it leads cannot be told: {error}"));
        }
    };
    let inside = town
        .layout
        .root()
        .canonicalize()
        .is_ok_and(|root| real.starts_with(root));
    if !inside {
        return HookFileState::Refused(format!(
            "it leads out of the town, to {}: put a file there that starts it",
            real.display()
        ));
    }
    let Ok(meta) = real.metadata() else {
        return HookFileState::None;
    };
    if !meta.is_file() {
        return HookFileState::Ignored("it is no file".to_owned());
    }
    if meta.permissions().mode() & 0o111 == 0 {
        return HookFileState::Ignored("it is not executable (chmod +x makes it so)".to_owned());
    }
    HookFileState::Executable
}
