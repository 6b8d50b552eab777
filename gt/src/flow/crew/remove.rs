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
use kit::ui::counted;
use serde::Serialize;

use super::{check_at_rest, member_address};
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
    let unsaved = find_unsaved_work(&Git::at(&path))?;
    anyhow::ensure!(
        force || unsaved.is_empty(),
        "the clone of {address} has work that is nowhere else: {}; push it, or give --force to move the clone aside",
        unsaved.join(", ")
    );
    let moved_to = if unsaved.is_empty() && !has_ignored_files(&Git::at(&path))? {
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

/// Returns true if a clone has files that its `.gitignore` names, such as settings with secrets.
/// The town's own files are in `info/exclude`.
fn has_ignored_files(git: &Git) -> anyhow::Result<bool> {
    let list = [
        "ls-files",
        "--others",
        "--ignored",
        "--exclude-per-directory=.gitignore",
        "--directory",
    ];
    Ok(!git.plumbing(list).text()?.trim().is_empty())
}

/// Describes what a clone has that no remote has: files, commits of branches, tags and snapshots.
fn find_unsaved_work(git: &Git) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let files = git.status()?.len();
    if files > 0 {
        found.push(counted(files, "uncommitted file"));
    }
    let local = ["rev-list", "--count", "HEAD", "--all", "--not", "--remotes"];
    let commits: usize = git.plumbing(local).text()?.parse()?;
    if commits > 0 {
        found.push(format!("{} on no remote", counted(commits, "commit")));
    }
    let stashes = git.stashes()?.len();
    if stashes > 0 {
        found.push(counted(stashes, "stashed change"));
    }
    let inner = git.inner_repositories()?.len();
    if inner > 0 {
        found.push(format!("{inner} git repositories of their own"));
    }
    Ok(found)
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
