//! Checks if the work is on the target already. Judged by trees, not by the text of a diff: the
//! pushed commit or the worker's tip is an ancestor of the target, and applying its change again
//! changes nothing. Work that changes nothing is on no target, whichever commits carry it.

use std::collections::BTreeSet;

use bd::git::{Containment, Git, GitError};
use bd::store::Snapshot;
use jiff::Timestamp;

use super::candidate::{self, NoCandidate};
use super::job::MergeJob;
use crate::record::merge_request::{self, request_state};

/// The presence of a commit and its change on a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TargetPresence {
    Yes {
        commit: String,
    },
    /// The target has the commit, but its change was reverted.
    Undone {
        commit: String,
        /// The files with reverted changes.
        files: Vec<String>,
    },
    /// The work leaves every file as it was, so there is nothing to look for.
    AddsNothing,
    No,
}

/// A commit, and the commit that it was made on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefUpdate<'a> {
    /// Empty for the parent of `commit`.
    pub onto: &'a str,
    pub commit: &'a str,
}

/// Looks for the pushed commit, otherwise for the worker's tip, which someone else may have merged.
pub(crate) fn find_on_target(job: &MergeJob, target: &str) -> anyhow::Result<TargetPresence> {
    let git = &job.queue.git;
    let work = match candidate::find_work_commits(job, target) {
        Ok(work) => Some(work),
        Err(NoCandidate::MissingCommit { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(work) = &work
        && !job.receipt.base.is_empty()
        && !changes_anything(git, &work.base, &work.tip)?
    {
        return Ok(TargetPresence::AddsNothing);
    }
    let state = request_state(&job.request);
    let pushed = RefUpdate {
        onto: &state.onto,
        commit: &state.candidate,
    };
    let ours = find_change(git, target, pushed)?;
    let Some(work) = work.filter(|_| ours == TargetPresence::No) else {
        return Ok(ours);
    };
    let submitted = RefUpdate {
        onto: &work.base,
        commit: &work.tip,
    };
    Ok(find_change(git, target, submitted)?)
}

/// Returns true if the trees of two commits differ.
pub(crate) fn changes_anything(git: &Git, base: &str, tip: &str) -> Result<bool, GitError> {
    Ok(git.tree_of(base)? != git.tree_of(tip)?)
}

/// Returns the commit that brought the change of `tip` since `base` to the target: the first one on
/// the target's own line of history whose tree holds the whole change. `None` if the target's tree
/// does not hold the change, and if it held the change before the work began.
pub(crate) fn find_bringing_commit(
    git: &Git,
    base: &str,
    tip: &str,
    target: &str,
) -> Result<Option<String>, GitError> {
    let holds_change = |commit: &str| {
        let containment = git.contains_change(base, tip, commit);
        containment.map(|containment| containment == Containment::All)
    };
    if !changes_anything(git, base, tip)? || !holds_change(target)? {
        return Ok(None);
    }
    let Some(fork) = git.merge_base(base, target)? else {
        return Ok(None);
    };
    let range = format!("{fork}..{target}");
    let listed = git
        .plumbing(["rev-list", "--first-parent", "--reverse", &range, "--"])
        .text()?;
    let commits: Vec<&str> = listed.lines().collect();
    let Some(mut last_holding) = commits.len().checked_sub(1) else {
        return Ok(None);
    };
    let mut first_unknown = 0;
    while first_unknown < last_holding {
        let middle = first_unknown.midpoint(last_holding);
        if holds_change(commits[middle])? {
            last_holding = middle;
        } else {
            first_unknown = middle + 1;
        }
    }
    Ok(Some(commits[last_holding].to_owned()))
}

/// Returns the bead whose merge brought a commit to the target.
pub(crate) fn find_bead_of_commit(
    git: &Git,
    beads: &Snapshot,
    commit: &str,
) -> Result<Option<String>, GitError> {
    let committed = git.plumbing(["log", "-1", "--format=%cI", commit]).text()?;
    // The queue commits before it closes a request. A date that cannot be read excludes none.
    let since = committed.parse().unwrap_or(Timestamp::MIN);
    for request in merge_request::requests_closed_since(beads, since) {
        let state = request_state(request);
        let is_brought = !state.candidate.is_empty()
            && git.resolve(&state.candidate)?.is_some()
            && git.is_ancestor(commit, &state.candidate)?;
        let is_older = !state.onto.is_empty()
            && git.resolve(&state.onto)?.is_some()
            && git.is_ancestor(commit, &state.onto)?;
        if is_brought && !is_older {
            return Ok(Some(merge_request::source_bead_of(request)));
        }
    }
    Ok(None)
}

/// Returns true if every commit of `base..tip` that changes something is a copy of a commit that
/// the target has: the same author wrote the same change at the same moment, as after `git
/// cherry-pick`. A worker that only copies has done no work.
pub(crate) fn consists_of_copies(
    git: &Git,
    base: &str,
    tip: &str,
    target: &str,
) -> Result<bool, GitError> {
    let Some(fork) = git.merge_base(base, target)? else {
        return Ok(false);
    };
    let on_target: BTreeSet<String> = list_authorships(git, &fork, target)?.collect();
    let mut own = list_authorships(git, base, tip)?.peekable();
    Ok(own.peek().is_some() && own.all(|authorship| on_target.contains(&authorship)))
}

/// Returns author, moment and subject of the commits of a range, except merges.
fn list_authorships(
    git: &Git,
    base: &str,
    tip: &str,
) -> Result<impl Iterator<Item = String>, GitError> {
    let range = format!("{base}..{tip}");
    let format = "--format=%an%x1f%ae%x1f%at%x1f%s";
    let call = git.plumbing(["log", "-z", "--no-merges", format, &range, "--"]);
    Ok(call.records()?.into_iter())
}

/// Checks if the target has `commit` and its change since `onto`.
fn find_change(git: &Git, target: &str, update: RefUpdate<'_>) -> Result<TargetPresence, GitError> {
    let RefUpdate { onto, commit } = update;
    let known = !commit.is_empty() && git.resolve(commit)?.is_some();
    if !known || !git.is_ancestor(commit, target)? {
        return Ok(TargetPresence::No);
    }
    let commit = commit.to_owned();
    let parent = format!("{commit}^");
    let onto = if onto.is_empty() { &parent } else { onto };
    if git.resolve(onto)?.is_none() {
        return Ok(TargetPresence::Yes { commit });
    }
    Ok(match git.contains_change(onto, &commit, target)? {
        Containment::All => TargetPresence::Yes { commit },
        // Later work in the same place is a revert only if it came after the commit.
        Containment::Rewritten(files) => match git.find_revert(onto, &commit, target, &files)? {
            Some((_, files)) => TargetPresence::Undone { commit, files },
            None => TargetPresence::Yes { commit },
        },
        Containment::Missing(files) => TargetPresence::Undone { commit, files },
    })
}

/// Returns true if the target contains the change of a commit made on `onto`, under whatever commit
/// ids.
pub(crate) fn contains_change(
    git: &Git,
    target: &str,
    update: RefUpdate<'_>,
) -> Result<bool, GitError> {
    let RefUpdate { onto, commit } = update;
    if commit.is_empty() || git.resolve(commit)?.is_none() {
        return Ok(false);
    }
    if git.resolve(onto)?.is_none() {
        return git.is_ancestor(commit, target);
    }
    Ok(match git.contains_change(onto, commit, target)? {
        Containment::All => true,
        Containment::Rewritten(_) => git.is_ancestor(commit, target)?,
        Containment::Missing(_) => false,
    })
}
