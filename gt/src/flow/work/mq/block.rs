//! Makes a request wait for a user, with the reason and the next steps.

use bd::git::{CommitInfo, DrivenFile};
use bd::store::Tx;

use super::job::{MergeJob, MergeOutcome};
use crate::flow::place::target_history;
use crate::record::approval::Approval;
use crate::record::merge_request::{self, RequestState, request_state, set_request_state};

/// Makes the request wait for a user, with the reason. `gt mq retry` continues it.
pub(super) fn block_for_user(job: &MergeJob, reason: &str) -> anyhow::Result<MergeOutcome> {
    job.queue.rig.transact(job.queue.store, |tx| {
        block_request(tx, &job.request.id, reason)
    })?;
    Ok(MergeOutcome::NeedsPerson {
        reason: reason.to_owned(),
    })
}

/// Makes a request wait for a user because its commits change nothing.
pub(super) fn block_for_no_change(job: &MergeJob) -> anyhow::Result<MergeOutcome> {
    let reason = format!(
        "its commits change no file on {}, so there is nothing to merge. {}",
        job.receipt.target,
        offer_to_close(job)
    );
    block_for_missing_change(job, &reason)
}

/// Makes a request wait for a user, who closes its bead or gives the work back.
pub(super) fn block_for_missing_change(
    job: &MergeJob,
    reason: &str,
) -> anyhow::Result<MergeOutcome> {
    let outcome = block_for_user(job, reason)?;
    job.queue.rig.transact(job.queue.store, |tx| {
        let Some(mut request) = tx.get(&job.request.id).cloned() else {
            return Ok(());
        };
        let state = RequestState {
            adds_nothing: true,
            ..request_state(&request)
        };
        set_request_state(&mut request, &state)?;
        Ok(tx.put(request)?)
    })?;
    Ok(outcome)
}

/// Makes a request wait for a user because it would bring back commits that left the target.
pub(super) fn block_for_returning_commits(
    job: &MergeJob,
    commits: &[CommitInfo],
) -> anyhow::Result<MergeOutcome> {
    let id = &job.request.id;
    let target = &job.receipt.target;
    let reason = format!(
        "it would bring back {} that {target} no longer has: {}. `gt mq reject {id} --reason WHY` gives the work back to \
         be done without {}",
        kit::ui::counted(commits.len(), "commit"),
        target_history::describe_commits(commits),
        if commits.len() == 1 { "it" } else { "them" }
    );
    block_for_user(job, &reason)
}

/// Names the next steps for work without a change.
pub(super) fn offer_to_close(job: &MergeJob) -> String {
    let id = &job.request.id;
    let bead = merge_request::source_bead_of(&job.request);
    format!(
        "If nothing is missing, close the bead: `bd close {bead} --force --reason \"No change: WHY\"`. If it still has \
         to be done, `gt mq reject {id} --reason WHY` gives it back"
    )
}

/// Makes the request wait for a user because its worker pushed it to the target itself.
pub(super) fn block_for_direct_push(job: &MergeJob, commit: &str) -> anyhow::Result<MergeOutcome> {
    let id = &job.request.id;
    let target = &job.receipt.target;
    let worker = &job.receipt.worker;
    let reason = format!(
        "{worker} pushed {commit:.12} to {target} itself, before any check. The gates pass there now. `gt mq retry {id}` \
         accepts it as merged. If it must not stay, revert {commit:.12} on {target}, then `gt mq reject {id} --reason WHY`"
    );
    block_for_user(job, &reason)
}

/// Blocks a request whose work was merged and then reverted on the target. Only a user can decide
/// if the revert was intended.
pub(super) fn block_reverted(
    job: &MergeJob,
    commit: &str,
    files: &[String],
) -> anyhow::Result<MergeOutcome> {
    let bead = merge_request::source_bead_of(&job.request);
    let target = &job.receipt.target;
    let files = list_some_files(files);
    let id = &job.request.id;
    let reason = format!(
        "it was merged to {target} as {commit:.12}, and its change was taken back there (in {files}). If that is right, \
         close the bead: `bd close {bead} --force --reason \"Taken back on {target}\"`. If not, bring the change back to \
         {target}, then run `gt mq retry {id}`"
    );
    block_for_user(job, &reason)
}

/// Makes the request wait for a user because a merge driver left out its change of these files.
pub(super) fn block_for_driver(
    job: &MergeJob,
    files: &[DrivenFile],
) -> anyhow::Result<MergeOutcome> {
    let described: Vec<String> = files
        .iter()
        .map(|file| format!("{} (driver {})", file.path, file.driver))
        .collect();
    let id = &job.request.id;
    let branch = &job.receipt.branch;
    let target = &job.receipt.target;
    let bead = merge_request::source_bead_of(&job.request);
    let reason = format!(
        "a merge driver of the repository left out this work's change of {}. If that is right, `gt mq retry {id}` merges \
         the rest. If not, change the driver (`merge=` in .gitattributes) or bring the change to {target} from {branch} by \
         hand, then close the bead: `bd close {bead} {id} --force --reason \"Merged by hand\"`",
        list_some_files(&described)
    );
    let mut approval = Approval::load(job.queue.rig, id)?;
    let paths = files.iter().map(|file| file.path.clone());
    approval.driven_files_asked.extend(paths);
    approval.save(job.queue.rig, id)?;
    block_for_user(job, &reason)
}

/// Makes the request wait for a review, if the rig's settings require one and it has had none.
pub(super) fn block_for_review(job: &MergeJob) -> anyhow::Result<Option<MergeOutcome>> {
    let Some(reason) = job.queue.settings.review_reason() else {
        return Ok(None);
    };
    let approval = Approval::load(job.queue.rig, &job.request.id)?;
    if !approval.reviewed_by.is_empty() {
        return Ok(None);
    }
    job.queue.rig.transact(job.queue.store, |tx| {
        block_request(tx, &job.request.id, reason)?;
        let Some(mut request) = tx.get(&job.request.id).cloned() else {
            return Ok(());
        };
        let for_review = true;
        let state = RequestState {
            for_review,
            ..request_state(&request)
        };
        set_request_state(&mut request, &state)?;
        Ok(tx.put(request)?)
    })?;
    let reason = reason.to_owned();
    Ok(Some(MergeOutcome::NeedsPerson { reason }))
}

pub(super) fn block_request(tx: &mut Tx, id: &str, reason: &str) -> anyhow::Result<()> {
    let Some(mut request) = tx.get(id).filter(|bead| bead.is_open()).cloned() else {
        return Ok(());
    };
    let state = RequestState {
        needs_person: reason.to_owned(),
        adds_nothing: false,
        failing: None,
        ..request_state(&request)
    };
    set_request_state(&mut request, &state)?;
    request.updated_at = tx.now();
    tx.put(request)?;
    Ok(())
}

/// Lists the first files and the number of the others.
pub(super) fn list_some_files(files: &[String]) -> String {
    const MAX_NAMED: usize = 5;
    let shown = files.len().min(MAX_NAMED);
    let mut text = files[..shown].join(", ");
    if shown < files.len() {
        text.push_str(&format!(" and {} more", files.len() - shown));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_are_named_and_the_others_are_counted() {
        let files: Vec<String> = (1..=7).map(|number| format!("{number}.rs")).collect();
        assert_eq!(list_some_files(&files[..2]), "1.rs, 2.rs");
        assert_eq!(
            list_some_files(&files),
            "1.rs, 2.rs, 3.rs, 4.rs, 5.rs and 2 more"
        );
    }
}
