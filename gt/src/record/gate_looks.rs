//! Records when the forge was last queried about a gate, the reason why the gate cannot open, and
//! since when the forge has not answered, `.runtime/gate-looks.json`. If the file is lost, each
//! gate is queried once more.

use std::collections::BTreeMap;

use bd::molecule::forge::ForgeFailure;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::{Town, TownLayout};

/// The age from which a record is removed: its gate is closed, or due in any case.
const RECORD_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// A query of the forge about one gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateLook {
    pub at: Timestamp,
    /// The reason why the gate does not open any more without help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The latest queries, if the forge answered none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<UnansweredQueries>,
}

/// Queries about one gate in a row that the forge did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnansweredQueries {
    /// The time of the first one.
    pub since: Timestamp,
    /// The failure of the first one. It names the cause, because the errors of an outage vary.
    pub first: ForgeFailure,
    /// The failure of the last one.
    pub last: ForgeFailure,
}

impl UnansweredQueries {
    /// Adds a failed query. A program that was missing and now fails is another cause.
    fn continue_with(before: Option<Self>, now: Timestamp, failure: ForgeFailure) -> Self {
        let is_missing =
            |failure: &ForgeFailure| matches!(failure, ForgeFailure::MissingProgram { .. });
        match before {
            Some(before) if is_missing(&before.first) == is_missing(&failure) => Self {
                last: failure,
                ..before
            },
            _ => Self {
                since: now,
                first: failure.clone(),
                last: failure,
            },
        }
    }
}

/// Returns the last queries by gate.
pub fn load_gate_looks(layout: &TownLayout) -> BTreeMap<String, GateLook> {
    state_file::read_expendable_state(&layout.gate_looks())
}

/// Records a query that begins. Earlier answers stay until it ends.
pub fn record_gate_look(town: &Town, gate: &str) -> anyhow::Result<()> {
    change_look(town, gate, |_| {})?;
    Ok(())
}

/// Records the answer to a query. Returns true if it differs from the answer before.
pub fn record_gate_answer(town: &Town, gate: &str, answer: GateAnswer) -> anyhow::Result<bool> {
    change_look(town, gate, |look| match answer {
        GateAnswer::MayOpen => {
            look.failed = None;
            look.unanswered = None;
        }
        GateAnswer::Failed(reason) => {
            look.failed = Some(reason);
            look.unanswered = None;
        }
        GateAnswer::Unanswered(failure) => {
            look.unanswered = Some(UnansweredQueries::continue_with(
                look.unanswered.take(),
                look.at,
                failure,
            ));
        }
    })
}

/// Changes the record of a gate. Returns true if the answer is another one afterwards.
fn change_look(
    town: &Town,
    gate: &str,
    change: impl FnOnce(&mut GateLook),
) -> anyhow::Result<bool> {
    let now = town.clock.now();
    let mut is_new = false;
    state_file::change_state(
        &town.layout,
        &town.layout.gate_looks(),
        |looks: &mut BTreeMap<String, GateLook>| {
            looks.retain(|_, look| now.duration_since(look.at).abs() < RECORD_LIFETIME);
            let before = looks.remove(gate);
            let mut look = GateLook {
                at: now,
                failed: before.as_ref().and_then(|look| look.failed.clone()),
                unanswered: before.and_then(|look| look.unanswered),
            };
            let summarize = |look: &GateLook| {
                let since = look.unanswered.as_ref().map(|queries| queries.since);
                (look.failed.clone(), since)
            };
            let summary = summarize(&look);
            change(&mut look);
            is_new = summary != summarize(&look);
            looks.insert(gate.to_owned(), look);
        },
    )?;
    Ok(is_new)
}

/// The answer of a forge about a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateAnswer {
    MayOpen,
    /// The gate does not open any more, for this reason.
    Failed(String),
    /// The forge did not answer. What it said before still holds.
    Unanswered(ForgeFailure),
}
