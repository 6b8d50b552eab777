//! Adds and removes rigs. A rig is a repository that the town works on, with its beads and its
//! workers' folders.
//!
//! [`add_rig()`] creates a rig, and [`remove_rig()`] removes it from the town's registry.

mod add;
mod name;
mod origin;
mod remote;
mod remove;
mod route;
mod suggest_gate;

pub(crate) use add::add_missing_route;
pub use add::{AddRigReport, AddRigRequest, add_rig, find_rig_of_repository};
pub use name::{check_rig_name, derive_prefix, derive_rig_name};
pub(crate) use origin::find_unsupported_feature;
pub use origin::{LocalRepository, find_repository_around};
pub use remote::check_remote;
pub use remove::{RemoveRigReport, find_unfinished, remove_rig};
pub use suggest_gate::suggest_test_command;

use std::path::PathBuf;

use bd::bead::{Bead, Kind};

use crate::town::identity::Address;

#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// The name is not valid for a rig.
    #[error("`{name}` cannot be a rig's name: {reason}; try `{suggestion}`")]
    BadName {
        name: String,
        reason: &'static str,
        suggestion: String,
    },
    /// A rig or a folder has this name.
    #[error("`{name}` is taken: {} is there already: choose another name", path.display())]
    Taken { name: String, path: PathBuf },
    /// The prefix is not valid.
    #[error(
        "`{prefix}` cannot be a prefix: it begins with a letter and has up to 20 letters, digits and -"
    )]
    BadPrefix { prefix: String },
    #[error("the prefix `{prefix}` belongs to {owner} already: choose another with --prefix")]
    PrefixTaken { prefix: String, owner: String },
    /// The repository tracks beads with another prefix.
    #[error(
        "the repository's own beads have the prefix `{tracked}`, not `{given}`: leave --prefix out"
    )]
    PrefixDiffers { given: String, tracked: String },
    /// The branch cannot be pushed to, because it is checked out in the repository.
    #[error(
        "{} has `{branch}` checked out, so nothing can be merged into it. Fix: check out another branch there; or set `git -C {} config receive.denyCurrentBranch updateInstead`; or make a bare copy with `git clone --bare` and add that; or add it with --no-remote, as a copy of its own",
        path.display(), path.display()
    )]
    CheckedOut { path: PathBuf, branch: String },
    #[error(
        "{url} has no commits yet: push a first one, or leave the URL out for a rig of its own"
    )]
    Empty { url: String },
    #[error("{url} has no branch `{branch}`")]
    NoBranch { url: String, branch: String },
    /// The repository needs a program that is not installed.
    #[error("{url} uses {what}, which is not installed: nothing was added")]
    Unsupported { url: String, what: &'static str },
    #[error("cannot write {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("rig `{rig}` has running sessions ({}): stop them first", sessions.join(", "))]
    Running { rig: String, sessions: Vec<String> },
}

/// Builds the bead of an idle agent.
pub(crate) fn build_agent_bead(agent: &Address, prefix: &str) -> Bead {
    let role = agent.role();
    let rig = agent.rig().unwrap_or("");
    let title = match agent.name() {
        Some(name) => format!("{role} {name} of {rig}"),
        None => format!("{role} of {rig}"),
    };
    Bead {
        id: agent.bead_id(prefix),
        title,
        issue_type: Kind::Agent,
        labels: vec!["gt:agent".to_owned(), format!("role_type:{role}")],
        role_type: role.to_owned(),
        rig: rig.to_owned(),
        agent_state: "idle".to_owned(),
        description: format!("role_type: {role}\nrig: {rig}\nagent_state: idle"),
        ..Bead::default()
    }
}

#[cfg(test)]
mod tests;
