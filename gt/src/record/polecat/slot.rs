//! The local record of a polecat: what it is in the middle of, under which lease. A wisp beside the
//! polecat's bead, so that one transaction changes both and git never sees it.

use bd::bead::{Bead, Kind, Status};
use bd::store::{Snapshot, Tx};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::PolecatIds;
use crate::host::ended::SessionEnd;
use crate::town::name::{BeadId, Branch, Lease};

/// The local record of a polecat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, from = "Stored")]
pub struct Slot {
    /// Which session may act for the polecat: each start takes the next number, an older one is refused.
    pub lease: Lease,
    /// The bead it was given last.
    pub bead: BeadId,
    /// The number of the attempt at that bead ([`bd::bead::attempt`]).
    pub attempt: u64,
    /// The branch made for that bead.
    pub branch: Branch,
    /// The commit that the branch started from.
    pub base: String,
    /// The branch that the work is to be merged into.
    pub target: String,
    /// The agent runtime asked for by the sling; empty for the configured one.
    pub agent: String,
    /// When the bead was claimed, RFC 3339.
    pub since: String,
    /// The random token of the current session's processes.
    pub token: String,
    /// The token of the last session before this bead was given: its processes must be gone before the
    /// next one starts.
    pub left: String,
    /// How many sessions were started for this bead, whatever ended the one before.
    #[serde(skip_serializing_if = "is_none_yet")]
    pub started: usize,
    /// When the session was restarted after a crash, RFC 3339, for this bead.
    pub respawns: Vec<String>,
    /// Whether a person ended its session (`gt down`): the next start follows no crash.
    pub stopped: bool,
    /// How the last session that ended on its own did, for this bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<SessionEnd>,
    /// Whether its last session handed over to the one that runs now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub handed_over: bool,
    /// When what hosts its session was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Timestamp>,
    /// When its session was restarted because all sessions of the town were lost, for this bead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Timestamp>,
    /// When its session was restarted that had ended because the API refused, for this bead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Timestamp>,
    /// The nudges that this session got because it made no progress.
    #[serde(skip_serializing_if = "NudgeCount::is_empty")]
    pub nudges: NudgeCount,
    /// How often it was stuck on this bead; the wait before it is tried again doubles each time.
    #[serde(skip_serializing_if = "is_zero")]
    pub stuck_times: u32,
    /// What the polecat is in the middle of.
    pub state: SlotState,
}

/// Nudges of a session that makes no progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NudgeCount {
    /// How many.
    pub count: u32,
    /// When the last one was sent.
    pub last: Option<Timestamp>,
}

impl NudgeCount {
    /// Those until now: what lies ahead was written under a clock that was wrong.
    #[must_use]
    pub fn until(self, now: Timestamp) -> Self {
        let last = self.last.filter(|at| *at <= now);
        Self { last, ..self }
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none_yet(value: &usize) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// What a polecat is in the middle of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum SlotState {
    /// Nothing.
    #[default]
    Idle,
    /// Being given a bead.
    Slinging(SlingInProgress),
    /// At work on it.
    Working,
    /// Handing the work in.
    Finishing {
        /// How far `gt done` came.
        record: DoneRecord,
    },
    /// Not restarted until a person acts.
    Stuck {
        /// Why.
        reason: String,
        /// Since when; none in records of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Timestamp>,
        /// What it was in the middle of.
        before: Box<SlotState>,
    },
}

/// A sling that has begun.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlingInProgress {
    /// How far it came.
    pub step: SlingStep,
    /// Whether the bead stays without a convoy.
    pub no_convoy: bool,
    /// Whether the worker gets no steps of a formula.
    pub no_molecule: bool,
    /// How often going on with it failed.
    pub failures: usize,
    /// The reason of the last failure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub failure: String,
}

/// How far a sling came; each step is done when its name is recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlingStep {
    /// Bead and polecat are reserved for each other.
    #[default]
    Claimed,
    /// The sandbox is on its fresh branch.
    Branched,
    /// A convoy tracks the bead.
    Tracked,
}

/// A record as it is stored, by this version or an earlier one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Stored {
    lease: Lease,
    bead: BeadId,
    attempt: u64,
    branch: Branch,
    base: String,
    target: String,
    agent: String,
    since: String,
    token: String,
    left: String,
    started: usize,
    respawns: Vec<String>,
    stopped: bool,
    ended: Option<SessionEnd>,
    handed_over: bool,
    host: Option<Timestamp>,
    lost: Vec<Timestamp>,
    refused: Vec<Timestamp>,
    nudges: NudgeCount,
    stuck_times: u32,
    state: Option<SlotState>,
    /// Earlier versions: how far the sling came, with `none` and `started` at its ends.
    sling: String,
    failures: usize,
    failure: String,
    stuck: String,
    done: Option<DoneRecord>,
}

impl Stored {
    /// The state as an earlier version wrote it.
    fn convert_earlier_state(&mut self) -> SlotState {
        let step = match self.sling.as_str() {
            "claimed" => Some(SlingStep::Claimed),
            "branched" => Some(SlingStep::Branched),
            "tracked" => Some(SlingStep::Tracked),
            _ => None,
        };
        let state = match (self.done.take(), step) {
            (Some(record), _) => SlotState::Finishing { record },
            (None, Some(step)) => SlotState::Slinging(SlingInProgress {
                step,
                no_convoy: false,
                no_molecule: false,
                failures: self.failures,
                failure: std::mem::take(&mut self.failure),
            }),
            (None, None) if self.bead.is_empty() => SlotState::Idle,
            (None, None) => SlotState::Working,
        };
        match std::mem::take(&mut self.stuck) {
            reason if reason.is_empty() => state,
            reason => SlotState::Stuck {
                reason,
                since: None,
                before: Box::new(state),
            },
        }
    }
}

impl From<Stored> for Slot {
    fn from(mut stored: Stored) -> Self {
        let state = stored.state.take();
        let state = state.unwrap_or_else(|| stored.convert_earlier_state());
        Self {
            lease: stored.lease,
            bead: stored.bead,
            attempt: stored.attempt,
            branch: stored.branch,
            base: stored.base,
            target: stored.target,
            agent: stored.agent,
            since: stored.since,
            token: stored.token,
            left: stored.left,
            started: stored.started,
            respawns: stored.respawns,
            stopped: stored.stopped,
            ended: stored.ended,
            handed_over: stored.handed_over,
            host: stored.host,
            lost: stored.lost,
            refused: stored.refused,
            nudges: stored.nudges,
            stuck_times: stored.stuck_times,
            state,
        }
    }
}

impl SlotState {
    /// Handing in, as far as this record says.
    pub fn finishing(record: &DoneRecord) -> Self {
        Self::Finishing {
            record: record.clone(),
        }
    }

    /// Why it is not restarted, if so.
    pub fn stuck_reason(&self) -> Option<&str> {
        match self {
            Self::Stuck { reason, .. } => Some(reason),
            _ => None,
        }
    }

    /// The `gt done` that has begun; of a stuck worker the one that it is stuck in.
    pub fn done_record(&self) -> Option<&DoneRecord> {
        match self {
            Self::Finishing { record } => Some(record),
            Self::Stuck { before, .. } => before.done_record(),
            _ => None,
        }
    }

    /// The step at which `gt done` failed.
    pub fn failed_done(&self) -> Option<&FailedStep> {
        self.done_record()?.failed.as_ref()
    }

    /// Whether its `gt done` failed in a way that trying again cannot mend.
    pub fn is_unrecoverable(&self) -> bool {
        self.failed_done().is_some_and(|failed| !failed.retry)
    }

    /// The sling that has begun; of a stuck worker the one that it is stuck in.
    pub fn sling_in_progress(&self) -> Option<&SlingInProgress> {
        match self {
            Self::Slinging(sling) => Some(sling),
            Self::Stuck { before, .. } => before.sling_in_progress(),
            _ => None,
        }
    }

    /// The same, to change it.
    pub fn sling_in_progress_mut(&mut self) -> Option<&mut SlingInProgress> {
        match self {
            Self::Slinging(sling) => Some(sling),
            Self::Stuck { before, .. } => before.sling_in_progress_mut(),
            _ => None,
        }
    }

    /// The same state, not to be restarted.
    #[must_use]
    pub fn into_stuck(self, reason: String, since: Timestamp) -> Self {
        Self::Stuck {
            reason,
            since: Some(since),
            before: Box::new(self),
        }
    }
}

/// A `gt done` that has begun and how far it came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DoneRecord {
    /// When it began, RFC 3339.
    pub since: String,
    /// What the worker says was done.
    pub summary: String,
    /// Why there is no change to merge, where that is so.
    pub no_change: Option<String>,
    /// What else it says.
    #[serde(skip_serializing_if = "is_nothing")]
    pub more: Box<DoneDetails>,
    /// The ref that holds the discovery documents that were taken from its sandbox; empty where there were none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub documents: String,
    /// The proven tip; empty before the proof.
    pub tip: String,
    /// Whether the tip was pushed and read back.
    pub pushed: bool,
    /// The step that failed and why.
    pub failed: Option<FailedStep>,
}

/// What a worker says that few say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DoneDetails {
    /// The path of the specification of the work; empty where none was named.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub spec: String,
    /// The model that did the work; empty where its program does not report it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// That the worker gives up, and why, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<GivingUp>,
}

#[expect(clippy::borrowed_box, reason = "serde calls it so")]
fn is_nothing(more: &Box<DoneDetails>) -> bool {
    **more == DoneDetails::default()
}

/// What a worker says that gives up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivingUp {
    /// What was tried, and why it fails.
    pub why: String,
    /// Whether the bead is closed as failed, too.
    pub close: bool,
}

/// A step of `gt done` that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedStep {
    /// `documents`, `proof`, `push`, `read back`, `rescue` or `submit`.
    pub step: String,
    /// What went wrong.
    pub reason: String,
    /// Whether trying again can help without a person.
    pub retry: bool,
}

/// What a polecat was in the middle of is not its business any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{bead} was taken off {worker} meanwhile (`bd show {bead}` names who has it)")]
pub struct WorkTakenAway {
    /// The bead.
    pub bead: String,
    /// Who had it.
    pub worker: String,
}

impl Slot {
    /// Whether work was begun that was not handed in: its session runs, or is to be restarted, or the worker is stuck.
    pub fn is_unfinished(&self) -> bool {
        match &self.state {
            SlotState::Working => true,
            SlotState::Stuck { before, .. } => **before == SlotState::Working,
            _ => false,
        }
    }

    /// The id of the record that goes with a polecat's bead: `<prefix>-wisp-slot-<rig>-<name>`.
    pub fn id(prefix: &str, rig: &str, name: &str) -> String {
        format!("{prefix}-wisp-slot-{rig}-{name}")
    }

    /// Reads the record; none, or one that cannot be read, is an empty one.
    pub fn load(snapshot: &Snapshot, id: &str) -> Self {
        snapshot
            .get(id)
            .and_then(|bead| bead.metadata.as_ref())
            .and_then(|metadata| serde_json::from_str(metadata.get()).ok())
            .unwrap_or_default()
    }

    /// The record of a polecat whose work was taken off it: under a lease of its own, so that one who
    /// still works under the old one can finish nothing.
    #[must_use]
    pub fn released(&self) -> Self {
        Self {
            lease: self.lease.next(),
            left: self.last_token().to_owned(),
            ..Self::default()
        }
    }

    /// How many sessions have worked on its bead: handoffs, restarts and the first one. Earlier versions counted restarts
    /// only.
    pub fn session_count(&self) -> usize {
        self.started.max(self.respawns.len() + 1)
    }

    /// The token of the last session that was started, for whatever bead.
    pub fn last_token(&self) -> &str {
        match self.token.as_str() {
            "" => &self.left,
            token => token,
        }
    }

    /// The record as it is now, if the work is still this polecat's under the lease that was seen: the
    /// lease is current, the polecat names the bead, and the bead names the polecat.
    pub fn reload_held(&self, beads: &Snapshot, ids: &PolecatIds) -> Result<Self, WorkTakenAway> {
        let current = Self::load(beads, &ids.slot);
        let named = beads
            .get(&ids.agent)
            .is_some_and(|agent| agent.hook_bead == self.bead);
        let assigned = beads
            .get(&self.bead)
            .is_some_and(|bead| ids.is_assignee(bead));
        if named && assigned && current.lease == self.lease && current.bead == self.bead {
            return Ok(current);
        }
        Err(WorkTakenAway {
            bead: self.bead.to_string(),
            worker: ids.address.to_string(),
        })
    }

    /// Writes the record as part of a transaction.
    pub fn save(&self, tx: &mut Tx, id: &str) -> anyhow::Result<()> {
        let now = tx.now();
        let mut bead = tx.get(id).cloned().unwrap_or_else(|| Bead {
            id: id.to_owned(),
            title: format!("Slot record {id}"),
            // Closed from the start: it is no work, and no list of work may show it.
            status: Status::Closed,
            closed_at: Some(now.clone()),
            issue_type: Kind::Slot,
            ephemeral: true,
            created_at: now.clone(),
            created_by: tx.actor().to_owned(),
            ..Bead::default()
        });
        bead.updated_at = now;
        bead.metadata = Some(serde_json::value::to_raw_value(self)?);
        tx.put(bead)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Slot {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_state_of_an_earlier_version_is_read() {
        let slot =
            read(r#"{"lease":3,"bead":"w-1","sling":"branched","failures":2,"failure":"no"}"#);
        let sling = slot.state.sling_in_progress().unwrap();
        assert_eq!((slot.lease, sling.step), (Lease(3), SlingStep::Branched));
        assert_eq!((sling.failures, sling.failure.as_str()), (2, "no"));
        assert_eq!(
            read(r#"{"bead":"w-1","sling":"started"}"#).state,
            SlotState::Working
        );
        assert_eq!(read(r#"{"lease":9}"#).state, SlotState::Idle);
        let text = r#"{"bead":"w-1","sling":"started","done":{"summary":"s"},"stuck":"why"}"#;
        let slot = read(text);
        assert_eq!(slot.state.stuck_reason(), Some("why"));
        assert_eq!(slot.state.done_record().unwrap().summary, "s");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let sling = SlotState::Slinging(SlingInProgress {
            no_convoy: true,
            ..SlingInProgress::default()
        });
        let record = DoneRecord::default();
        for state in [
            SlotState::Idle,
            sling.clone(),
            SlotState::Working,
            SlotState::Finishing { record },
            sling.into_stuck("no".to_owned(), Timestamp::UNIX_EPOCH),
        ] {
            let slot = Slot {
                bead: "w-1".to_owned().into(),
                state,
                ..Slot::default()
            };
            assert_eq!(read(&serde_json::to_string(&slot).unwrap()), slot);
        }
    }
}
