//! Manages crew: persistent workers that a user directs, each with a full clone of its own.
//!
//! Adding never touches an existing clone. When a session ends, its uncommitted work is also saved
//! to a hidden ref.

mod add;
mod pristine;
mod remove;
mod rename;
mod status;
mod stop;

pub use add::{AddedMember, CrewError, add_member};
pub use pristine::{UpdatedClone, update_clone};
pub use remove::{RemovedMember, remove_member};
pub use rename::{RenamedMember, rename_member};
pub use status::{CrewStatus, read_member_status};
pub use stop::{save_uncommitted, stop_member};

use bd::git::Git;
use kit::json::serialize_or_empty;
use serde::Serialize;
use std::fs;
use std::path::PathBuf;

use crate::host::{LiveSession, LiveTown};
use crate::record::hook;
use crate::record::polecat::Slot;
use crate::town::identity::{Address, SessionName};
use crate::town::{Rig, RigLayout, Town};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CrewMember {
    pub name: String,
    pub rig: String,
    /// The branch that is checked out.
    #[serde(serialize_with = "serialize_or_empty")]
    pub branch: Option<String>,
    pub path: PathBuf,
    pub has_session: bool,
    /// True if the clone has no uncommitted work.
    pub git_clean: bool,
}

/// Returns the names of a rig's crew, sorted.
pub fn list_member_names(rig: &RigLayout) -> Vec<String> {
    let entries = fs::read_dir(rig.crew_folder())
        .into_iter()
        .flatten()
        .flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join(".git").exists())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Returns the crew of a rig, sorted by name.
pub fn list_members(rig: &RigLayout, sessions: &[LiveSession]) -> Vec<CrewMember> {
    list_member_names(rig)
        .into_iter()
        .map(|name| read_member(rig, name, sessions))
        .collect()
}

fn read_member(rig: &RigLayout, name: String, sessions: &[LiveSession]) -> CrewMember {
    let path = rig.crew(&name);
    let git = Git::at(&path);
    let session = SessionName::for_agent(&member_address(rig, &name));
    CrewMember {
        rig: rig.name().to_owned(),
        branch: git.head_branch().ok().flatten(),
        has_session: session.is_some_and(|session| {
            sessions
                .iter()
                .any(|live| live.name == session.as_str() && live.dead.is_none())
        }),
        git_clean: git.status().is_ok_and(|changes| changes.is_empty()),
        name,
        path,
    }
}

/// Refuses a change of a member whose session runs or who has a bead on the hook.
fn check_at_rest(town: &LiveTown, address: &Address) -> anyhow::Result<()> {
    if let Some(session) = SessionName::for_agent(address)
        && town.host.find_session(session.as_str())?.is_some()
    {
        anyhow::bail!(
            "the session of {address} runs; end it first: gt crew stop {}",
            address.mailbox()
        );
    }
    let stores = town.read_stores()?;
    if let Some(bead) = hook::hooked_bead_of(&stores, address, &Slot::default()) {
        anyhow::bail!(
            "{} is on the hook of {address}; take it off first: gt unsling {}",
            bead.id,
            bead.id
        );
    }
    Ok(())
}

/// Returns true for the names that members can have, of older towns too, and never for a path.
fn is_member_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

pub fn member_address(rig: &RigLayout, name: &str) -> Address {
    Address::Crew(rig.name().to_owned(), name.to_owned())
}

/// Returns the rig and the name of an existing member. `text` is a name in `rig`, or
/// `<rig>/<name>`.
pub fn find_member<'t>(
    town: &'t Town,
    rig: Option<&Rig<'t>>,
    text: &str,
) -> anyhow::Result<(Rig<'t>, String)> {
    let text = text.replace("/crew/", "/");
    let (rig, name) = match (text.split_once('/'), rig) {
        (Some((rig, name)), _) => (town.find_rig(rig)?, name.to_owned()),
        (None, Some(rig)) => (rig.clone(), text.clone()),
        (None, None) => {
            let all = town.list_rigs()?;
            let mut known: Vec<Rig> = all
                .into_iter()
                .filter(|rig| is_member_name(&text) && rig.crew(&text).join(".git").exists())
                .collect();
            if known.len() > 1 {
                let rigs = known.iter().map(|rig| rig.name().to_owned()).collect();
                return Err(CrewError::Ambiguous { name: text, rigs }.into());
            }
            match known.pop() {
                Some(rig) => (rig, text.clone()),
                None => return Err(CrewError::Unknown { name: text }.into()),
            }
        }
    };
    if is_member_name(&name) && rig.crew(&name).join(".git").exists() {
        return Ok((rig, name));
    }
    let name = format!("{}/{name}", rig.name());
    Err(CrewError::Unknown { name }.into())
}

#[cfg(test)]
mod tests;
