//! Changes what the desks of a rig need: the carried files, and the commands in the settings.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use bd::git::Git;
use kit::sys::{file, foreign};

use super::lock_files::is_lock_file_name;
use crate::record::desk::list_carried_files;
use crate::town::Rig;
use crate::town::config::{SettingsLayer, change_locked_setting, lock_settings};
use crate::town::event::event;

/// The maximum size of a carried file.
const MAX_SIZE: u64 = 16 << 20;

/// A change of the desks of a rig.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeskChange {
    /// Files to carry, absolute.
    pub carry: Vec<PathBuf>,
    /// Carried files to drop, by name.
    pub drop: Vec<String>,
    pub setup: Option<String>,
    /// Empty for no change.
    pub setup_files: Vec<String>,
    pub check: Option<String>,
    pub teardown: Option<String>,
    /// Settings to remove: `setup`, `setup-files`, `check`, `teardown`.
    pub unset: Vec<String>,
}

impl DeskChange {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Changes the desks of a rig. Everything is checked before anything is changed.
pub fn change_desk(rig: &Rig, change: &DeskChange) -> anyhow::Result<()> {
    let files = change
        .carry
        .iter()
        .map(|path| FileToCarry::read(path))
        .collect::<anyhow::Result<Vec<_>>>()?;
    for name in &change.setup_files {
        anyhow::ensure!(
            is_lock_file_name(name) && !name.contains(','),
            "`{name}` is no file of a work tree: give its path from the top of the repository"
        );
    }
    let carried = list_carried_files(rig)?;
    let dropped = change
        .drop
        .iter()
        .map(|name| {
            let found = carried.iter().find(|file| file.name == *name);
            found.with_context(|| format!("rig {} carries no `{name}`", rig.name()))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    for file in files {
        file.store(rig)?;
    }
    for carried in dropped {
        file::remove_file(&carried.path)?;
    }
    let lists = (!change.setup_files.is_empty()).then(|| change.setup_files.join(","));
    let texts = [
        ("desk.setup", &change.setup),
        ("desk.setup_files", &lists),
        ("desk.check", &change.check),
        ("desk.teardown", &change.teardown),
    ];
    let held = lock_settings(rig.town())?;
    let change_key = |name: &str, text: Option<&str>| {
        let layer = SettingsLayer::Settings;
        change_locked_setting(&held, rig.town(), Some(rig), layer, name, text)
    };
    for (name, text) in texts {
        if let Some(text) = text {
            change_key(name, Some(text))?;
        }
    }
    for name in &change.unset {
        change_key(&format!("desk.{}", name.replace('-', "_")), None)?;
    }
    rig.town()
        .record_event(&event!(DeskChanged, rig: rig.name()));
    Ok(())
}

/// A file of the user that is to be carried.
struct FileToCarry {
    /// The path below a work tree.
    name: String,
    content: Vec<u8>,
    mode: u32,
}

impl FileToCarry {
    /// Reads a file. Its name is the path from the top of the checkout around it.
    fn read(path: &Path) -> anyhow::Result<Self> {
        let folder = path.parent().unwrap_or(path);
        let real = folder
            .canonicalize()
            .with_context(|| format!("cannot read {}", folder.display()))?;
        let top = Git::at(&real).top().ok();
        let top = top.map(|top| file::find_real_path(&top));
        let below = top.and_then(|top| Some(real.strip_prefix(top).ok()?.to_owned()));
        // Outside of a checkout it goes to the top of the tree.
        let below = below.unwrap_or_default();
        let name = path.file_name().map(|name| below.join(name));
        let name = name
            .and_then(|name| Some(name.to_str()?.to_owned()))
            .filter(|name| is_lock_file_name(name))
            .with_context(|| format!("{} cannot be carried under its name", path.display()))?;
        let content = foreign::read_foreign_file(path, MAX_SIZE)
            .with_context(|| format!("cannot carry {}", path.display()))?
            .with_context(|| format!("there is no file {}", path.display()))?;
        let mode = fs::metadata(path)?.permissions().mode();
        Ok(Self {
            name,
            content,
            mode,
        })
    }

    /// Writes the file to the rig's folder, readable only by the user.
    fn store(&self, rig: &Rig) -> anyhow::Result<()> {
        let path = rig.overlay().join(&self.name);
        let folder = path.parent().unwrap_or(&path);
        file::create_folder(&rig.overlay(), 0o700)?;
        file::create_folder(folder, 0o700)?;
        let mode = 0o600 | (self.mode & 0o100);
        file::replace_file(&path, &self.content, mode)
            .with_context(|| format!("cannot write {}", path.display()))?;
        // An older file keeps its mode, which may be open to others.
        fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
        Ok(())
    }
}
