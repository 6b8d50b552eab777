//! Tries the desk of a rig in a scratch tree, `gt rig desk RIG --try`.
//!
//! 1. Check out the target in a work tree that no one works in.
//! 2. Copy the carried files, and run setup and check.
//! 3. If both pass, end the failure of the rig. In any case run the teardown and remove the tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::git::Git;
use kit::sys::file;
use serde::Serialize;

use super::{Preparation, build_jail_failure, clear_desk, list_variables};
use crate::flow::place::carry::{ChangedCopies, carry_files};
use crate::flow::place::sandbox::{find_start_commit, prune_worktrees};
use crate::host::jail::{JailChoice, JailRefusal, choose_backend};
use crate::record::desk::{DeskFailure, DeskNumbers, JAIL_SETTING};
use crate::town::Rig;
use crate::town::config::{self, DeskSettings, JailMode, RigSettings, SettingsLayers};
use crate::town::lock::Lock;

/// The time that a trial waits for another change of the list of worktrees.
const LIST_WAIT: Duration = Duration::from_secs(120);

/// The result of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeskTrial {
    pub passed: bool,
    /// The commit that was checked out.
    pub commit: String,
    /// The failure, if the setup or the check failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<DeskFailure>,
    /// The log of the last command.
    pub log: PathBuf,
    /// True if workers of the rig waited for this.
    pub resumed: bool,
}

/// Runs setup and check of a rig in a scratch tree.
pub fn try_desk(rig: &Rig) -> anyhow::Result<DeskTrial> {
    let layers = SettingsLayers::load(rig.town(), Some(rig))?;
    layers.check_guards(Some(rig))?;
    let settings = DeskSettings::from_layers(&layers);
    let tree = rig.desk_trial();
    let _trial = Lock::try_take(&rig.desk_trial_lock())?;
    let commit = find_start_commit(rig, &config::target_branch_of(rig)?)?;
    remove_tree(rig, &tree)?;
    add_tree(rig, &tree, &commit)?;
    let tried = run_trial(rig, &tree, &settings);
    // The result of the trial counts also if its tree cannot be removed: the next one removes it.
    clear_desk(rig, &tree).ok();
    remove_tree(rig, &tree).ok();
    let failure = tried?;
    let resumed = failure.is_none() && DeskFailure::clear(rig)?;
    Ok(DeskTrial {
        passed: failure.is_none(),
        commit,
        failure,
        log: rig.desk_log(&tree),
        resumed,
    })
}

fn run_trial(
    rig: &Rig,
    tree: &Path,
    settings: &DeskSettings,
) -> anyhow::Result<Option<DeskFailure>> {
    let numbers = DeskNumbers::open(&rig.town().env)?;
    let number = numbers.assign_to_tree(tree, &format!("{}_trial", rig.name()))?;
    carry_files(rig, tree, ChangedCopies::Replace)?;
    let preparation = Preparation {
        rig,
        tree,
        settings,
        variables: &list_variables(&number),
    };
    match preparation.run(true)? {
        None => try_jail(rig, tree),
        failure => Ok(failure),
    }
}

/// Returns the failure of a rig that requires a jail which the machine cannot build.
fn try_jail(rig: &Rig, tree: &Path) -> anyhow::Result<Option<DeskFailure>> {
    if RigSettings::load(rig)?.sandbox.jail(rig)?.mode != JailMode::Required {
        return Ok(None);
    }
    match choose_backend(&rig.town().env) {
        JailChoice::Works(_) => Ok(None),
        JailChoice::Missing { reason } => {
            let refusal = JailRefusal::NoBackend { reason }.to_string();
            build_jail_failure(rig, tree, JAIL_SETTING, &refusal).map(Some)
        }
    }
}

fn add_tree(rig: &Rig, tree: &Path, commit: &str) -> anyhow::Result<()> {
    if let Some(folder) = tree.parent() {
        file::create_folder(folder, 0o755)?;
    }
    let held = Lock::take(&rig.repo_lock(), LIST_WAIT)?;
    prune_worktrees(rig)?;
    rig.git().worktree_add_detached(tree, commit)?;
    drop(held);
    Ok(Git::at(tree).complete_checkout()?)
}

fn remove_tree(rig: &Rig, tree: &Path) -> anyhow::Result<()> {
    if !tree.exists() {
        return Ok(());
    }
    // Git does not remove a folder that it does not know as a worktree.
    if rig.git().worktree_remove(tree, true).is_err() && tree.exists() {
        fs::remove_dir_all(tree)?;
    }
    Ok(())
}
