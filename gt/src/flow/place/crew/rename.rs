//! Renames a crew member: its folder and its bead. Mail to the old name stays where it is.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;

use super::add::{check_new_name, create_member_bead};
use super::remove::close_member_bead;
use super::{check_at_rest, member_address};
use crate::host::LiveTown;
use crate::record::mail;
use crate::town::Rig;

#[derive(Debug, Clone, Serialize)]
pub struct RenamedMember {
    pub rig: String,
    pub old: String,
    pub new: String,
    pub path: PathBuf,
    /// The number of unread messages to the old name.
    pub unread_mail: usize,
}

/// Renames a member whose session does not run and who has no bead on the hook.
pub fn rename_member(
    town: &LiveTown,
    rig: &Rig,
    old: &str,
    new: &str,
) -> anyhow::Result<RenamedMember> {
    check_at_rest(town, &member_address(rig, old))?;
    check_new_name(rig, new)?;
    let from = rig.crew(old);
    let path = rig.crew(new);
    fs::rename(&from, &path)
        .with_context(|| format!("cannot rename {} to {}", from.display(), path.display()))?;
    create_member_bead(rig, new)?;
    close_member_bead(rig, old, &format!("renamed to {new}"))?;
    let beads = town.open_town_store()?.snapshot()?;
    Ok(RenamedMember {
        rig: rig.name().to_owned(),
        old: old.to_owned(),
        new: new.to_owned(),
        unread_mail: mail::count_unread(&beads, &member_address(rig, old).mailbox()),
        path,
    })
}
