//! Is the work on the target already? Judged by trees, never by how a diff looks: a commit of ours, or the
//! worker's own tip, is the target's ancestor, and applying its change again would change nothing.

use bd::git::{Containment, GitError};

use super::candidate;
use super::job::MergeJob;
use crate::record::merge_request::request_state;

/// Whether a target holds a commit and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TargetPresence {
    /// It does.
    Yes {
        /// The commit.
        commit: String,
    },
    /// The commit is there, and what it changed was taken back.
    Undone {
        /// The commit.
        commit: String,
        /// The files in which it was.
        files: Vec<String>,
    },
    /// It does not.
    No,
}

/// Looks for the commit that we pushed, else for the worker's tip: someone else may have merged it.
pub(crate) fn find_on_target(job: &MergeJob, target: &str) -> anyhow::Result<TargetPresence> {
    let state = request_state(&job.request);
    let ours = find_change(job, target, (&state.onto, &state.candidate))?;
    if ours != TargetPresence::No {
        return Ok(ours);
    }
    match candidate::find_work_range(job, target)? {
        Ok((base, tip)) => Ok(find_change(job, target, (&base, &tip))?),
        Err(_) => Ok(TargetPresence::No),
    }
}

/// Whether the target holds `commit`, and with it the change since `onto`.
fn find_change(
    job: &MergeJob,
    target: &str,
    (onto, commit): (&str, &str),
) -> Result<TargetPresence, GitError> {
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
        // Later work in the same place is no way of taking it back, unless it came after that.
        Containment::Rewritten(files) => {
            match job.git.find_revert((onto, &commit), target, &files)? {
                Some((_, files)) => TargetPresence::Undone { commit, files },
                None => TargetPresence::Yes { commit },
            }
        }
        Containment::Missing(files) => TargetPresence::Undone { commit, files },
    })
}

/// Whether the target, as just fetched, holds a commit.
pub(crate) fn contains_commit(
    job: &MergeJob,
    target: &str,
    commit: &str,
) -> Result<bool, GitError> {
    job.git.is_ancestor(commit, target)
}

/// Whether the target holds the change of a commit made on `onto`, in whatever commits it came there.
pub(crate) fn contains_change(
    job: &MergeJob,
    target: &str,
    (onto, commit): (&str, &str),
) -> Result<bool, GitError> {
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
