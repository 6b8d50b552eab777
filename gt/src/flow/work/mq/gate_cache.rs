//! The ignored files that a gate finds again in its next run, such as a folder of build products.
//!
//! No branch decides what the gates of another one find. Each run works on a private copy of the
//! files that the last merged run left. The files of a run replace them only after exactly the tree
//! that the run checked is merged to the rig's target. Everything else a run leaves is removed: when
//! the run ends, or after a kill by the next run of the queue.
//!
//! The folder of the caches holds
//!
//! - `kept/<slot>/<file>`: the files of the last merge. The slot is the place of the gate's tree in
//!   its run, so that gates which run side by side have files of their own.
//! - `run-<number>/<file>`: the files of the run in a tree, while no gate of it is running.
//! - `passed-<tree>/<slot>/<file>`: the files of a run that passed, until its tree is merged.
//!
//! Other names are steps in between, and are never read. The caller holds the rig's queue.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bd::bead::Bead;
use bd::git::Git;
use kit::sys::{file, folder_copy};

use crate::record::merge_request::{self, request_state};
use crate::town::config::{Gate, RigSettings, target_branch_of};
use crate::town::{Rig, RigLayout};

/// The number of trees of one run of the gates: the number of gates that run side by side.
pub(super) const TREES_PER_RUN: usize = 4;

/// The number of runs whose files wait for the merge of a pull request.
const MAX_WAITING: usize = 2;

const PASSED_PREFIX: &str = "passed-";

/// The caches of the gates of a rig.
#[derive(Debug)]
pub(crate) struct GateCaches {
    folder: PathBuf,
}

impl GateCaches {
    pub(crate) fn of_rig(rig: &RigLayout) -> Self {
        Self {
            folder: rig.gate_caches(),
        }
    }

    fn kept(&self) -> PathBuf {
        self.folder.join("kept")
    }

    fn passed(&self, tree: &str) -> PathBuf {
        self.folder.join(format!("{PASSED_PREFIX}{tree}"))
    }

    /// Keeps the files of a run that passed until the git tree that it checked is merged.
    pub(super) fn keep_passed(&self, tree: &str, caches: &[&RunCache]) -> io::Result<()> {
        let Some(first) = caches.first() else {
            return Ok(());
        };
        let partial = self.folder.join(format!("partial-{}", first.number));
        folder_copy::remove_tree(&partial)?;
        for cache in caches {
            if cache.folder.is_dir() {
                file::create_folder(&partial, 0o700)?;
                fs::rename(&cache.folder, partial.join(cache.slot()))?;
            }
        }
        if !partial.is_dir() {
            return Ok(());
        }
        let passed = self.passed(tree);
        folder_copy::remove_tree(&passed)?;
        fs::rename(partial, passed)
    }

    /// Makes the files of the run that checked a git tree those of the next runs, because the tree
    /// was merged.
    fn keep_merged(&self, tree: &str) -> io::Result<()> {
        let passed = self.passed(tree);
        if !passed.is_dir() {
            return Ok(());
        }
        let next = self.folder.join("next");
        folder_copy::remove_tree(&next)?;
        fs::rename(passed, &next)?;
        file::exchange(&next, &self.kept())?;
        folder_copy::remove_tree(&next)
    }

    /// Makes the files of the run that checked a commit those of the next runs, because the commit
    /// was merged to `target`. Only merges to the rig's own target count: what lands on the branch
    /// of a convoy may still need a review.
    pub(crate) fn keep_merged_commit(
        rig: &Rig,
        git: &Git,
        target: &str,
        commit: &str,
    ) -> anyhow::Result<()> {
        let caches = Self::of_rig(rig);
        if !caches.folder.is_dir() || target_branch_of(rig)? != target {
            return Ok(());
        }
        Ok(caches.keep_merged(&git.tree_of(commit)?)?)
    }

    /// Removes everything that ended runs left, and the caches of older versions, which the gates of
    /// all branches wrote. The files of a run whose pull request is open stay, of the newest ones.
    pub(super) fn sweep(rig: &Rig, settings: &RigSettings, git: &Git) -> anyhow::Result<()> {
        let caches = Self::of_rig(rig);
        folder_copy::remove_tree(&rig.old_gate_cache())?;
        for name in file::list_subfolders(&rig.further_gate_trees()) {
            if name.starts_with("cache-") {
                folder_copy::remove_tree(&rig.further_gate_trees().join(name))?;
            }
        }
        if !caches.folder.is_dir() {
            return Ok(());
        }
        if !settings.gates(rig)?.iter().flatten().any(has_cache) {
            return Ok(folder_copy::remove_tree(&caches.folder)?);
        }
        let beads = rig.store()?.snapshot()?;
        let waiting = list_waiting_trees(git, &merge_request::open_requests(&beads))?;
        Ok(caches.remove_all_but(&waiting)?)
    }

    /// Removes everything but the files of the last merge and of the newest runs that checked one of
    /// these git trees.
    fn remove_all_but(&self, trees: &BTreeSet<String>) -> io::Result<()> {
        let mut waiting = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == "kept" {
                continue;
            }
            let tree = name
                .to_str()
                .and_then(|name| name.strip_prefix(PASSED_PREFIX));
            if tree.is_some_and(|tree| trees.contains(tree)) {
                waiting.push((entry.metadata()?.modified()?, entry.path()));
            } else {
                folder_copy::remove_tree(&entry.path())?;
            }
        }
        waiting.sort();
        let surplus = waiting.len().saturating_sub(MAX_WAITING);
        waiting
            .iter()
            .take(surplus)
            .try_for_each(|(_, path)| folder_copy::remove_tree(path))
    }
}

fn has_cache(gate: &Gate) -> bool {
    !gate.cache.is_empty()
}

/// Returns the git trees of the open requests that wait for their pull request.
fn list_waiting_trees(git: &Git, requests: &[&Bead]) -> anyhow::Result<BTreeSet<String>> {
    let mut trees = BTreeSet::new();
    for request in requests {
        if merge_request::awaited_pull_request(request).is_none() {
            continue;
        }
        let candidate = request_state(request).candidate;
        if !candidate.is_empty() && git.resolve(&candidate)?.is_some() {
            trees.insert(git.tree_of(&candidate)?);
        }
    }
    Ok(trees)
}

/// The cache of the gates that share a tree during one run.
#[derive(Debug)]
pub(super) struct RunCache {
    tree: PathBuf,
    number: usize,
    kept: PathBuf,
    folder: PathBuf,
    /// The paths in the tree whose files of the last merge this run has.
    copied: Mutex<BTreeSet<String>>,
}

impl RunCache {
    /// Describes the cache of the gate tree with this number.
    pub(super) fn new(rig: &RigLayout, tree: &Path, number: usize) -> Self {
        let caches = GateCaches::of_rig(rig);
        let slot = number % TREES_PER_RUN;
        Self {
            tree: tree.to_owned(),
            number,
            kept: caches.kept().join(slot.to_string()),
            folder: caches.folder.join(format!("run-{number}")),
            copied: Mutex::default(),
        }
    }

    fn slot(&self) -> String {
        (self.number % TREES_PER_RUN).to_string()
    }

    /// Puts the cache of a gate into the tree. The first gate of a run that names a path gets a copy
    /// of the files of the last merge, the others find what the gates before them left. A gate whose
    /// files cannot be copied runs without them.
    pub(super) fn lay_out(&self, gate: &Gate) -> LaidOutCache {
        let mut laid_out = LaidOutCache {
            tree: self.tree.clone(),
            places: Vec::new(),
            error: None,
        };
        let mut copied = self.copied.lock().unwrap_or_else(PoisonError::into_inner);
        for path in &gate.cache {
            if let Err(error) = self.lay_out_path(path, &mut copied, &mut laid_out.places) {
                laid_out.error = Some(format!("{path}: {error}"));
            }
        }
        laid_out
    }

    fn lay_out_path(
        &self,
        path: &str,
        copied: &mut BTreeSet<String>,
        places: &mut Vec<CachePlace>,
    ) -> io::Result<()> {
        let inside = self.tree.join(path);
        // Tracked files win over cached ones.
        if is_there(&inside)? || !is_reached_without_links(&self.tree, &inside) {
            return Ok(());
        }
        if copied.is_empty() {
            // A run that was killed left it.
            folder_copy::remove_tree(&self.folder)?;
            file::create_folder(&self.folder, 0o700)?;
        }
        let name = path.replace('%', "%25").replace('/', "%2f");
        let beside = self.folder.join(&name);
        let mut result = Ok(());
        if copied.insert(path.to_owned()) {
            let kept = self.kept.join(&name);
            if is_there(&kept)? {
                result = folder_copy::copy_tree(&kept, &beside);
            }
            if result.is_err() {
                folder_copy::remove_tree(&beside)?;
            }
        }
        if is_there(&beside)? {
            if let Some(folder) = inside.parent() {
                file::create_folder(folder, 0o755)?;
            }
            // A folder without rights of its own could not be moved.
            let found = fs::symlink_metadata(&beside)?;
            if found.is_dir() && found.permissions().mode() & 0o700 != 0o700 {
                let mode = found.permissions().mode() | 0o700;
                fs::set_permissions(&beside, fs::Permissions::from_mode(mode))?;
            }
            fs::rename(&beside, &inside)?;
        }
        places.push(CachePlace { inside, beside });
        result
    }

    /// Removes the files of the run. The next gate gets those of the last merge again.
    pub(super) fn remove(&self) {
        let mut copied = self.copied.lock().unwrap_or_else(PoisonError::into_inner);
        if !copied.is_empty() {
            copied.clear();
            // The next run removes what is left.
            folder_copy::remove_tree(&self.folder).ok();
        }
    }
}

/// A cached file or folder.
struct CachePlace {
    /// Its path in the tree.
    inside: PathBuf,
    /// Its path between two gates.
    beside: PathBuf,
}

/// The cache of a gate while it lies in the tree.
pub(super) struct LaidOutCache {
    tree: PathBuf,
    places: Vec<CachePlace>,
    /// The reason why the files of the last merge are missing.
    pub(super) error: Option<String>,
}

impl LaidOutCache {
    /// Moves the files back beside the tree. A cache that cannot be kept is rebuilt by the next
    /// gate.
    pub(super) fn put_back(self) {
        for CachePlace { inside, beside } in self.places {
            if is_reached_without_links(&self.tree, &inside) {
                fs::rename(inside, beside).ok();
            }
        }
    }
}

/// Returns true if a path has a file, a folder or a link, also one that leads nowhere.
fn is_there(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns false if a folder between the tree and the path is a link, which the work or its gate
/// made: the path then is a file of someone else.
fn is_reached_without_links(tree: &Path, inside: &Path) -> bool {
    let folders = inside.ancestors().skip(1);
    folders
        .take_while(|folder| *folder != tree)
        .all(|folder| !folder.is_symlink())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn only_the_newest_caches_that_wait_for_a_pull_request_stay() {
        let place = tempfile::tempdir().unwrap();
        let caches = GateCaches {
            folder: place.path().to_owned(),
        };
        for (age, name) in [(3, "a"), (2, "b"), (1, "c"), (0, "merged")] {
            let passed = caches.passed(name);
            fs::create_dir(&passed).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(100 - age);
            fs::File::open(&passed).unwrap().set_modified(time).unwrap();
        }
        fs::create_dir(caches.kept()).unwrap();
        fs::create_dir(place.path().join("next")).unwrap();
        let waiting = ["a", "b", "c"].map(str::to_owned);
        caches.remove_all_but(&waiting.into()).unwrap();
        let names = file::list_subfolders(place.path());
        assert_eq!(names, ["kept", "passed-b", "passed-c"]);
    }
}
