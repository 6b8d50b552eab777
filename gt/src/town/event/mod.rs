//! What happens in a town: one enum with everything that is ever recorded, and the file and the listeners that get it.
//!
//! What must always hold: the words of the file never change. A kind is a variant's name in snake case, and its payload has
//! the variant's fields. What older programs wrote, or newer ones will, is kept as [`Event::Other`].

#![expect(missing_docs, reason = "a field is named as in the file")]

mod log;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use log::{
    EventLine, EventListener, EventReader, EventVisibility, StoredEvent, events_about, read_events,
};

/// The fields of a value that becomes a JSON object.
pub(crate) fn json_fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Makes an [`Event`] from a variant's name and its fields, each copied from where it is.
#[macro_export]
macro_rules! event {
    ($kind:ident, $($field:ident: $value:expr),* $(,)?) => {
        $crate::town::event::Event::$kind { $($field: $value.to_owned().into()),* }
    };
}
pub use crate::event;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload", rename_all = "snake_case")]
#[rustfmt::skip]
pub enum Event {
    /// A worker gave up.
    AttemptFailed { bead: String, rig: String, polecat: String, reason: String, rescue: Option<String>, closed: bool },
    /// The daemon was started.
    Boot { rig: String, agents: Vec<String> },
    /// A chore was done in the name of a dog.
    ChoreDone { dog: String, chore: String, lines: Vec<String> },
    /// Beads were added to a convoy.
    ConvoyAdded(ConvoyBeads),
    /// A convoy was closed by hand.
    ConvoyClosed { convoy: String, reason: String },
    /// A convoy was made.
    ConvoyCreated(ConvoyBeads),
    /// A hook left a convoy to a person.
    ConvoyDeferred { request: String, convoy: String, title: String, beads: Vec<String>, reason: Option<String> },
    /// A convoy landed.
    ConvoyLanded { convoy: String, told: Vec<String>, commits: BTreeMap<String, String> },
    /// A person answered a request for a convoy.
    ConvoyReviewed { request: String, convoy: String, answer: String, reason: String },
    /// Discovery documents were committed to a convoy's own branch.
    DiscoveryCommitted { bead: String, rig: String, branch: String, files: Vec<String> },
    /// Discovery documents were kept for the next worker of a convoy.
    DiscoveryKept(DiscoveryDocuments),
    /// Files below `.gt/` that git does not keep were moved beside the sandbox.
    DiscoveryLeft { rig: String, polecat: String, moved_to: PathBuf, files: usize },
    /// Discovery documents were put into a sandbox.
    DiscoveryPlaced { bead: String, rig: String, polecat: String, key: String, files: usize },
    /// The discovery documents of a convoy that landed were removed.
    DiscoveryRemoved { convoy: String, rig: String, commit: String, rescue: String },
    /// A worker handed in its work.
    Done { bead: String, branch: String, request: Option<String>, tip: String, commits: usize, no_change: Option<String> },
    /// A step of `gt done` failed.
    DoneFailed { bead: String, step: String, reason: String },
    /// Someone took up an escalation.
    EscalationAcked { escalation_id: String, acked_by: String },
    /// An escalation was answered, or closed without an answer.
    EscalationClosed(EscalationClosed),
    /// The command of a route of an escalation was run, or is not set up.
    EscalationDelivered { escalation_id: String, route: String, sent: bool, outcome: String },
    /// An escalation was passed on.
    EscalationForwarded { escalation_id: String, by: String, to: String },
    /// An escalation was made, counted or raised.
    EscalationSent(EscalationSent),
    /// A follow-up was made.
    Followup { bead: String, original: String, rig: Option<String> },
    /// A sandbox was put on a fresh branch.
    FreshBranch { bead: String, rig: String, polecat: String, branch: String, sandbox: String, base: String, rescue: Option<String>, fetch_failed: Option<String> },
    /// A gate ran.
    Gate { gate: String, passed: bool, commit: String, #[serde(flatten)] request: MergeRef },
    /// The tree in which gates run was made again.
    GateTreeRebuilt { tree: PathBuf, reason: String, #[serde(flatten)] request: MergeRef },
    /// The town was stopped.
    Halt { rig: String, services: Vec<String>, daemon: bool, stopped: Vec<HaltedWorker> },
    /// A session asked for a fresh one in its place.
    Handoff(SessionHandoff),
    /// The fresh session could not be started.
    HandoffFailed { agent: String, why: String },
    /// A hook was not run.
    HookIgnored { hook: String, reason: String },
    /// A hook ran.
    HookRun(HookRun),
    /// A hook was passed over because of a waiver.
    HookWaived { by: String, reason: String, at: String, hooks: Vec<String>, #[serde(flatten)] request: MergeRef },
    /// A convoy got its own branch in a rig.
    IntegrationBranch { convoy: String, rig: String, branch: String, base: String },
    /// A convoy's own branch could not be removed.
    IntegrationBranchLeft { convoy: String, rig: String, branch: String, reason: String },
    /// The session of a crew member was ended.
    Kill { rig: String, target: String, reason: String },
    /// All rigs of a landing are ready to be pushed.
    LandingPrepared { convoy: String, commits: Vec<String> },
    /// A rig of a landing was pushed.
    LandingPushed { convoy: String, rig: String, target: String, commit: String },
    /// A landing stopped.
    LandingStopped(LandingStop),
    /// A message was written.
    Mail { to: String, subject: String, id: String },
    /// A request could not be merged.
    MergeFailed(MergeResultEvent),
    /// A request is tried again later.
    MergeSkipped(MergeResultEvent),
    /// The queue took up a request.
    MergeStarted(MergeRef),
    /// The result of a task does not hold the work that it was for.
    MergeUnproven(MergedAlong),
    /// A person let a request by its hooks.
    MergeWaived { mr: String, by: String, reason: String },
    /// A request may not merge any more.
    MergeWithdrawn { reason: String, rescue: Option<String>, #[serde(flatten)] request: MergeRef },
    /// A request was merged.
    Merged(MergeResultEvent),
    /// A request was merged with the task that brought its work to the target.
    MergedAlong(MergedAlong),
    /// A molecule was taken off a bead.
    MoleculeDetached { bead: String, molecule: String },
    /// A molecule was squashed or burned by hand, or ended with its work.
    MoleculeEnded { bead: String, molecule: String, how: String, digest: Option<String> },
    /// A formula was poured for a bead.
    MoleculePoured { bead: String, formula: String, molecule: String, steps: usize },
    /// The formula of a rig could not be poured for a bead.
    MoleculeSkipped { bead: String, formula: String, reason: String },
    /// A matter was reported that only a person can move on.
    NeedsPerson { bead: String, subject: String, reason: String },
    /// The note of a session that began was not written.
    NoteFailed { rig: String, polecat: String },
    /// A polecat was removed.
    Nuke { rig: String, polecat: String, rescue: Option<String>, forced: bool, bead: Option<String> },
    /// A text was typed into a session.
    Nudge { rig: Option<String>, target: String, reason: String, delivered: bool },
    /// The patrol acted.
    Patrol(PatrolActionRecord),
    /// The remote does not take the commits of unfinished work.
    PushRefused { rig: String, polecat: String, bead: String, branch: String, reason: String },
    /// A bead was taken off the hook of a worker.
    Release { bead: String, rig: String, polecat: String, reason: String, rescue: Option<String> },
    /// Rescued files were brought back.
    RescueRestored { rig: String, r#ref: String, into: PathBuf, files: Vec<String> },
    /// A session was started again.
    Respawn { rig: String, polecat: String, bead: String, lease: u64, handed_over: bool, snapshot: Option<String> },
    /// A rig was added.
    RigAdded { rig: String, prefix: String, remote: Option<String> },
    /// A rig was taken off the list.
    RigRemoved { rig: String },
    /// A setting of an agent program was passed over.
    RuntimePassedOver { session: String, why: String },
    /// A broken sandbox was made again.
    SandboxRepaired { rig: String, polecat: String, reason: String, moved_to: PathBuf, rescue: Option<String> },
    /// A session's process was started.
    SessionBegun { session: String, agent: String },
    /// An agent program said that its session ends.
    SessionEnd { session_id: String, reason: String, role: String, actor: String },
    /// The process of a session ended.
    SessionEnded { rig: String, polecat: String, bead: String, lease: u64, exit: Option<i32>, signal: Option<i32>, #[serde(default, skip_serializing_if = "String::is_empty")] because: String, screen: Vec<String> },
    /// A session shows a dialog that only a person can answer.
    SessionNeedsPerson { session: String, dialog: String },
    /// An agent program said that its session has begun.
    SessionStart(ProgramSession),
    /// A bead was given to an agent.
    Sling { bead: String, target: String },
    /// A bead was queued for a worker.
    SlingWaits { bead: String, target: String, waits_for: Vec<String> },
    /// What was not committed could not be saved.
    SnapshotFailed { polecat: String, why: String },
    /// A worker's session was started for a bead.
    Spawn { rig: String, polecat: String, bead: String },
    /// A lock file of git that nobody held was removed.
    StaleLockRemoved { rig: String, polecat: String, file: PathBuf },
    /// A stash of a worker was put on a rescue ref.
    StashKept { rig: String, polecat: String, r#ref: String, stash: String },
    /// A step of a molecule was closed by its worker.
    StepDone { step: String, molecule: String, next: Option<String>, complete: bool },
    /// A bead was taken from an agent.
    Unhook { bead: String, target: String },
    /// Something that this program does not know.
    #[serde(untagged)]
    Other { r#type: String, #[serde(default)] payload: Map<String, Value> },
}

/// An escalation that goes out. The names of its fields are those of existing towns: `rig` is the escalation, `target`
/// the sender, `reason` the title.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EscalationSent {
    pub rig: String,
    pub target: String,
    pub to: String,
    pub reason: String,
    pub severity: String,
    pub actions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bead: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convoy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reescalated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_severity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_severity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reescalation_num: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<String>>,
}

/// An escalation that is over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EscalationClosed {
    pub escalation_id: String,
    pub closed_by: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bead: Option<String>,
}

/// A session that gives way to a fresh one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionHandoff {
    pub to_session: bool,
    pub agent: Option<String>,
    pub subject: String,
    #[serde(rename = "letter")]
    pub message: Option<String>,
}

/// What the patrol did, with the rule that decided it and what that rule saw.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PatrolActionRecord {
    pub rule: String,
    pub saw: String,
    pub r#do: Value,
    pub outcome: String,
    pub failed: bool,
}

/// A session of an agent program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramSession {
    pub session_id: String,
    pub role: String,
    pub source: String,
    pub actor: String,
    pub bead: String,
    pub cwd: PathBuf,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub transcript: String,
}

/// The beads that a convoy got.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConvoyBeads {
    pub convoy: String,
    pub beads: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopened: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Vec<String>>,
}

/// Discovery documents on a ref.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DiscoveryDocuments {
    pub rig: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub polecat: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bead: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mr: String,
    pub r#ref: String,
    pub files: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub worker: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
}

/// A merge request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRef {
    pub mr: String,
    pub rig: String,
    pub bead: String,
    pub worker: String,
    pub branch: String,
}

/// How a request's way through the queue ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeResultEvent {
    #[serde(flatten)]
    pub request: MergeRef,
    /// The outcome, and what belongs to it.
    #[serde(flatten)]
    pub outcome: Map<String, Value>,
}

/// A request whose work another one brought to the target, or was to bring.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedAlong {
    pub mr: String,
    pub rig: String,
    pub bead: String,
    pub by: String,
    pub task: String,
    pub commit: Option<String>,
}

/// Where a landing stopped, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LandingStop {
    pub convoy: String,
    pub reason: String,
    /// How far it is, for one that is in the middle.
    #[serde(flatten)]
    pub place: Map<String, Value>,
}

/// A worker that was at work when the town was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HaltedWorker {
    pub polecat: String,
    pub bead: String,
}

/// A hook that ran, with what it was about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookRun {
    pub event: String,
    pub hook: String,
    pub outcome: String,
    pub reason: String,
    pub rule: String,
    pub saw: Value,
    #[serde(flatten)]
    pub about: BTreeMap<String, String>,
}
