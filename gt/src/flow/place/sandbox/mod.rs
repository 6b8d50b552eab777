//! Manages a polecat's sandbox: a permanent work tree with a repository of its own, on changing
//! branches. It borrows the objects of the rig's shared repository.
//!
//! No work in a sandbox is reset or removed before it is reachable from a remote or a rescue ref,
//! and a sandbox never contributes beads.
//!
//! 1. Fetch, so that the branch starts from the current target.
//! 2. Inspect the sandbox: good, missing, or broken.
//! 3. Good: save remaining work to a rescue ref, then switch to a fresh branch. Missing: `git
//!    worktree add`. Broken: save what git can read, move the folder aside, and add it again. A
//!    killed run leaves a branch, or a folder with a mark: both are created again.
//! 4. Provision: redirect to the rig's beads, exclusions, carried files.
//! 5. Hand over: give it a new repository of its own (`town::sandbox_git`).
//! 6. Once the work has its convoy: write the documents of its earlier workers (`discovery`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::git::{Git, GitError};
use kit::sys::{InsideError, clock, file};
use kit::ui::escape::escape_line;
use serde::Serialize;

mod far;
mod keep;
mod provision;
mod restore;
mod shared_hooks;
mod snapshot;

pub(crate) use far::refresh_copy;
pub use far::{open_far_host, prepare_far_call, take_far_state};
use keep::{is_commit_kept, parse_branch_bead};
use provision::OUR_FOLDERS;
pub(crate) use provision::provision_worktree;
pub(crate) use restore::{
    MovedWorktree, is_of_other_town, list_moved_worktrees, prune_worktrees, repair_moved_worktrees,
};
pub(crate) use snapshot::save_copy;
pub use snapshot::save_snapshot;

use crate::flow::place::carry::{CarryError, report_replaced_copies};
use crate::flow::place::discovery::{self, DiscoveryError};
use crate::flow::place::rig::{check_remote, find_unsupported_feature};
use crate::flow::place::target_history;
use crate::town::config;
use crate::town::event::event;
use crate::town::lock::{Lock, LockError};
use crate::town::sandbox_git::{self, hold_sandbox};
use crate::town::{Rig, RigLayout};

pub struct Sandbox<'a> {
    rig: &'a Rig<'a>,
    name: &'a str,
}

/// The way a sandbox got its fresh branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PreparationWay {
    /// There was no sandbox.
    Added,
    Switched,
    /// A broken sandbox was moved aside.
    Repaired,
}

impl PreparationWay {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Switched => "switched",
            Self::Repaired => "repaired",
        }
    }
}

/// The result of preparing a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedSandbox {
    pub way: PreparationWay,
    /// The commit that the branch starts from.
    pub base: String,
    /// Files of the repository that are left out of the sandbox, unless they were reported before.
    pub hidden: Vec<PathBuf>,
    /// The rescue ref with the remaining work.
    pub rescued: Option<String>,
    /// The error of a failed fetch. The base is then the last known target.
    pub stale: Option<String>,
}

/// A broken sandbox that was moved aside.
struct MovedSandbox {
    aside: PathBuf,
    /// The rescue ref with what git could read.
    rescued: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("cannot prepare {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The branch to start from is missing.
    #[error("the branch `{target}` that work should start from is neither on origin nor in {}", repo.display())]
    NoTarget { target: String, repo: PathBuf },
    /// The files of a worktree would not be whole.
    #[error("{target} uses {feature}, which is not installed, so a worker would not get all files")]
    Unsupported {
        target: String,
        feature: &'static str,
    },
    /// A submodule or a file of git-lfs is not to be had.
    #[error(
        "not all files of commit {commit:.12} can be checked out, so a worker would not get them"
    )]
    Incomplete {
        commit: String,
        #[source]
        source: GitError,
    },
    /// A sandbox in a copy of a town would work in the repository of the original.
    #[error(
        "{} was copied with its town and belongs to {}, which is still there; move one of them away",
        path.display(), original.display()
    )]
    Copied { path: PathBuf, original: PathBuf },
    /// Another process holds the rig's repository.
    #[error(transparent)]
    Busy(#[from] LockError),
    #[error(transparent)]
    Inside(#[from] InsideError),
    #[error(transparent)]
    Settings(#[from] config::SettingsError),
    #[error(transparent)]
    Discovery(#[from] DiscoveryError),
    #[error(transparent)]
    Carry(#[from] CarryError),
}

impl SandboxError {
    fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// Returns true if both paths lead to one place, or to none.
fn is_same_place(a: &Path, b: &Path) -> bool {
    a.canonicalize().ok() == b.canonicalize().ok()
}

impl<'a> Sandbox<'a> {
    pub fn new(rig: &'a Rig<'a>, name: &'a str) -> Self {
        Self { rig, name }
    }

    pub fn path(&self) -> PathBuf {
        self.rig.sandbox(self.name)
    }

    /// Writes the discovery documents of a name into the sandbox.
    pub fn place_documents(&self, key: &str) -> Result<usize, SandboxError> {
        Ok(discovery::place_documents(&self.git()?, key)?)
    }

    /// Opens the sandbox for git.
    pub fn git(&self) -> Result<Git, GitError> {
        self.rig.sandbox_git(self.name)
    }

    /// Switches the sandbox to a fresh `branch` that starts from the current `target`, or from the
    /// unmerged commit `stands_on` if this repository has it.
    pub fn prepare(
        &self,
        branch: &str,
        target: &str,
        stands_on: Option<&str>,
    ) -> Result<PreparedSandbox, SandboxError> {
        let stale = self.fetch()?;
        let unmerged = match stands_on {
            Some(tip) => self.rig.git().resolve(&format!("{tip}^{{commit}}"))?,
            None => None,
        };
        let base = match unmerged {
            Some(tip) => tip,
            None => {
                let tip = find_start_commit(self.rig, target)?;
                // From now on, a push of the worker to its target is noticed. Without that, the queue
                // begins with it.
                target_history::watch_fetched_target(&self.rig.git(), target).ok();
                tip
            }
        };
        if let Some(feature) = find_unsupported_feature(&self.rig.git(), &base)? {
            let target = target.to_owned();
            return Err(SandboxError::Unsupported { target, feature });
        }
        let path = self.path();
        self.remove_partial_folder()?;
        let (way, rescued) = if !path.exists() {
            self.drop_repository()?;
            self.add(branch, &base)?;
            (PreparationWay::Added, None)
        } else if let Some(reason) = self.find_defect()? {
            let rescued = self.move_aside(&reason)?.rescued;
            self.add(branch, &base)?;
            (PreparationWay::Repaired, rescued)
        } else {
            self.drop_stale_locks()?;
            let rescued = self.rescue_leftovers()?;
            self.clear_documents()?;
            hold_sandbox(self.rig, self.name)?;
            self.switch(branch, &base)?;
            (PreparationWay::Switched, rescued)
        };
        let hidden = self.provision()?;
        self.hand_over()?;
        Ok(PreparedSandbox {
            way,
            base,
            hidden,
            rescued,
            stale,
        })
    }

    /// Provisions the worktree, and hides the repository's files for agents as the rig wants it.
    /// Returns the hidden files if no sandbox of the rig has hidden them before.
    fn provision(&self) -> Result<Vec<PathBuf>, SandboxError> {
        let git = self.git()?;
        let replaced = provision_worktree(self.rig, &git)?;
        report_replaced_copies(self.rig, git.folder(), &replaced);
        let settings = config::RigSettings::load(self.rig)?.sandbox;
        let hidden = provision::hide_agent_files(&git, &settings)?;
        self.report_hidden_files(hidden)
    }

    /// Records the hidden files as an event, and returns them, if they differ from those that were
    /// reported last.
    fn report_hidden_files(&self, hidden: Vec<PathBuf>) -> Result<Vec<PathBuf>, SandboxError> {
        let record = self.rig.hidden_files();
        let names: Vec<String> = hidden
            .iter()
            .map(|file| escape_line(&file.to_string_lossy()))
            .collect();
        let text = names.join("\n");
        let reported = file::read_file_if_exists(&record).map_err(SandboxError::at(&record))?;
        if reported.as_deref().unwrap_or(b"") == text.as_bytes() {
            return Ok(Vec::new());
        }
        if let Some(folder) = record.parent() {
            file::create_folder(folder, 0o755).map_err(SandboxError::at(&record))?;
        }
        file::replace_file_relaxed(&record, text.as_bytes(), 0o644)
            .map_err(SandboxError::at(&record))?;
        if !hidden.is_empty() {
            self.rig.town().record_event(
                &event!(AgentFilesHidden, rig: self.rig.name(), polecat: self.name, files: names),
            );
        }
        Ok(hidden)
    }

    /// Checks that the sandbox is a working worktree of the rig's repository. The error is the
    /// reason.
    pub fn check(&self) -> Result<(), String> {
        let path = self.path();
        let git = self.git().map_err(|error| error.to_string())?;
        if !sandbox_git::has_own_repository(self.rig, self.name) {
            restore::check_links(self.rig, &path)?;
        } else if !sandbox_git::is_held(self.rig, self.name) {
            git.check_borrowed_objects()
                .map_err(|error| error.to_string())?;
        }
        git.status().map(drop).map_err(|error| error.to_string())
    }

    /// Returns why the sandbox does not work, after its links to the repository were repaired.
    fn find_defect(&self) -> Result<Option<String>, SandboxError> {
        let checked = self.check();
        if checked.is_err() && self.repair_links()? {
            return Ok(None);
        }
        Ok(checked.err())
    }

    /// Returns why the sandbox does not work and cannot be repaired.
    pub fn describe_defect(&self) -> Option<String> {
        self.find_defect()
            .unwrap_or_else(|error| Some(error.to_string()))
    }

    /// Fetches into the shared repository. Returns the error of a failed fetch as text, because
    /// work can start offline.
    fn fetch(&self) -> Result<Option<String>, SandboxError> {
        let git = self.rig.git();
        if !check_remote(self.rig)? {
            return Ok(None);
        }
        let failed = git.fetch("origin").err().map(|error| error.to_string());
        // Work can start also if the targets cannot be compared: the queue does it again.
        target_history::check_targets(self.rig).ok();
        Ok(failed)
    }

    fn add(&self, branch: &str, base: &str) -> Result<(), SandboxError> {
        let path = self.path();
        let held = Lock::take(&self.rig.repo_lock(), Duration::from_secs(120))?;
        let git = self.rig.git();
        prune_worktrees(self.rig)?;
        self.remove_partial_branch(branch)?;
        self.write_adding_mark()?;
        git.worktree_add(&path, branch, base)?;
        // Submodules are cloned without the lock, because that may take long.
        drop(held);
        complete_files(&self.git()?, base)?;
        self.remove_adding_mark()
    }

    fn switch(&self, branch: &str, base: &str) -> Result<(), SandboxError> {
        let git = self.git()?;
        for folder in OUR_FOLDERS {
            self.restore_folder(&git, folder)?;
        }
        // A rebase or merge of the last worker keeps git from switching. Errors are ignored,
        // because there may be none.
        for verb in ["rebase", "am", "cherry-pick", "revert"] {
            git.plumbing([verb, "--quit"]).finish()?;
        }
        provision::unhide_agent_files(&git)?;
        // A reset keeps the files that these marks hide.
        git.reveal_hidden_changes()?;
        git.reset_hard("HEAD")?;
        git.clean()?;
        if git.head_branch()?.as_deref() == Some(branch) {
            git.checkout_detach(base)?;
        }
        self.remove_partial_branch(branch)?;
        let submodules = git.declared_submodules()?;
        git.switch_new_branch(branch, base)?;
        git.remove_left_submodules(&submodules)?;
        complete_files(&git, base)
    }

    /// Undoes `provision::replace_folder`, because git switches branches only if it finds the files
    /// that it wrote.
    fn restore_folder(&self, git: &Git, folder: &str) -> Result<(), SandboxError> {
        let entry = git.plumbing(["ls-files", "--stage", "-z", "--", folder]);
        let path = git.folder().join(folder);
        if !entry.records()?.iter().any(|record| {
            let is_file = record.starts_with("100") || record.starts_with("120");
            is_file
                && record
                    .split_once('\t')
                    .is_some_and(|(_, path)| path == folder)
        }) || !path.is_dir()
            || path.is_symlink()
        {
            return Ok(());
        }
        git.plumbing(["update-index", "--no-skip-worktree", "--", folder])
            .finish_checked()?;
        file::remove_file(&path.join("redirect")).map_err(SandboxError::at(&path))?;
        if fs::remove_dir(&path).is_ok() {
            return Ok(());
        }
        let stamp = self.rig.town().clock.now().as_millisecond();
        let home = self.rig.polecat(self.name);
        fs::rename(&path, home.join(format!("left-{stamp}{folder}")))
            .map_err(SandboxError::at(&path))
    }

    /// Removes lock files that a killed git left in the sandbox's part of the repository. The
    /// caller must hold the worker's slot and have ended its processes. A lock file that remains
    /// after a moment then has no owner.
    pub fn drop_stale_locks(&self) -> Result<(), SandboxError> {
        let Some(folder) = sandbox_git::find_sandbox_repository(&self.path()) else {
            return Ok(());
        };
        for name in ["index.lock", "HEAD.lock"] {
            let path = folder.join(name);
            // A user's git command may hold it, but not for longer.
            let gone = clock::wait_for(Duration::from_secs(2), || (!path.exists()).then_some(()));
            if gone.is_some() {
                continue;
            }
            self.rig.town().record_event(&event!(StaleLockRemoved,
                rig: self.rig.name(), polecat: self.name, file: path,
            ));
            file::remove_file(&path).map_err(SandboxError::at(&path))?;
        }
        Ok(())
    }

    /// Removes a folder that a killed run was adding. No one has worked in it yet.
    fn remove_partial_folder(&self) -> Result<(), SandboxError> {
        let path = self.path();
        if !adding_mark(self.rig, self.name).exists() {
            return Ok(());
        }
        let _held = Lock::take(&self.rig.repo_lock(), Duration::from_secs(120))?;
        if path.exists() {
            fs::remove_dir_all(&path).map_err(SandboxError::at(&path))?;
        }
        let git = self.rig.git();
        // Git locks a worktree while it adds it. Errors are ignored, because an unlocked or unknown
        // worktree is fine.
        let unlock = git.plumbing(["worktree", "unlock"]).args([&path]);
        unlock.finish_checked().ok();
        prune_worktrees(self.rig)?;
        self.drop_repository()?;
        self.remove_adding_mark()
    }

    /// Removes discovery documents. Files that git does not keep, such as a repository below
    /// `.gt/`, are moved beside the sandbox.
    fn clear_documents(&self) -> Result<(), SandboxError> {
        let stamp = self.rig.town().clock.now().as_millisecond();
        let aside = self.rig.polecat(self.name).join(format!("left-{stamp}"));
        let files = discovery::clear_documents(&self.git()?, &aside)?;
        if files > 0 {
            self.rig.town().record_event(&event!(DiscoveryLeft,
                rig: self.rig.name(), polecat: self.name, moved_to: aside, files: files,
            ));
        }
        Ok(())
    }

    /// Removes the sandbox with its repository. The caller must have saved its work.
    pub fn remove(&self) -> Result<(), SandboxError> {
        let path = self.path();
        if !sandbox_git::has_own_repository(self.rig, self.name) {
            return Ok(self.rig.git().worktree_remove(&path, true)?);
        }
        let _held = Lock::take(&self.rig.repo_lock(), Duration::from_secs(120))?;
        fs::remove_dir_all(&path).map_err(SandboxError::at(&path))?;
        self.drop_repository()
    }

    fn write_adding_mark(&self) -> Result<(), SandboxError> {
        let home = self.rig.polecat(self.name);
        let mark = adding_mark(self.rig, self.name);
        file::create_folder(&home, 0o755).map_err(SandboxError::at(&home))?;
        file::replace_file(&mark, b"", 0o644).map_err(SandboxError::at(&mark))
    }

    fn remove_adding_mark(&self) -> Result<(), SandboxError> {
        let mark = adding_mark(self.rig, self.name);
        file::remove_file(&mark).map_err(SandboxError::at(&mark))
    }

    /// Removes a branch that a killed run created. Commits that only the branch has are saved
    /// first.
    fn remove_partial_branch(&self, branch: &str) -> Result<(), SandboxError> {
        let git = self.rig.git();
        let Some(tip) = git.resolve(&format!("refs/heads/{branch}"))? else {
            return Ok(());
        };
        if !is_commit_kept(&git, &tip)? {
            let bead = parse_branch_bead(branch, self.name);
            git.update_ref(&self.rescue_ref(bead.as_deref()), &tip, None)?;
        }
        Ok(git.delete_branch(branch, &tip)?)
    }

    /// Moves a broken sandbox aside as a whole, and saves its commits to a rescue ref if git can
    /// read them.
    fn move_aside(&self, reason: &str) -> Result<MovedSandbox, SandboxError> {
        let path = self.path();
        // Another repository, such as that of the original of a copied town, gets no rescue.
        let is_ours = sandbox_git::has_own_repository(self.rig, self.name)
            || restore::check_links(self.rig, &path).is_ok();
        let rescued = is_ours.then(|| self.rescue_leftovers().ok().flatten());
        let rescued = rescued.flatten();
        let stamp = self.rig.town().clock.now().as_millisecond();
        let aside = self.rig.polecat(self.name).join(format!("broken-{stamp}"));
        fs::rename(&path, &aside).map_err(SandboxError::at(&path))?;
        self.drop_repository()?;
        prune_worktrees(self.rig)?;
        self.rig.town().record_event(&event!(SandboxRepaired,
            rig: self.rig.name(), polecat: self.name, reason: reason, moved_to: aside,
            rescue: rescued,
        ));
        Ok(MovedSandbox { aside, rescued })
    }
}

/// Checks out the files that a commit only refers to.
fn complete_files(git: &Git, commit: &str) -> Result<(), SandboxError> {
    git.complete_checkout()
        .map_err(|source| SandboxError::Incomplete {
            commit: commit.to_owned(),
            source,
        })
}

/// Returns the path of the mark beside a sandbox that is being added.
fn adding_mark(rig: &RigLayout, name: &str) -> PathBuf {
    rig.polecat(name).join(".adding")
}

/// Returns the commit of `target`: on origin if the rig has one, otherwise in the shared
/// repository.
pub(crate) fn find_start_commit(rig: &Rig, target: &str) -> Result<String, SandboxError> {
    let git = rig.git();
    for reference in [
        format!("refs/remotes/origin/{target}"),
        format!("refs/heads/{target}"),
    ] {
        if let Some(id) = git.resolve(&reference)? {
            return Ok(id);
        }
    }
    Err(SandboxError::NoTarget {
        target: target.to_owned(),
        repo: rig.repo(),
    })
}
