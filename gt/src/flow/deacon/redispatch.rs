//! Slings a bead again whose worker is stuck: a few times, then it is escalated.

use std::collections::BTreeMap;

use bd::bead::{Bead, Status};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::flow::escalate::{self, EscalationRequest};
use crate::flow::sling::{self, SlingRequest};
use crate::host::LiveTown;
use crate::record::escalation::Severity;
use crate::record::state_file;
use crate::record::town_view::TownView;
use crate::town::beads::BeadsHome;
use crate::town::identity::Address;

/// So often a bead is slung again.
const ATTEMPTS: u32 = 2;
/// How long each attempt has before the next.
const COOLDOWN: SignedDuration = SignedDuration::from_mins(5);

/// The file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct RedispatchState {
    beads: BTreeMap<String, Redispatch>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// How often a bead was slung again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Redispatch {
    /// The bead.
    pub bead_id: String,
    /// How often it was slung again.
    pub attempt_count: u32,
    /// When it was slung again last.
    pub last_attempt_time: Timestamp,
    /// The rig that it was slung to.
    pub last_rig: String,
    /// The agent runtime that was asked for.
    pub last_agent: String,
    /// Whether it was escalated.
    pub escalated: bool,
    /// When.
    pub escalated_at: Timestamp,
    /// Fields that this program does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What is done about a bead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Redispatched {
    /// It was slung again.
    Slung {
        /// Who has it now.
        target: String,
        /// How often it was slung again by now.
        attempts: u32,
    },
    /// It was slung again a moment ago.
    Waits {
        /// Until when the next attempt waits.
        until: Timestamp,
    },
    /// It was slung again often enough, and somebody else has to decide.
    Escalated {
        /// The escalation; empty if it was escalated before.
        escalation: String,
    },
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextStep {
    Sling,
    Wait(Timestamp),
    Escalate,
    Nothing,
}

fn next_step(record: &Redispatch, now: Timestamp) -> NextStep {
    let until = record.last_attempt_time.checked_add(COOLDOWN);
    let until = until.unwrap_or(record.last_attempt_time);
    let waits = until > now && until.duration_since(now) <= COOLDOWN;
    match (record.escalated, waits) {
        (true, _) => NextStep::Nothing,
        (false, true) if record.attempt_count > 0 => NextStep::Wait(until),
        (false, _) if record.attempt_count >= ATTEMPTS => NextStep::Escalate,
        _ => NextStep::Sling,
    }
}

/// Slings a bead again, or escalates it.
pub fn redispatch(town: &LiveTown, id: &str, rig: Option<&str>) -> anyhow::Result<Redispatched> {
    let found = town.find_bead(id)?;
    let bead = found.bead;
    let reason = check_stuck(town, &bead)?;
    let rig = match (rig, found.home) {
        (Some(rig), _) => town.find_rig(rig)?.name().to_owned(),
        (None, BeadsHome::Rig(rig)) => rig,
        (None, BeadsHome::Town) => {
            anyhow::bail!("{id} belongs to no rig: say which rig gets it with --rig")
        }
    };
    let path = town.layout.redispatch_state();
    let now = town.clock.now();
    // Counted before it is slung: a sling that fails is an attempt, too.
    let (step, attempts) = state_file::change_state(town, &path, |state: &mut RedispatchState| {
        let record = state.beads.entry(bead.id.clone()).or_default();
        let step = next_step(record, now);
        record.bead_id.clone_from(&bead.id);
        match step {
            NextStep::Sling => {
                record.attempt_count += 1;
                record.last_attempt_time = now;
                record.last_rig.clone_from(&rig);
            }
            NextStep::Escalate => {
                record.escalated = true;
                record.escalated_at = now;
            }
            NextStep::Wait(_) | NextStep::Nothing => {}
        }
        (step, record.attempt_count)
    })?;
    match step {
        NextStep::Wait(until) => Ok(Redispatched::Waits { until }),
        NextStep::Nothing => Ok(Redispatched::Escalated {
            escalation: String::new(),
        }),
        NextStep::Escalate => escalate(town, &bead, attempts, &reason),
        NextStep::Sling => {
            let request = SlingRequest {
                bead: bead.id,
                target: rig,
                force: true,
                ..SlingRequest::default()
            };
            let target = sling::sling(town, &request)?.target;
            Ok(Redispatched::Slung { target, attempts })
        }
    }
}

/// Why a bead's worker is stuck; empty for one that nobody has.
fn check_stuck(town: &LiveTown, bead: &Bead) -> anyhow::Result<String> {
    let (id, who) = (&bead.id, &bead.assignee);
    if bead.status == Status::Open {
        return Ok(String::new());
    }
    anyhow::ensure!(
        bead.status == Status::Hooked,
        "{id} is {}: only work on the hook of a stuck worker, or open work, is slung again",
        bead.status
    );
    let Ok(Address::Polecat(rig, name)) = town.parse_address(who) else {
        anyhow::bail!(
            "{id} is on the hook of {who}, which is no polecat: `gt unsling {id}` frees it"
        );
    };
    let view = TownView::read(town)?;
    let stuck = view.find_polecat(&rig, &name)?.slot.state.stuck_reason();
    let reason = stuck.map(str::to_owned);
    reason.ok_or_else(|| {
        anyhow::anyhow!("{id} is on the hook of {who}, which is not stuck (`gt why {id}`)")
    })
}

fn escalate(
    town: &LiveTown,
    bead: &Bead,
    attempts: u32,
    reason: &str,
) -> anyhow::Result<Redispatched> {
    let count = kit::ui::counted(attempts as usize, "attempt");
    let request = EscalationRequest {
        title: format!("{} is stuck after {count}", bead.id),
        severity: Severity::High,
        category: "stuck".to_owned(),
        reason: format!("Each worker that got it is stuck. The last one: {reason}"),
        source: "gt deacon redispatch".to_owned(),
        related: Some(bead.id.clone()),
        ..EscalationRequest::default()
    };
    let escalation = escalate::escalate(town, &request)?.id;
    Ok(Redispatched::Escalated { escalation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bead_is_slung_again_twice_with_a_pause_and_then_escalated_once() {
        let at = |minute: i64| Timestamp::from_second(1_000_000 + minute * 60).unwrap();
        let record = |attempt_count, last, escalated| Redispatch {
            attempt_count,
            last_attempt_time: at(last),
            escalated,
            ..Redispatch::default()
        };
        for (record, minute, expected) in [
            (Redispatch::default(), 0, NextStep::Sling),
            (record(1, 0, false), 4, NextStep::Wait(at(5))),
            (record(1, 0, false), 5, NextStep::Sling),
            (record(2, 0, false), 4, NextStep::Wait(at(5))),
            (record(2, 0, false), 5, NextStep::Escalate),
            (record(2, 0, true), 90, NextStep::Nothing),
            // A clock that went back keeps nobody waiting.
            (record(1, 90, false), 0, NextStep::Sling),
        ] {
            assert_eq!(next_step(&record, at(minute)), expected, "{record:?}");
        }
    }
}
