//! The trees in which gates run: worktrees of the rig's repository that never hold work.

use std::path::PathBuf;
use std::time::Duration;

use bd::git::Git;
use kit::sys::file;

use super::job::MergeQueue;
use crate::flow::place::sandbox;
use crate::town::config::Gate;
use crate::town::event::{MergeRef, event};
use crate::town::lock::Lock;
use crate::town::{Rig, RigLayout};

/// The time that the queue waits for another change of the list of worktrees.
const LIST_WAIT: Duration = Duration::from_secs(120);

/// A tree for gates, with the files that they keep between runs.
#[derive(Debug, Clone)]
pub(super) struct GateTree {
    pub(super) path: PathBuf,
    caches: PathBuf,
}

impl GateTree {
    /// Describes the tree of this number. Gates that do not run side by side use the tree 0.
    pub(super) fn new(rig: &RigLayout, number: usize) -> Self {
        if number == 0 {
            return Self {
                path: rig.refinery(),
                caches: rig.gate_caches(),
            };
        }
        let folder = rig.further_gate_trees();
        Self {
            path: folder.join(number.to_string()),
            caches: folder.join(format!("cache-{number}")),
        }
    }

    /// Resets the tree to the candidate, without the files of earlier gates. `subject` is the
    /// request, the convoy or the search that needs the tree.
    pub(super) fn check_out(
        &self,
        queue: &MergeQueue,
        subject: &MergeRef,
        candidate: &str,
    ) -> anyhow::Result<()> {
        let tree = &self.path;
        if tree.join(".git").exists() {
            match reset_tree(queue.rig, tree, candidate) {
                Ok(()) => return Ok(()),
                // Otherwise, the lock file of a killed git, for example, would block every later
                // run.
                Err(error) => {
                    queue.rig.town().record_event(&event!(GateTreeRebuilt,
                        tree: tree, reason: error.to_string(), request: subject.clone(),
                    ));
                }
            }
        }
        if let Some(folder) = tree.parent() {
            file::create_folder(folder, 0o755)?;
        }
        if tree.exists() {
            queue.git.worktree_remove(tree, true).ok();
        }
        // Git does not remove a folder that it does not know as a worktree.
        if tree.exists() {
            std::fs::remove_dir_all(tree)?;
        }
        let held = Lock::take(&queue.rig.repo_lock(), LIST_WAIT)?;
        sandbox::prune_worktrees(queue.rig)?;
        queue.git.worktree_add_detached(tree, candidate)?;
        // Submodules are cloned without the lock, because that may take long.
        drop(held);
        Ok(Git::at(tree).complete_checkout()?)
    }
}

fn reset_tree(rig: &Rig, tree: &std::path::Path, candidate: &str) -> anyhow::Result<()> {
    let git = Git::at(tree);
    let repo = git.common_dir()?;
    // In a copy of a town, it is the tree of the original.
    anyhow::ensure!(
        repo.canonicalize().ok() == rig.repo().canonicalize().ok(),
        "it belongs to {}",
        repo.display()
    );
    git.reset_hard("HEAD")?;
    git.checkout_detach(candidate)?;
    // Also removes nested repositories and ignored files.
    git.plumbing(["clean", "--quiet", "-f", "-f", "-d", "-x"])
        .finish_checked()?;
    git.complete_checkout()?;
    Ok(git.clean_submodules(true)?)
}

/// The ignored files that a gate keeps from one run to the next. Between two runs they lie beside
/// the tree. A killed run loses them.
pub(super) struct GateCache {
    /// The path of each in the tree, and its path between two runs.
    places: Vec<(PathBuf, PathBuf)>,
}

impl GateCache {
    pub(super) fn lay_out(gate_tree: &GateTree, gate: &Gate) -> anyhow::Result<Self> {
        let tree = &gate_tree.path;
        let folder = &gate_tree.caches;
        let mut places: Vec<_> = gate
            .cache
            .iter()
            .map(|path| (tree.join(path), folder.join(path.replace('/', "%"))))
            .collect();
        // Tracked files win over cached ones.
        places.retain(|(inside, _)| !inside.exists());
        for (inside, beside) in &places {
            if !beside.exists() {
                continue;
            }
            if let Some(folder) = inside.parent() {
                file::create_folder(folder, 0o755)?;
            }
            std::fs::rename(beside, inside)?;
        }
        if !places.is_empty() {
            file::create_folder(folder, 0o700)?;
        }
        Ok(Self { places })
    }

    /// Moves the files back beside the tree. A cache that cannot be kept is rebuilt by the next
    /// run.
    pub(super) fn put_back(self) {
        for (inside, beside) in self.places {
            std::fs::rename(inside, beside).ok();
        }
    }
}
