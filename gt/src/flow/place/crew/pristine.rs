//! Brings a crew member's clone up to date, without touching work in it.

use bd::git::Git;
use serde::Serialize;

use super::member_address;
use crate::town::Rig;

/// A clone after its update.
#[derive(Debug, Clone, Serialize)]
pub struct UpdatedClone {
    pub name: String,
    pub rig: String,
    /// True if the clone has uncommitted work.
    pub had_changes: bool,
    pub pulled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_error: Option<String>,
    /// True, because a clone reads the beads of its rig directly.
    pub synced: bool,
}

/// Fetches, and moves the branch of the clone forward if nothing has to be merged for it.
pub fn update_clone(rig: &Rig, name: &str) -> anyhow::Result<UpdatedClone> {
    let git = Git::at(rig.crew(name));
    let had_changes = !git.status()?.is_empty();
    let pull_error = match git
        .command(["pull", "--ff-only", "--quiet", "--no-recurse-submodules"])
        .run()
    {
        Ok(()) => None,
        Err(error) => Some(format!("{}: {error}", member_address(rig, name))),
    };
    Ok(UpdatedClone {
        name: name.to_owned(),
        rig: rig.name().to_owned(),
        had_changes,
        pulled: pull_error.is_none(),
        pull_error,
        synced: true,
    })
}
