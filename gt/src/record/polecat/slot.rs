//! Stores the local record of a polecat: its current flow and its lease. A wisp beside the
//! polecat's bead, so that one transaction changes both and git never sees it.

use std::fmt;

use bd::bead::{Bead, Kind, Status};
use bd::store::{Snapshot, Tx};
use jiff::Timestamp;
use kit::json::serialize_or_empty;
use serde::{Deserialize, Serialize};

use super::PolecatIds;
use super::assignment::Assignment;
use crate::host::ended::SessionEnd;
use crate::town::name::{BeadId, Branch, Lease};

/// The local record of a polecat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, from = "Stored")]
pub struct Slot {
    /// The lease of the session that may act for the polecat. Each start takes the next number, and
    /// sessions with an older one are refused.
    pub lease: Lease,
    /// The last bead that it got.
    pub bead: BeadId,
    /// The number of the attempt at that bead ([`bd::bead::attempt`]).
    pub attempt: u64,
    /// The branch for that bead.
    pub branch: Branch,
    /// The commit that the branch started from.
    pub base: String,
    /// The branch that the work will be merged into.
    pub target: String,
    /// The agent runtime that the sling requested, instead of the configured one.
    #[serde(serialize_with = "serialize_or_empty")]
    pub agent: Option<String>,
    /// The account that the sling requested, instead of the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The other machine on which the sessions run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
    /// The time of the claim, RFC 3339.
    pub since: String,
    /// The random token of the current session's processes.
    pub token: String,
    /// The token of the last session before this bead. Its processes must be gone before the next
    /// session starts.
    pub left: String,
    /// The number of sessions that were started for this bead, for any reason.
    #[serde(skip_serializing_if = "is_none_yet")]
    pub started: usize,
    /// The times of restarts after a crash, RFC 3339, for this bead.
    pub respawns: Vec<String>,
    /// True if a user ended the session (`gt down`), so that the next start follows no crash.
    pub stopped: bool,
    /// The end of the last session that ended on its own, for this bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<SessionEnd>,
    /// True if the last session handed over to the current one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub handed_over: bool,
    /// The time at which the lease of the current session was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<Timestamp>,
    /// The start time of the process that hosts the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Timestamp>,
    /// The times of restarts because all sessions of the town were lost, for this bead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Timestamp>,
    /// The times of restarts after the API refused, for this bead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Timestamp>,
    /// The nudges that this session got because it made no progress.
    #[serde(skip_serializing_if = "NudgeCount::is_empty")]
    pub nudges: NudgeCount,
    /// The number of times it was stuck on this bead. The wait before a retry doubles each time.
    #[serde(skip_serializing_if = "is_zero")]
    pub stuck_times: u32,
    /// The time at which a question of the worker was last answered, for this bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<Timestamp>,
    /// The kind of the work and the program that does it, as the town chose them.
    #[serde(skip_serializing_if = "Assignment::is_empty")]
    pub assignment: Assignment,
    /// The flow that the polecat is in.
    pub state: SlotState,
}

/// Nudges of a session without progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NudgeCount {
    pub count: u32,
    /// The time of the last one.
    pub last: Option<Timestamp>,
}

impl NudgeCount {
    /// Returns the nudges up to `now`. A time in the future was written under a wrong clock.
    #[must_use]
    pub fn until(self, now: Timestamp) -> Self {
        let last = self.last.filter(|at| *at <= now);
        Self { last, ..self }
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// Reads a stored text, in which an empty one stands for none.
fn some_text(stored: String) -> Option<String> {
    Some(stored).filter(|text| !text.is_empty())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none_yet(value: &usize) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// The flow that a polecat is in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum SlotState {
    #[default]
    Idle,
    Slinging(SlingInProgress),
    Working,
    Finishing {
        /// The progress of `gt done`.
        record: DoneRecord,
    },
    /// Not restarted until a user acts.
    Stuck {
        reason: String,
        /// The start of the state. None in records of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Timestamp>,
        /// The state before it got stuck.
        before: Box<SlotState>,
    },
}

/// A sling that has begun.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlingInProgress {
    pub step: SlingStep,
    /// True if the bead gets no convoy.
    pub no_convoy: bool,
    /// True if the worker gets no molecule.
    pub no_molecule: bool,
    /// The number of failed tries to continue.
    pub failures: usize,
    /// The reason of the last failure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// The reason why no worker gets all files of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_failure: Option<String>,
}

/// The progress of a sling. A step is done when its name is recorded.
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

/// A record as stored, by this version or an earlier one.
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
    account: String,
    host_name: Option<String>,
    since: String,
    token: String,
    left: String,
    started: usize,
    respawns: Vec<String>,
    stopped: bool,
    ended: Option<SessionEnd>,
    handed_over: bool,
    begun: Option<Timestamp>,
    host: Option<Timestamp>,
    lost: Vec<Timestamp>,
    refused: Vec<Timestamp>,
    nudges: NudgeCount,
    stuck_times: u32,
    answered: Option<Timestamp>,
    assignment: Assignment,
    state: Option<SlotState>,
    /// Fields of earlier versions: the progress of the sling, with `none` and `started` at its
    /// ends.
    sling: String,
    failures: usize,
    failure: String,
    stuck: String,
    done: Option<DoneRecord>,
}

impl Stored {
    /// Converts the state that an earlier version wrote.
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
                target_failure: None,
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
        let state = stored
            .state
            .take()
            .unwrap_or_else(|| stored.convert_earlier_state());
        Self {
            lease: stored.lease,
            bead: stored.bead,
            attempt: stored.attempt,
            branch: stored.branch,
            base: stored.base,
            target: stored.target,
            agent: some_text(stored.agent),
            account: some_text(stored.account),
            host_name: stored.host_name,
            since: stored.since,
            token: stored.token,
            left: stored.left,
            started: stored.started,
            respawns: stored.respawns,
            stopped: stored.stopped,
            ended: stored.ended,
            handed_over: stored.handed_over,
            begun: stored.begun,
            host: stored.host,
            lost: stored.lost,
            refused: stored.refused,
            nudges: stored.nudges,
            stuck_times: stored.stuck_times,
            answered: stored.answered,
            assignment: stored.assignment,
            state,
        }
    }
}

impl SlotState {
    /// Builds the state of a `gt done` that has begun.
    pub fn finishing(record: &DoneRecord) -> Self {
        Self::Finishing {
            record: record.clone(),
        }
    }

    /// Returns why the polecat is not restarted, if it is stuck.
    pub fn stuck_reason(&self) -> Option<&str> {
        match self {
            Self::Stuck { reason, .. } => Some(reason),
            _ => None,
        }
    }

    /// Returns the `gt done` that has begun, or in which a worker is stuck.
    pub fn done_record(&self) -> Option<&DoneRecord> {
        match self {
            Self::Finishing { record } => Some(record),
            Self::Stuck { before, .. } => before.done_record(),
            _ => None,
        }
    }

    /// Returns the failed step of `gt done`.
    pub fn failed_done(&self) -> Option<&FailedStep> {
        self.done_record()?.failed.as_deref()
    }

    /// Returns true if `gt done` failed in a way that a retry cannot repair.
    pub fn is_unrecoverable(&self) -> bool {
        self.failed_done().is_some_and(|failed| !failed.retry)
    }

    /// Returns true if only the worker can go on: it works or has ended without a result, or `gt
    /// done` found no work to hand in.
    pub fn needs_worker(&self) -> bool {
        match self {
            Self::Working => true,
            Self::Finishing { record } => {
                let failed = record.failed.as_deref();
                failed.is_some_and(|failed| failed.step == DoneStep::Proof && !failed.retry)
            }
            Self::Stuck { before, .. } => before.needs_worker(),
            Self::Idle | Self::Slinging(_) => false,
        }
    }

    /// Returns true if a stuck worker is tried again after a while. What stopped a sling or a `gt
    /// done` may pass, and a remote that refused a push may accept it later. Sessions that ended
    /// again and again need a user.
    pub fn is_retried(&self) -> bool {
        let Self::Stuck { before, .. } = self else {
            return false;
        };
        match &**before {
            Self::Slinging(_) => true,
            Self::Finishing { record } => {
                let failed = record.failed.as_deref();
                failed.is_none_or(|failed| failed.retry || failed.step == DoneStep::Push)
            }
            _ => false,
        }
    }

    /// Returns the sling that has begun, or in which a worker is stuck.
    pub fn sling_in_progress(&self) -> Option<&SlingInProgress> {
        match self {
            Self::Slinging(sling) => Some(sling),
            Self::Stuck { before, .. } => before.sling_in_progress(),
            _ => None,
        }
    }

    /// Returns the same sling for a change.
    pub fn sling_in_progress_mut(&mut self) -> Option<&mut SlingInProgress> {
        match self {
            Self::Slinging(sling) => Some(sling),
            Self::Stuck { before, .. } => before.sling_in_progress_mut(),
            _ => None,
        }
    }

    /// Converts the state to a stuck one, which is not restarted.
    #[must_use]
    pub fn into_stuck(self, reason: String, since: Timestamp) -> Self {
        Self::Stuck {
            reason,
            since: Some(since),
            before: Box::new(self),
        }
    }
}

/// A `gt done` that has begun, with its progress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredDone", into = "StoredDone")]
pub struct DoneRecord {
    /// The start time, RFC 3339.
    pub since: String,
    /// The worker's summary.
    pub summary: String,
    /// The reason why there is no change to merge.
    pub no_change: Option<String>,
    /// The path of the specification that the worker named.
    pub spec: Option<String>,
    /// The model that did the work, as its program reported it.
    pub model: Option<String>,
    /// Set if the worker gives up.
    pub gave_up: Option<GivingUp>,
    /// The ref with the discovery documents of the sandbox.
    pub documents: Option<String>,
    /// The proven tip. None before the proof.
    pub tip: Option<String>,
    /// True if the tip was pushed and read back.
    pub pushed: bool,
    /// The failed step with its reason.
    pub failed: Option<Box<FailedStep>>,
}

/// A done record as stored.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredDone {
    since: String,
    summary: String,
    no_change: Option<String>,
    #[serde(skip_serializing_if = "StoredDoneDetails::is_empty")]
    more: StoredDoneDetails,
    #[serde(skip_serializing_if = "String::is_empty")]
    documents: String,
    tip: String,
    pushed: bool,
    failed: Option<Box<FailedStep>>,
}

/// The fields of a done record that are stored in an object of their own, because most records have
/// none of them.
#[derive(Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct StoredDoneDetails {
    #[serde(skip_serializing_if = "String::is_empty")]
    spec: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    gave_up: Option<GivingUp>,
}

impl StoredDoneDetails {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<StoredDone> for DoneRecord {
    fn from(stored: StoredDone) -> Self {
        Self {
            since: stored.since,
            summary: stored.summary,
            no_change: stored.no_change,
            spec: some_text(stored.more.spec),
            model: some_text(stored.more.model),
            gave_up: stored.more.gave_up,
            documents: some_text(stored.documents),
            tip: some_text(stored.tip),
            pushed: stored.pushed,
            failed: stored.failed,
        }
    }
}

impl From<DoneRecord> for StoredDone {
    fn from(record: DoneRecord) -> Self {
        Self {
            since: record.since,
            summary: record.summary,
            no_change: record.no_change,
            more: StoredDoneDetails {
                spec: record.spec.unwrap_or_default(),
                model: record.model.unwrap_or_default(),
                gave_up: record.gave_up,
            },
            documents: record.documents.unwrap_or_default(),
            tip: record.tip.unwrap_or_default(),
            pushed: record.pushed,
            failed: record.failed,
        }
    }
}

/// A worker's statement that it gives up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivingUp {
    /// The approach, and the reason for the failure.
    pub why: String,
    /// True if the bead is closed as failed too.
    pub close: bool,
}

/// A step of `gt done` that can fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoneStep {
    Documents,
    Proof,
    Push,
    #[serde(rename = "read back")]
    ReadBack,
    Rescue,
    Submit,
    /// A step of another version of gt.
    #[serde(untagged)]
    Unknown(String),
}

impl DoneStep {
    pub fn name(&self) -> &str {
        match self {
            Self::Documents => "documents",
            Self::Proof => "proof",
            Self::Push => "push",
            Self::ReadBack => "read back",
            Self::Rescue => "rescue",
            Self::Submit => "submit",
            Self::Unknown(name) => name,
        }
    }
}

impl fmt::Display for DoneStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A failed step of `gt done`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedStep {
    pub step: DoneStep,
    pub reason: String,
    /// True if a retry can help without a user.
    pub retry: bool,
}

/// The polecat no longer has the work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{bead} was taken off {worker} in the meantime (`bd show {bead}` names who has it)")]
pub struct WorkTakenAway {
    pub bead: String,
    pub worker: String,
}

impl Slot {
    /// Returns true for work that was begun and not submitted: the session runs or will be
    /// restarted, or the worker is stuck.
    pub fn is_unfinished(&self) -> bool {
        match &self.state {
            SlotState::Working => true,
            SlotState::Stuck { before, .. } => **before == SlotState::Working,
            _ => false,
        }
    }

    /// Returns the id of the record beside a polecat's bead: `<prefix>-wisp-slot-<rig>-<name>`.
    pub fn id(prefix: &str, rig: &str, name: &str) -> String {
        format!("{prefix}-wisp-slot-{rig}-{name}")
    }

    /// Reads the record. A missing one is empty. The polecat of an unreadable one is stuck: as an
    /// idle one it would get other work in the sandbox with the work of its bead.
    pub fn load(snapshot: &Snapshot, id: &str) -> Self {
        let stored = snapshot
            .get(id)
            .filter(|bead| bead.issue_type == Kind::Slot);
        let Some(metadata) = stored.and_then(|bead| bead.metadata.as_ref()) else {
            return Self::default();
        };
        serde_json::from_str(metadata.get()).unwrap_or_else(|error| Self {
            state: SlotState::Stuck {
                reason: format!("its record {id} cannot be read: {error}"),
                since: None,
                before: Box::new(SlotState::Idle),
            },
            ..Self::default()
        })
    }

    /// Returns the record of a polecat that lost its work, under a new lease, so that a process
    /// with the old lease cannot finish anything.
    #[must_use]
    pub fn released(&self) -> Self {
        Self {
            lease: self.lease.next(),
            left: self.last_token().to_owned(),
            ..Self::default()
        }
    }

    /// Returns the number of sessions that have worked on the bead: the first one, handoffs and
    /// restarts. Earlier versions counted restarts only.
    pub fn session_count(&self) -> usize {
        self.started.max(self.respawns.len() + 1)
    }

    /// Returns the number of restarts for this bead because a session had ended or made no progress.
    pub fn stall_count(&self) -> u32 {
        let counted = u32::try_from(self.respawns.len()).unwrap_or(u32::MAX);
        self.assignment.stalls.max(counted)
    }

    /// Returns true if the worker got stuck, was restarted, or was nudged because it made no
    /// progress.
    pub fn has_stalled(&self) -> bool {
        let is_stuck = self.stuck_times > 0 || self.state.stuck_reason().is_some();
        is_stuck || self.stall_count() > 0 || self.nudges.count > 0
    }

    /// Returns the token of the last session that was started, for any bead.
    pub fn last_token(&self) -> &str {
        match self.token.as_str() {
            "" => &self.left,
            token => token,
        }
    }

    /// Returns the current record, if the polecat still has the work under this record's lease: the
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
        // A worker may have created another bead under this id, and could change it.
        let stored = tx.get(id).filter(|bead| bead.issue_type == Kind::Slot);
        let mut bead = stored.cloned().unwrap_or_else(|| Bead {
            id: id.to_owned(),
            title: format!("Slot record {id}"),
            // Closed from the start, because a record is no work and must not appear in lists of
            // work.
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
    fn the_slot_state_of_an_earlier_version_is_read() {
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
    fn a_slot_state_round_trips() {
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

    #[test]
    fn a_done_record_is_stored_in_the_form_of_earlier_versions() {
        let record = DoneRecord {
            since: "t".to_owned(),
            spec: Some("docs/s.md".to_owned()),
            model: Some("m".to_owned()),
            gave_up: Some(GivingUp::default()),
            documents: Some("refs/d".to_owned()),
            failed: Some(Box::new(FailedStep {
                step: DoneStep::ReadBack,
                reason: "no".to_owned(),
                retry: true,
            })),
            ..DoneRecord::default()
        };
        let text = r#"{"since":"t","summary":"","no_change":null,"more":{"spec":"docs/s.md","model":"m","gave_up":{"why":"","close":false}},"documents":"refs/d","tip":"","pushed":false,"failed":{"step":"read back","reason":"no","retry":true}}"#;
        assert_eq!(serde_json::to_string(&record).unwrap(), text);
        assert_eq!(serde_json::from_str::<DoneRecord>(text).unwrap(), record);
        let text =
            r#"{"since":"","summary":"","no_change":null,"tip":"","pushed":false,"failed":null}"#;
        assert_eq!(serde_json::to_string(&DoneRecord::default()).unwrap(), text);
    }

    #[test]
    fn the_name_of_each_done_step_is_its_stored_form() {
        for step in [
            DoneStep::Documents,
            DoneStep::Proof,
            DoneStep::Push,
            DoneStep::ReadBack,
            DoneStep::Rescue,
            DoneStep::Submit,
        ] {
            assert_eq!(serde_json::to_value(&step).unwrap(), step.name());
        }
    }

    #[test]
    fn a_done_step_of_another_version_survives_a_rewrite() {
        let text = r#"{"step":"sign","reason":"no key","retry":false}"#;
        let failed: FailedStep = serde_json::from_str(text).unwrap();
        assert_eq!(failed.step, DoneStep::Unknown("sign".to_owned()));
        assert_eq!(serde_json::to_string(&failed).unwrap(), text);
        let slot = r#"{"bead":"w-1","sling":"started","done":{"summary":"s","failed":FAILED}}"#;
        let slot = read(&slot.replace("FAILED", text));
        let again = read(&serde_json::to_string(&slot).unwrap());
        let record = again.state.done_record().unwrap();
        assert_eq!(record.failed.as_deref(), Some(&failed));
    }
}
