//! Lands a candidate: records it, pushes, fetches, verifies, closes, cleans up.

use bd::bead::{Bead, attempt};
use bd::git::{Containment, PushError, PushRefusal, RemoteBranch};
use bd::store::Tx;
use kit::ui::escape::escape_line;

use super::close::close_bead;
use super::gate_cache::GateCaches;
use super::job::{MergeJob, MergeOutcome};
use super::verify::RefUpdate;
use super::{block, candidate, own_work, target, verify, withdraw};
use crate::flow::place::discovery::{self, LandingCheckError};
use crate::flow::place::merged_refs;
use crate::record::approval::Approval;
use crate::record::merge_request::{
    self, AS_IT_WAS, RequestState, request_state, set_request_state,
};
use crate::record::polecat::{self, MergeResult};
use crate::town::event::{Event, MergedAlong};
use crate::town::queue_pause::check_may_merge;

/// Pushes the candidate to the target and closes the finished beads. `continue_declined` continues
/// a request whose push a rule or a hook declines, with that message.
pub(super) fn land_candidate(
    job: &MergeJob,
    target: &str,
    candidate: &str,
    continue_declined: impl FnOnce(&str) -> anyhow::Result<MergeOutcome>,
) -> anyhow::Result<MergeOutcome> {
    if let Some(stopped) = prepare_landing(job, target, candidate)? {
        return Ok(stopped);
    }
    match job
        .queue
        .push_to_target(&job.receipt.target, target, candidate)
    {
        Ok(()) => {}
        Err(PushError::Refused(PushRefusal::Declined(words))) => return continue_declined(&words),
        Err(error) => {
            return Ok(MergeOutcome::Later {
                reason: error.to_string(),
            });
        }
    }
    let seen = job.fetch_target()?;
    close_if_landed(job, seen.as_deref(), candidate)
}

/// Checks that no discovery document would land, and records the candidate. Returns the outcome of
/// a request that may not land.
pub(super) fn prepare_landing(
    job: &MergeJob,
    onto: &str,
    candidate: &str,
) -> anyhow::Result<Option<MergeOutcome>> {
    // The rig may have been parked or paused while the gates ran.
    if let Err(stop) = check_may_merge(job.queue.rig) {
        let reason = stop.to_string();
        return Ok(Some(MergeOutcome::Later { reason }));
    }
    if !candidate::is_convoy_branch(job)? {
        match discovery::check_landing(&job.queue.git, &job.receipt.target, onto, candidate) {
            Ok(()) => {}
            Err(LandingCheckError::WouldLand(refused)) => {
                return block::block_for_user(job, &refused.to_string()).map(Some);
            }
            Err(LandingCheckError::Git(error)) => return Err(error.into()),
        }
    }
    if record_candidate(job, onto, candidate)? {
        return Ok(None);
    }
    let withdrawn = withdraw::withdraw_request(job)?;
    Ok(Some(withdrawn.unwrap_or_else(|| MergeOutcome::Later {
        reason: "the request was closed in the meantime".to_owned(),
    })))
}

/// Closes a request whose pushed candidate the fetched target contains.
pub(super) fn close_if_landed(
    job: &MergeJob,
    target: Option<&str>,
    candidate: &str,
) -> anyhow::Result<MergeOutcome> {
    match target {
        Some(target) if job.queue.git.is_ancestor(candidate, target)? => {
            close_merged(job, candidate)
        }
        _ => {
            let reason = format!(
                "{candidate:.12} was pushed, but the fetched {} does not hold it",
                job.receipt.target
            );
            Ok(MergeOutcome::Later { reason })
        }
    }
}

/// Records the commit to push, so that it is recognized after a crash. Returns false if the request
/// may not merge any more: this transaction decides that.
fn record_candidate(job: &MergeJob, onto: &str, candidate: &str) -> anyhow::Result<bool> {
    job.queue.rig.transact(job.queue.store, |tx| {
        let Some(mut request) = tx
            .get(&job.request.id)
            .filter(|bead| bead.is_open())
            .cloned()
        else {
            return Ok(false);
        };
        if withdraw::stale_reason(tx, &request).is_some() {
            return Ok(false);
        }
        let state = RequestState {
            candidate: candidate.to_owned(),
            onto: onto.to_owned(),
            ..request_state(&request)
        };
        set_request_state(&mut request, &state)?;
        request.updated_at = tx.now();
        tx.put(request)?;
        Ok(true)
    })
}

/// The ending of a request that the queue closes.
#[derive(Debug, Clone, Copy)]
enum RequestEnding<'a> {
    /// The commits of the request, or their change, are on the target.
    Merged { commit: &'a str },
    /// The target had the change before, by this commit.
    AlreadyThere { commit: &'a str },
    /// The request had only discovery documents.
    DocumentsKept,
}

impl<'a> RequestEnding<'a> {
    /// Returns the commit on the target that holds the work.
    fn commit(self) -> Option<&'a str> {
        match self {
            Self::Merged { commit } | Self::AlreadyThere { commit } => Some(commit),
            Self::DocumentsKept => None,
        }
    }

    /// Returns the `close_reason` of the request.
    fn word(self) -> &'static str {
        match self {
            Self::Merged { .. } => "merged",
            Self::AlreadyThere { .. } => merge_request::ALREADY_THERE,
            Self::DocumentsKept => "no change",
        }
    }
}

/// Closes a request whose work is on its target. Removes the branch. Then records the merge in one
/// transaction: the request, the bead, and every request and bead whose work the merged conflict or
/// repair task contains. After a crash in between, the next run finds the work on its target and
/// repeats this.
pub(crate) fn close_merged(job: &MergeJob, commit: &str) -> anyhow::Result<MergeOutcome> {
    let id = &job.request.id;
    let reason = if candidate::is_convoy_branch(job)? {
        format!("Merged to {} in {commit:.12} ({id})", job.receipt.target)
    } else {
        format!("Merged in {commit:.12} ({id})")
    };
    close_requests(job, &reason, RequestEnding::Merged { commit })?;
    Ok(MergeOutcome::Merged {
        commit: commit.to_owned(),
    })
}

/// Closes a request that has nothing left to merge, because the target has its change by another
/// commit. If the target does not have it either, the work adds nothing, and a user is asked.
pub(super) fn close_without_merge(
    job: &MergeJob,
    work: &RefUpdate<'_>,
    target: &str,
) -> anyhow::Result<MergeOutcome> {
    let RefUpdate { onto, commit: tip } = *work;
    let brought = verify::find_bringing_commit(&job.queue.git, onto, tip, target)?;
    let Some(commit) = brought else {
        // A user has accepted that a merge driver leaves the change out.
        if !Approval::load(job.queue.rig, &job.request.id)?
            .driven_files_accepted
            .is_empty()
        {
            return close_already_there(job, target);
        }
        return block::block_for_no_change(job);
    };
    if verify::consists_of_copies(&job.queue.git, onto, tip, target)? {
        let reason = format!(
            "its commits are copies of commits that {} has ({commit:.12}), so it adds nothing. {}",
            job.receipt.target,
            block::offer_to_close(job)
        );
        return block::block_for_missing_change(job, &reason);
    }
    close_already_there(job, &commit)
}

fn close_already_there(job: &MergeJob, commit: &str) -> anyhow::Result<MergeOutcome> {
    let brought_by =
        verify::find_bead_of_commit(&job.queue.git, &job.queue.store.snapshot()?, commit)?;
    let by = match &brought_by {
        Some(bead) => format!("{commit:.12}, the work of {bead}, brought"),
        None => format!(
            "{commit:.12}, which {} pushed, brought",
            committer_of(job, commit)?
        ),
    };
    let reason = format!(
        "Already on {}: {by} this change ({})",
        job.receipt.target, job.request.id
    );
    close_requests(job, &reason, RequestEnding::AlreadyThere { commit })?;
    Ok(MergeOutcome::AlreadyThere {
        commit: commit.to_owned(),
        brought_by,
    })
}

fn committer_of(job: &MergeJob, commit: &str) -> anyhow::Result<String> {
    let committer = job
        .queue
        .git
        .plumbing(["log", "-1", "--format=%cn", commit]);
    Ok(escape_line(&committer.text()?))
}

/// Closes a request whose work the target had when the queue came to it, and that has passed the
/// gates there. Says who pushed it, unless the queue did before it was interrupted. Work that its
/// own worker pushed to the target waits for a user: nothing was checked before it was there.
pub(super) fn close_found_on_target(job: &MergeJob, commit: &str) -> anyhow::Result<MergeOutcome> {
    if request_state(&job.request).candidate == commit {
        return close_merged(job, commit);
    }
    if job.receipt.pushed_to_target {
        let mut approval = Approval::load(job.queue.rig, &job.request.id)?;
        if !approval.direct_push_accepted {
            approval.direct_push_asked = true;
            approval.save(job.queue.rig, &job.request.id)?;
            return block::block_for_direct_push(job, commit);
        }
    }
    let reason = format!(
        "Merged in {commit:.12} ({}), which {} had on {} already",
        job.request.id,
        committer_of(job, commit)?,
        job.receipt.target
    );
    close_requests(job, &reason, RequestEnding::Merged { commit })?;
    Ok(MergeOutcome::Merged {
        commit: commit.to_owned(),
    })
}

/// Closes a request that had only discovery documents, which are kept.
pub(crate) fn close_documents(job: &MergeJob, reference: String) -> anyhow::Result<MergeOutcome> {
    let reason = format!("No change: only discovery documents, kept on {reference}");
    close_requests(job, &reason, RequestEnding::DocumentsKept)?;
    Ok(MergeOutcome::Kept { reference })
}

fn close_requests(job: &MergeJob, reason: &str, ending: RequestEnding<'_>) -> anyhow::Result<()> {
    let commit = ending.commit();
    let mut brought = Vec::new();
    let mut left = Vec::new();
    for original in merge_request::find_originals(&job.queue.store.snapshot()?, &job.request) {
        let brings = match commit {
            Some(commit) => stands_for(job, commit, &original)?,
            None => false,
        };
        if brings {
            brought.push(original);
        } else {
            left.push(original);
        }
    }
    remove_merged_branch(job);
    for original in &brought {
        remove_merged_branch(&MergeJob::new(job.queue.clone(), original.clone()));
    }
    job.queue.rig.transact(job.queue.store, |tx| {
        close_request(tx, &job.request.id, ending, reason, None)?;
        if commit.is_some() {
            target::close_target_task(tx, &job.receipt.target)?;
            target::release_waiting_requests(tx, &job.receipt.target)?;
        }
        let task = merge_request::source_bead_of(&job.request);
        let title = tx.get(&task).map_or("", |task| &task.title);
        let along = describe_merged_along(&job.request.id, &task, title);
        for original in &brought {
            close_request(tx, &original.id, ending, reason, Some(&along))?;
        }
        for original in &left {
            let source = tx.get(&merge_request::source_bead_of(original)).cloned();
            if let Some(task) =
                source.filter(|task| commit.is_some() && target::is_target_task(task))
            {
                // The branch of that request is withdrawn too, because the target passes without
                // it.
                close_bead(
                    tx,
                    task,
                    &format!("{} was repaired by {}", job.receipt.target, job.request.id),
                )?;
                continue;
            }
            block::block_request(
                tx,
                &original.id,
                &describe_missing_work(job, original, commit),
            )?;
        }
        Ok(())
    })?;
    if let RequestEnding::Merged { commit } = ending {
        // A cache that cannot be replaced stays as an earlier merge left it.
        GateCaches::keep_merged_commit(job.queue.rig, &job.queue.git, &job.receipt.target, commit)
            .ok();
    }
    Approval::remove(job.queue.rig, &job.request.id);
    for original in &brought {
        Approval::remove(job.queue.rig, &original.id);
    }
    for original in brought.iter().chain(&left) {
        let done = brought.iter().any(|bead| bead.id == original.id);
        let along = describe_original(job, original, commit);
        job.queue.rig.town().record_event(&if done {
            Event::MergedAlong(along)
        } else {
            Event::MergeUnproven(along)
        });
    }
    Ok(())
}

/// Describes the result for a request that a task was to bring to the target.
fn describe_original(job: &MergeJob, original: &Bead, commit: Option<&str>) -> MergedAlong {
    MergedAlong {
        mr: original.id.clone(),
        rig: job.queue.rig.name().to_owned(),
        bead: merge_request::source_bead_of(original),
        by: job.request.id.clone(),
        task: merge_request::source_bead_of(&job.request),
        commit: commit.map(str::to_owned),
    }
}

/// Returns true if the merged result of a task stands for the work of another request: the task's
/// branch has merged that work, or applying that work's change again changes nothing. A branch that
/// has merged the work replaces it, whatever it keeps of the files: a gate may have refused one of
/// them.
fn stands_for(job: &MergeJob, commit: &str, original: &Bead) -> anyhow::Result<bool> {
    let work = merge_request::receipt_of(original);
    let git = &job.queue.git;
    for known in [&work.base, &work.tip] {
        if known.is_empty() || git.resolve(known)?.is_none() {
            return Ok(false);
        }
    }
    if own_work::has_taken_over(job, original)? {
        return Ok(true);
    }
    let containment = git.contains_change(&work.base, &work.tip, commit)?;
    Ok(containment == Containment::All)
}

/// Explains to the user that a task did not bring the work of its request.
fn describe_missing_work(job: &MergeJob, original: &Bead, commit: Option<&str>) -> String {
    let task = merge_request::source_bead_of(&job.request);
    let bead = merge_request::source_bead_of(original);
    let what = match commit {
        Some(_) => {
            let files = merge_request::receipt_of(original).files;
            let files = block::list_some_files(&files);
            format!(
                "{task} was merged, but it neither merged the commits of this work nor holds their change (in {files})"
            )
        }
        None => format!("{task} brought discovery documents and nothing of this work"),
    };
    format!(
        "{what}. `gt mq retry {id}` tries to merge this work again; if {task} stands in for it, say so with \
         `bd close {bead} {id} --force --reason \"Replaced by {task}\"`",
        id = original.id
    )
}

/// Describes a request whose work a conflict or repair task contained.
fn describe_merged_along(request: &str, task: &str, title: &str) -> String {
    format!("{AS_IT_WAS}: {task} \"{title}\" put it right, and it was merged with {request}")
}

/// Closes a request and the bead of its work. `along` describes the result of a request that was
/// not merged itself.
fn close_request(
    tx: &mut Tx,
    id: &str,
    ending: RequestEnding<'_>,
    reason: &str,
    along: Option<&str>,
) -> anyhow::Result<()> {
    use bd::bead::fields::set_field;
    let Some(mut request) = tx.get(id).filter(|bead| bead.is_open()).cloned() else {
        return Ok(());
    };
    let source = merge_request::source_bead_of(&request);
    let word = ending.word();
    let field = match ending {
        RequestEnding::AlreadyThere { .. } => "found_in",
        RequestEnding::Merged { .. } | RequestEnding::DocumentsKept => "merge_commit",
    };
    request.description = set_field(&request.description, field, ending.commit());
    request.description = set_field(&request.description, "close_reason", Some(word));
    close_bead(tx, request.clone(), along.unwrap_or(word))?;
    match ending {
        RequestEnding::Merged { .. } => polecat::record_merged(tx, &request, along.is_some())?,
        RequestEnding::AlreadyThere { .. } => polecat::record_result(tx, &request, |entry, _| {
            entry.result = Some(MergeResult::AlreadyThere);
        })?,
        RequestEnding::DocumentsKept => {}
    }
    let handed_in = merge_request::receipt_of(&request).attempt;
    match tx.get(&source).filter(|bead| !bead.is_tombstone()).cloned() {
        Some(bead) if bead.is_open() && attempt::read_attempt(&bead) == handed_in => {
            close_bead(tx, bead, reason)
        }
        // Someone closed or reassigned the bead while this request was in the queue.
        Some(bead) => {
            let text = format!("{reason}, before it was changed by hand");
            let actor = tx.actor().to_owned();
            Ok(bd::change::add_comment(tx, &bead.id, &actor, &text).map(drop)?)
        }
        None => Ok(()),
    }
}

/// Removes the merged branch. The submitted commits stay reachable under `refs/gt/merged/`.
fn remove_merged_branch(job: &MergeJob) {
    let receipt = &job.receipt;
    let kept = format!("refs/gt/merged/{}", job.request.id);
    job.queue.git.update_ref(&kept, &receipt.tip, None).ok();
    own_work::forget_own_work(job);
    merged_refs::archive_merged_refs(&job.queue.git, &job.queue.rig.repo()).ok();
    remove_branch(job);
}

/// Removes the branch of a request locally and on the remote, if it is still at the receipt's tip
/// and the rig's settings allow it. Errors are ignored, because a remaining branch is harmless.
pub(crate) fn remove_branch(job: &MergeJob) {
    let receipt = &job.receipt;
    if !may_remove_branch(job) {
        return;
    }
    if job.queue.has_remote && !job.is_branch_deleted {
        job.queue
            .git
            .delete_remote_branch("origin", &receipt.branch, &receipt.tip)
            .ok();
    }
    job.queue
        .git
        .delete_branch(&receipt.branch, &receipt.tip)
        .ok();
}

/// Deletes the branches of landed requests on the remote like [`remove_branch`], with one push.
pub(super) fn delete_remote_branches<'j, 'a: 'j>(jobs: impl Iterator<Item = &'j mut MergeJob<'a>>) {
    let mut jobs: Vec<_> = jobs
        .filter(|job| job.queue.has_remote && may_remove_branch(job))
        .collect();
    let branches: Vec<_> = jobs
        .iter()
        .map(|job| RemoteBranch {
            name: &job.receipt.branch,
            tip: &job.receipt.tip,
        })
        .collect();
    let deleted = jobs
        .first()
        .map(|job| job.queue.git.delete_remote_branches("origin", &branches));
    // After a failure, each branch is deleted alone.
    let is_deleted = deleted.is_some_and(|deleted| deleted.is_ok());
    for job in &mut jobs {
        job.is_branch_deleted = is_deleted;
    }
}

/// Returns the branch of a bead that reverts other work.
pub(crate) fn revert_branch(bead: &str) -> String {
    format!("revert/{bead}")
}

fn may_remove_branch(job: &MergeJob) -> bool {
    let receipt = &job.receipt;
    // A branch that a user submitted is the user's to remove, whatever the request says.
    let is_of_worker =
        receipt.worker.contains("/polecats/") && receipt.branch.starts_with("polecat/");
    let is_own = is_of_worker
        || receipt.branch == revert_branch(&merge_request::source_bead_of(&job.request));
    let may_delete = job.queue.settings.merge_queue.delete_merged_branches != Some(false);
    may_delete && is_own && receipt.branch != receipt.target && !receipt.branch.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::job::{MergeQueue, queue_repository};
    use super::*;
    use crate::testing::TestTown;
    use crate::town::config::RigSettings;

    #[test]
    fn a_candidate_with_a_document_waits_for_the_user_and_nothing_is_pushed() {
        let place = TestTown::new();
        let url = place.create_origin(&[("a", "1")]);
        place.add_rig("web", Some(&url)).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let (store, settings) = (rig.store().unwrap(), RigSettings::default());
        let git = queue_repository(&rig);
        let target = git.resolve("refs/remotes/origin/main").unwrap().unwrap();
        let who = bd::git::Identity {
            name: "w".to_owned(),
            email: "w@example.org".to_owned(),
        };
        let commit = |path: &str| {
            let mut files = git.entries(&target).unwrap();
            let id = git.write_blob(b"x").unwrap();
            let (mode, size) = ("100644".to_owned(), 1);
            files.insert(path.to_owned(), bd::git::TreeEntry { mode, id, size });
            let tree = git.write_entries(&files).unwrap();
            git.commit_tree(&tree, &[&target], "Work\n", &who).unwrap()
        };
        let request = Bead {
            id: "web-mr-1".to_owned(),
            title: "Merge: web-1".to_owned(),
            issue_type: bd::bead::Kind::MergeRequest,
            ..Bead::default()
        };
        let put = |tx: &mut Tx| Ok(tx.put(request.clone())?);
        place.town.transact(&store, put).unwrap();
        let queue = MergeQueue::open(&rig, &store, &settings).unwrap();
        let mut job = MergeJob::new(queue, request);
        job.receipt.target = "main".to_owned();
        let bad = commit("docs/.gt/discovery/x.md");
        let land = |commit: &str| {
            let declined = |words: &str| anyhow::bail!("declined: {words}");
            land_candidate(&job, &target, commit, declined).unwrap()
        };
        let outcome = land(&bad);
        let MergeOutcome::NeedsPerson { reason } = outcome else {
            panic!("{outcome:?}");
        };
        assert!(
            reason.contains("would reach main: docs/.gt/discovery/x.md"),
            "{reason}"
        );
        let main = || git.ls_remote("origin", "main").unwrap().unwrap();
        assert_eq!(main(), target);
        let held = store.snapshot().unwrap();
        assert!(merge_request::reason_for_user(held.get("web-mr-1").unwrap()).is_some());
        let good = commit("docs/x.md");
        let outcome = land(&good);
        assert!(
            matches!(outcome, MergeOutcome::Merged { .. }),
            "{outcome:?}"
        );
        assert_eq!(main(), good);
    }
}
