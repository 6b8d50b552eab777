//! Lands requests by pull request. The work is on its target once the forge has merged the pull
//! request, and the fetched target contains the forge's commit.
//!
//! 1. Push the candidate that passed the gates to a branch of its own. Open a pull request for the
//!    branch, unless it has an open one. Record it on the request (`open_pull_request`).
//! 2. Look at the pull request from time to time (`follow_pull_request`). The request waits.
//! 3. A review that requests changes, and a failed check, become a task, as a failed gate does. The
//!    result of the task updates the same pull request, because the branch is named after the bead
//!    whose work it is. If the target has moved and that matters, the candidate is built again.
//! 4. Ask the forge to merge it, if nothing is missing and the rig's settings allow that. A user
//!    may merge or close it at any time: the request is closed, or rejected.
//!
//! After a crash, the next run starts at 1 and finds the branch and the pull request.

mod branch;

use jiff::SignedDuration;
use kit::ui::escape::escape_line;

use self::branch::{branch_of, push_branch, root_bead_of};
use super::forge::{
    ChangeRequest, Forge, ForgePullRequest, ForgeReview, ForgeStage, NewPullRequest,
    OpenPullRequest,
};
use super::gate::{self, GateFailure, GateRun};
use super::job::{MergeJob, MergeOutcome};
use super::reject::{RejectError, reject_request};
use super::verify::{self, RefUpdate};
use super::{block, candidate, land, task, withdraw};
use crate::record::attempt;
use crate::record::merge_request::{
    self, RequestState, awaited_pull_request, request_state, set_request_state,
};
use crate::record::pull_request::{PullRequest, PullRequestLook, PullRequestState};
use crate::town::config::LandingRoute;
use crate::town::event::{event, json_fields};

/// The name of the forge's checks in a task.
const CHECKS_GATE: &str = "pull request checks";

/// Phrases of a server that lets no one push to a branch.
const PROTECTED_PHRASES: [&str; 5] = [
    "protected branch",
    "GH006",
    "GH013",
    "pre-receive hook declined",
    "through a pull request",
];

/// Returns true if a request lands by pull request. Work of a convoy reaches the convoy's own
/// branch directly.
pub(super) fn lands_by_pull_request(job: &MergeJob) -> anyhow::Result<bool> {
    if !job.queue.has_remote || candidate::is_convoy_branch(job)? {
        return Ok(false);
    }
    let is_chosen = job.queue.settings.landing_route() == Some(LandingRoute::PullRequest);
    Ok(is_chosen || awaited_pull_request(&job.request).is_some())
}

/// Continues a request whose direct push was declined: by pull request if the target is protected
/// and a forge can be used, otherwise it waits for a user.
pub(super) fn continue_declined(
    job: &MergeJob,
    onto: &str,
    candidate: &str,
    message: &str,
) -> anyhow::Result<MergeOutcome> {
    let target = &job.receipt.target;
    let reason = format!("the push to {target} was declined: {message}");
    let is_protected = PROTECTED_PHRASES
        .iter()
        .any(|phrase| message.contains(phrase));
    if !is_protected || candidate::is_convoy_branch(job)? {
        return block::block_for_user(job, &reason);
    }
    if job.queue.settings.landing_route().is_some() {
        let reason = format!(
            "{reason}. merge_queue.merge_strategy is direct: if {target} is protected, `pr` lands by pull request"
        );
        return block::block_for_user(job, &reason);
    }
    let forge = Forge::of_rig(job.queue.rig, job.queue.settings);
    let works = forge.and_then(|forge| Ok(forge.check()?));
    if let Err(problem) = works {
        let reason = format!(
            "{reason}. If {target} is protected, it can land by pull request, but no forge can be used: {problem:#}"
        );
        return block::block_for_user(job, &reason);
    }
    open_pull_request(job, onto, candidate, &reason)
}

/// Asks the forge for the pull request of a request that lands by one, before its gates run.
/// Returns the outcome of a request that could not land after them.
pub(super) fn ask_forge(job: &MergeJob) -> anyhow::Result<Option<MergeOutcome>> {
    if !lands_by_pull_request(job)? {
        return Ok(None);
    }
    let forge = match Forge::of_rig(job.queue.rig, job.queue.settings) {
        Ok(forge) => forge,
        Err(problem) => return block::block_for_user(job, &format!("{problem:#}")).map(Some),
    };
    match forge.find_open(&branch_of(job)?) {
        Ok(Some(known)) => refuse_other_target(job, &known),
        Ok(None) => Ok(None),
        Err(problem) => Ok(Some(later(&problem))),
    }
}

/// Makes a request wait for a user if its open pull request would merge into another branch than
/// the one that the gates ran on.
fn refuse_other_target(
    job: &MergeJob,
    found: &ForgePullRequest,
) -> anyhow::Result<Option<MergeOutcome>> {
    let target = &job.receipt.target;
    if found.target == *target {
        return Ok(None);
    }
    let reason = format!(
        "{} would merge into {}, not into {target}. Change its target to {target}, or close it",
        found.url,
        escape_line(&found.target)
    );
    block::block_for_user(job, &reason).map(Some)
}

/// Pushes the candidate, and opens or updates the pull request of the request.
pub(super) fn open_pull_request(
    job: &MergeJob,
    onto: &str,
    candidate: &str,
    because: &str,
) -> anyhow::Result<MergeOutcome> {
    let forge = match Forge::of_rig(job.queue.rig, job.queue.settings) {
        Ok(forge) => forge,
        Err(problem) => return block::block_for_user(job, &format!("{problem:#}")),
    };
    if let Some(stopped) = land::prepare_landing(job, onto, candidate)? {
        return Ok(stopped);
    }
    let branch = branch_of(job)?;
    let known = match forge.find_open(&branch) {
        Ok(known) => known,
        Err(problem) => return Ok(later(&problem)),
    };
    if let Some(known) = &known
        && let Some(refused) = refuse_other_target(job, known)?
    {
        return Ok(refused);
    }
    if let Some(stopped) = push_branch(job, &branch, candidate)? {
        return Ok(stopped);
    }
    let now = Some(job.queue.rig.town().clock.now());
    let look = PullRequestLook {
        head: candidate.to_owned(),
        pushed_at: now,
        at: now,
    };
    look.save(job.queue.rig, &branch)?;
    let (number, url) = match &known {
        Some(known) => (known.number, known.url.clone()),
        None => match forge.open(&NewPullRequest {
            branch: &branch,
            target: &job.receipt.target,
            title: &candidate::commit_title(job)?,
            text: &describe_work(job),
        }) {
            Ok(opened) => opened,
            Err(problem) => return Ok(later(&problem)),
        },
    };
    let before = merge_request::pull_request_of(&job.request).filter(|it| it.number == number);
    // A review before this request is about earlier commits.
    let answered = match (&before, known) {
        (Some(before), _) => before.answered.clone(),
        (None, Some(known)) => list_change_requests(&known),
        (None, None) => Vec::new(),
    };
    let because = before.map_or_else(|| because.to_owned(), |before| before.because);
    let pull_request = PullRequest {
        number,
        url,
        branch,
        because,
        answered,
        ..PullRequest::default()
    };
    record(job, &pull_request)
}

/// Looks at the pull request of a request. `None` if the request has none, or if the commits must
/// be built and checked again.
pub(super) fn follow_pull_request(job: &MergeJob) -> anyhow::Result<Option<MergeOutcome>> {
    let Some(recorded) = awaited_pull_request(&job.request) else {
        return Ok(None);
    };
    let forge = match Forge::of_rig(job.queue.rig, job.queue.settings) {
        Ok(forge) => forge,
        Err(problem) => {
            let reason = format!("{}: {problem:#}", recorded.url);
            return Ok(Some(MergeOutcome::Later { reason }));
        }
    };
    let branch = branch_of(job)?;
    let look = PullRequestLook {
        at: Some(job.queue.rig.town().clock.now()),
        ..PullRequestLook::load(job.queue.rig, &branch)?
    };
    look.save(job.queue.rig, &branch)?;
    let found = match forge.view(recorded.number) {
        Ok(found) => found,
        Err(problem) => return Ok(Some(later(&problem))),
    };
    if found.branch.as_ref() != Some(&branch) {
        return forget_foreign(job, &found, &branch).map(Some);
    }
    let open = match &found.stage {
        ForgeStage::Merged { commits } => {
            return close_merged(job, recorded, &found, commits).map(Some);
        }
        ForgeStage::Closed => return reject_closed(job, recorded).map(Some),
        ForgeStage::Open(open) => open,
    };
    let beads = job.queue.store.snapshot()?;
    let has_task = !bd::graph::find_blockers(&beads, &job.request.id).is_empty();
    if has_task || merge_request::reason_for_user(&job.request).is_some() {
        // A task, or a user, goes on with it. Only its end is of interest.
        return Ok(Some(describe_wait(&recorded, false)));
    }
    if let Some(refused) = refuse_other_target(job, &found)? {
        return Ok(Some(refused));
    }
    if look.head.is_empty() {
        return Ok(None);
    }
    if let ForgeReview::ChangesRequested(requests) = &open.review {
        let new: Vec<&ChangeRequest> = requests
            .iter()
            .filter(|request| !recorded.answered.contains(&request.id))
            .collect();
        if !new.is_empty() {
            return send_back(job, recorded, &new).map(Some);
        }
    }
    if found.head != look.head {
        return wait_in(job, recorded, PullRequestState::Changed, "").map(Some);
    }
    if !open.failed_checks.is_empty() {
        return fail_checks(job, recorded, &open.failed_checks).map(Some);
    }
    if open.conflicts || open.is_behind {
        let has_moved = job
            .fetch_target()?
            .is_some_and(|tip| tip != request_state(&job.request).onto);
        if has_moved {
            return Ok(None);
        }
        // The forge computes this after a push, and may have an old answer.
        return wait_in(job, recorded, PullRequestState::Outdated, "").map(Some);
    }
    match find_missing_step(job, &look, open) {
        Some(state) => wait_in(job, recorded, state, ""),
        None => merge(job, &forge, recorded, &look.head),
    }
    .map(Some)
}

/// Forgets a recorded pull request that is not one of the request's branch. The record was synced,
/// or the project was created again. The next run opens the right one.
fn forget_foreign(
    job: &MergeJob,
    found: &ForgePullRequest,
    branch: &str,
) -> anyhow::Result<MergeOutcome> {
    job.queue.rig.transact(job.queue.store, |tx| {
        let Some(mut request) = tx.get(&job.request.id).cloned() else {
            return Ok(());
        };
        let state = RequestState {
            pull_request: None,
            ..request_state(&request)
        };
        set_request_state(&mut request, &state)?;
        request.updated_at = tx.now();
        Ok(tx.put(request)?)
    })?;
    let reason = format!(
        "the recorded pull request {} is not one of {branch}",
        found.url
    );
    Ok(MergeOutcome::Later { reason })
}

/// Returns what is missing before the forge may be asked to merge an open pull request.
fn find_missing_step(
    job: &MergeJob,
    look: &PullRequestLook,
    open: &OpenPullRequest,
) -> Option<PullRequestState> {
    let queue = &job.queue.settings.merge_queue;
    let needs_review = match open.review {
        ForgeReview::Approved => false,
        ForgeReview::None => queue.require_review == Some(true),
        ForgeReview::Required | ForgeReview::ChangesRequested(_) => true,
    };
    if open.is_draft {
        Some(PullRequestState::Draft)
    } else if open.checks_running || !open.has_checks && !had_time_for_checks(job, look) {
        Some(PullRequestState::Checks)
    } else if needs_review {
        Some(PullRequestState::Review)
    } else {
        (queue.auto_merge == Some(false)).then_some(PullRequestState::Approved)
    }
}

/// Returns true if the forge had the time to begin its checks, if it has any.
fn had_time_for_checks(job: &MergeJob, look: &PullRequestLook) -> bool {
    let now = job.queue.rig.town().clock.now();
    let interval = SignedDuration::try_from(job.queue.settings.poll_interval());
    look.pushed_at.is_none_or(|pushed_at| {
        interval.is_ok_and(|interval| now.duration_since(pushed_at) >= interval)
    })
}

/// Asks the forge to merge the commit that passed the gates.
fn merge(
    job: &MergeJob,
    forge: &Forge,
    recorded: PullRequest,
    head: &str,
) -> anyhow::Result<MergeOutcome> {
    let onto = request_state(&job.request).onto;
    if let Some(stopped) = land::prepare_landing(job, &onto, head)? {
        return Ok(stopped);
    }
    let answer = forge.merge(recorded.number, head, job.queue.settings.strategy());
    // The forge may have merged it although its answer was lost.
    let found = match forge.view(recorded.number) {
        Ok(found) => found,
        Err(problem) => return Ok(later(&problem)),
    };
    match (&found.stage, answer) {
        (ForgeStage::Merged { commits }, _) => close_merged(job, recorded, &found, commits),
        // A forge with a merge queue of its own merges later.
        (_, Ok(())) => {
            let mut accepted = recorded;
            if accepted.accepted.is_empty() {
                accepted.accepted = job.queue.rig.town().clock.now().to_string();
            }
            wait_in(job, accepted, PullRequestState::Merging, "")
        }
        (_, Err(problem)) => {
            let state = PullRequestState::MergeRefused;
            wait_in(job, recorded, state, &problem.to_string())
        }
    }
}

/// Closes a request whose pull request was merged, if the fetched target contains the commit.
fn close_merged(
    job: &MergeJob,
    recorded: PullRequest,
    found: &ForgePullRequest,
    commits: &[String],
) -> anyhow::Result<MergeOutcome> {
    let url = &found.url;
    let target = &job.receipt.target;
    let merged = PullRequest {
        state: PullRequestState::Merged,
        detail: String::new(),
        ..recorded
    };
    if found.target != *target {
        record(job, &merged)?;
        let reason = format!(
            "{url} was merged into {}, not into {target}",
            escape_line(&found.target)
        );
        return block::block_for_user(job, &reason);
    }
    let Some(tip) = job.fetch_target()? else {
        let reason = format!("the target branch {target} does not exist");
        return Ok(MergeOutcome::Later { reason });
    };
    let mut on_target = Vec::new();
    for commit in commits {
        if job.queue.git.resolve(commit)?.is_some() && job.queue.git.is_ancestor(commit, &tip)? {
            on_target.push(commit);
        }
    }
    let Some(named) = on_target.first() else {
        let reason = format!("{url} was merged, but the fetched {target} does not hold it");
        return Ok(MergeOutcome::Later { reason });
    };
    let pushed = request_state(&job.request);
    let mut landed = None;
    for commit in &on_target {
        if landed.is_none() && holds_pushed_change(job, &pushed, commit)? {
            landed = Some(*commit);
        }
    }
    let Some(commit) = landed else {
        record(job, &merged)?;
        let reason = format!(
            "the forge says that {url} was merged as {named:.12}, but that commit did not bring the pushed change \
             ({:.12}) to {target}. If it is there, `bd close {} --force --reason WHY` closes the bead; `gt mq retry {}` \
             merges it again",
            pushed.candidate,
            merge_request::source_bead_of(&job.request),
            job.request.id
        );
        return block::block_for_user(job, &reason);
    };
    if job.queue.settings.merge_queue.delete_merged_branches != Some(false) {
        let branch = branch_of(job)?;
        job.queue
            .git
            .delete_remote_branch("origin", &branch, &found.head)
            .ok();
        PullRequestLook::remove(job.queue.rig, &branch);
    }
    record(job, &merged)?;
    land::close_merged(job, commit)
}

/// Returns true if a commit that the forge names brought the change that was pushed for the pull
/// request: the target did not have the commit before, and its tree holds the change.
fn holds_pushed_change(
    job: &MergeJob,
    pushed: &RequestState,
    commit: &str,
) -> anyhow::Result<bool> {
    let onto = &pushed.onto;
    let is_known = !onto.is_empty() && job.queue.git.resolve(onto)?.is_some();
    if is_known && job.queue.git.is_ancestor(commit, onto)? {
        return Ok(false);
    }
    let candidate = RefUpdate {
        onto,
        commit: &pushed.candidate,
    };
    let submitted = RefUpdate {
        onto: &job.receipt.base,
        commit: &job.receipt.tip,
    };
    Ok(verify::contains_change(&job.queue.git, commit, candidate)?
        || verify::contains_change(&job.queue.git, commit, submitted)?)
}

/// Rejects a request whose pull request was closed without a merge. A task works for the request
/// that it resolves, so that one is rejected with it.
fn reject_closed(job: &MergeJob, recorded: PullRequest) -> anyhow::Result<MergeOutcome> {
    let reason = format!("{} was closed without a merge", recorded.url);
    let closed = PullRequest {
        state: PullRequestState::Closed,
        detail: String::new(),
        ..recorded
    };
    record(job, &closed)?;
    let originals = merge_request::find_originals(&job.queue.store.snapshot()?, &job.request);
    let open = originals.iter().rfind(|original| original.is_open());
    let rejected = open.map_or(&job.request.id, |original| &original.id);
    match reject_request(job.queue.rig, job.queue.store, rejected, &reason) {
        Ok(rejected) => job.queue.rig.transact(job.queue.store, |tx| {
            Ok(attempt::mark_closed_at_forge(tx, &rejected.bead)?)
        })?,
        // The bead was closed in the meantime.
        Err(error) if error.is::<RejectError>() => {}
        Err(error) => return Err(error),
    }
    let withdrawn = withdraw::withdraw_request(job)?;
    Ok(withdrawn.unwrap_or(MergeOutcome::Withdrawn { reason }))
}

/// Creates the task for a review that requests changes.
fn send_back(
    job: &MergeJob,
    recorded: PullRequest,
    requests: &[&ChangeRequest],
) -> anyhow::Result<MergeOutcome> {
    let reviews: Vec<(String, String)> = requests
        .iter()
        .map(|request| (request.author.clone(), request.text.clone()))
        .collect();
    let onto = request_state(&job.request).onto;
    let outcome = task::create_review_task(job, &onto, &recorded.url, &reviews)?;
    let answered = requests.iter().map(|request| request.id.clone());
    let answered = recorded.answered.iter().cloned().chain(answered).collect();
    record(
        job,
        &PullRequest {
            state: PullRequestState::ChangesRequested,
            detail: String::new(),
            answered,
            ..recorded
        },
    )?;
    Ok(outcome)
}

/// Creates the task for checks that failed.
fn fail_checks(
    job: &MergeJob,
    recorded: PullRequest,
    failed: &[String],
) -> anyhow::Result<MergeOutcome> {
    let output = failed.join("\n");
    let failure = GateFailure {
        gate: CHECKS_GATE.to_owned(),
        command: recorded.url.clone(),
        end: "at the forge".to_owned(),
        code: None,
        tail: gate::output_tail(&output).to_owned(),
        log: GateRun::for_request(job).keep_log(CHECKS_GATE, output.as_bytes())?,
        refusal: None,
    };
    let onto = request_state(&job.request).onto;
    let outcome = task::create_gate_task(job, &onto, &failure)?;
    wait_in(job, recorded, PullRequestState::ChecksFailed, "")?;
    Ok(outcome)
}

/// Closes the pull request of a withdrawn request, if its bead needs no work any more. Otherwise
/// the next attempt at the bead updates it. An error is ignored: it stays open, for a user to
/// close.
pub(super) fn close_unneeded(job: &MergeJob, reason: &str) -> anyhow::Result<()> {
    let Some(recorded) = awaited_pull_request(&job.request) else {
        return Ok(());
    };
    // The task of another request shares the pull request with it.
    let beads = job.queue.store.snapshot()?;
    let is_open = |id: &str| beads.get(id).is_some_and(bd::bead::Bead::is_open);
    if is_open(&merge_request::source_bead_of(&job.request)) || is_open(&root_bead_of(job)?) {
        return Ok(());
    }
    let branch = branch_of(job)?;
    if let Ok(forge) = Forge::of_rig(job.queue.rig, job.queue.settings)
        && let Ok(found) = forge.view(recorded.number)
        && found.branch.as_ref() == Some(&branch)
    {
        let text = format!("Not needed any more: {reason}");
        forge.close(recorded.number, &text).ok();
    }
    let look = PullRequestLook::load(job.queue.rig, &branch)?;
    job.queue
        .git
        .delete_remote_branch("origin", &branch, &look.head)
        .ok();
    PullRequestLook::remove(job.queue.rig, &branch);
    Ok(())
}

/// Describes the work for the readers of the pull request.
fn describe_work(job: &MergeJob) -> String {
    let bead = merge_request::source_bead_of(&job.request);
    let summary = job.receipt.summary.trim();
    let worker = &job.receipt.worker;
    let id = &job.request.id;
    format!("{summary}\n\nBead {bead}, merge request {id}, work of {worker}.\n")
        .trim_start()
        .to_owned()
}

fn list_change_requests(found: &ForgePullRequest) -> Vec<String> {
    match &found.stage {
        ForgeStage::Open(OpenPullRequest {
            review: ForgeReview::ChangesRequested(requests),
            ..
        }) => requests.iter().map(|request| request.id.clone()).collect(),
        _ => Vec::new(),
    }
}

/// Makes a request wait for its pull request in a state.
fn wait_in(
    job: &MergeJob,
    recorded: PullRequest,
    state: PullRequestState,
    detail: &str,
) -> anyhow::Result<MergeOutcome> {
    let detail = detail.to_owned();
    record(
        job,
        &PullRequest {
            state,
            detail,
            ..recorded
        },
    )
}

/// Records the pull request on its request, if it differs from the recorded one.
fn record(job: &MergeJob, pull_request: &PullRequest) -> anyhow::Result<MergeOutcome> {
    if merge_request::pull_request_of(&job.request).as_ref() == Some(pull_request) {
        return Ok(describe_wait(pull_request, false));
    }
    job.queue.rig.transact(job.queue.store, |tx| {
        let Some(mut request) = tx.get(&job.request.id).cloned() else {
            return Ok(());
        };
        let state = RequestState {
            pull_request: Some(pull_request.clone()),
            ..request_state(&request)
        };
        set_request_state(&mut request, &state)?;
        request.updated_at = tx.now();
        Ok(tx.put(request)?)
    })?;
    job.queue.rig.town().record_event(&event!(PullRequest,
        text: pull_request.to_string(), pull_request: json_fields(pull_request),
        request: job.merge_ref(),
    ));
    Ok(describe_wait(pull_request, true))
}

fn describe_wait(pull_request: &PullRequest, is_news: bool) -> MergeOutcome {
    MergeOutcome::PullRequest {
        number: pull_request.number,
        url: pull_request.url.clone(),
        state: pull_request.state,
        is_news,
    }
}

fn later(problem: &impl std::fmt::Display) -> MergeOutcome {
    MergeOutcome::Later {
        reason: problem.to_string(),
    }
}
