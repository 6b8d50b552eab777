//! Slings the bead of a stuck worker again. After a few attempts, escalates it.

use std::collections::BTreeMap;

use bd::bead::{Bead, Status};
use jiff::{SignedDuration, Timestamp};
use kit::json::serialize_or_empty;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::flow::townwide::escalate::{self, EscalationRequest};
use crate::flow::work::sling::{self, SlingOptions, SlingRequest};
use crate::host::LiveTown;
use crate::record::escalation::Severity;
use crate::record::state_file;
use crate::record::town_view::TownView;
use crate::town::beads::BeadsHome;
use crate::town::identity::Address;

/// The maximum number of attempts.
const MAX_ATTEMPTS: u32 = 2;
/// The minimum time between two attempts.
const ATTEMPT_COOLDOWN: SignedDuration = SignedDuration::from_mins(5);

/// The content of the state file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct RedispatchState {
    beads: BTreeMap<String, RedispatchRecord>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The attempts for one bead.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RedispatchRecord {
    pub bead_id: String,
    /// The number of attempts.
    pub attempt_count: u32,
    /// The time of the last attempt.
    pub last_attempt_time: Timestamp,
    /// The rig of the last attempt.
    pub last_rig: String,
    /// The requested agent runtime of the last attempt.
    pub last_agent: String,
    pub escalated: bool,
    pub escalated_at: Timestamp,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The result of a redispatch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum RedispatchOutcome {
    Slung {
        target: String,
        /// The number of attempts so far.
        attempts: u32,
    },
    /// The last attempt was too recent.
    Waits {
        /// The time of the next allowed attempt.
        until: Timestamp,
    },
    /// The attempts are used up, and someone else must decide.
    Escalated {
        /// The escalation's id. None if the bead was escalated before.
        #[serde(serialize_with = "serialize_or_empty")]
        escalation: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RedispatchStep {
    Sling,
    Wait(Timestamp),
    Escalate,
    Nothing,
}

fn choose_step(record: &RedispatchRecord, now: Timestamp) -> RedispatchStep {
    let until = record
        .last_attempt_time
        .checked_add(ATTEMPT_COOLDOWN)
        .unwrap_or(record.last_attempt_time);
    let waits = until > now && until.duration_since(now) <= ATTEMPT_COOLDOWN;
    match (record.escalated, waits) {
        (true, _) => RedispatchStep::Nothing,
        (false, true) if record.attempt_count > 0 => RedispatchStep::Wait(until),
        (false, _) if record.attempt_count >= MAX_ATTEMPTS => RedispatchStep::Escalate,
        _ => RedispatchStep::Sling,
    }
}

/// Slings a bead again, or escalates it.
pub fn redispatch_bead(
    town: &LiveTown,
    id: &str,
    rig: Option<&str>,
) -> anyhow::Result<RedispatchOutcome> {
    let found = town.find_bead(id)?;
    let bead = found.bead;
    let reason = find_stuck_reason(town, &bead)?;
    let rig = match (rig, found.home) {
        (Some(rig), _) => town.find_rig(rig)?.name().to_owned(),
        (None, BeadsHome::Rig(rig)) => rig,
        (None, BeadsHome::Town) => {
            anyhow::bail!("{id} belongs to no rig: say which rig gets it with --rig")
        }
    };
    let path = town.layout.redispatch_state();
    let now = town.clock.now();
    // Counted before the sling, because a failed sling is an attempt too.
    let (step, attempts) =
        state_file::change_state(&town.layout, &path, |state: &mut RedispatchState| {
            let record = state.beads.entry(bead.id.clone()).or_default();
            let step = choose_step(record, now);
            record.bead_id.clone_from(&bead.id);
            match step {
                RedispatchStep::Sling => {
                    record.attempt_count += 1;
                    record.last_attempt_time = now;
                    record.last_rig.clone_from(&rig);
                }
                RedispatchStep::Escalate => {
                    record.escalated = true;
                    record.escalated_at = now;
                }
                RedispatchStep::Wait(_) | RedispatchStep::Nothing => {}
            }
            (step, record.attempt_count)
        })?;
    match step {
        RedispatchStep::Wait(until) => Ok(RedispatchOutcome::Waits { until }),
        RedispatchStep::Nothing => Ok(RedispatchOutcome::Escalated { escalation: None }),
        RedispatchStep::Escalate => escalate_bead(town, &bead, attempts, &reason),
        RedispatchStep::Sling => {
            let request = SlingRequest {
                bead: bead.id,
                target: rig,
                options: SlingOptions {
                    force: true,
                    ..SlingOptions::default()
                },
            };
            let target = sling::sling_bead(town, &request)?.target;
            Ok(RedispatchOutcome::Slung { target, attempts })
        }
    }
}

/// Returns why a bead's worker is stuck. Empty for a bead without a worker.
fn find_stuck_reason(town: &LiveTown, bead: &Bead) -> anyhow::Result<String> {
    let id = &bead.id;
    let who = &bead.assignee;
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
    stuck.map(str::to_owned).ok_or_else(|| {
        anyhow::anyhow!("{id} is on the hook of {who}, which is not stuck (`gt why {id}`)")
    })
}

fn escalate_bead(
    town: &LiveTown,
    bead: &Bead,
    attempts: u32,
    reason: &str,
) -> anyhow::Result<RedispatchOutcome> {
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
    let escalation = escalate::send_escalation(town, &request)?.id;
    Ok(RedispatchOutcome::Escalated {
        escalation: Some(escalation),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bead_is_slung_again_twice_with_a_pause_and_then_escalated_once() {
        let at = |minute: i64| Timestamp::from_second(1_000_000 + minute * 60).unwrap();
        let record = |attempt_count, last, escalated| RedispatchRecord {
            attempt_count,
            last_attempt_time: at(last),
            escalated,
            ..RedispatchRecord::default()
        };
        for (record, minute, expected) in [
            (RedispatchRecord::default(), 0, RedispatchStep::Sling),
            (record(1, 0, false), 4, RedispatchStep::Wait(at(5))),
            (record(1, 0, false), 5, RedispatchStep::Sling),
            (record(2, 0, false), 4, RedispatchStep::Wait(at(5))),
            (record(2, 0, false), 5, RedispatchStep::Escalate),
            (record(2, 0, true), 90, RedispatchStep::Nothing),
            // A clock that went back keeps nobody waiting.
            (record(1, 90, false), 0, RedispatchStep::Sling),
        ] {
            assert_eq!(choose_step(&record, at(minute)), expected, "{record:?}");
        }
    }
}
