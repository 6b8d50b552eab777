//! Is the work on the target already? Judged by trees, never by how a diff looks: a commit of ours, or the
//! worker's own tip, is the target's ancestor, and applying its change again would change nothing.

use bd::git::{Containment, GitError};

use super::candidate;
use super::job::Job;
use crate::record::merge_request::request_state;

/// Whether a target holds a commit and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OnTarget {
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
pub(crate) fn already_there(job: &Job, target: &str) -> anyhow::Result<OnTarget> {
    let state = request_state(&job.request);
    let ours = holds_change(job, target, (&state.onto, &state.candidate))?;
    if ours != OnTarget::No {
        return Ok(ours);
    }
    match candidate::range(job, target)? {
        Ok((base, tip)) => Ok(holds_change(job, target, (&base, &tip))?),
        Err(_) => Ok(OnTarget::No),
    }
}

/// Whether the target holds `commit`, and with it the change since `onto`.
fn holds_change(
    job: &Job,
    target: &str,
    (onto, commit): (&str, &str),
) -> Result<OnTarget, GitError> {
    let known = !commit.is_empty() && job.git.resolve(commit)?.is_some();
    if !known || !holds(job, target, commit)? {
        return Ok(OnTarget::No);
    }
    let commit = commit.to_owned();
    let parent = format!("{commit}^");
    let onto = if onto.is_empty() { &parent } else { onto };
    if job.git.resolve(onto)?.is_none() {
        return Ok(OnTarget::Yes { commit });
    }
    Ok(match job.git.contains_change(onto, &commit, target)? {
        Containment::All => OnTarget::Yes { commit },
        // Later work in the same place is no way of taking it back, unless it came after that.
        Containment::Rewritten(files) => {
            match job.git.find_revert((onto, &commit), target, &files)? {
                Some((_, files)) => OnTarget::Undone { commit, files },
                None => OnTarget::Yes { commit },
            }
        }
        Containment::Missing(files) => OnTarget::Undone { commit, files },
    })
}

/// Whether the target, as just fetched, holds a commit.
pub(crate) fn holds(job: &Job, target: &str, commit: &str) -> Result<bool, GitError> {
    job.git.is_ancestor(commit, target)
}

/// Whether the target holds the change of a commit made on `onto`, in whatever commits it came there.
pub(crate) fn holds_work(
    job: &Job,
    target: &str,
    (onto, commit): (&str, &str),
) -> Result<bool, GitError> {
    if commit.is_empty() || job.git.resolve(commit)?.is_none() {
        return Ok(false);
    }
    if job.git.resolve(onto)?.is_none() {
        return holds(job, target, commit);
    }
    Ok(match job.git.contains_change(onto, commit, target)? {
        Containment::All => true,
        Containment::Rewritten(_) => holds(job, target, commit)?,
        Containment::Missing(_) => false,
    })
}
