//! Checks if the work is on the target already. Judged by trees, not by the text of a diff: the
//! pushed commit or the worker's tip is an ancestor of the target, and applying its change again
//! changes nothing.

use bd::git::{Containment, GitError};

use super::candidate::{self, WorkCommits};
use super::job::MergeJob;
use crate::record::merge_request::request_state;

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
    let state = request_state(&job.request);
    let pushed = RefUpdate {
        onto: &state.onto,
        commit: &state.candidate,
    };
    let ours = find_change(job, target, pushed)?;
    if ours != TargetPresence::No {
        return Ok(ours);
    }
    match candidate::find_work_range(job, target)? {
        WorkCommits::Range { base, tip } => {
            let submitted = RefUpdate {
                onto: &base,
                commit: &tip,
            };
            Ok(find_change(job, target, submitted)?)
        }
        WorkCommits::Missing(_) => Ok(TargetPresence::No),
    }
}

/// Checks if the target has `commit` and its change since `onto`.
fn find_change(
    job: &MergeJob,
    target: &str,
    update: RefUpdate<'_>,
) -> Result<TargetPresence, GitError> {
    let RefUpdate { onto, commit } = update;
    let known = !commit.is_empty() && job.git.resolve(commit)?.is_some();
    if !known || !contains_commit(job, target, commit)? {
        return Ok(TargetPresence::No);
    }
    let commit = commit.to_owned();
    let parent = format!("{commit}^");
    let onto = if onto.is_empty() { &parent } else { onto };
    if job.git.resolve(onto)?.is_none() {
        return Ok(TargetPresence::Yes { commit });
    }
    Ok(match job.git.contains_change(onto, &commit, target)? {
        Containment::All => TargetPresence::Yes { commit },
        // Later work in the same place is a revert only if it came after the commit.
        Containment::Rewritten(files) => {
            match job.git.find_revert(onto, &commit, target, &files)? {
                Some((_, files)) => TargetPresence::Undone { commit, files },
                None => TargetPresence::Yes { commit },
            }
        }
        Containment::Missing(files) => TargetPresence::Undone { commit, files },
    })
}

/// Returns true if the fetched target contains a commit.
pub(crate) fn contains_commit(
    job: &MergeJob,
    target: &str,
    commit: &str,
) -> Result<bool, GitError> {
    job.git.is_ancestor(commit, target)
}

/// Returns true if the target contains the change of a commit made on `onto`, under whatever commit
/// ids.
pub(crate) fn contains_change(
    job: &MergeJob,
    target: &str,
    update: RefUpdate<'_>,
) -> Result<bool, GitError> {
    let RefUpdate { onto, commit } = update;
    if commit.is_empty() || job.git.resolve(commit)?.is_none() {
        return Ok(false);
    }
    if job.git.resolve(onto)?.is_none() {
        return contains_commit(job, target, commit);
    }
    Ok(match job.git.contains_change(onto, commit, target)? {
        Containment::All => true,
        Containment::Rewritten(_) => contains_commit(job, target, commit)?,
        Containment::Missing(_) => false,
    })
}
