//! Gates: beads that block a step until an external event.
//!
//! [`judge_gate`] checks a timer, a bead of another rig, a CI run or a pull request. Gates for a
//! user or a mail are opened by `bd gate resolve`. CI runs and pull requests are queried through
//! a command, so that any forge is supported.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::forge::ForgeFailure;
use crate::bead::{Bead, Kind, Status};
use crate::store::Snapshot;

/// The result of checking a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateVerdict {
    /// The gate opens, for this reason.
    Open(String),
    /// The gate will not open without help, for this reason.
    Escalate(String),
    Wait(String),
    /// The gate waits, and its forge gave no answer.
    Unanswered(ForgeFailure),
}

/// Queries a forge and other rigs.
pub trait GateSources {
    /// Returns the output of the command that queries a CI run.
    fn run(&self, id: &str) -> Result<Value, ForgeFailure>;
    /// Returns the output of the command that queries a pull request.
    fn pull_request(&self, id: &str) -> Result<Value, ForgeFailure>;
    /// Returns the status of a bead of a rig; `None` if the rig or the bead does not exist.
    fn bead(&self, rig: &str, id: &str) -> Result<Option<Status>, String>;
}

/// Returns the open gates, or all gates, oldest first.
pub fn list_gates(snapshot: &Snapshot, all: bool) -> Vec<&Bead> {
    let mut found: Vec<&Bead> = snapshot
        .bead_refs()
        .filter(|bead_ref| bead_ref.kind() == Kind::Gate && !bead_ref.is_tombstone())
        .filter(|bead_ref| all || bead_ref.is_open())
        .filter_map(|bead_ref| bead_ref.bead())
        .collect();
    found.sort_by(|a, b| {
        a.created_at
            .cmp(&b.created_at)
            .then_with(|| a.id.cmp(&b.id))
    });
    found
}

/// Returns true if a gate is of the kind that a check is limited to. `gh` stands for both forge
/// kinds.
pub fn is_of_kind(gate: &Bead, kind: &str) -> bool {
    match kind {
        "" | "all" => true,
        "gh" => gate.await_type.starts_with("gh:"),
        kind => gate.await_type == kind,
    }
}

/// Returns true if a check can open the gate. Any other gate waits for `bd gate resolve`.
pub fn is_opened_by_condition(gate: &Bead) -> bool {
    matches!(
        gate.await_type.as_str(),
        "timer" | "gh:run" | "gh:pr" | "bead"
    )
}

/// Decides if a gate opens now. A gate that still waits after its time limit needs help.
pub fn judge_gate(gate: &Bead, now: Timestamp, forge: &impl GateSources) -> GateVerdict {
    let verdict = judge_condition(gate, now, forge);
    let reason = match &verdict {
        GateVerdict::Wait(reason) => reason.clone(),
        GateVerdict::Unanswered(failure) => describe_unanswered(failure),
        GateVerdict::Open(_) | GateVerdict::Escalate(_) => return verdict,
    };
    match time_limit(gate).filter(|end| *end <= now) {
        Some(end) => GateVerdict::Escalate(format!("its time limit passed at {end:.0}: {reason}")),
        None => verdict,
    }
}

/// Decides if a gate opens now, whatever its time limit is.
pub fn judge_condition(gate: &Bead, now: Timestamp, forge: &impl GateSources) -> GateVerdict {
    let known = match gate.await_type.as_str() {
        "timer" => return judge_timer(gate, now),
        "gh:run" => forge.run(&gate.await_id).map(|value| judge_run(&value)),
        "gh:pr" => forge
            .pull_request(&gate.await_id)
            .map(|value| judge_pull_request(&value)),
        "bead" => return judge_bead(gate, forge),
        kind => return GateVerdict::Wait(format!("a {kind} gate is opened by `bd gate resolve`")),
    };
    known.unwrap_or_else(GateVerdict::Unanswered)
}

/// Describes why a gate waits whose forge gave no answer.
pub fn describe_unanswered(failure: &ForgeFailure) -> String {
    format!("cannot be asked: {failure}")
}

/// Returns the time until which a gate may wait. None for a timer, which opens at its end, and for
/// a gate without a limit.
pub fn time_limit(gate: &Bead) -> Option<Timestamp> {
    let is_limited = gate.await_type != "timer" && gate.timeout > 0;
    is_limited.then(|| timer_end(gate)).flatten()
}

/// Returns the time at which the timer of a gate ends, if it ever does.
pub fn timer_end(gate: &Bead) -> Option<Timestamp> {
    let length = SignedDuration::from_nanos(gate.timeout);
    gate.created_at.instant().checked_add(length).ok()
}

fn judge_timer(gate: &Bead, now: Timestamp) -> GateVerdict {
    let Some(end) = timer_end(gate) else {
        return GateVerdict::Wait("the timer never ends".into());
    };
    if now >= end {
        GateVerdict::Open(format!("timer expired at {end:.0}"))
    } else {
        GateVerdict::Wait(format!("until {end:.0}"))
    }
}

fn string_at<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("")
}

fn judge_run(value: &Value) -> GateVerdict {
    let name = string_at(value, "name");
    if !string_at(value, "status").eq_ignore_ascii_case("completed") {
        return GateVerdict::Wait(format!("run {name} is {}", string_at(value, "status")));
    }
    match string_at(value, "conclusion").to_lowercase().as_str() {
        "success" | "skipped" => GateVerdict::Open(format!("run {name} succeeded")),
        other => GateVerdict::Escalate(format!("run {name} ended with {other}")),
    }
}

fn judge_pull_request(value: &Value) -> GateVerdict {
    let title = string_at(value, "title");
    let merged = value["merged"] == Value::Bool(true);
    match string_at(value, "state").to_uppercase().as_str() {
        "MERGED" => GateVerdict::Open(format!("pull request merged: {title}")),
        _ if merged => GateVerdict::Open(format!("pull request merged: {title}")),
        "CLOSED" => GateVerdict::Escalate(format!("pull request closed without a merge: {title}")),
        state => GateVerdict::Wait(format!("pull request is {}", state.to_lowercase())),
    }
}

fn judge_bead(gate: &Bead, forge: &impl GateSources) -> GateVerdict {
    let Some((rig, id)) = gate.await_id.split_once(':') else {
        return GateVerdict::Wait(format!("\"{}\" is not RIG:BEAD", gate.await_id));
    };
    match forge.bead(rig, id) {
        Ok(Some(Status::Closed)) => GateVerdict::Open(format!("{id} is closed")),
        Ok(Some(status)) => GateVerdict::Wait(format!("{id} is {status}")),
        Ok(None) => GateVerdict::Wait(format!("{rig} has no bead {id}")),
        Err(problem) => GateVerdict::Wait(problem),
    }
}

/// A step that a closed gate unblocked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreedStep {
    pub molecule: String,
    pub gate: String,
    pub step: String,
}

/// Returns the molecules with a closed gate whose unblocked step waits for a worker, one step per
/// molecule. Hooked molecules are left out.
pub fn find_freed_steps(snapshot: &Snapshot) -> Vec<FreedStep> {
    let mut found: Vec<FreedStep> = Vec::new();
    for gate in list_gates(snapshot, true) {
        if gate.status != Status::Closed {
            continue;
        }
        for (step, _) in snapshot.dependents_of(&gate.id) {
            let is_ready = matches!(step.status, Status::Open | Status::InProgress)
                && snapshot
                    .bead_ref(&step.id)
                    .is_some_and(|step_ref| !step_ref.is_blocked());
            if is_ready
                && let Some(root) = super::progress::root_of(snapshot, &step.id)
                && !is_hooked(snapshot, &root)
                && !found.iter().any(|freed| freed.molecule == root)
            {
                found.push(FreedStep {
                    molecule: root,
                    gate: gate.id.clone(),
                    step: step.id.clone(),
                });
            }
        }
    }
    found
}

/// Returns true if a molecule or one of its steps is on a hook.
fn is_hooked(snapshot: &Snapshot, root: &str) -> bool {
    snapshot
        .bead_ref(root)
        .into_iter()
        .chain(super::progress::list_molecule_steps(snapshot, root))
        .any(|bead| bead.status() == Status::Hooked)
}
