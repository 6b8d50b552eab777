//! Pushes the commits of unfinished work to the remote, so that a dead disk costs only minutes of
//! work.
//!
//! 1. The worker still has the bead, under the same lease, and its branch has commits of its own.
//! 2. The remote branch is missing, at the last pushed commit, or at an ancestor: no commit of
//!    anyone else is replaced.
//! 3. The commit is pushed with that state as its lease, without the repository's own hooks.
//! 4. If the worker submitted its work in the meantime, the branch is restored to the state that
//!    `gt done` requires.
//!
//! A refusal is recorded once. Uncommitted files stay on this machine: they may hold secrets.

use bd::git::{Git, PushError, PushLease, PushRefusal};

use crate::flow::place::rig::check_remote;
use crate::record::polecat::{PolecatIds, Slot};
use crate::record::progress;
use crate::record::pushed::PushRecord;
use crate::town::Rig;
use crate::town::event::event;

/// Pushes the commits of a worker's unfinished work. Returns `None` if the remote has them all.
pub fn push_unfinished(rig: &Rig, name: &str) -> anyhow::Result<Option<String>> {
    let ids = PolecatIds::for_polecat(rig, name);
    let beads = rig.store()?.snapshot()?;
    let slot = Slot::load(&beads, &ids.slot);
    if slot.reload_held(&beads, &ids).is_err() || slot.branch.is_empty() {
        return Ok(None);
    }
    let recorded = PushRecord::load(rig, name);
    let last = if recorded.branch == *slot.branch {
        recorded
    } else {
        PushRecord::default()
    };
    let git = rig.git();
    // Read first, so that a later commit is pushed the next time.
    let committed = progress::last_commit_of_worker(rig, name);
    // Takes the worker's commits over. A sandbox that cannot be read has a message of its own.
    rig.sandbox_git(name).ok();
    let tip = git.resolve(&format!("refs/heads/{}", &*slot.branch))?;
    let looked = PushRecord {
        branch: slot.branch.to_string(),
        tip: last.tip.clone(),
        at: Some(rig.town().clock.now()),
        committed,
        refused: None,
        refused_since: None,
    };
    let tip = tip
        .filter(|tip| *tip != slot.base && *tip != last.tip && check_remote(rig).unwrap_or(false));
    let Some(tip) = tip else {
        looked.save(rig, name)?;
        return Ok(None);
    };
    let refused = match push_with_lease(&git, &slot, &tip, &last.tip) {
        Ok(()) => {
            PushRecord {
                tip: tip.clone(),
                ..looked
            }
            .save(rig, name)?;
            return restore_branch(rig, &ids, &slot, &tip);
        }
        // Someone pushed in the meantime, usually the worker itself in `gt done`. The next pass
        // decides.
        Err(PushError::Refused(PushRefusal::Stale)) if last.refused.is_none() => None,
        Err(refusal) => Some(refusal.to_string()),
    };
    if let Some(refused) = &refused
        && last.refused.as_ref() != Some(refused)
    {
        rig.town().record_event(&event!(PushRefused,
            rig: rig.name(), polecat: name, bead: slot.bead.as_str(), branch: &*slot.branch, reason: refused.as_str(),
        ));
    }
    let refused_since = refused
        .is_some()
        .then(|| {
            last.refused_since
                .or(last.at.filter(|_| last.refused.is_some()))
                .or(looked.at)
        })
        .flatten();
    PushRecord {
        refused,
        refused_since,
        ..looked
    }
    .save(rig, name)?;
    Ok(None)
}

/// Pushes the commit, with the replaceable remote state as its lease.
fn push_with_lease(git: &Git, slot: &Slot, tip: &str, last: &str) -> Result<(), PushError> {
    let seen = git.ls_remote("origin", &slot.branch)?;
    let lease = match seen.as_deref() {
        None => PushLease::Absent,
        Some(seen) if seen == tip => return Ok(()),
        Some(seen) if seen == last => PushLease::At(seen),
        // A commit that the repository does not have is none of this worker's.
        Some(seen) if matches!(git.is_ancestor(seen, tip), Ok(true)) => PushLease::At(seen),
        Some(seen) => {
            let reason = format!("it has {seen:.12} there, which this worker did not push");
            return Err(PushRefusal::Declined(reason).into());
        }
    };
    git.push("origin", tip, &slot.branch, lease, false)
}

/// Restores the branch if it was pushed again after its request was merged or its bead was taken
/// away.
fn restore_branch(
    rig: &Rig,
    ids: &PolecatIds,
    slot: &Slot,
    tip: &str,
) -> anyhow::Result<Option<String>> {
    let beads = rig.store()?.snapshot()?;
    if slot.reload_held(&beads, ids).is_err()
        && beads.get(&slot.bead).is_some_and(|bead| !bead.is_open())
    {
        let git = rig.git();
        git.delete_remote_branch("origin", &slot.branch, tip)?;
        return Ok(None);
    }
    Ok(Some(format!("{tip:.12} is on {} of origin", &*slot.branch)))
}
