//! Owns rigs: a repository that the town works on, with its beads and its workers' folders.
//!
//! [`add()`] makes a rig and [`remove()`] takes it off the town's list.

mod add;
mod name;
mod origin;
mod remove;
mod route;

pub use add::{AddRigReport, AddRigRequest, add_rig};
pub use name::{check_rig_name, derive_prefix};
pub use remove::{RemoveRigReport, remove_rig};

use std::path::PathBuf;

use bd::bead::{Bead, Kind};

use crate::town::identity::Address;

/// Why a rig was not added or removed.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// The name cannot be a rig's.
    #[error("`{name}` cannot be a rig's name: {reason}; try `{suggestion}`")]
    BadName {
        /// What was given.
        name: String,
        /// Why not.
        reason: &'static str,
        /// One that can.
        suggestion: String,
    },
    /// A rig or a folder of that name is there.
    #[error("`{name}` is taken: {} is there already: choose another name", path.display())]
    Taken {
        /// The name.
        name: String,
        /// What is there.
        path: PathBuf,
    },
    /// The prefix is not one.
    #[error(
        "`{prefix}` cannot be a prefix: it begins with a letter and has up to 20 letters, digits and -"
    )]
    BadPrefix {
        /// What was given.
        prefix: String,
    },
    /// Another rig has the prefix.
    #[error("the prefix `{prefix}` belongs to {owner} already: choose another with --prefix")]
    PrefixTaken {
        /// The prefix.
        prefix: String,
        /// Where it leads.
        owner: String,
    },
    /// The repository tracks beads with another prefix.
    #[error(
        "the repository's own beads have the prefix `{tracked}`, not `{given}`: leave --prefix out"
    )]
    PrefixDiffers {
        /// What was given.
        given: String,
        /// What the repository says.
        tracked: String,
    },
    /// Nobody can push to the branch, because it is checked out there.
    #[error(
        "{} has `{branch}` checked out, so nothing can be merged into it. Fix: check out another branch there; or set `git -C {} config receive.denyCurrentBranch updateInstead`; or make a bare copy with `git clone --bare` and add that; or add it with --no-remote, as a copy of its own",
        path.display(), path.display()
    )]
    CheckedOut {
        /// The repository.
        path: PathBuf,
        /// The branch.
        branch: String,
    },
    /// The repository has no commits.
    #[error(
        "{url} has no commits yet: push a first one, or leave the URL out for a rig of its own"
    )]
    Empty {
        /// The repository.
        url: String,
    },
    /// The branch is not there.
    #[error("{url} has no branch `{branch}`")]
    NoBranch {
        /// The repository.
        url: String,
        /// What was asked for.
        branch: String,
    },
    /// The repository needs something that sandboxes do not have yet.
    #[error("{url} uses {what}, which sandboxes do not support yet: nothing was added")]
    Unsupported {
        /// The repository.
        url: String,
        /// What it uses.
        what: &'static str,
    },
    /// A file or folder could not be written.
    #[error("cannot write {}", path.display())]
    Io {
        /// It.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The rig has running sessions.
    #[error("rig `{rig}` has running sessions ({}): stop them first", sessions.join(", "))]
    Running {
        /// The rig.
        rig: String,
        /// They.
        sessions: Vec<String>,
    },
}

/// The bead of an agent that does nothing yet.
pub(crate) fn build_agent_bead(agent: &Address, prefix: &str) -> Bead {
    let (role, rig) = (agent.role(), agent.rig().unwrap_or_default());
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
