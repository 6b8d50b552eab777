//! Rule M1: opens the gates of beads whose condition holds.
//!
//! A timer is due at its end. A gate for another bead is judged at each pass, because that bead
//! wakes the loop. The forge is queried once per minute about a gate that an open bead waits for. A
//! gate that cannot open any more, whose forge does not answer, or that waits longer than its time
//! limit is an item for the user ([`super::attention`]).

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bd::bead::{Bead, Kind, Status};
use bd::change;
use bd::config::Config;
use bd::molecule::forge::{ForgeCommands, ForgeFailure};
use bd::molecule::gate::{self, GateSources, GateVerdict};
use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::decision::{Action, Decision};
use super::rule;
use crate::host::LiveTown;
use crate::record::gate_looks::{self, GateAnswer, GateLook, UnansweredQueries};
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::beads::TownStores;
use crate::town::name::RigName;

/// The time between two queries of the forge about one gate.
const FORGE_INTERVAL: SignedDuration = SignedDuration::from_mins(1);

/// The time for which a forge may give no answer before the user is asked.
const FORGE_PATIENCE: SignedDuration = SignedDuration::from_mins(10);

/// A gate that the patrol opens or checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateCheck {
    /// The rig. None for the town's own beads.
    pub rig: Option<String>,
    pub gate: String,
    /// The time of the check.
    pub at: Timestamp,
    /// The reason for the check.
    pub saw: String,
}

/// Reads the facts.
pub(super) fn facts(layout: &TownLayout, view: &TownView) -> Vec<GateCheck> {
    let mut looks = None;
    let mut stores = vec![(None, &view.stores.town)];
    for (rig, beads) in &view.stores.rigs {
        stores.push((Some(rig.clone()), beads));
    }
    let mut checks = Vec::new();
    for (rig, beads) in stores {
        for gate in gate::list_gates(beads, false) {
            let check = match gate.await_type.as_str() {
                _ if gate.is_template => None,
                "timer" => gate::timer_end(gate)
                    .map(|end| (end, format!("the timer {} ends at {end:.0}", gate.id))),
                "bead" => judge_bead_gate(gate, view).map(|reason| (view.now, reason)),
                "gh:run" | "gh:pr" if is_awaited(beads, gate) => {
                    let looks = looks.get_or_insert_with(|| gate_looks::load_gate_looks(layout));
                    let next = looks
                        .get(&gate.id)
                        .map(|look| look.at)
                        .filter(|at| *at <= view.now)
                        .and_then(|at| at.checked_add(FORGE_INTERVAL).ok());
                    let reason = format!("{} waits for {}", gate.id, gate.await_type);
                    Some((next.unwrap_or(view.now), reason))
                }
                _ => None,
            };
            checks.extend(check.map(|(at, saw)| GateCheck {
                rig: rig.clone(),
                gate: gate.id.clone(),
                at,
                saw,
            }));
        }
    }
    checks
}

fn judge_bead_gate(gate: &Bead, view: &TownView) -> Option<String> {
    let forge = StoresOnly {
        stores: &view.stores,
    };
    match gate::judge_condition(gate, view.now, &forge) {
        GateVerdict::Open(reason) => Some(reason),
        GateVerdict::Escalate(_) | GateVerdict::Wait(_) | GateVerdict::Unanswered(_) => None,
    }
}

/// Returns true if an open bead waits for the gate.
fn is_awaited(beads: &Snapshot, gate: &Bead) -> bool {
    let dependents = beads.dependents(&gate.id);
    dependents.iter().any(|(bead, _)| bead.is_open())
}

/// Returns the open beads that wait for a gate, each once.
fn find_waiting_beads(beads: &Snapshot, gate: &Bead) -> Vec<String> {
    let open: BTreeSet<String> = beads
        .dependents(&gate.id)
        .into_iter()
        .filter(|(bead, _)| bead.is_open())
        .map(|(bead, _)| bead.id().to_owned())
        .collect();
    open.into_iter().collect()
}

/// A gate that does not open without a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FailedGate {
    pub gate: String,
    /// The open beads that wait for it. At least one.
    pub beads: Vec<String>,
    pub problem: GateProblem,
    /// The time from which the gate is reported.
    pub due: Timestamp,
}

/// The reason why a gate does not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GateProblem {
    /// The gate cannot open any more, for this reason.
    Failed(String),
    /// The time limit of the wait ends at `end`.
    Overdue { condition: String, end: Timestamp },
    /// The forge does not answer.
    Unanswered {
        await_id: String,
        queries: UnansweredQueries,
    },
}

/// Returns the gates that open beads wait for and that do not open without a user, and those that
/// will be such gates if nothing changes.
pub(super) fn find_failed_gates(layout: &TownLayout, view: &TownView) -> Vec<FailedGate> {
    let mut looks = None;
    let gates: Vec<(&Snapshot, &Bead)> = std::iter::once(&view.stores.town)
        .chain(view.stores.rigs.values())
        .flat_map(|beads| {
            gate::list_gates(beads, false)
                .into_iter()
                .map(move |gate| (beads, gate))
        })
        .filter(|(_, gate)| !gate.is_template)
        .collect();
    let mut failed = Vec::new();
    for (beads, gate) in gates {
        let looks = looks.get_or_insert_with(|| gate_looks::load_gate_looks(layout));
        let problems = find_gate_problems(gate, looks.get(&gate.id), view);
        if problems.is_empty() {
            continue;
        }
        let waiting = find_waiting_beads(beads, gate);
        if waiting.is_empty() {
            continue;
        }
        failed.extend(problems.into_iter().map(|(problem, due)| FailedGate {
            gate: gate.id.clone(),
            beads: waiting.clone(),
            problem,
            due,
        }));
    }
    failed
}

/// A gate that only the user opens, and for which alone open beads wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UserGate {
    pub gate: String,
    pub title: String,
    /// At least one.
    pub beads: Vec<String>,
}

/// Returns the gates that only the user opens. A gate whose beads wait for other work, too, is not
/// among them yet.
pub(super) fn find_user_gates(view: &TownView) -> Vec<UserGate> {
    let mut found = Vec::new();
    for beads in std::iter::once(&view.stores.town).chain(view.stores.rigs.values()) {
        let is_gate = |id: &&str| {
            let blocker = beads.bead_ref(id);
            blocker.is_some_and(|blocker| blocker.kind() == Kind::Gate)
        };
        for gate in gate::list_gates(beads, false) {
            // One whose time limit has passed is reported as such.
            let is_overdue = gate::time_limit(gate).is_some_and(|end| end <= view.now);
            if gate.is_template || is_overdue || gate::is_opened_by_condition(gate) {
                continue;
            }
            let mut waiting = find_waiting_beads(beads, gate);
            waiting.retain(|id| bd::graph::find_blockers(beads, id).iter().all(is_gate));
            if !waiting.is_empty() {
                found.push(UserGate {
                    gate: gate.id.clone(),
                    title: gate.title.clone(),
                    beads: waiting,
                });
            }
        }
    }
    found
}

/// Returns the problem of a gate with the time from which it is reported, or several that are due
/// later.
fn find_gate_problems(
    gate: &Bead,
    look: Option<&GateLook>,
    view: &TownView,
) -> Vec<(GateProblem, Timestamp)> {
    let failed = match gate.await_type.as_str() {
        "bead" => find_missing_bead(gate, &view.stores),
        "gh:run" | "gh:pr" => look.and_then(|look| look.failed.clone()),
        _ => None,
    };
    if let Some(reason) = failed {
        return vec![(GateProblem::Failed(reason), Timestamp::MIN)];
    }
    let unanswered = look.and_then(|look| {
        let queries = look.unanswered.clone()?;
        let due = report_time(&queries)?;
        let await_id = gate.await_id.clone();
        Some((GateProblem::Unanswered { await_id, queries }, due))
    });
    let overdue = gate::time_limit(gate).map(|end| {
        let condition = format!("{} {}", gate.await_type, gate.await_id);
        let condition = condition.trim_end().to_owned();
        (GateProblem::Overdue { condition, end }, end)
    });
    let (due, later): (Vec<_>, Vec<_>) = unanswered
        .into_iter()
        .chain(overdue)
        .partition(|(_, due)| *due <= view.now);
    // A forge that does not answer is the cause of a wait that takes too long, and one item for all
    // its gates.
    match due.into_iter().next() {
        Some(problem) => vec![problem],
        None => later,
    }
}

/// Returns the time from which a forge that does not answer is reported. A missing program does not
/// come back like a network.
fn report_time(queries: &UnansweredQueries) -> Option<Timestamp> {
    match queries.first {
        ForgeFailure::MissingProgram { .. } => Some(queries.since),
        ForgeFailure::Query(_) => queries.since.checked_add(FORGE_PATIENCE).ok(),
    }
}

/// Returns the reason why a gate for another bead cannot open: that bead does not exist.
fn find_missing_bead(gate: &Bead, stores: &TownStores) -> Option<String> {
    let Some((rig, id)) = gate.await_id.split_once(':') else {
        return Some(format!(
            "it waits for \"{}\", which is not RIG:BEAD",
            gate.await_id
        ));
    };
    let Some(beads) = stores.rigs.get(rig) else {
        // A rig that cannot be read is reported as such.
        let is_unknown = !stores.unreadable.contains_key(rig);
        return is_unknown.then(|| format!("there is no rig {rig} with the bead {id}"));
    };
    let is_missing = beads.get_live(id).is_none();
    is_missing.then(|| format!("rig {rig} has no bead {id}: it was deleted, or never existed"))
}

/// M1: a gate is checked at its time.
pub(super) fn decide(checks: &[GateCheck], now: Timestamp) -> Vec<Decision> {
    checks
        .iter()
        .filter(|check| check.at <= now)
        .map(|check| Decision {
            rule: rule::M1_OPEN_GATE,
            saw: check.saw.clone(),
            action: Action::CheckGate {
                rig: check.rig.as_deref().map(RigName::from),
                gate: check.gate.clone(),
            },
        })
        .collect()
}

/// Returns the time until the next check.
pub(super) fn due(checks: &[GateCheck], now: Timestamp) -> Option<SignedDuration> {
    checks
        .iter()
        .map(|check| check.at.duration_since(now))
        .filter(SignedDuration::is_positive)
        .min()
}

/// Checks a gate, and closes it if its condition holds. No lock is held while the forge answers.
pub(super) fn check_gate(
    town: &LiveTown,
    rig: Option<&str>,
    gate: &str,
) -> anyhow::Result<Option<String>> {
    let stores = town.read_stores()?;
    let (store, folder) = match rig {
        Some(rig) => {
            let rig = town.find_rig(rig)?;
            (rig.store()?, rig.mayor_clone())
        }
        None => (town.open_town_store()?, town.layout.root().to_owned()),
    };
    let Some(bead) = store.snapshot()?.get_live(gate).cloned() else {
        return Ok(None);
    };
    let is_of_forge = bead.await_type.starts_with("gh:");
    // Recorded before the query, so that a query that never ends is not repeated at once.
    if is_of_forge {
        gate_looks::record_gate_look(town, gate)?;
    }
    let verdict = query_gate(town, &bead, StoresOnly { stores: &stores }, &folder);
    // A query that our own end cut short says nothing about the forge.
    if town.stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let is_new = is_of_forge && gate_looks::record_gate_answer(town, gate, read_answer(&verdict))?;
    let reason = match verdict {
        GateVerdict::Open(reason) => reason,
        GateVerdict::Escalate(reason) if is_new => {
            return Ok(Some(format!("{gate} cannot open: {reason}")));
        }
        GateVerdict::Wait(reason) if is_new => {
            return Ok(Some(format!("{gate} may open again: {reason}")));
        }
        GateVerdict::Unanswered(failure) if is_new => {
            let reason = gate::describe_unanswered(&failure);
            return Ok(Some(format!("{gate} {reason}")));
        }
        GateVerdict::Escalate(_) | GateVerdict::Wait(_) | GateVerdict::Unanswered(_) => {
            return Ok(None);
        }
    };
    town.transact(&store, |tx| {
        if !tx
            .get_live(gate)
            .is_some_and(|bead| bead.is_open() && bead.issue_type == Kind::Gate)
        {
            return Ok(None);
        }
        change::close_bead(tx, gate, &reason, "", true)?;
        Ok(Some(format!("{gate} is open: {reason}")))
    })
}

fn query_gate(town: &LiveTown, gate: &Bead, stores: StoresOnly<'_>, folder: &Path) -> GateVerdict {
    let now = town.clock.now();
    if !gate.await_type.starts_with("gh:") {
        return gate::judge_condition(gate, now, &stores);
    }
    // Only the environment and the user's own settings name a command. Repositories and workers
    // write the settings of a store.
    let config = match Config::load(None, &town.env) {
        Ok(config) => config,
        Err(error) => {
            let reason = format!("{:#}", anyhow::Error::from(error));
            return GateVerdict::Unanswered(ForgeFailure::Query(reason));
        }
    };
    let commands = ForgeCommands {
        config: &config,
        folder,
        env: &town.env,
        stop: Arc::clone(&town.stop),
    };
    gate::judge_condition(gate, now, &TownForge { stores, commands })
}

fn read_answer(verdict: &GateVerdict) -> GateAnswer {
    match verdict {
        GateVerdict::Escalate(reason) => GateAnswer::Failed(reason.clone()),
        GateVerdict::Wait(_) | GateVerdict::Open(_) => GateAnswer::MayOpen,
        GateVerdict::Unanswered(failure) => GateAnswer::Unanswered(failure.clone()),
    }
}

/// Answers from the beads of the town, without a forge.
struct StoresOnly<'a> {
    stores: &'a TownStores,
}

impl GateSources for StoresOnly<'_> {
    fn run(&self, _: &str) -> Result<Value, ForgeFailure> {
        let reason = "a forge is queried by the action";
        Err(ForgeFailure::Query(reason.to_owned()))
    }

    fn pull_request(&self, id: &str) -> Result<Value, ForgeFailure> {
        self.run(id)
    }

    fn bead(&self, rig: &str, id: &str) -> Result<Option<Status>, String> {
        let beads = self.stores.rigs.get(rig);
        let beads = beads.ok_or_else(|| format!("rig {rig} is not known here"))?;
        Ok(beads.get_live(id).map(|bead| bead.status.clone()))
    }
}

struct TownForge<'a> {
    stores: StoresOnly<'a>,
    commands: ForgeCommands<'a>,
}

impl GateSources for TownForge<'_> {
    fn run(&self, id: &str) -> Result<Value, ForgeFailure> {
        self.commands.query_run(id)
    }

    fn pull_request(&self, id: &str) -> Result<Value, ForgeFailure> {
        self.commands.query_pull_request(id)
    }

    fn bead(&self, rig: &str, id: &str) -> Result<Option<Status>, String> {
        self.stores.bead(rig, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_checked_at_its_time_and_due_before() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let check = |seconds: i64| GateCheck {
            rig: Some("web".to_owned()),
            gate: format!("web-{seconds}"),
            at: now + SignedDuration::from_secs(seconds),
            saw: String::new(),
        };
        let checks = [check(0), check(90), check(30)];
        let decided = decide(&checks, now);
        assert_eq!(decided.len(), 1);
        assert_eq!(decided[0].action.subject().to_string(), "gate web-0");
        assert_eq!(due(&checks, now), Some(SignedDuration::from_secs(30)));
        assert_eq!(due(&checks[..1], now), None);
    }
}
