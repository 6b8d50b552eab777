//! Pushes the branch of a pull request, without overwriting commits of others.

use bd::git::{PushError, PushLease, PushRefusal};

use super::super::job::{MergeJob, MergeOutcome};
use super::super::{block, task};
use crate::record::merge_request::{self, request_state};
use crate::record::pull_request::PullRequestLook;

/// Pushes the candidate to the branch of the pull request. Returns the outcome of a request that
/// cannot go on. Commits of others on the branch are not overwritten.
pub(super) fn push_branch(
    job: &MergeJob,
    branch: &str,
    candidate: &str,
) -> anyhow::Result<Option<MergeOutcome>> {
    let tip = match job.queue.git.ls_remote("origin", branch) {
        Ok(tip) => tip,
        Err(error) => {
            let reason = error.to_string();
            return Ok(Some(MergeOutcome::Later { reason }));
        }
    };
    if let Some(tip) = &tip
        && !is_own_commit(job, branch, tip)?
    {
        let reason = format!(
            "{branch} has commits that others pushed ({tip:.12}). Remove the branch from the remote, or merge it by hand"
        );
        return block::block_for_user(job, &reason).map(Some);
    }
    let lease = tip.as_deref().map_or(PushLease::Absent, PushLease::At);
    match job
        .queue
        .git
        .push("origin", candidate, branch, lease, false)
    {
        Ok(()) => Ok(None),
        Err(PushError::Refused(PushRefusal::Declined(words))) => {
            let reason = format!("the push to {branch} was declined: {words}");
            block::block_for_user(job, &reason).map(Some)
        }
        Err(error) => Ok(Some(MergeOutcome::Later {
            reason: error.to_string(),
        })),
    }
}

/// Returns true if the queue made or pushed a commit at the tip of a pull request's branch.
fn is_own_commit(job: &MergeJob, branch: &str, tip: &str) -> anyhow::Result<bool> {
    let known = PullRequestLook::load(job.queue.rig, branch)?.head;
    // A run that was killed right after its push recorded the candidate only.
    if known == tip || request_state(&job.request).candidate == tip {
        return Ok(true);
    }
    if job.queue.git.resolve(tip)?.is_none() {
        job.queue.git.fetch("origin")?;
    }
    let committer = job
        .queue
        .git
        .plumbing(["log", "-1", "--format=%ce", tip])
        .text()?;
    Ok(committer == job.queue.identity().email)
}

/// Returns the branch of the pull request for a request's work. A task's result updates the pull
/// request of the work that it repairs.
pub(super) fn branch_of(job: &MergeJob) -> anyhow::Result<String> {
    Ok(format!("gt/{}", root_bead_of(job)?))
}

pub(super) fn root_bead_of(job: &MergeJob) -> anyhow::Result<String> {
    let source = merge_request::source_bead_of(&job.request);
    if source.is_empty() {
        return Ok(job.request.id.clone());
    }
    let beads = job.queue.store.snapshot()?;
    let root = beads
        .get(&source)
        .and_then(|bead| task::original_bead_of(&beads, bead));
    Ok(root.unwrap_or(source))
}
