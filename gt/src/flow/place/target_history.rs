//! Remembers the tips of the branches that the queue merges to, and notices at each fetch if one
//! was moved back or deleted.
//!
//! `refs/gt/target/<branch>` is the last seen tip of a target. If the branch is no longer a
//! descendant of it, that tip goes to `refs/gt/dropped/<branch>/<tip>`: its commits stay in the
//! repository, and what left the target is known. Merged work among them becomes a
//! [`TargetLoss`], unless a target holds its change in other commits. So do commits that a worker
//! pushed to a target past the queue.

use std::collections::HashSet;
use std::time::Duration;

use bd::bead::Bead;
use bd::git::{CommitInfo, Containment, Git, GitError};

use crate::flow::place::worker_push;
use crate::record::merge_request;
use crate::town::Rig;
use crate::town::config;
use crate::town::event::event;
use crate::town::lock::Lock;
use crate::town::target_loss::{LossEnding, LostMerge, TargetLoss};

const TARGET_FOLDER: &str = "refs/gt/target/";
const DROPPED_FOLDER: &str = "refs/gt/dropped/";

/// The time that a change of the losses waits for another one.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// Begins to watch a branch to which the queue merges.
pub(crate) fn watch_target(git: &Git, branch: &str, tip: &str) -> Result<(), GitError> {
    let name = format!("{TARGET_FOLDER}{branch}");
    match git.resolve(&name)? {
        Some(_) => Ok(()),
        None => match git.update_ref(&name, tip, None) {
            // Another process has begun in the meantime.
            Err(_) if git.resolve(&name)?.is_some() => Ok(()),
            begun => begun,
        },
    }
}

/// Begins to watch a branch at its tip, as last fetched.
pub(crate) fn watch_fetched_target(git: &Git, branch: &str) -> Result<(), GitError> {
    match find_tip(git, branch)? {
        Some(tip) => watch_target(git, branch, &tip),
        None => Ok(()),
    }
}

/// Ends the watch over a branch that the town is about to remove.
pub(crate) fn forget_target(git: &Git, branch: &str) -> Result<(), GitError> {
    let name = format!("{TARGET_FOLDER}{branch}");
    match git.resolve(&name)? {
        Some(tip) => git.delete_ref(&name, &tip),
        None => Ok(()),
    }
}

/// Compares each watched target with its last seen tip, after a fetch.
pub(crate) fn check_targets(rig: &Rig) -> anyhow::Result<()> {
    let git = rig.git();
    for (name, seen) in git.refs_below(TARGET_FOLDER)? {
        let Some(branch) = name.strip_prefix(TARGET_FOLDER) else {
            continue;
        };
        let tip = find_tip(&git, branch)?;
        match &tip {
            Some(tip) if *tip == seen => continue,
            Some(tip) if git.is_ancestor(&seen, tip)? => {}
            _ => record_drop(rig, &git, branch, &seen, tip.as_deref())?,
        }
        if let Some(tip) = &tip {
            record_pushes(rig, &git, branch, &seen, tip)?;
        }
        note_tip(&git, &name, &seen, tip.as_deref())?;
    }
    end_returned_losses(rig, &git)
}

/// Replaces the tip that was seen last.
fn note_tip(git: &Git, name: &str, seen: &str, tip: Option<&str>) -> Result<(), GitError> {
    let noted = match tip {
        Some(tip) => git.update_ref(name, tip, Some(seen)),
        None => git.delete_ref(name, seen),
    };
    match noted {
        // Another process has noticed the change in the meantime.
        Err(_) if git.resolve(name)?.as_deref() != Some(seen) => Ok(()),
        noted => noted,
    }
}

/// Returns true if a target, as last fetched, holds the work of a merged request.
pub(crate) fn is_work_on_target(rig: &Rig, request: &Bead, target: &str) -> anyhow::Result<bool> {
    let git = rig.git();
    let Some(tip) = find_tip(&git, target)? else {
        return Ok(false);
    };
    if let Some(commit) = merge_request::commit_with_work(request)
        && git.resolve(&commit)?.is_some()
        && git.is_ancestor(&commit, &tip)?
    {
        return Ok(true);
    }
    Ok(holds_change(
        &git,
        &merge_request::receipt_of(request),
        &tip,
    )?)
}

/// Returns the tip of a branch, as last fetched.
fn find_tip(git: &Git, branch: &str) -> Result<Option<String>, GitError> {
    let has_remote = git.remote_url("origin")?.is_some();
    let namespace = if has_remote {
        "remotes/origin"
    } else {
        "heads"
    };
    git.resolve(&format!("refs/{namespace}/{branch}"))
}

/// Keeps the tip that a target had, and records the merged work that is lost with it.
fn record_drop(
    rig: &Rig,
    git: &Git,
    branch: &str,
    old_tip: &str,
    new_tip: Option<&str>,
) -> anyhow::Result<()> {
    let dropped = format!("{DROPPED_FOLDER}{branch}/{old_tip}");
    if git.resolve(&dropped)?.is_none() {
        git.update_ref(&dropped, old_tip, None)?;
    }
    let merges = find_lost_merges(rig, git, branch, old_tip, new_tip)?;
    if merges.is_empty() {
        return Ok(());
    }
    let loss = TargetLoss {
        not_restored: None,
        pushed: Vec::new(),
        repository: None,
        target: branch.to_owned(),
        old_tip: old_tip.to_owned(),
        new_tip: new_tip.map(str::to_owned),
        noticed_at: rig.town().clock.now(),
        merges,
        ending: None,
    };
    let is_new = change_losses(rig, |losses| {
        let is_known = losses.iter().any(|known| {
            known.is_open()
                && known.pushed.is_empty()
                && known.target == branch
                && known.old_tip == old_tip
        });
        if !is_known {
            losses.push(loss.clone());
        }
        !is_known
    })?;
    if is_new {
        rig.town().record_event(&event!(MergesLost,
            rig: rig.name(), target: branch, beads: loss.list_beads(), reason: loss.describe(),
        ));
    }
    Ok(())
}

/// Records the commits that workers pushed to a target past the queue: one record for each target,
/// until a user accepts it.
fn record_pushes(
    rig: &Rig,
    git: &Git,
    branch: &str,
    old_tip: &str,
    new_tip: &str,
) -> anyhow::Result<()> {
    let pushed = worker_push::find_worker_pushes(rig, git, branch, old_tip, new_tip)?;
    if pushed.is_empty() {
        return Ok(());
    }
    let mut fresh = TargetLoss {
        target: branch.to_owned(),
        old_tip: old_tip.to_owned(),
        new_tip: None,
        noticed_at: rig.town().clock.now(),
        merges: Vec::new(),
        pushed: Vec::new(),
        repository: Some(rig.repo()),
        not_restored: None,
        ending: None,
    };
    fresh.add_pushed(&pushed, new_tip);
    let is_new = change_losses(rig, |losses| {
        let open = losses
            .iter_mut()
            .find(|known| known.is_open() && !known.pushed.is_empty() && known.target == branch);
        match open {
            Some(open) => open.add_pushed(&pushed, new_tip),
            None => {
                losses.push(fresh.clone());
                true
            }
        }
    })?;
    if !is_new {
        // Another process has noticed the same push.
        return Ok(());
    }
    rig.town().record_event(&event!(TargetPushed,
        rig: rig.name(), target: branch, workers: fresh.list_pushers(), reason: fresh.describe(),
    ));
    Ok(())
}

/// Returns the merges whose commits the old tip of a branch had, and whose change is on no target
/// now.
fn find_lost_merges(
    rig: &Rig,
    git: &Git,
    branch: &str,
    old_tip: &str,
    new_tip: Option<&str>,
) -> anyhow::Result<Vec<LostMerge>> {
    let main = find_tip(git, &config::target_branch_of(rig)?)?;
    let mut holders: Vec<&str> = Vec::new();
    for tip in [new_tip, main.as_deref()].into_iter().flatten() {
        if !holders.contains(&tip) {
            holders.push(tip);
        }
    }
    let listed = git.plumbing(["rev-list", old_tip, "--not"]);
    let listed = listed.args(&holders).text()?;
    let lost: HashSet<&str> = listed.lines().collect();
    let beads = rig.store()?.snapshot()?;
    let mut merges = Vec::new();
    for request in merge_request::requests_closed_since(&beads, jiff::Timestamp::MIN) {
        let receipt = merge_request::receipt_of(request);
        let Some(commit) = merge_request::commit_with_work(request) else {
            continue;
        };
        if receipt.target != branch || !lost.contains(commit.as_str()) {
            continue;
        }
        let mut is_elsewhere = false;
        for holder in &holders {
            is_elsewhere |= holds_change(git, &receipt, holder)?;
        }
        if !is_elsewhere {
            merges.push(LostMerge {
                request: request.id.clone(),
                bead: merge_request::source_bead_of(request),
                commit,
            });
        }
    }
    Ok(merges)
}

/// Returns true if a commit's tree holds the whole change of a receipt.
fn holds_change(
    git: &Git,
    receipt: &merge_request::Receipt,
    commit: &str,
) -> Result<bool, GitError> {
    for known in [&receipt.base, &receipt.tip] {
        if known.is_empty() || git.resolve(known)?.is_none() {
            return Ok(false);
        }
    }
    let containment = git.contains_change(&receipt.base, &receipt.tip, commit)?;
    Ok(containment == Containment::All)
}

/// Ends the losses whose commits are on their target again, and the records of pushes past the queue
/// whose commits are gone.
fn end_returned_losses(rig: &Rig, git: &Git) -> anyhow::Result<()> {
    let mut returned = Vec::new();
    for loss in TargetLoss::load(rig)?
        .into_iter()
        .filter(TargetLoss::is_open)
    {
        let Some(tip) = find_tip(git, &loss.target)? else {
            continue;
        };
        let mut is_returned = true;
        for merge in &loss.merges {
            is_returned &= git.is_ancestor(&merge.commit, &tip)?;
        }
        for one in &loss.pushed {
            let is_there = git.resolve(&one.commit)?.is_some();
            is_returned &= !(is_there && git.is_ancestor(&one.commit, &tip)?);
        }
        if is_returned {
            returned.push(loss);
        }
    }
    if returned.is_empty() {
        return Ok(());
    }
    end_losses(rig, LossEnding::Returned, |loss| returned.contains(loss)).map(drop)
}

/// Ends the open losses of a rig that `is_meant` selects, and returns them.
pub(crate) fn end_losses(
    rig: &Rig,
    ending: LossEnding,
    is_meant: impl Fn(&TargetLoss) -> bool,
) -> anyhow::Result<Vec<TargetLoss>> {
    change_losses(rig, |losses| {
        let mut ended = Vec::new();
        for loss in losses
            .iter_mut()
            .filter(|loss| loss.is_open() && is_meant(loss))
        {
            loss.ending = Some(ending);
            ended.push(loss.clone());
        }
        ended
    })
}

/// Ends an open loss after a restore, but for the merges whose work cannot come back, with the
/// reason.
pub(crate) fn record_restore(
    rig: &Rig,
    loss: &TargetLoss,
    skipped: &[LostMerge],
    reason: &str,
) -> anyhow::Result<()> {
    change_losses(rig, |losses| {
        if let Some(index) = losses.iter().position(|open| open == loss) {
            let open = losses.remove(index);
            losses.splice(index..index, open.split_restored(skipped, reason));
        }
    })
}

fn change_losses<R>(
    rig: &Rig,
    change: impl FnOnce(&mut Vec<TargetLoss>) -> R,
) -> anyhow::Result<R> {
    let lock = rig.town().layout.state_lock(&rig.target_losses());
    let _lock = Lock::take(&lock, LOCK_WAIT)?;
    let mut losses = TargetLoss::load(rig)?;
    let result = change(&mut losses);
    TargetLoss::save(rig, losses, rig.town().clock.now())?;
    Ok(result)
}

/// Returns the tips that a target has dropped.
pub(crate) fn list_dropped_tips(git: &Git, branch: &str) -> Result<Vec<String>, GitError> {
    let folder = format!("{DROPPED_FOLDER}{branch}/");
    Ok(git
        .refs_below(&folder)?
        .into_iter()
        .filter(|(name, _)| !name[folder.len()..].contains('/'))
        .map(|(_, tip)| tip)
        .collect())
}

/// Returns the commits of `base..tip` that a target has dropped and that would return with the
/// others, oldest first.
pub(crate) fn find_returning_commits(
    git: &Git,
    branch: &str,
    base: &str,
    tip: &str,
) -> Result<Vec<CommitInfo>, GitError> {
    let dropped = list_dropped_tips(git, branch)?;
    if dropped.is_empty() {
        return Ok(Vec::new());
    }
    let range = format!("{base}..{tip}");
    let others = git.plumbing(["rev-list", &range, "--not"]).args(&dropped);
    let others = others.text()?;
    let others: HashSet<&str> = others.lines().collect();
    let mut commits = git.commits(base, tip)?;
    commits.retain(|commit| !others.contains(commit.id.as_str()));
    commits.reverse();
    Ok(commits)
}

/// Lists commits for a message, each with its subject.
pub(crate) fn describe_commits(commits: &[CommitInfo]) -> String {
    const MAX_NAMED: usize = 5;
    let mut text = commits
        .iter()
        .take(MAX_NAMED)
        .map(|commit| {
            let subject = kit::ui::escape::escape_line(&commit.subject);
            format!("{:.12} \"{subject}\"", commit.id)
        })
        .collect::<Vec<_>>()
        .join(", ");
    if commits.len() > MAX_NAMED {
        text.push_str(&format!(" and {} more", commits.len() - MAX_NAMED));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_tip_that_another_process_has_noted_is_no_error() {
        let place = TestTown::new();
        let git = Git::at(place.path_beside("repository"));
        std::fs::create_dir(git.folder()).unwrap();
        git.init("main", true).unwrap();
        let commit = |message: &str| {
            let tree = git.plumbing(["mktree"]).stdin("").text().unwrap();
            let call = git.plumbing(["commit-tree", tree.trim(), "-m", message]);
            call.text().unwrap().trim().to_owned()
        };
        let [first, second, third] = ["1", "2", "3"].map(commit);
        let name = format!("{TARGET_FOLDER}main");
        git.update_ref(&name, &second, None).unwrap();
        note_tip(&git, &name, &first, Some(&third)).unwrap();
        assert_eq!(git.resolve(&name).unwrap(), Some(second.clone()));
        note_tip(&git, &name, &second, Some(&third)).unwrap();
        assert_eq!(git.resolve(&name).unwrap(), Some(third.clone()));
        note_tip(&git, &name, &third, None).unwrap();
        note_tip(&git, &name, &third, None).unwrap();
        assert_eq!(git.resolve(&name).unwrap(), None);
    }
}
