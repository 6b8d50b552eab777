//! The trees in which gates run: worktrees of the rig's repository that never hold work.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bd::git::Git;
use kit::sys::{InsideError, file};

use super::gate_cache::RunCache;
use super::job::MergeQueue;
use crate::flow::place::carry::{CarryError, ChangedCopies, carry_files};
use crate::flow::place::desk;
use crate::flow::place::sandbox;
use crate::flow::place::unsaved::pattern_of_file;
use crate::record::desk::{DeskNumbers, RunNumber};
use crate::town::event::{MergeRef, event};
use crate::town::lock::Lock;
use crate::town::{Rig, RigLayout};

/// The time that the queue waits for another change of the list of worktrees.
const LIST_WAIT: Duration = Duration::from_secs(120);

/// A tree for gates during one run.
#[derive(Debug)]
pub(super) struct GateTree {
    pub(super) path: PathBuf,
    /// The files that the gates of the run find again.
    pub(super) cache: RunCache,
    run: Mutex<TreeRun>,
}

/// The desk of a tree during one run of gates.
#[derive(Debug, Default)]
struct TreeRun {
    number: Option<RunNumber>,
    set_up: Option<SetUpTree>,
}

/// A tree that is ready for the gates of one commit.
#[derive(Debug)]
struct SetUpTree {
    commit: String,
    /// The files and folders that the setup made.
    products: Vec<String>,
}

impl GateTree {
    /// Describes the tree of this number. Gates that do not run side by side use the tree 0.
    pub(super) fn new(rig: &RigLayout, number: usize) -> Self {
        let path = if number == 0 {
            rig.refinery()
        } else {
            rig.further_gate_trees().join(number.to_string())
        };
        Self {
            cache: RunCache::new(rig, &path, number),
            path,
            run: Mutex::default(),
        }
    }

    /// Returns true if the setup for a commit was run in the tree during this run.
    pub(super) fn is_set_up(&self, commit: &str) -> bool {
        let set_up = &self.lock_run().set_up;
        set_up
            .as_ref()
            .is_some_and(|set_up| set_up.commit == commit)
    }

    /// Records that the setup for a commit has run in the tree. What it made stays for the other
    /// gates of this run, and for no other commit.
    pub(super) fn record_setup(&self, commit: &str) -> anyhow::Result<()> {
        // A folder without any tracked file is listed as one.
        let list = ["ls-files", "--others", "--directory", "-z"];
        let products = Git::at(&self.path).plumbing(list).records()?;
        self.lock_run().set_up = Some(SetUpTree {
            commit: commit.to_owned(),
            products,
        });
        Ok(())
    }

    /// Makes the next checkout remove also what the setup made.
    pub(super) fn forget_setup(&self) {
        self.lock_run().set_up = None;
    }

    /// Returns the variables of the desk for the programs in the tree. Without a number it has
    /// none, and the gates run all the same.
    pub(super) fn desk_variables(&self, rig: &Rig) -> Vec<(&'static str, String)> {
        let mut run = self.lock_run();
        if run.number.is_none() {
            let owner = format!("{}_gates", rig.name());
            let numbers = DeskNumbers::open(&rig.town().env);
            run.number = numbers
                .and_then(|numbers| numbers.assign_to_run(&owner))
                .ok();
        }
        let number = run.number.as_ref();
        number.map_or_else(Vec::new, |run| run.number.variables().to_vec())
    }

    /// Ends the run in the tree: removes its cache, runs the teardown of the desk if the setup was
    /// run, and gives the number back.
    pub(super) fn close(&self, rig: &Rig) {
        self.cache.remove();
        let run = std::mem::take(&mut *self.lock_run());
        if run.set_up.is_none() {
            return;
        }
        let variables = run.number.as_ref().map(|run| run.number.variables());
        let variables: Vec<(String, String)> = variables
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        // A failure is an event, and changes no result of a gate.
        desk::tear_down(rig, &self.path, &variables).ok();
    }

    fn lock_run(&self) -> MutexGuard<'_, TreeRun> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resets the tree to the candidate, without the files of earlier gates, and copies the carried
    /// files. What the setup for this candidate made stays. `subject` is the request, the convoy or
    /// the search that needs the tree.
    pub(super) fn check_out(
        &self,
        queue: &MergeQueue,
        subject: &MergeRef,
        candidate: &str,
    ) -> anyhow::Result<()> {
        self.reset(queue, subject, candidate)?;
        match carry_files(queue.rig, &self.path, ChangedCopies::Replace) {
            // The work put something else in the place of the file. The gates judge that.
            Ok(_) | Err(CarryError::Inside(InsideError::InTheWay { .. })) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn reset(&self, queue: &MergeQueue, subject: &MergeRef, candidate: &str) -> anyhow::Result<()> {
        let tree = &self.path;
        if !self.is_set_up(candidate) {
            self.forget_setup();
        }
        if tree.join(".git").exists() {
            match self.reset_to(queue.rig, candidate) {
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
        self.forget_setup();
        if let Some(folder) = tree.parent() {
            file::create_folder(folder, 0o755)?;
        }
        if tree.exists() {
            queue.git.worktree_remove(tree, true).ok();
        }
        // Git does not remove a folder that it does not know as a worktree.
        file::remove_tree(tree)?;
        let held = Lock::take(&queue.rig.repo_lock(), LIST_WAIT)?;
        sandbox::prune_worktrees(queue.rig)?;
        queue.git.worktree_add_detached(tree, candidate)?;
        // Submodules are cloned without the lock, because that may take long.
        drop(held);
        Ok(Git::at(tree).complete_checkout()?)
    }

    fn reset_to(&self, rig: &Rig, candidate: &str) -> anyhow::Result<()> {
        let git = Git::at(&self.path);
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
        let mut clean = git.plumbing(["clean", "--quiet", "-f", "-f", "-d", "-x"]);
        let run = self.lock_run();
        for product in run.set_up.iter().flat_map(|set_up| &set_up.products) {
            clean = clean.args(["-e", &pattern_of_file(product)]);
        }
        clean.finish_checked()?;
        git.complete_checkout()?;
        Ok(git.clean_submodules(run.set_up.is_none())?)
    }
}
