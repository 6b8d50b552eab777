//! Is the work on the target already? Ours, when the commit we pushed is its ancestor; someone else's,
//! when the tip itself is, or one diff with the same patch is found since the merge base.

use bd::git::GitError;

use super::queue::Job;
use super::request::state_of;

/// How many commits of the target are compared with the work's diff.
const COMPARED: usize = 200;

/// The commit of the target that holds the work, if it is there.
pub(super) fn already_there(job: &Job, target: &str) -> Result<Option<String>, GitError> {
    let candidate = state_of(&job.request).candidate;
    for commit in [candidate.as_str(), job.receipt.tip.as_str()] {
        let known = !commit.is_empty() && job.git.resolve(commit)?.is_some();
        if known && job.git.is_ancestor(commit, target)? {
            return Ok(Some(commit.to_owned()));
        }
    }
    same_patch(job, (&job.receipt.base, &job.receipt.tip), target)
}

/// A commit of the target, made since the work began, that has the same diff as the work as a whole:
/// someone merged it by squashing.
fn same_patch(
    job: &Job,
    (base, tip): (&str, &str),
    target: &str,
) -> Result<Option<String>, GitError> {
    for commit in [base, tip] {
        if commit.is_empty() || job.git.resolve(commit)?.is_none() {
            return Ok(None);
        }
    }
    let Some(patch) = job.git.patch_id(base, tip)? else {
        return Ok(None);
    };
    let Some(fork) = job.git.merge_base(tip, target)? else {
        return Ok(None);
    };
    for commit in job.git.commits(&fork, target)?.iter().rev().take(COMPARED) {
        let parent = format!("{}^", commit.id);
        let same = job.git.resolve(&parent)?.is_some()
            && job.git.patch_id(&parent, &commit.id)?.as_ref() == Some(&patch);
        if same {
            return Ok(Some(commit.id.clone()));
        }
    }
    Ok(None)
}

/// Whether the target, as just fetched, holds a commit.
pub(super) fn holds(job: &Job, target: &str, commit: &str) -> Result<bool, GitError> {
    job.git.is_ancestor(commit, target)
}

/// Whether the target holds a commit made on `onto`, or one with the same diff.
pub(super) fn holds_work(
    job: &Job,
    target: &str,
    (onto, commit): (&str, &str),
) -> Result<bool, GitError> {
    if commit.is_empty() || job.git.resolve(commit)?.is_none() {
        return Ok(false);
    }
    Ok(holds(job, target, commit)? || same_patch(job, (onto, commit), target)?.is_some())
}
