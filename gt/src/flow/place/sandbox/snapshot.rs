//! Saves a polecat's uncommitted work to a hidden ref when a session ends, so that a crash does not
//! lose it.

use std::collections::{BTreeMap, BTreeSet};

use bd::git::rescue::{BigFilePolicy, SavedRescue};
use bd::git::{Git, GitError, Identity};

use crate::record::polecat::Slot;
use crate::town::Rig;

/// The number of snapshots per lease.
const MAX_SNAPSHOTS: usize = 3;

/// The number of leases with snapshots.
const MAX_LEASES: usize = 2;

/// Saves the uncommitted files of a polecat's sandbox to
/// `refs/gt/snap/<rig>/polecats/<name>/<lease>-<n>`, and keeps the last three snapshots of each of
/// the last two leases. Saves nothing for a clean or missing sandbox, or one that is being added.
pub fn save_snapshot(rig: &Rig, name: &str, slot: &Slot) -> Result<Option<SavedRescue>, GitError> {
    let sandbox = rig.sandbox(name);
    if !sandbox.join(".git").exists() || super::adding_mark(rig, name).exists() {
        return Ok(None);
    }
    super::far::refresh_copy(rig, name, slot);
    save_copy(rig, name, slot)
}

/// Saves the uncommitted files of the town's copy of a sandbox in the same way.
pub(crate) fn save_copy(
    rig: &Rig,
    name: &str,
    slot: &Slot,
) -> Result<Option<SavedRescue>, GitError> {
    let git = rig.sandbox_git(name)?;
    if !git.has_unsaved_files()? {
        return Ok(None);
    }
    let folder = format!("refs/gt/snap/{}/polecats/{name}", rig.name());
    let stamp = rig.town().clock.now().as_millisecond();
    let reference = format!("{folder}/{}-{stamp}", slot.lease);
    let author = Identity {
        name: format!("{}/polecats/{name}", rig.name()),
        email: rig
            .town()
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
    let saved =
        bd::git::rescue::save_rescue(&git, &reference, &message, &author, BigFilePolicy::Leave)?;
    drop_old_snapshots(&git, &folder)?;
    Ok(saved)
}

/// Drops all but the last snapshots of the last leases.
fn drop_old_snapshots(git: &Git, folder: &str) -> Result<(), GitError> {
    let all = bd::git::rescue::list_rescues(git, folder)?;
    let names: Vec<&str> = all.iter().map(|saved| saved.refname.as_str()).collect();
    let kept = choose_kept_snapshots(&names);
    for old in &all {
        if !kept.contains(old.refname.as_str()) {
            git.delete_ref(&old.refname, &old.commit)?;
        }
    }
    Ok(())
}

/// Parses the lease and the time, in milliseconds, in the name of a snapshot.
pub(super) fn parse_snapshot_name(name: &str) -> Option<(u64, i64)> {
    let (lease, at) = name.rsplit('/').next()?.split_once('-')?;
    Some((lease.parse().ok()?, at.parse().ok()?))
}

/// Returns the snapshots to keep, by their `<lease>-<time>`. A name of another form is kept.
fn choose_kept_snapshots<'a>(names: &[&'a str]) -> BTreeSet<&'a str> {
    let mut kept = BTreeSet::new();
    let mut leases: BTreeMap<u64, Vec<(i64, &str)>> = BTreeMap::new();
    for name in names {
        match parse_snapshot_name(name) {
            Some((lease, at)) => leases.entry(lease).or_default().push((at, name)),
            None => {
                kept.insert(*name);
            }
        }
    }
    for (_, mut of_lease) in leases.into_iter().rev().take(MAX_LEASES) {
        of_lease.sort_unstable();
        kept.extend(
            of_lease
                .iter()
                .rev()
                .take(MAX_SNAPSHOTS)
                .map(|(_, name)| *name),
        );
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_three_snapshots_of_the_last_two_leases_are_kept() {
        let names = [
            "s/2-1", "s/9-1", "s/9-2", "s/9-3", "s/9-10", "s/10-7", "s/other",
        ];
        let expected = ["s/9-2", "s/9-3", "s/9-10", "s/10-7", "s/other"];
        assert_eq!(choose_kept_snapshots(&names), BTreeSet::from(expected));
    }
}
