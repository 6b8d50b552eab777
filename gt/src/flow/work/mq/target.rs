//! Handles a target that fails its own gates: creates one task for it, and makes the requests wait
//! until the target moves.

use bd::bead::{Bead, Kind, Status};
use bd::store::{BeadMark, Snapshot, Tx};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::gate::{GateFailure, GateRun};
use super::job::{MergeJob, MergeOutcome};
use super::task::{self, fence_output};
use crate::record::broken_target::BrokenTarget;
use crate::record::merge_request::{self, request_state, set_request_state};
use crate::record::merge_task::MERGE_LABEL;
use crate::record::request_wait::BrokenTargets;
use crate::town::config::Gate;

/// The time after which a waiting request checks the target again.
pub(super) const CHECK_PAUSE: SignedDuration = SignedDuration::from_mins(1);

/// The metadata keys of a target's task: the branch, the gate, and the gate's command.
const TARGET_KEY: &str = "target";
const GATE_KEY: &str = "gate";
const COMMAND_KEY: &str = "command";

/// Returns true if a bead is the task for a target that fails its gates.
pub(crate) fn is_target_task(bead: &Bead) -> bool {
    bead.metadata_object().contains_key(TARGET_KEY)
}

/// Returns the time until a request that waits for its target must be checked again.
pub(crate) fn remaining_pause(
    broken_targets: &BrokenTargets,
    request: &Bead,
    now: Timestamp,
) -> SignedDuration {
    if request_state(request).broken.is_none() {
        return SignedDuration::ZERO;
    }
    let last_check = broken_targets
        .find_for(request)
        .and_then(|broken| broken.at.parse::<Timestamp>().ok());
    last_check.map_or(SignedDuration::ZERO, |at| {
        (CHECK_PAUSE - now.duration_since(at)).max(SignedDuration::ZERO)
    })
}

/// Returns true if a bead is the task for a target, or repairs the work on such a task.
pub(super) fn repairs_target(beads: &Snapshot, id: &str) -> bool {
    let Some(bead) = beads.get(id) else {
        return false;
    };
    let root = task::original_bead_of(beads, bead).and_then(|root| beads.get(&root));
    is_target_task(bead) || root.is_some_and(is_target_task)
}

/// Returns the open task for a gate that fails on a branch.
fn find_open_task(beads: &Snapshot, branch: &str, gate: &str) -> Option<String> {
    let mut open = beads.select_open(&[BeadMark::Label(MERGE_LABEL)]);
    open.find(|bead| {
        let fields = bead.metadata_object();
        [(TARGET_KEY, branch), (GATE_KEY, gate)]
            .iter()
            .all(|(key, value)| fields.get(*key).is_some_and(|found| found == value))
    })
    .map(|bead| bead.id.clone())
}

/// Runs a failed gate on the target alone, once per commit. If it fails there too, the work is not
/// the cause: the request waits, and the target gets a task.
pub(crate) fn check_target_alone(
    job: &MergeJob,
    target: &str,
    failure: &GateFailure,
) -> anyhow::Result<Option<MergeOutcome>> {
    let source = merge_request::source_bead_of(&job.request);
    let groups = job.queue.settings.gates(job.queue.rig)?;
    let Some(group) = find_group(&groups, &failure.gate) else {
        return Ok(None);
    };
    // A gate that fails with work that should repair the target is caused by that work.
    if repairs_target(&job.queue.store.snapshot()?, &source) {
        return Ok(failure.outcome_if_cannot_run());
    }
    if let Some(known) = find_known_failure(job, target, &failure.gate, &groups)? {
        let task = known.task.clone();
        job.queue.rig.transact(job.queue.store, |tx| {
            set_broken(tx, &job.request.id, Some(known.clone()))
        })?;
        let gate = failure.gate.clone();
        return Ok(Some(MergeOutcome::TargetBroken { gate, task }));
    }
    let Some(target_failure) = run_on_target(job, target, group, &failure.gate)? else {
        return Ok(None);
    };
    // If the gate runs on the target, the work took away what it needs.
    if let Some(outcome) = target_failure.outcome_if_cannot_run() {
        return Ok(Some(outcome));
    }
    let branch = &job.receipt.target;
    // Each breakage has its own task, because the text of an earlier one is outdated.
    let about = format!("target\0{branch}\0{}\0{target}", failure.gate);
    let prefix = job.queue.rig.prefix();
    let beads = job.queue.store.snapshot()?;
    let task = find_open_task(&beads, branch, &failure.gate)
        .unwrap_or_else(|| task::free_task_id(&beads, &prefix, &about));
    let evidence = format!(
        "`{branch}` at {target:.12} fails the gate `{}` without any new work ({}).\n\nIt runs:\n\n{}\n\nThe end of its \
         output (all of it is in {}):\n\n{}\n\nWhat to do: your branch starts from there. Make the gate pass, commit, and \
         finish with `gt done`. Merge requests to `{branch}` wait for it.\n",
        target_failure.gate,
        target_failure.end,
        fence_output(&target_failure.command),
        target_failure.log.display(),
        fence_output(&target_failure.tail),
    );
    let command = gate_command(&groups, &failure.gate);
    job.queue.rig.transact(job.queue.store, |tx| {
        if tx.get(&task).is_none() {
            write_target_task(tx, job, &task, branch, &failure.gate, &evidence)?;
        } else {
            reopen_target_task(tx, &task, &evidence)?;
        }
        if let Some(mut task) = tx.get(&task).cloned() {
            task.set_metadata(COMMAND_KEY, &command)?;
            tx.put(task)?;
        }
        let now = tx.now().to_string();
        set_broken(
            tx,
            &job.request.id,
            Some(BrokenTarget {
                target: target.to_owned(),
                task: task.clone(),
                at: now.clone(),
                since: now.clone(),
                tested: now,
            }),
        )
    })?;
    Ok(Some(MergeOutcome::TargetBroken {
        gate: target_failure.gate,
        task,
    }))
}

/// Returns the finding of another request that this commit of the target fails the gate.
fn find_known_failure(
    job: &MergeJob,
    target: &str,
    gate: &str,
    groups: &[Vec<Gate>],
) -> anyhow::Result<Option<BrokenTarget>> {
    let beads = job.queue.store.snapshot()?;
    let broken_targets = BrokenTargets::find(&beads);
    let known = broken_targets
        .find_branch(&job.receipt.target)
        .filter(|known| known.target == target)
        .filter(|known| {
            beads.get(&known.task).is_some_and(|task| {
                let command: Option<String> = task.metadata_value(COMMAND_KEY);
                task.metadata_value::<String>(GATE_KEY).as_deref() == Some(gate)
                    && command == gate_command(groups, gate)
            })
        });
    Ok(known.cloned())
}

/// Runs the group of a failed gate on the target alone. Returns the failure. A pass is recorded for
/// the commit.
fn run_on_target(
    job: &MergeJob,
    target: &str,
    group: &[Gate],
    gate: &str,
) -> anyhow::Result<Option<GateFailure>> {
    let passed = format!("{target}:{gate}");
    let beads = job.queue.store.snapshot()?;
    let known = beads.get(&pass_record_id(job));
    if known.is_some_and(|record| record.notes == passed) {
        return Ok(None);
    }
    let failure = GateRun::for_request(job).run_group(target, group)?;
    if failure.is_none() {
        record_pass(job, &passed)?;
    }
    Ok(failure)
}

fn pass_record_id(job: &MergeJob) -> String {
    format!(
        "{}-wisp-target-{}",
        job.queue.rig.prefix(),
        job.queue.rig.name()
    )
}

/// Records the target's commit that last passed a gate.
fn record_pass(job: &MergeJob, passed: &str) -> anyhow::Result<()> {
    job.queue.rig.transact(job.queue.store, |tx| {
        let now = tx.now();
        tx.put(Bead {
            id: pass_record_id(job),
            title: "Gates on the target alone".to_owned(),
            notes: passed.to_owned(),
            // Closed from the start, because a record is no work and must not appear in lists of
            // work.
            status: Status::Closed,
            closed_at: Some(now.clone()),
            issue_type: Kind::Slot,
            ephemeral: true,
            created_at: now.clone(),
            updated_at: now,
            created_by: tx.actor().to_owned(),
            ..Bead::default()
        })?;
        Ok(())
    })
}

fn write_target_task(
    tx: &mut Tx,
    job: &MergeJob,
    id: &str,
    branch: &str,
    gate: &str,
    evidence: &str,
) -> anyhow::Result<()> {
    let now = tx.now();
    tx.put(Bead {
        id: id.to_owned(),
        title: format!("Fix gate {gate} on {branch}"),
        description: evidence.to_owned(),
        priority: 1,
        issue_type: Kind::Bug,
        labels: vec![MERGE_LABEL.to_owned()],
        metadata: Some(serde_json::value::to_raw_value(
            &json!({ TARGET_KEY: branch, GATE_KEY: gate }),
        )?),
        created_at: now.clone(),
        updated_at: now,
        created_by: format!("{}/refinery", job.queue.rig.name()),
        ..Bead::default()
    })?;
    Ok(())
}

/// Reopens a closed task with the current evidence.
fn reopen_target_task(tx: &mut Tx, id: &str, evidence: &str) -> anyhow::Result<()> {
    let Some(mut task) = tx.get(id).filter(|task| !task.is_open()).cloned() else {
        return Ok(());
    };
    evidence.clone_into(&mut task.description);
    tx.put(task)?;
    task::reopen_repair_task(tx, id)
}

/// Releases the requests that wait for a target after a merge to it.
pub(crate) fn release_waiting_requests(tx: &mut Tx, branch: &str) -> anyhow::Result<()> {
    let waiting: Vec<String> = merge_request::requests_with_findings(tx)
        .filter(|request| request_state(request).broken.is_some())
        .filter(|request| merge_request::receipt_of(request).target == branch)
        .map(|request| request.id.clone())
        .collect();
    waiting.iter().try_for_each(|id| set_broken(tx, id, None))
}

fn set_broken(tx: &mut Tx, id: &str, broken: Option<BrokenTarget>) -> anyhow::Result<()> {
    let Some(mut request) = tx.get(id).filter(|bead| bead.is_open()).cloned() else {
        return Ok(());
    };
    let mut state = request_state(&request);
    state.broken = broken;
    set_request_state(&mut request, &state)?;
    tx.put(request)?;
    Ok(())
}

/// Returns the outcome of a request whose target fails its own gates and has not changed since, by
/// the findings of all requests: the target is not tested again for each of them. Otherwise
/// releases the requests that wait for it. Each request is tested once on its own candidate,
/// because any work may be what repairs the target.
pub(crate) fn wait_for_broken_target(job: &MergeJob) -> anyhow::Result<Option<MergeOutcome>> {
    if request_state(&job.request).broken.is_none() {
        return Ok(None);
    }
    let beads = job.queue.store.snapshot()?;
    let branch = &job.receipt.target;
    let broken_targets = BrokenTargets::find(&beads);
    let known = broken_targets.find_branch(branch);
    // A user who closes the task states that the gate passes again. It may have failed for lack of
    // something on the machine.
    let Some((known, task)) = known.and_then(|known| Some((known, beads.get(&known.task)?))) else {
        release_requests(job)?;
        return Ok(None);
    };
    let groups = job.queue.settings.gates(job.queue.rig)?;
    // Without the gate's name nothing can show that it passes again.
    let Some(gate) = task.metadata_value::<String>(GATE_KEY) else {
        release_requests(job)?;
        return Ok(None);
    };
    let command: Option<String> = task.metadata_value(COMMAND_KEY);
    let has_other_command =
        command.is_some_and(|command| gate_command(&groups, &gate) != Some(command));
    if has_other_command || job.fetch_target()?.as_ref() != Some(&known.target) {
        release_requests(job)?;
        return Ok(None);
    }
    let now = job.queue.rig.town().clock.now();
    let mut checked = known.clone();
    checked.at = now.to_string();
    if known.next_test().is_none_or(|at| at <= now) {
        if let Some(group) = find_group(&groups, &gate)
            && run_on_target(job, &known.target, group, &gate)?.is_none()
        {
            release_requests(job)?;
            return Ok(None);
        }
        checked.tested = job.queue.rig.town().clock.now().to_string();
        if checked.since.is_empty() {
            checked.since.clone_from(&checked.tested);
        }
    }
    job.queue.rig.transact(job.queue.store, |tx| {
        set_broken(tx, &job.request.id, Some(checked.clone()))
    })?;
    let reason = format!("{branch} still fails its own gates");
    Ok(Some(MergeOutcome::TargetStillBroken { reason }))
}

fn release_requests(job: &MergeJob) -> anyhow::Result<()> {
    let branch = &job.receipt.target;
    job.queue
        .rig
        .transact(job.queue.store, |tx| release_waiting_requests(tx, branch))
}

/// Returns the gates that share a tree with a gate.
fn find_group<'g>(groups: &'g [Vec<Gate>], gate: &str) -> Option<&'g Vec<Gate>> {
    groups
        .iter()
        .find(|group| group.iter().any(|other| other.name == gate))
}

/// Returns the command of a gate.
fn gate_command(groups: &[Vec<Gate>], gate: &str) -> Option<String> {
    let mut gates = groups.iter().flatten();
    gates
        .find(|other| other.name == gate)
        .map(|gate| gate.command.clone())
}

/// Closes a target's task that no one has, because a merge has moved the target. The task is
/// created again if the target still fails.
pub(crate) fn close_target_task(tx: &mut Tx, branch: &str) -> anyhow::Result<()> {
    let open: Vec<Bead> = tx
        .select(|bead| bead.status() == Status::Open && bead.has_label(MERGE_LABEL))
        .filter(|bead| bead.metadata_value::<String>(TARGET_KEY).as_deref() == Some(branch))
        .cloned()
        .collect();
    let reason = format!("Something was merged to {branch} since");
    open.into_iter()
        .try_for_each(|bead| super::close::close_bead(tx, bead, &reason))
}
