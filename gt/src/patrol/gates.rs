//! Rule M1: opens the gates of beads whose condition holds.
//!
//! A timer is due at its end. A gate for another bead is judged at each pass, because that bead
//! wakes the loop. The forge is queried once per minute about a gate that an open bead waits for. A
//! gate that cannot open any more is an item for the user ([`super::attention`]).

use bd::bead::{Bead, Kind, Status};
use bd::change;
use bd::config::Config;
use bd::molecule::forge::ForgeCommands;
use bd::molecule::gate::{self, Forge, GateVerdict};
use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::decision::{Action, Decision};
use super::rule;
use crate::host::LiveTown;
use crate::record::gate_looks::{self, GateAnswer};
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::beads::TownStores;
use crate::town::name::RigName;

/// The time between two queries of the forge about one gate.
const FORGE_INTERVAL: SignedDuration = SignedDuration::from_mins(1);

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
    let rigs = view.stores.rigs.iter();
    let rigs = rigs.map(|(rig, beads)| (Some(rig.clone()), beads));
    let stores = std::iter::once((None, &view.stores.town)).chain(rigs);
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
                    let last = looks.get(&gate.id).map(|look| look.at);
                    let last = last.filter(|at| *at <= view.now);
                    let next = last.and_then(|at| at.checked_add(FORGE_INTERVAL).ok());
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
    match gate::judge_gate(gate, view.now, &forge) {
        GateVerdict::Open(reason) => Some(reason),
        GateVerdict::Escalate(_) | GateVerdict::Wait(_) => None,
    }
}

/// Returns true if an open bead waits for the gate.
fn is_awaited(beads: &Snapshot, gate: &Bead) -> bool {
    find_waiting_bead(beads, gate).is_some()
}

/// Returns the first open bead that waits for a gate.
fn find_waiting_bead(beads: &Snapshot, gate: &Bead) -> Option<String> {
    let dependents = beads.dependents(&gate.id);
    let mut open = dependents.iter().filter(|(bead, _)| bead.is_open());
    open.next().map(|(bead, _)| bead.id().to_owned())
}

/// A gate that cannot open any more without a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FailedGate {
    pub gate: String,
    /// The bead that waits for it.
    pub bead: String,
    pub reason: String,
}

/// Returns the gates that open beads wait for and that cannot open any more.
pub(super) fn find_failed_gates(layout: &TownLayout, view: &TownView) -> Vec<FailedGate> {
    let mut looks = None;
    let stores = std::iter::once(&view.stores.town).chain(view.stores.rigs.values());
    let gates = stores.flat_map(|beads| {
        let gates = gate::list_gates(beads, false).into_iter();
        gates.map(move |gate| (beads, gate))
    });
    gates
        .filter(|(_, gate)| !gate.is_template)
        .filter_map(|(beads, gate)| {
            let reason = match gate.await_type.as_str() {
                "bead" => find_missing_bead(gate, &view.stores)?,
                "gh:run" | "gh:pr" => {
                    let looks = looks.get_or_insert_with(|| gate_looks::load_gate_looks(layout));
                    looks.get(&gate.id)?.failed.clone()?
                }
                _ => return None,
            };
            Some(FailedGate {
                gate: gate.id.clone(),
                bead: find_waiting_bead(beads, gate)?,
                reason,
            })
        })
        .collect()
}

/// Returns the reason why a gate for another bead cannot open: that bead does not exist.
fn find_missing_bead(gate: &Bead, stores: &TownStores) -> Option<String> {
    let (rig, id) = gate.await_id.split_once(':')?;
    let beads = stores.rigs.get(rig)?;
    let is_missing = beads.get_live(id).is_none();
    is_missing.then(|| format!("rig {rig} has no bead {id}: it was deleted, or never existed"))
}

/// M1: a gate is checked at its time.
pub(super) fn decide(checks: &[GateCheck], now: Timestamp) -> Vec<Decision> {
    let due = checks.iter().filter(|check| check.at <= now);
    due.map(|check| Decision {
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
    let waits = checks.iter().map(|check| check.at.duration_since(now));
    waits.filter(SignedDuration::is_positive).min()
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
    let is_open_gate = |bead: &Bead| bead.is_open() && bead.issue_type == Kind::Gate;
    let Some(bead) = store.snapshot()?.get_live(gate).cloned() else {
        return Ok(None);
    };
    // Repositories and workers write the settings of a store, so commands there run for no one but the
    // user who runs `bd gate check`. The patrol asks `gh`.
    let config = Config::default();
    let forge = TownForge {
        stores: StoresOnly { stores: &stores },
        commands: ForgeCommands {
            config: &config,
            folder: &folder,
        },
    };
    let is_of_forge = bead.await_type.starts_with("gh:");
    // Recorded before the query, so that a query that never ends is not repeated at once.
    if is_of_forge {
        gate_looks::record_gate_look(town, gate, None)?;
    }
    let verdict = gate::judge_gate(&bead, town.clock.now(), &forge);
    let is_new = match read_answer(&verdict) {
        Some(answer) if is_of_forge => gate_looks::record_gate_look(town, gate, Some(answer))?,
        _ => false,
    };
    let reason = match verdict {
        GateVerdict::Open(reason) => reason,
        GateVerdict::Escalate(reason) if is_new => {
            return Ok(Some(format!("{gate} cannot open: {reason}")));
        }
        GateVerdict::Wait(reason) if is_new => {
            return Ok(Some(format!("{gate} may open again: {reason}")));
        }
        GateVerdict::Escalate(_) | GateVerdict::Wait(_) => return Ok(None),
    };
    town.transact(&store, |tx| {
        if !tx.get_live(gate).is_some_and(is_open_gate) {
            return Ok(None);
        }
        change::close_bead(tx, gate, &reason, "", true)?;
        Ok(Some(format!("{gate} is open: {reason}")))
    })
}

/// Returns the answer of a forge. None if it could not be asked.
fn read_answer(verdict: &GateVerdict) -> Option<GateAnswer> {
    match verdict {
        GateVerdict::Escalate(reason) => Some(GateAnswer::Failed(reason.clone())),
        GateVerdict::Wait(reason) if gate::is_unanswered(reason) => None,
        GateVerdict::Wait(_) | GateVerdict::Open(_) => Some(GateAnswer::MayOpen),
    }
}

/// Answers from the beads of the town, without a forge.
struct StoresOnly<'a> {
    stores: &'a TownStores,
}

impl Forge for StoresOnly<'_> {
    fn run(&self, _: &str) -> Result<Value, String> {
        Err("a forge is queried by the action".to_owned())
    }

    fn pull_request(&self, id: &str) -> Result<Value, String> {
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

impl Forge for TownForge<'_> {
    fn run(&self, id: &str) -> Result<Value, String> {
        self.commands.query_run(id)
    }

    fn pull_request(&self, id: &str) -> Result<Value, String> {
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
