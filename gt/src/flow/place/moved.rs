//! Finds the paths in a town that lead to an earlier place of it, after the town was moved or
//! restored, and replaces them.
//!
//! 1. Worktrees and their repository name each other by absolute paths.
//! 2. A work tree reads the rig's beads through a redirect.
//! 3. The clones of a rig without a remote have the rig's repository as origin.
//! 4. Settings may name files of the town. Only a place that is no town any more is replaced there.
//!
//! The worktrees of a copied town, whose original is still there, belong to the original.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bd::git::Git;
use kit::sys::file;

use crate::flow::place::crew;
use crate::flow::place::sandbox::{self, MovedWorktree};
use crate::host::runtime::installed;
use crate::record::dog;
use crate::town::{self, Rig, Town};

/// A path in the town that leads to an earlier place of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StalePath {
    /// The work tree or the file.
    pub path: PathBuf,
    pub kind: StalePathKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StalePathKind {
    /// A worktree of this rig is not connected with its repository.
    Worktree { rig: String },
    /// A redirect does not lead to the rig's beads.
    Redirect { beads: PathBuf },
    /// The origin of a clone is not the rig's repository.
    Origin { repo: PathBuf },
    /// A file names an earlier place.
    Text { earlier: PathBuf },
}

impl StalePath {
    pub fn describe(&self) -> String {
        let path = self.path.display();
        match &self.kind {
            StalePathKind::Worktree { .. } => {
                format!("{path}: not connected with its repository since the town was moved")
            }
            StalePathKind::Redirect { .. } => format!("{path}: leads to beads of another place"),
            StalePathKind::Origin { .. } => {
                format!("{path}: its origin is the repository of another place")
            }
            StalePathKind::Text { earlier } => {
                format!("{path}: names the earlier place {}", earlier.display())
            }
        }
    }

    /// Replaces the path.
    pub fn repair(&self, town: &Town) -> anyhow::Result<()> {
        match &self.kind {
            StalePathKind::Worktree { rig } => sandbox::repair_moved_worktrees(&town.rig(rig))?,
            StalePathKind::Redirect { beads } => {
                let text = format!("{}\n", beads.display());
                file::replace_file(&self.path, text.as_bytes(), 0o644)?;
            }
            StalePathKind::Origin { repo } => {
                let git = Git::at(&self.path);
                git.config_set("remote.origin.url", &repo.to_string_lossy())?;
            }
            StalePathKind::Text { earlier } => {
                let text = fs::read_to_string(&self.path)?;
                let new = replace_place(&text, earlier, town.layout.root());
                let mode = fs::metadata(&self.path)?.permissions().mode() & 0o777;
                file::replace_file(&file::follow_link(&self.path), new.as_bytes(), mode)?;
            }
        }
        Ok(())
    }
}

/// The paths that lead to an earlier place of the town.
#[derive(Debug, Default)]
pub struct StalePaths {
    pub found: Vec<StalePath>,
    /// The files of settings that could not be searched, each with the reason.
    pub unreadable: Vec<String>,
}

/// Returns all paths that lead to an earlier place of the town. `earlier` is a known one.
pub fn find_stale_paths(town: &Town, earlier: Option<&Path>) -> anyhow::Result<StalePaths> {
    let mut found = Vec::new();
    let mut places: BTreeSet<PathBuf> = BTreeSet::new();
    let registry = town.read_registry()?;
    let rigs = town.list_rigs()?;
    for rig in &rigs {
        for MovedWorktree { place, earlier } in sandbox::list_moved_worktrees(rig) {
            places.extend(earlier);
            let rig = rig.name().to_owned();
            let kind = StalePathKind::Worktree { rig };
            found.push(StalePath { path: place, kind });
        }
        find_stale_redirects(rig, &mut found, &mut places);
        let is_local = registry
            .rigs
            .get(rig.name())
            .is_some_and(|entry| entry.git_url.is_empty());
        if is_local {
            find_stale_origins(rig, &mut found, &mut places);
        }
    }
    places.retain(|place| !town::is_town(place));
    places.extend(earlier.map(Path::to_owned));
    let root = town.layout.root();
    // A path below the new place may begin with the earlier one.
    places.retain(|place| !root.starts_with(place));
    let mut unreadable = Vec::new();
    for path in list_setting_files(town, &rigs, &mut unreadable) {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                unreadable.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        let earlier = places
            .iter()
            .find(|place| replace_place(&text, place, root) != text);
        if let Some(earlier) = earlier.cloned() {
            let kind = StalePathKind::Text { earlier };
            found.push(StalePath { path, kind });
        }
    }
    Ok(StalePaths { found, unreadable })
}

/// Returns the redirects that lead to beads of an earlier place of the town.
pub fn find_redirects_to_earlier_places(town: &Town) -> Vec<StalePath> {
    let mut found = Vec::new();
    // A registry that cannot be read is reported by the commands that read it.
    for rig in town.list_rigs().into_iter().flatten() {
        find_stale_redirects(&rig, &mut found, &mut BTreeSet::new());
    }
    found
}

fn find_stale_redirects(rig: &Rig, found: &mut Vec<StalePath>, places: &mut BTreeSet<PathBuf>) {
    let beads = rig.beads();
    let Ok(inside) = beads.strip_prefix(rig.town().layout.root()) else {
        return;
    };
    for tree in list_work_trees(rig) {
        let path = tree.join(".beads/redirect");
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let target = Path::new(text.trim());
        let is_stale = target.is_absolute() && target != beads && target.ends_with(inside);
        if is_stale && !sandbox::is_of_other_town(rig, &tree) {
            places.extend(strip_end(target, inside));
            let kind = StalePathKind::Redirect {
                beads: beads.clone(),
            };
            found.push(StalePath { path, kind });
        }
    }
}

/// Finds the clones of a rig without a remote whose origin is at the earlier place.
fn find_stale_origins(rig: &Rig, found: &mut Vec<StalePath>, places: &mut BTreeSet<PathBuf>) {
    let repo = rig.repo();
    let Ok(inside) = repo.strip_prefix(rig.town().layout.root()) else {
        return;
    };
    for clone in crew::list_member_names(rig)
        .into_iter()
        .map(|name| rig.crew(&name))
        .chain([rig.mayor_clone()])
    {
        let Ok(Some(url)) = Git::at(&clone).remote_url("origin") else {
            continue;
        };
        let origin = Path::new(&url);
        if origin.is_absolute() && origin != repo && origin.ends_with(inside) {
            places.extend(strip_end(origin, inside));
            let kind = StalePathKind::Origin { repo: repo.clone() };
            found.push(StalePath { path: clone, kind });
        }
    }
}

/// Returns the folders that may have a redirect to the rig's beads.
fn list_work_trees(rig: &Rig) -> Vec<PathBuf> {
    let kennel = dog::kennel_folder(&rig.town().layout);
    let mut trees = list_entries(&rig.crew_folder());
    trees.extend(list_entries(&rig.removed_crew()));
    trees.extend(
        file::list_subfolders(&rig.polecats())
            .iter()
            .map(|name| rig.sandbox(name)),
    );
    trees.extend(
        list_entries(&kennel)
            .iter()
            .map(|home| home.join(rig.name())),
    );
    trees
}

fn list_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Returns the settings that may name files of the town.
fn list_setting_files(town: &Town, rigs: &[Rig], unreadable: &mut Vec<String>) -> Vec<PathBuf> {
    let layout = &town.layout;
    let mut files = vec![
        layout.settings(),
        layout.escalation_json(),
        layout.messaging_json(),
        layout.daemon_json(),
        layout.accounts_json(),
    ];
    for rig in rigs {
        files.extend([rig.settings(), layout.wisp_config(rig.name())]);
    }
    match installed::list_role_hooks(town, None) {
        Ok(hooks) => files.extend(hooks.into_iter().filter_map(|hooks| hooks.path)),
        Err(error) => unreadable.push(format!("{error:#}")),
    }
    files.retain(|path| path.is_file());
    files.sort();
    files.dedup();
    files
}

/// Returns the path without the given end.
fn strip_end(path: &Path, end: &Path) -> Option<PathBuf> {
    let count = end.components().count();
    path.ancestors().nth(count).map(Path::to_owned)
}

/// Replaces a place where a text names it as a whole path or as the beginning of one.
fn replace_place(text: &str, earlier: &Path, new: &Path) -> String {
    let earlier = earlier.to_string_lossy();
    let new = new.to_string_lossy();
    let is_inside = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&*earlier) {
        let before = &rest[..at];
        let after = &rest[at + earlier.len()..];
        let start = text.len() - rest.len() + at;
        let begins = !text[..start].ends_with(is_inside);
        let ends = after.starts_with('/') || !after.starts_with(is_inside);
        replaced.push_str(before);
        replaced.push_str(if begins && ends { &new } else { &earlier });
        rest = after;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_paths_below_the_earlier_place_are_replaced() {
        let text =
            r#"{"a": "/old/x.sh /old", "b": "/older/x", "c": "/very/old/x", "d": "--x=/old"}"#;
        let wanted =
            r#"{"a": "/new/x.sh /new", "b": "/older/x", "c": "/very/old/x", "d": "--x=/new"}"#;
        assert_eq!(
            replace_place(text, Path::new("/old"), Path::new("/new")),
            wanted
        );
        let twice = replace_place("/gt/gt/hooks/x.sh", Path::new("/gt"), Path::new("/new"));
        assert_eq!(twice, "/new/gt/hooks/x.sh");
    }
}
