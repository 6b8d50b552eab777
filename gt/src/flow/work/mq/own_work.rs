//! Finds the commit with which the worker of a task takes over the work of a request.
//!
//! Usually that is the submitted commit. If the work began at commits that left the target since, a
//! merge of it would bring them back, so a commit with the own change alone is made on the newest
//! commit that the target still has. `refs/gt/work/<request>` is that commit, and stands for the
//! work of the request.

use bd::bead::Bead;
use bd::git::{CommitIdentities, CommitInfo, GitError, TreeMerge};

use super::candidate;
use super::job::MergeJob;
use crate::record::merge_request::{self, Receipt};

/// The folder of the refs.
const OWN_WORK: &str = "refs/gt/work/";

pub(super) enum OwnWork {
    /// The commit to merge.
    Commit(String),
    /// The own change does not apply without these commits, which left the target.
    Inseparable(Vec<CommitInfo>),
}

/// Finds the commit for the work of a request. If its change is inseparable from commits that left
/// the target, the work of the request that it resolves is taken instead.
pub(super) fn find_own_work(job: &MergeJob, target: &str) -> anyhow::Result<OwnWork> {
    let own = separate_work(job, &job.request, target)?;
    if let OwnWork::Commit(_) = own {
        return Ok(own);
    }
    for original in merge_request::find_originals(&job.queue.store.snapshot()?, &job.request) {
        let work = separate_work(job, &original, target)?;
        if let OwnWork::Commit(_) = work {
            return Ok(work);
        }
    }
    Ok(own)
}

fn separate_work(job: &MergeJob, request: &Bead, target: &str) -> anyhow::Result<OwnWork> {
    let git = &job.queue.git;
    let Receipt { base, tip, .. } = merge_request::receipt_of(request);
    let is_known =
        !base.is_empty() && git.resolve(&base)?.is_some() && git.resolve(&tip)?.is_some();
    if !is_known || git.is_ancestor(&base, target)? || begins_at_other_request(job, &base)? {
        return Ok(OwnWork::Commit(tip));
    }
    let Some(fork) = git.merge_base(&base, target)? else {
        return Ok(OwnWork::Commit(tip));
    };
    let TreeMerge::Clean(tree) = git.apply_change(&base, &tip, &fork)? else {
        return Ok(OwnWork::Inseparable(git.commits(&fork, &base)?));
    };
    let message = format!("{}\n", candidate::commit_title(job)?);
    let identities = CommitIdentities {
        author: &candidate::author_of(job, &tip)?,
        committer: &job.queue.identity(),
    };
    let commit = git.commit_tree_as(&tree, &[&fork], &message, identities)?;
    set_own_work(job, &request.id, &commit)?;
    Ok(OwnWork::Commit(commit))
}

fn set_own_work(job: &MergeJob, request: &str, commit: &str) -> Result<(), GitError> {
    let name = format!("{OWN_WORK}{request}");
    let old = job.queue.git.resolve(&name)?;
    job.queue.git.update_ref(&name, commit, old.as_deref())
}

/// Returns true if the submitted branch has merged the work of another request.
pub(super) fn has_taken_over(job: &MergeJob, original: &Bead) -> Result<bool, GitError> {
    let git = &job.queue.git;
    let tip = merge_request::receipt_of(original).tip;
    let stand_in = git.resolve(&format!("{OWN_WORK}{}", original.id))?;
    for commit in [Some(tip), stand_in].into_iter().flatten() {
        if git.resolve(&commit)?.is_some() && git.is_ancestor(&commit, &job.receipt.tip)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Lets a commit that was made for a task's result stand for the work that the task has taken over.
pub(super) fn pass_on_own_work(job: &MergeJob, commit: &str) -> anyhow::Result<()> {
    if commit == job.receipt.tip {
        return Ok(());
    }
    for original in merge_request::find_originals(&job.queue.store.snapshot()?, &job.request) {
        if has_taken_over(job, &original)? {
            set_own_work(job, &original.id, commit)?;
        }
    }
    Ok(())
}

/// Removes the ref of a request that is merged.
pub(super) fn forget_own_work(job: &MergeJob) {
    let name = format!("{OWN_WORK}{}", job.request.id);
    // A ref that stays only keeps a small commit.
    if let Ok(Some(commit)) = job.queue.git.resolve(&name) {
        job.queue.git.delete_ref(&name, &commit).ok();
    }
}

/// Returns true if the work was built on another request that was not merged yet. The target may
/// have that one under other commit ids.
fn begins_at_other_request(job: &MergeJob, base: &str) -> anyhow::Result<bool> {
    let beads = job.queue.store.snapshot()?;
    let mut requests = beads
        .select(|bead| bead.has_kind_or_label(&bd::bead::Kind::MergeRequest, "gt:merge-request"));
    Ok(requests.any(|request| merge_request::receipt_of(request).tip == base))
}
