//! Reads the state of one crew member: clone, session, mail.

use std::path::PathBuf;

use bd::git::{ChangeKind, Git};
use kit::json::serialize_or_empty;
use serde::Serialize;

use super::member_address;
use crate::host::LiveTown;
use crate::record::mail;
use crate::town::Rig;
use crate::town::identity::SessionName;

#[derive(Debug, Clone, Serialize)]
pub struct CrewStatus {
    pub name: String,
    pub rig: String,
    pub path: PathBuf,
    /// The branch that is checked out.
    #[serde(serialize_with = "serialize_or_empty")]
    pub branch: Option<String>,
    pub has_session: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    pub git_clean: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub git_modified: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub git_untracked: Vec<String>,
    /// The number of messages in the inbox.
    pub mail_total: usize,
    pub mail_unread: usize,
}

/// Reads the state of a member.
pub fn read_member_status(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<CrewStatus> {
    let address = member_address(rig, name);
    let path = rig.crew(name);
    let git = Git::at(&path);
    let (untracked, modified): (Vec<_>, Vec<_>) = git
        .status()?
        .into_iter()
        .partition(|change| change.kind == ChangeKind::Untracked);
    let [git_modified, git_untracked] = [modified, untracked].map(|changes| {
        changes
            .iter()
            .map(bd::git::FileChange::display_path)
            .collect::<Vec<String>>()
    });
    let beads = town.open_town_store()?.snapshot()?;
    let mailbox = address.mailbox();
    let live = match SessionName::for_agent(&address) {
        Some(session) => town
            .host
            .find_session(session.as_str())?
            .filter(|live| live.dead.is_none()),
        None => None,
    };
    Ok(CrewStatus {
        name: name.to_owned(),
        rig: rig.name().to_owned(),
        branch: git.head_branch()?,
        has_session: live.is_some(),
        session_id: live.map(|live| live.name),
        git_clean: git_untracked.is_empty() && git_modified.is_empty(),
        git_modified,
        git_untracked,
        mail_total: mail::list_inbox(&beads, &mailbox).len(),
        mail_unread: mail::count_unread(&beads, &mailbox),
        path,
    })
}
