//! The `pre-merge` hooks: asked about the work as it will be on the target, after the rig's gates. What they reject
//! becomes a task like a failed gate; what they leave to a person, and a hook that comes to no decision, waits for
//! one. Only a waiver, with a reason that stays on the request, lets work by.

use std::sync::atomic::Ordering;

use bd::bead::{Bead, fields};

use super::gate::{self, Failure};
use super::job::{Job, MergeOutcome};
use super::{land, task};
use crate::flow::convoy::{self, Decision};
use crate::flow::town_hook::{self, Call, Event, FrontMatter, Ran, Verdict};
use crate::record;
use crate::record::merge_request::{self, request_state, set_request_state};
use crate::town::event::event;

/// How the name of what failed reads in a task.
const GATE: &str = "pre-merge hook";

/// Asks the hooks; `None` where the work may go on.
pub(crate) fn ask(
    job: &Job,
    target: &str,
    candidate: &str,
) -> anyhow::Result<Option<MergeOutcome>> {
    if !town_hook::has(job.town, Some(job.rig), Event::PreMerge) {
        return Ok(None);
    }
    let state = request_state(&job.request);
    if let Some(waiver) = &state.waived {
        job.town.record_event(&event!(HookWaived,
            by: waiver.by, reason: waiver.reason, at: waiver.at, hooks: state.passed,
            request: job.merge_ref(),
        ));
    }
    let tree = job.rig.refinery();
    gate::check_out(job, &tree, candidate)?;
    let mut call = merged_call(job)?;
    call.cwd = Some(tree);
    call.passed = state.passed;
    call.more.extend([
        ("GT_BASE", target.to_owned()),
        ("GT_COMMIT", candidate.to_owned()),
    ]);
    let report = town_hook::run(job.town, Event::PreMerge, &call);
    let Some(ran) = report.refusal() else {
        return Ok(None);
    };
    let (hook, reason) = (&ran.hook, &ran.reason);
    // It was ended because we stop: the next run asks it again.
    anyhow::ensure!(!job.town.stop.load(Ordering::Relaxed), "{hook}: {reason}");
    let outcome = match ran.verdict {
        Verdict::Rejected => failed(job, target, ran)?,
        Verdict::Deferred => {
            let reason = format!("{hook} leaves it to a person: {reason}");
            land::hold_for_person(job, &reason)?
        }
        Verdict::Broken | Verdict::Approved => {
            let reason = format!("{hook} came to no decision: {reason}");
            land::hold_for_person(job, &reason)?
        }
    };
    remember(job, &outcome, hook)?;
    Ok(Some(outcome))
}

/// Makes the task for what a hook rejects.
fn failed(job: &Job, target: &str, ran: &Ran) -> anyhow::Result<MergeOutcome> {
    let output = [ran.output.as_str(), &ran.errors].concat();
    let exit = ran.answer.exit.unwrap_or_default();
    let failure = Failure {
        gate: GATE.to_owned(),
        command: ran.hook.clone(),
        end: format!("exit code {exit}"),
        tail: gate::tail(&output).to_owned(),
        log: gate::keep_log(job, GATE, output.as_bytes())?,
    };
    task::gate_failed(job, target, &failure)
}

/// Writes that a hook stopped the request, so that it can be waived.
fn remember(job: &Job, outcome: &MergeOutcome, hook: &str) -> anyhow::Result<()> {
    job.town.transact(job.store, |tx| {
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

/// What the hooks are told of a request; after a merge, too.
pub(crate) fn merged_call<'a>(job: &'a Job) -> anyhow::Result<Call<'a>> {
    let source = merge_request::source_bead_of(&job.request);
    let town = job.town.open_town_store()?.snapshot()?;
    let tracking = record::convoy::convoys_tracking(&town, &source);
    let convoy = tracking.first().and_then(|id| town.get(id));
    let decision = convoy.and_then(|convoy| convoy::decision_for(convoy, job.rig.name()));
    let decision = decision.unwrap_or_default();
    let id = convoy.map(|convoy| convoy.id.clone()).unwrap_or_default();
    Ok(Call {
        rig: Some(job.rig),
        convoy: convoy
            .map(|convoy| convoy.title.clone())
            .unwrap_or_default(),
        spec: convoy
            .map(|convoy| convoy.description.clone())
            .unwrap_or_default(),
        issues: vec![source.clone()],
        more: vec![
            ("GT_MERGE_REQUEST", job.request.id.clone()),
            ("GT_BEAD", source.clone()),
            ("GT_BRANCH", job.receipt.branch.clone()),
            ("GT_TARGET", job.receipt.target.clone()),
            ("GT_CONVOY_ID", id.clone()),
            ("GT_FRONT_MATTER", front_matter(job, &decision)?),
            ("GT_CONVOY_ADR", decision.adr.unwrap_or_default()),
            ("GT_CONVOY_ADR_PATH", decision.adr_path.unwrap_or_default()),
        ],
        about: vec![
            ("mr", job.request.id.clone()),
            ("bead", source),
            ("convoy", id),
        ],
        ..Call::default()
    })
}

/// The front matter of the work, without the lines around it, as it was when its convoy was made: what a worker
/// writes there later counts for nothing. Where no convoy knows it, as it stands in the bead. Of a task that brings
/// other work to its target, that of the other work.
fn front_matter(job: &Job, decision: &Decision) -> anyhow::Result<String> {
    let beads = job.store.snapshot()?;
    let mut request = Some(&job.request);
    while let Some(now) = request {
        let source = merge_request::source_bead_of(now);
        let recorded = decision.own.get(&source).map(FrontMatter::lines);
        let decided = decision.adr.is_some();
        let written = || beads.get(&source).filter(|_| !decided).map(front_lines);
        let front = recorded.or_else(written).unwrap_or_default();
        let next = merge_request::receipt_of(now).resolves;
        let next = next.and_then(|id| beads.get(&id));
        if !front.is_empty() {
            return Ok(front);
        }
        if next.is_none_or(|next| next.id == now.id) {
            break;
        }
        request = next;
    }
    Ok(decision.front.lines())
}

fn front_lines(bead: &Bead) -> String {
    let (front, _) = fields::split_front_matter(&bead.description);
    let lines: Vec<&str> = front.lines().collect();
    match lines.as_slice() {
        [_, inside @ .., _] => inside.join("\n"),
        _ => String::new(),
    }
}

/// Tells the `post-merge` hooks.
pub(crate) fn merged(job: &Job, commit: &str) {
    if !town_hook::has(job.town, Some(job.rig), Event::PostMerge) {
        return;
    }
    // Beads that cannot be read now keep nobody from having merged.
    if let Ok(mut call) = merged_call(job) {
        call.more.push(("GT_COMMIT", commit.to_owned()));
        town_hook::notify(job.town, Event::PostMerge, &call);
    }
}
