//! Adding a crew member.
//!
//! 1. The name is good and free.
//! 2. A full clone on the rig's target branch, and where wanted a branch of its own.
//! 3. The clone reads the rig's beads.
//! 4. The hook file of its agent program.
//! 5. Its bead.
//!
//! A failure takes the clone back.

use std::fs;
use std::path::PathBuf;

use bd::git::Git;
use serde::Serialize;

use super::member_address;
use crate::flow::rig;
use crate::flow::sandbox;
use crate::host::{LiveTown, runtime};
use crate::town::RigLayout;
use crate::town::config;
use crate::town::identity::{Address, check_worker_name};

/// A crew member that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AddedMember {
    /// Its name.
    pub name: String,
    /// Its rig.
    pub rig: String,
    /// Its clone.
    pub path: PathBuf,
    /// The branch that the clone is on.
    pub branch: String,
}

/// Why a crew member was not added or found.
#[derive(Debug, thiserror::Error)]
pub enum CrewError {
    /// The name cannot be a crew member's.
    #[error("`{name}` cannot be a crew member's name: only letters, digits and _ are allowed")]
    BadName {
        /// What was given.
        name: String,
    },
    /// There is one of that name.
    #[error("crew member `{name}` is there already: {}", path.display())]
    Exists {
        /// The name.
        name: String,
        /// What is there.
        path: PathBuf,
    },
    /// There is none of that name.
    #[error("there is no crew member `{name}`: not found")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// Several rigs have one of that name.
    #[error("several rigs have a crew member `{name}` ({}): say <rig>/{name}", rigs.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The rigs.
        rigs: Vec<String>,
    },
}

/// Adds a crew member; `own_branch` puts its clone on a new branch `crew/<name>`.
pub fn add_member(
    town: &LiveTown,
    rig: &RigLayout,
    name: &str,
    own_branch: bool,
) -> anyhow::Result<AddedMember> {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || name.len() > 40 || !name.bytes().all(is_good) {
        let name = name.to_owned();
        return Err(CrewError::BadName { name }.into());
    }
    let registry = town.read_registry()?;
    let rigs = registry.rigs.keys().map(String::as_str);
    check_worker_name(&Address::Crew(rig.name().to_owned(), name.to_owned()), rigs)?;
    let path = rig.crew(name);
    if fs::symlink_metadata(&path).is_ok() {
        let name = name.to_owned();
        return Err(CrewError::Exists { name, path }.into());
    }
    let made = clone_for_member(town, rig, name, own_branch).and_then(|branch| {
        sandbox::provision_worktree(rig, &path)?;
        install_hooks(town, rig, name)?;
        create_member_bead(town, rig, name)?;
        Ok(branch)
    });
    match made {
        Ok(branch) => Ok(AddedMember {
            name: name.to_owned(),
            rig: rig.name().to_owned(),
            path,
            branch,
        }),
        Err(error) => {
            // It was not there before, so it holds only what this call made.
            fs::remove_dir_all(&path).ok();
            Err(error)
        }
    }
}

/// Clones from where the rig pushes, taking from its shared repository what that has already.
fn clone_for_member(
    town: &LiveTown,
    rig: &RigLayout,
    name: &str,
    own_branch: bool,
) -> anyhow::Result<String> {
    let (repo, clone) = (Git::at(rig.repo()), Git::at(rig.crew(name)));
    let target = config::target_branch_of(town, rig);
    match repo.remote_url("origin")? {
        Some(url) => clone.clone_tree(&url, Some(&target), Some(&rig.repo()))?,
        None => clone.clone_tree(&rig.repo().to_string_lossy(), Some(&target), None)?,
    }
    let beads = ".beads/issues.jsonl";
    if !clone.tracked(&[beads])?.is_empty() {
        clone.install_merge_driver(beads)?;
    }
    if !own_branch {
        return Ok(target);
    }
    let branch = format!("crew/{name}");
    clone.switch_new_branch(&branch, "HEAD")?;
    Ok(branch)
}

/// Gives an agent that a user starts there by hand its hooks. An agent that is not installed has them from its first
/// `gt crew start` on.
fn install_hooks(town: &LiveTown, rig: &RigLayout, name: &str) -> anyhow::Result<()> {
    let address = member_address(rig, name);
    if let Ok(runtime) = runtime::resolve_runtime(town, Some(rig), &address, "") {
        runtime.prepare(town, &address, &rig.crew(name))?;
    }
    Ok(())
}

fn create_member_bead(town: &LiveTown, rig: &RigLayout, name: &str) -> anyhow::Result<()> {
    let store = town.open_rig_store(rig)?;
    let prefix = town.prefix_of_rig(rig.name());
    let mut bead = rig::build_agent_bead(&member_address(rig, name), &prefix);
    town.transact(&store, |tx| {
        if tx.get(&bead.id).is_none() {
            bead.created_at = tx.now();
            bead.updated_at = bead.created_at.clone();
            tx.actor().clone_into(&mut bead.created_by);
            tx.put(bead)?;
        }
        Ok(())
    })
}

impl CrewError {
    /// Whether this is about one that is there already, which adding several passes over.
    pub fn is_exists_error(error: &anyhow::Error) -> bool {
        matches!(error.downcast_ref(), Some(Self::Exists { .. }))
    }
}
