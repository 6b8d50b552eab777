//! Removes a crew member.
//!
//! 1. Refuse while the session runs or a bead is on the hook.
//! 2. Refuse if the clone has work that is nowhere else, unless forced. Then the clone is moved to
//!    `crew/.removed/`, and also if it has ignored files. Otherwise it is deleted.
//! 3. Close the member's bead.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use bd::change;
use bd::git::Git;
use serde::Serialize;

use super::{check_at_rest, member_address};
use crate::flow::place::desk;
use crate::flow::place::unsaved::{UnsavedWork, find_unsaved_work};
use crate::host::LiveTown;
use crate::town::Rig;

#[derive(Debug, Clone, Serialize)]
pub struct RemovedMember {
    pub name: String,
    pub rig: String,
    /// The place of the clone, if it had work that is nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<PathBuf>,
}

/// Removes a member and its clone.
pub fn remove_member(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
    force: bool,
) -> anyhow::Result<RemovedMember> {
    let address = member_address(rig, name);
    check_at_rest(town, &address)?;
    let path = rig.crew(name);
    let git = Git::at(&path);
    let (ignored, unsaved): (Vec<_>, Vec<_>) = find_unsaved_work(rig, &git, None)?
        .into_iter()
        .partition(|work| matches!(work, UnsavedWork::IgnoredFiles { .. }));
    let reasons: Vec<String> = unsaved.iter().map(ToString::to_string).collect();
    anyhow::ensure!(
        force || reasons.is_empty(),
        "the clone of {address} has work that is nowhere else: {}; push it, or give --force to move the clone aside",
        reasons.join(", ")
    );
    // A desk that cannot be cleared keeps no clone from being removed.
    desk::clear_desk(rig, &path).ok();
    let is_empty = unsaved.is_empty() && ignored.is_empty() && !git.has_ignored_files()?;
    let moved_to = if is_empty {
        fs::remove_dir_all(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        None
    } else {
        let stamp = town.clock.now().as_millisecond();
        let aside = rig.removed_crew().join(format!("{name}-{stamp}"));
        fs::create_dir_all(rig.removed_crew())?;
        fs::rename(&path, &aside)
            .with_context(|| format!("cannot move {} to {}", path.display(), aside.display()))?;
        Some(aside)
    };
    close_member_bead(rig, name, "removed")?;
    Ok(RemovedMember {
        name: name.to_owned(),
        rig: rig.name().to_owned(),
        moved_to,
    })
}

/// Closes the bead of a member.
pub(super) fn close_member_bead(rig: &Rig, name: &str, reason: &str) -> anyhow::Result<()> {
    let store = rig.store()?;
    let id = member_address(rig, name).bead_id(&rig.prefix());
    rig.transact(&store, |tx| {
        if let Some(mut bead) = tx.get(&id).filter(|bead| bead.is_open()).cloned() {
            change::mark_closed(&mut bead, reason, &tx.now());
            tx.put(bead)?;
        }
        Ok(())
    })
}
