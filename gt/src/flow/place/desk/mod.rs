//! Prepares the desk of a work tree before an agent starts there.
//!
//! No agent starts at a desk whose setup or check failed, unless the work in its tree may be the
//! cause. The failure is one of the rig: nothing is started there until the desk is changed, or a
//! trial passes.
//!
//! 1. Give the tree a number on this machine: ports, and a name for a database.
//! 2. Copy the carried files.
//! 3. Run the setup, once per content of its lock files.
//! 4. Run the check before the first session at new work, before each session of crew, and after
//!    each setup.
//!
//! Before a tree is removed, the teardown runs and the number is given back.

mod change;
mod command;
mod lock_files;
mod trial;

use std::path::Path;

use bd::git::ChangeKind;
use kit::sys::file;

pub use change::{DeskChange, change_desk};
pub use command::{DeskCommand, DeskCommandEnd, run_desk_command};
pub use lock_files::{hash_lock_files, is_lock_file_name};
pub use trial::{DeskTrial, try_desk};

use crate::flow::place::carry::{ChangedCopies, carry_files};
use crate::flow::place::sandbox::find_start_commit;
use crate::record::desk::{
    DeskFailure, DeskNumber, DeskNumbers, DeskState, DeskStep, TreeId, find_desk_failure,
    hash_desk, hash_parts,
};
use crate::town::Rig;
use crate::town::config::{DeskSettings, SettingsLayers};
use crate::town::sandbox_git::open_tree;

/// The reason why a desk is not ready.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The desk of the rig fails, so no agent starts there.
    #[error(
        "{}; no agent of rig {rig} starts{}; log {}\nNext step: gt rig desk {rig} --try",
        .failure.describe(), .failure.quote_last_line(), .failure.log.display()
    )]
    Failed {
        rig: String,
        failure: Box<DeskFailure>,
    },
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// A work tree that needs a desk.
#[derive(Debug, Clone, Copy)]
pub struct DeskRequest<'a> {
    pub tree: &'a Path,
    /// The owner, as the name for a database has it.
    pub owner: &'a str,
    /// The branch from which the work in the tree starts.
    pub target: &'a str,
    pub work: DeskWork,
}

/// The work for which a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeskWork {
    /// The first session at new work. Everything in the tree is the rig's, not a worker's.
    New,
    /// A further session at the same work.
    Continued,
    /// The work of a user and the crew, whatever it is.
    Crew,
}

/// Variables for the programs at a desk.
pub type DeskVariables = Vec<(String, String)>;

/// Prepares a desk. Returns the variables for its programs.
pub fn prepare_desk(rig: &Rig, request: DeskRequest<'_>) -> Result<DeskVariables, DeskError> {
    let layers = SettingsLayers::load(rig.town(), Some(rig)).map_err(anyhow::Error::from)?;
    let settings = DeskSettings::from_layers(&layers);
    let tree = request.tree;
    let number = DeskNumbers::open(&rig.town().env).and_then(|numbers| {
        let owner = format!("{}_{}", rig.name(), request.owner);
        numbers.assign_to_tree(tree, &owner)
    });
    let variables = match number {
        Ok(number) => list_variables(&number),
        // A rig without a desk does not use the number.
        Err(_) if settings.is_without_commands() => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    carry_files(rig, tree, ChangedCopies::Keep).map_err(anyhow::Error::from)?;
    if settings.is_without_commands() {
        return Ok(variables);
    }
    if let Some(failure) = find_desk_failure(rig, &layers) {
        return Err(DeskError::failed(rig, failure));
    }
    let preparation = Preparation {
        rig,
        tree,
        settings: &settings,
        variables: &variables,
    };
    let is_untouched = is_untouched(rig, request)?;
    let Some(failure) = preparation.run(request.work != DeskWork::Continued)? else {
        return Ok(variables);
    };
    if !is_untouched {
        // The worker of the tree has to see what its work does to the setup.
        return Ok(variables);
    }
    failure.save(rig)?;
    Err(DeskError::failed(rig, failure))
}

impl DeskError {
    pub(crate) fn failed(rig: &Rig, failure: DeskFailure) -> Self {
        Self::Failed {
            rig: rig.name().to_owned(),
            failure: Box::new(failure),
        }
    }
}

/// Describes a jail of sessions that a setting requires and that cannot be built.
pub fn build_jail_failure(
    rig: &Rig,
    tree: &Path,
    setting: &str,
    reason: &str,
) -> anyhow::Result<DeskFailure> {
    let layers = SettingsLayers::load(rig.town(), Some(rig))?;
    let log = rig.desk_log(tree);
    file::create_folder(&rig.desks(), 0o700)?;
    file::replace_file_relaxed(&log, format!("{reason}\n").as_bytes(), 0o600)?;
    Ok(DeskFailure {
        desk: hash_desk(rig, &DeskSettings::from_layers(&layers)),
        step: DeskStep::Jail,
        command: setting.to_owned(),
        end: "not started".to_owned(),
        tail: reason.to_owned(),
        log,
        tree: tree.to_owned(),
        at: rig.town().clock.now().to_string(),
    })
}

fn list_variables(number: &DeskNumber) -> DeskVariables {
    number
        .variables()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Returns true if nothing in the tree is a worker's: its commit is on the target, and before the
/// first session at new work only commands of the desk have changed files.
fn is_untouched(rig: &Rig, request: DeskRequest<'_>) -> anyhow::Result<bool> {
    let git = open_tree(request.tree)?;
    let start = find_start_commit(rig, request.target)?;
    let Some(head) = git.resolve("HEAD")? else {
        return Ok(false);
    };
    Ok(git.is_ancestor(&head, &start)?
        && (request.work == DeskWork::New || git.status()?.is_empty()))
}

/// The commands of a desk in one work tree.
struct Preparation<'a> {
    rig: &'a Rig<'a>,
    tree: &'a Path,
    settings: &'a DeskSettings,
    variables: &'a [(String, String)],
}

impl Preparation<'_> {
    /// Runs the setup if it is necessary, and the check after it or if `is_checked` is set. Returns
    /// the failure, if a command failed.
    fn run(&self, is_checked: bool) -> anyhow::Result<Option<DeskFailure>> {
        let id = TreeId::read(self.tree)?;
        let mut state = DeskState::load(self.rig, self.tree).for_tree(id);
        let had_failed = state.failed.take().is_some();
        let mut is_set_up = false;
        if let Some(line) = &self.settings.setup {
            let key = hash_parts([
                line.clone(),
                hash_lock_files(self.tree, &self.settings.setup_files)?,
            ]);
            if state.setup.as_ref() != Some(&key) || self.is_product_missing(&state) {
                is_set_up = true;
                if let Some(failure) = self.set_up(line, &key, &mut state)? {
                    return Ok(Some(failure));
                }
            }
        }
        if let Some(line) = &self.settings.check
            && (is_checked || is_set_up || had_failed)
        {
            let failure = self.run_step(DeskStep::Check, line, &mut state)?;
            if failure.is_some() {
                return Ok(failure);
            }
        }
        if had_failed {
            state.save(self.rig, self.tree)?;
        }
        Ok(None)
    }

    fn set_up(
        &self,
        line: &str,
        key: &str,
        state: &mut DeskState,
    ) -> anyhow::Result<Option<DeskFailure>> {
        // A setup that is killed runs again.
        state.setup = None;
        state.products.clear();
        let before = list_untracked(self.tree)?;
        let failure = self.run_step(DeskStep::Setup, line, state)?;
        if failure.is_none() {
            state.setup = Some(key.to_owned());
            state.products = list_untracked(self.tree)?;
            state.products.retain(|name| !before.contains(name));
            state.save(self.rig, self.tree)?;
        }
        Ok(failure)
    }

    /// Returns true if something is gone that the setup made: git removes files that are neither
    /// tracked nor ignored before new work.
    fn is_product_missing(&self, state: &DeskState) -> bool {
        let is_missing = |name: &String| self.tree.join(name).symlink_metadata().is_err();
        state.products.iter().any(is_missing)
    }

    fn run_step(
        &self,
        step: DeskStep,
        line: &str,
        state: &mut DeskState,
    ) -> anyhow::Result<Option<DeskFailure>> {
        let command = DeskCommand {
            rig: self.rig,
            tree: self.tree,
            step,
            line,
            variables: self.variables,
        };
        let end = run_desk_command(&command, state)?;
        let failure = end.into_failure(&command, hash_desk(self.rig, self.settings));
        state.failed.clone_from(&failure);
        if failure.is_some() {
            state.save(self.rig, self.tree)?;
        }
        Ok(failure)
    }
}

/// The maximum number of products of a setup that are remembered.
const MAX_PRODUCTS: usize = 200;

/// Lists the files and folders that git neither tracks nor ignores.
fn list_untracked(tree: &Path) -> anyhow::Result<Vec<String>> {
    let changes = open_tree(tree)?.status()?;
    let untracked = changes
        .into_iter()
        .filter(|change| change.kind == ChangeKind::Untracked)
        .map(|change| change.path.to_string_lossy().into_owned());
    Ok(untracked.take(MAX_PRODUCTS).collect())
}

/// Runs the teardown in a work tree that is about to be removed, and gives its number back. A
/// teardown that fails keeps no tree from being removed.
pub fn clear_desk(rig: &Rig, tree: &Path) -> anyhow::Result<()> {
    let numbers = DeskNumbers::open(&rig.town().env)?;
    let variables = numbers.find_of_tree(tree);
    let variables = variables.as_ref().map(list_variables);
    tear_down(rig, tree, &variables.unwrap_or_default())?;
    numbers.give_back(tree)?;
    DeskState::remove(rig, tree)
}

/// Runs the teardown in a work tree, if it is there. Its failure is an event.
pub fn tear_down(rig: &Rig, tree: &Path, variables: &[(String, String)]) -> anyhow::Result<()> {
    let layers = SettingsLayers::load(rig.town(), Some(rig))?;
    let settings = DeskSettings::from_layers(&layers);
    let Some(line) = settings.teardown.filter(|_| tree.is_dir()) else {
        return Ok(());
    };
    let mut state = DeskState::load(rig, tree);
    let command = DeskCommand {
        rig,
        tree,
        step: DeskStep::Teardown,
        line: &line,
        variables,
    };
    run_desk_command(&command, &mut state).map(drop)
}
