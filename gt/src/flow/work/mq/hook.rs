//! Runs the `pre-merge` hooks after the rig's gates, on the work as it will be on the target. A
//! rejection becomes a task, as a failed gate does. A deferral, or a hook without a decision, waits
//! for a user. Only a waiver, with a reason that is kept on the request, skips the hooks.

use std::sync::atomic::Ordering;

use bd::bead::{Bead, fields};

use super::gate::{self, GateFailure, GateRun};
use super::gate_tree::GateTree;
use super::job::{MergeJob, MergeOutcome};
use super::{block, task};
use crate::flow::place::town_hook::{
    self, TownHookCall, TownHookEvent, TownHookRun, TownHookVerdict,
};
use crate::flow::work::convoy::{self, HookDecision};
use crate::record;
use crate::record::approval::Approval;
use crate::record::merge_request::{self, request_state, set_request_state};
use crate::town::event::event;

/// The prefix for a hook's name in a task.
const HOOK_GATE: &str = "pre-merge hook";

/// Runs the hooks. `None` if the work may continue.
pub(crate) fn ask_pre_merge_hooks(
    job: &MergeJob,
    target: &str,
    candidate: &str,
) -> anyhow::Result<Option<MergeOutcome>> {
    if !town_hook::has_event_hooks(
        &job.queue.rig.town().layout,
        Some(job.queue.rig),
        TownHookEvent::PreMerge,
    ) {
        return Ok(None);
    }
    let approval = Approval::load(job.queue.rig, &job.request.id)?;
    if let Some(waiver) = &approval.waiver {
        job.queue.rig.town().record_event(&event!(HookWaived,
            by: waiver.by, reason: waiver.reason, at: waiver.at, hooks: approval.passed_hooks,
            request: job.merge_ref(),
        ));
    }
    let tree = GateTree::new(job.queue.rig, 0);
    tree.check_out(&job.queue, &job.merge_ref(), candidate)?;
    let mut call = build_call(job)?;
    call.cwd = Some(tree.path);
    call.skipped_hooks = approval.passed_hooks;
    call.more.extend([
        ("GT_BASE", target.to_owned()),
        ("GT_COMMIT", candidate.to_owned()),
    ]);
    let report = town_hook::run_event_hooks(job.queue.rig.town(), TownHookEvent::PreMerge, &call);
    let Some(ran) = report.refusal() else {
        return Ok(None);
    };
    let hook = &ran.hook;
    let reason = &ran.reason;
    // The hook was ended because the queue stops. The next run asks it again.
    anyhow::ensure!(
        !job.queue.rig.town().stop.load(Ordering::Relaxed),
        "{hook}: {reason}"
    );
    let outcome = match ran.verdict {
        TownHookVerdict::Rejected => create_rejection_task(job, target, ran)?,
        TownHookVerdict::Deferred => {
            let reason = format!("{hook} leaves the decision to the user: {reason}");
            block::block_for_user(job, &reason)?
        }
        TownHookVerdict::Broken | TownHookVerdict::Approved => {
            let reason = format!("{hook} came to no decision: {reason}");
            block::block_for_user(job, &reason)?
        }
    };
    record_stop(job, &outcome, hook)?;
    Ok(Some(outcome))
}

/// Creates the task for a rejection.
fn create_rejection_task(
    job: &MergeJob,
    target: &str,
    ran: &TownHookRun,
) -> anyhow::Result<MergeOutcome> {
    let output = [ran.output.as_str(), &ran.errors].concat();
    let exit = ran.answer.exit.unwrap_or(0);
    let failure = GateFailure {
        gate: HOOK_GATE.to_owned(),
        command: ran.hook.clone(),
        end: format!("exit code {exit}"),
        code: None,
        tail: gate::output_tail(&output).to_owned(),
        log: GateRun::for_request(job).keep_log(HOOK_GATE, output.as_bytes())?,
        refusal: None,
    };
    task::create_gate_task(job, target, &failure)
}

/// Records that a hook stopped the request, so that it can be waived.
fn record_stop(job: &MergeJob, outcome: &MergeOutcome, hook: &str) -> anyhow::Result<()> {
    job.queue.rig.transact(job.queue.store, |tx| {
        let Some(mut request) = tx.get(&job.request.id).cloned() else {
            return Ok(());
        };
        let mut state = request_state(&request);
        state.by_hook = true;
        hook.clone_into(&mut state.stopped_by);
        if let MergeOutcome::GateFailed { task, .. } = outcome {
            state.hook_task.clone_from(task);
        }
        set_request_state(&mut request, &state)?;
        request.updated_at = tx.now();
        tx.put(request)?;
        Ok(())
    })
}

/// Builds the hook call for a request. Also used after a merge.
pub(crate) fn build_call<'a>(job: &'a MergeJob) -> anyhow::Result<TownHookCall<'a>> {
    let source = merge_request::source_bead_of(&job.request);
    let town = job.queue.rig.town().open_town_store()?.snapshot()?;
    let tracking = record::convoy::convoys_tracking(&town, &source);
    let convoy = tracking.first().and_then(|id| town.get(id));
    let decision = convoy
        .and_then(|convoy| convoy::decision_for(convoy, job.queue.rig.name()))
        .unwrap_or_default();
    let id = convoy.map_or("", |convoy| &convoy.id).to_owned();
    let mut more = vec![
        ("GT_MERGE_REQUEST", job.request.id.clone()),
        ("GT_BEAD", source.clone()),
        ("GT_BRANCH", job.receipt.branch.clone()),
        ("GT_TARGET", job.receipt.target.clone()),
        ("GT_CONVOY_ID", id.clone()),
        ("GT_FRONT_MATTER", front_matter_of(job, &decision)?),
    ];
    more.extend(decision.variables());
    Ok(TownHookCall {
        rig: Some(job.queue.rig),
        convoy: convoy.map_or("", |convoy| &convoy.title).to_owned(),
        spec: convoy.map_or("", |convoy| &convoy.description).to_owned(),
        issues: vec![source.clone()],
        more,
        about: vec![
            ("mr", job.request.id.clone()),
            ("bead", source),
            ("convoy", id),
        ],
        ..TownHookCall::default()
    })
}

/// Returns the front matter of the work without its delimiter lines, as it was when the convoy was
/// created: later edits by a worker do not count. If no convoy has it, returns the bead's current
/// one. For a task that brings other work to its target, returns that of the other work.
fn front_matter_of(job: &MergeJob, decision: &HookDecision) -> anyhow::Result<String> {
    let beads = job.queue.store.snapshot()?;
    let mut request = Some(&job.request);
    while let Some(now) = request {
        let source = merge_request::source_bead_of(now);
        let front = match decision.own.get(&source) {
            Some(front) => Some(front.lines()),
            None if decision.adr.is_none() => beads.get(&source).map(bead_front_lines),
            None => None,
        };
        if let Some(front) = front
            && !front.is_empty()
        {
            return Ok(front);
        }
        let next = merge_request::receipt_of(now)
            .resolves
            .and_then(|id| beads.get(&id));
        if next.is_none_or(|next| next.id == now.id) {
            break;
        }
        request = next;
    }
    Ok(decision.front.lines())
}

fn bead_front_lines(bead: &Bead) -> String {
    let (front, _) = fields::split_front_matter(&bead.description);
    let lines: Vec<&str> = front.lines().collect();
    match lines.as_slice() {
        [_, inside @ .., _] => inside.join("\n"),
        _ => String::new(),
    }
}

/// Runs the `post-merge` hooks.
pub(crate) fn run_post_merge_hooks(job: &MergeJob, commit: &str) {
    if !town_hook::has_event_hooks(
        &job.queue.rig.town().layout,
        Some(job.queue.rig),
        TownHookEvent::PostMerge,
    ) {
        return;
    }
    // The merge is done, even if the beads cannot be read now.
    if let Ok(mut call) = build_call(job) {
        call.more.push(("GT_COMMIT", commit.to_owned()));
        town_hook::notify_event_hooks(job.queue.rig.town(), TownHookEvent::PostMerge, &call);
    }
}
