//! Saves a polecat's uncommitted work to a hidden ref when a session ends, so that no crash loses it.

use bd::git::rescue::{Big, Saved};
use bd::git::{Git, GitError, Identity};

use super::Slot;
use crate::town::{RigLayout, Town};

/// Snapshots kept a lease.
const KEPT: usize = 3;

/// Saves the dirty tree of a polecat's sandbox to `refs/gt/snap/<rig>/polecats/<name>/<lease>-<n>`, the
/// last three a lease. A clean or missing sandbox saves nothing.
pub fn snapshot(
    town: &Town,
    rig: &RigLayout,
    name: &str,
    slot: &Slot,
) -> Result<Option<Saved>, GitError> {
    let sandbox = rig.sandbox(name);
    if !sandbox.join(".git").exists() {
        return Ok(None);
    }
    let git = Git::at(&sandbox);
    if git.status()?.is_empty() {
        return Ok(None);
    }
    let folder = format!("refs/gt/snap/{}/polecats/{name}", rig.name());
    let stamp = town.clock.now().as_millisecond();
    let reference = format!("{folder}/{}-{stamp}", slot.lease);
    let author = Identity {
        name: format!("{}/polecats/{name}", rig.name()),
        email: town
            .env
            .get("GIT_AUTHOR_EMAIL")
            .unwrap_or("polecat@gastown.local")
            .to_owned(),
    };
    let message = format!(
        "Uncommitted work of {}/polecats/{name} on {}",
        rig.name(),
        slot.bead
    );
    let saved = bd::git::rescue::save(&git, &reference, &message, &author, Big::Leave)?;
    forget_older(&git, &folder, &format!("{folder}/{}-", slot.lease))?;
    Ok(saved)
}

/// Drops all but the last snapshots of a lease.
fn forget_older(git: &Git, folder: &str, prefix: &str) -> Result<(), GitError> {
    let mut kept = bd::git::rescue::list(git, folder)?;
    kept.retain(|saved| saved.refname.starts_with(prefix));
    kept.sort_by(|a, b| a.refname.cmp(&b.refname));
    let surplus = kept.len().saturating_sub(KEPT);
    for old in kept.into_iter().take(surplus) {
        git.delete_ref(&old.refname, &old.commit)?;
    }
    Ok(())
}
