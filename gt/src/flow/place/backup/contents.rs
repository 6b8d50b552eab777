//! Finds what a town consists of: repositories, work trees, stores of beads, and plain files.
//!
//! The files of a work tree are in its repository, and so are its uncommitted ones after they were
//! saved. Everything else is a plain file. Derived files and the state of running processes are
//! left out.

use std::fs;
use std::path::{Path, PathBuf};

use crate::town::sandbox_git::find_sandbox_repository;
use bd::git::Git;

/// The parts of `.runtime/` that no process rebuilds.
const KEPT_STATE: [&str; 9] = [
    "approvals",
    "daily-sums",
    "deacon",
    "gate-history.json",
    "halted",
    "hints.json",
    "notification-levels.json",
    "queue-pause.json",
    "scheduler-state.json",
];

/// Derived files of a store, and its locks.
const DERIVED_FILES: [&str; 4] = ["index.bin", "archive.bin", ".lock", ".sync.lock"];

/// The folders of a rig with files that gates build again.
const GATE_FILES: [&str; 3] = ["/refinery/cache", "/refinery/caches", "/refinery/trees"];

/// The files of a repository that are not in its objects and refs.
const GIT_FILES: [&str; 6] = [
    "config",
    "hooks",
    "info/exclude",
    "info/attributes",
    "rescued-files",
    "shallow",
];

/// The contents of a town's folder. Paths are relative to it, with `/`.
#[derive(Debug, Default)]
pub(super) struct TownContents {
    /// Bare repositories and clones.
    pub repositories: Vec<FoundRepository>,
    /// Work trees of those repositories, outside of their folders.
    pub worktrees: Vec<FoundWorktree>,
    /// The folders of the beads.
    pub stores: Vec<String>,
    pub files: Vec<String>,
    /// Folders without a file.
    pub folders: Vec<String>,
    /// Descriptions of what cannot be saved.
    pub left_out: Vec<String>,
}

#[derive(Debug)]
pub(super) struct FoundRepository {
    /// The folder of the work tree, or of the bare repository.
    pub path: String,
    pub bare: bool,
}

#[derive(Debug)]
pub(super) struct FoundWorktree {
    pub path: String,
    /// The folder of its repository, absolute.
    pub common: PathBuf,
}

/// Finds the contents of the town at `root`.
pub(super) fn find_contents(root: &Path) -> TownContents {
    let mut contents = TownContents::default();
    contents.visit(root, "");
    contents
}

impl TownContents {
    /// Adds all files at or below a path, whatever they are.
    pub(super) fn add_all(&mut self, root: &Path, path: &str) {
        for (name, entry) in self.entries(root, path) {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.add_all(root, &name),
                Ok(kind) if kind.is_file() || kind.is_symlink() => self.files.push(name),
                _ => {}
            }
        }
    }

    /// Adds the files of a store.
    pub(super) fn add_store(&mut self, root: &Path, path: &str) {
        for (name, entry) in self.entries(root, path) {
            let last = entry.file_name().to_string_lossy().into_owned();
            let is_derived = DERIVED_FILES.contains(&last.as_str()) || last.starts_with(".tmp-");
            match entry.file_type() {
                Ok(_) if is_derived => {}
                Ok(kind) if kind.is_dir() => self.add_all(root, &name),
                Ok(kind) if kind.is_file() || kind.is_symlink() => self.files.push(name),
                _ => {}
            }
        }
    }

    fn visit(&mut self, root: &Path, path: &str) {
        let entries = self.entries(root, path);
        if entries.is_empty() && !path.is_empty() {
            self.folders.push(path.to_owned());
        }
        for (name, entry) in entries {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let last = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() {
                self.visit_folder(root, &name, &last);
            } else if kind.is_file() || kind.is_symlink() {
                self.files.push(name);
            }
        }
    }

    fn visit_folder(&mut self, root: &Path, path: &str, last: &str) {
        let folder = root.join(path);
        let is_in_rig = |below: &str| {
            path.strip_suffix(below)
                .is_some_and(|rig| !rig.contains('/'))
        };
        if last == ".runtime" {
            for state in KEPT_STATE.map(|name| format!("{path}/{name}")) {
                self.add_named(root, &state);
            }
            // Secrets are in no backup.
            let carried = format!("{path}/overlay");
            if fs::read_dir(root.join(&carried)).is_ok_and(|mut files| files.next().is_some()) {
                self.left_out.push(format!(
                    "{carried}: carried files, which may hold secrets; save them yourself"
                ));
            }
        } else if path == ".git" && is_repository(&folder) {
            self.add_repository(root, "", false);
        } else if path == "daemon" || GATE_FILES.iter().any(|name| is_in_rig(name)) {
            // The state of the daemon, and files that gates build again.
        } else if last == ".beads" {
            self.stores.push(path.to_owned());
        } else if is_in_rig("/.repo.git") && is_repository(&folder) {
            self.add_repository(root, path, true);
        } else if is_clone_place(path) && is_repository(&folder.join(".git")) {
            self.add_repository(root, path, false);
            let beads = format!("{path}/.beads");
            if root.join(&beads).is_dir() && !root.join(&beads).join("redirect").exists() {
                self.stores.push(beads);
            }
        } else if let Some(common) = find_common_folder(root, &folder) {
            let path = path.to_owned();
            self.worktrees.push(FoundWorktree { path, common });
        } else {
            self.visit(root, path);
        }
    }

    fn add_repository(&mut self, root: &Path, path: &str, bare: bool) {
        let inside = match (path, bare) {
            (_, true) => format!("{path}/"),
            ("", false) => ".git/".to_owned(),
            (_, false) => format!("{path}/.git/"),
        };
        for name in GIT_FILES {
            self.add_named(root, &format!("{inside}{name}"));
        }
        self.files
            .retain(|path| !(path.contains(".git/hooks/") && path.ends_with(".sample")));
        let path = path.to_owned();
        self.repositories.push(FoundRepository { path, bare });
    }

    /// Adds a file, or all files below a folder.
    fn add_named(&mut self, root: &Path, path: &str) {
        match fs::symlink_metadata(root.join(path)) {
            Ok(found) if found.is_dir() => self.add_all(root, path),
            Ok(found) if found.is_file() => self.files.push(path.to_owned()),
            _ => {}
        }
    }

    /// Returns the entries of a folder with their paths, sorted.
    fn entries(&mut self, root: &Path, path: &str) -> Vec<(String, fs::DirEntry)> {
        let mut found = Vec::new();
        let entries = match fs::read_dir(root.join(path)) {
            Ok(entries) => entries,
            Err(error) => {
                self.left_out.push(format!("{path}: {error}"));
                return found;
            }
        };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else {
                let shown = entry.path();
                let text = format!("{}: its name is not UTF-8", shown.display());
                self.left_out.push(text);
                continue;
            };
            let below = if path.is_empty() {
                name
            } else {
                format!("{path}/{name}")
            };
            found.push((below, entry));
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }
}

/// Returns true for the folder of a rig's clone for reading, or of a crew member's clone. Other
/// clones are plain files, because their ignored files may be programs that the town runs.
fn is_clone_place(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts[..],
        [_, "mayor", "rig"] | [_, "crew", _] | [_, "crew", ".removed", _]
    )
}

fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// Returns the repository of a worktree, if the repository is in the town.
fn find_common_folder(root: &Path, folder: &Path) -> Option<PathBuf> {
    if let Some(repository) = find_sandbox_repository(folder) {
        return repository.parent()?.parent()?.canonicalize().ok();
    }
    if !folder.join(".git").is_file() {
        return None;
    }
    let common = Git::at(folder).common_dir().ok()?.canonicalize().ok()?;
    let is_ours = common.starts_with(root.canonicalize().ok()?);
    let is_top = Git::at(folder).status().is_ok();
    (is_ours
        && is_top
        && !common
            .components()
            .any(|part| part.as_os_str() == "modules"))
    .then_some(common)
}
