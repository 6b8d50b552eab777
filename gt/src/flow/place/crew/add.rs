//! Adds a crew member.
//!
//! 1. Check that the name is valid and free.
//! 2. Create a full clone on the rig's target branch, or on a branch of its own.
//! 3. Connect the clone to the rig's beads.
//! 4. Write the hook file of its agent program.
//! 5. Create its bead.
//!
//! A failure removes the clone.

use std::fs;
use std::path::PathBuf;

use bd::git::Git;
use serde::Serialize;

use super::member_address;
use crate::flow::place::rig;
use crate::flow::place::rig::check_remote;
use crate::flow::place::sandbox;
use crate::host::runtime;
use crate::town::Rig;
use crate::town::config;
use crate::town::identity::{Address, check_worker_name};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AddedMember {
    pub name: String,
    pub rig: String,
    pub path: PathBuf,
    /// The branch that is checked out.
    pub branch: String,
}

#[derive(Debug, thiserror::Error)]
pub enum CrewError {
    /// The name is not valid for a crew member.
    #[error("`{name}` cannot be a crew member's name: only letters, digits and _ are allowed")]
    BadName { name: String },
    #[error("crew member `{name}` is there already: {}", path.display())]
    Exists { name: String, path: PathBuf },
    #[error("there is no crew member `{name}`: not found")]
    Unknown { name: String },
    /// Several rigs have a member of that name.
    #[error("several rigs have a crew member `{name}` ({}): say <rig>/{name}", rigs.join(", "))]
    Ambiguous { name: String, rigs: Vec<String> },
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// Adds a crew member. With `own_branch`, its clone is on a new branch `crew/<name>`.
pub fn add_member(rig: &Rig, name: &str, own_branch: bool) -> Result<AddedMember, CrewError> {
    let path = check_new_name(rig, name)?;
    let made = clone_for_member(rig, name, own_branch).and_then(|branch| {
        sandbox::provision_worktree(rig, &Git::at(&path))?;
        install_hooks(rig, name)?;
        create_member_bead(rig, name)?;
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
            // The folder did not exist before, so it holds only files of this call.
            fs::remove_dir_all(&path).ok();
            Err(error.into())
        }
    }
}

/// Checks that a name is valid and free, and returns the path of its clone.
pub(super) fn check_new_name(rig: &Rig, name: &str) -> Result<PathBuf, CrewError> {
    if name.is_empty()
        || name.len() > 40
        || !name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        let name = name.to_owned();
        return Err(CrewError::BadName { name });
    }
    let registry = rig.town().read_registry().map_err(anyhow::Error::from)?;
    let rigs = registry.rigs.keys().map(String::as_str);
    check_worker_name(&Address::Crew(rig.name().to_owned(), name.to_owned()), rigs)
        .map_err(anyhow::Error::from)?;
    let path = rig.crew(name);
    if fs::symlink_metadata(&path).is_ok() {
        let name = name.to_owned();
        return Err(CrewError::Exists { name, path });
    }
    Ok(path)
}

/// Clones from the rig's push URL and reuses the objects of the rig's shared repository.
fn clone_for_member(rig: &Rig, name: &str, own_branch: bool) -> anyhow::Result<String> {
    let repo = rig.git();
    let clone = Git::at(rig.crew(name));
    let target = config::target_branch_of(rig)?;
    check_remote(rig)?;
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

/// Installs the hooks, so that an agent that a user starts there by hand has them. An agent that is
/// not installed yet gets them at its first `gt crew start`.
fn install_hooks(rig: &Rig, name: &str) -> anyhow::Result<()> {
    let address = member_address(rig, name);
    if let Ok(runtime) = runtime::resolve_runtime(rig.town(), Some(rig), &address, None) {
        runtime.prepare(&rig.town().layout, &address, &rig.crew(name))?;
    }
    Ok(())
}

pub(super) fn create_member_bead(rig: &Rig, name: &str) -> anyhow::Result<()> {
    let store = rig.store()?;
    let prefix = rig.prefix();
    let mut bead = rig::build_agent_bead(&member_address(rig, name), &prefix);
    rig.transact(&store, |tx| {
        // The bead of a member who was removed or renamed is closed.
        if tx.get(&bead.id).is_none_or(|old| !old.is_open()) {
            bead.created_at = tx.now();
            bead.updated_at = bead.created_at.clone();
            tx.actor().clone_into(&mut bead.created_by);
            tx.put(bead)?;
        }
        Ok(())
    })
}
