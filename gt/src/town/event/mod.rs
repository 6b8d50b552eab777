//! The events of a town: one enum with everything that is recorded, the file, and the listeners.
//!
//! The words of the file never change. A kind is a variant's name in snake case, and its payload
//! has the variant's fields. Events of older or newer programs are kept as [`Event::Other`].

#![expect(missing_docs, reason = "a field is named as in the file")]

mod kind;
mod line;
mod log;
mod newest;
mod subject_index;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use kind::{find_near_kinds, is_known_kind, list_event_kinds};
pub use line::{EventLine, EventVisibility};
#[cfg(test)]
pub(crate) use log::read_events;
pub use log::{EventListener, EventReader, StoredEvent};
pub(crate) use newest::LinesBackwards;
pub use newest::NewestEvents;
pub use subject_index::{read_events_about, read_events_with};

use crate::town::hold::HoldState;

/// Returns the fields of a value that serializes to a JSON object.
pub(crate) fn json_fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Builds an [`Event`] from a variant's name and its fields. The values are copied.
macro_rules! event {
    ($kind:ident, $($field:ident: $value:expr),* $(,)?) => {
        $crate::town::event::Event::$kind { $($field: $value.to_owned().into()),* }
    };
}
pub(crate) use event;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload", rename_all = "snake_case")]
#[rustfmt::skip]
pub enum Event {
    /// A session was started with another account, because the chosen one is at its usage limit.
    AccountPassedOver { session: String, account: String, used: String, until: Option<String> },
    /// The agent program for a bead was chosen by the records of finished work.
    AgentChosen { bead: String, agent: String, reason: String, explored: bool },
    /// Files of a repository that agent programs would execute, or read, are left out of its
    /// sandboxes.
    AgentFilesHidden { rig: String, polecat: String, files: Vec<String> },
    AttemptFailed { bead: String, rig: String, polecat: String, reason: String, rescue: Option<String>, closed: bool },
    Boot { rig: String, agents: Vec<String> },
    /// The rig's version of a carried file replaced one that a worker had changed.
    CarriedFileReplaced { rig: String, tree: PathBuf, file: String, kept: PathBuf },
    /// A dog ran a chore.
    ChoreDone { dog: String, chore: String, lines: Vec<String> },
    /// Commits that a worker made on no branch and left there were saved to a rescue ref.
    CommitsKept { rig: String, polecat: String, r#ref: String, commit: String },
    /// The retention policies of the town were applied.
    Compacted { lines: Vec<String> },
    ConvoyAdded(ConvoyBeads),
    /// A user set the band of a convoy.
    ConvoyBand { convoy: String, band: String },
    /// A user closed a convoy.
    ConvoyClosed { convoy: String, reason: String },
    ConvoyCreated(ConvoyBeads),
    /// A hook deferred a convoy to the user.
    ConvoyDeferred { request: String, convoy: String, title: String, beads: Vec<String>, reason: Option<String> },
    ConvoyLanded { convoy: String, told: Vec<String>, commits: BTreeMap<String, String> },
    /// A user took beads out of a convoy.
    ConvoyReduced { convoy: String, beads: Vec<String> },
    /// A user answered a request for a convoy.
    ConvoyReviewed { request: String, convoy: String, answer: String, reason: String },
    /// A user changed what the desks of a rig need.
    DeskChanged { rig: String },
    /// A command of a desk ran.
    DeskRun { rig: String, tree: PathBuf, step: String, passed: bool, end: String, seconds: f64, log: PathBuf },
    /// Discovery documents were committed to a convoy's own branch.
    DiscoveryCommitted { bead: String, rig: String, branch: String, files: Vec<String> },
    /// Discovery documents were kept for the next worker of a convoy.
    DiscoveryKept(DiscoveryDocuments),
    /// Files below `.gt/` that git does not keep were moved beside the sandbox.
    DiscoveryLeft { rig: String, polecat: String, moved_to: PathBuf, files: usize },
    /// Discovery documents were written into a sandbox.
    DiscoveryPlaced { bead: String, rig: String, polecat: String, key: String, files: usize },
    /// The discovery documents of a landed convoy were removed.
    DiscoveryRemoved { convoy: String, rig: String, commit: String, rescue: String },
    /// A worker submitted its work.
    Done { bead: String, branch: String, request: Option<String>, tip: String, commits: usize, no_change: Option<String> },
    /// A step of `gt done` failed.
    DoneFailed { bead: String, step: String, reason: String },
    /// An escalation was acknowledged.
    EscalationAcked { escalation_id: String, acked_by: String },
    /// An escalation was answered, or closed without an answer.
    EscalationClosed(EscalationClosed),
    /// The command of an escalation's route ran, or is not configured.
    EscalationDelivered { escalation_id: String, route: String, sent: bool, outcome: String },
    /// An escalation was forwarded.
    EscalationForwarded { escalation_id: String, by: String, to: String },
    /// An escalation was created, repeated or raised.
    EscalationSent(EscalationSent),
    Followup { bead: String, original: String, rig: Option<String> },
    /// A sandbox was switched to a fresh branch.
    FreshBranch { bead: String, rig: String, polecat: String, branch: String, sandbox: String, base: String, rescue: Option<String>, fetch_failed: Option<String> },
    /// A gate ran. `dropped` are the tracked files that it changed, which were taken back.
    /// `retried` counts the failed runs before the last one. `seconds` is the time of all runs. `jail`
    /// is the backend of its jail, or `none: REASON` if it should have had one. `unused_cache` is the
    /// reason why the gate ran without its cache.
    Gate { gate: String, passed: bool, commit: String, #[serde(default)] seconds: f64, #[serde(default, skip_serializing_if = "is_zero")] retried: u32, #[serde(default, skip_serializing_if = "Option::is_none")] jail: Option<String>, #[serde(default, skip_serializing_if = "Option::is_none")] unused_cache: Option<String>, #[serde(default, skip_serializing_if = "Vec::is_empty")] dropped: Vec<String>, #[serde(flatten)] request: MergeRef },
    /// The tree for gates was rebuilt.
    GateTreeRebuilt { tree: PathBuf, reason: String, #[serde(flatten)] request: MergeRef },
    Halt { rig: String, services: Vec<String>, daemon: bool, stopped: Vec<HaltedWorker> },
    /// A session asked for a fresh one in its place.
    Handoff(SessionHandoff),
    /// The fresh session could not be started.
    HandoffFailed { agent: String, why: String },
    /// A hook did not run.
    HookIgnored { hook: String, reason: String },
    HookRun(HookRun),
    /// A hook was skipped because of a waiver.
    HookWaived { by: String, reason: String, at: String, hooks: Vec<String>, #[serde(flatten)] request: MergeRef },
    /// The host of a worker was chosen by the settings.
    HostChosen { bead: String, host: String, reason: String },
    /// Repositories inside a sandbox were moved beside it.
    InnerRepositoriesMoved { rig: String, polecat: String, folders: Vec<String>, moved_to: PathBuf },
    /// A convoy got its own branch in a rig.
    IntegrationBranch { convoy: String, rig: String, branch: String, base: String },
    /// A convoy's own branch could not be removed.
    IntegrationBranchLeft { convoy: String, rig: String, branch: String, reason: String },
    /// The session of a crew member was ended.
    Kill { rig: String, target: String, reason: String },
    /// All rigs of a landing are prepared.
    LandingPrepared { convoy: String, commits: Vec<String> },
    /// A rig of a landing was pushed.
    LandingPushed { convoy: String, rig: String, target: String, commit: String },
    LandingStopped(LandingStop),
    Mail { to: String, subject: String, id: String },
    /// A crew member works on another machine.
    MemberConnected { agent: String },
    MemberLeft { agent: String },
    /// A request was closed because its target had the change by another commit.
    MergeAlreadyThere(MergeResultEvent),
    /// Merge drivers of the repository merged these files.
    MergeDriven { files: BTreeSet<String>, drivers: BTreeSet<String>, #[serde(flatten)] request: MergeRef },
    /// A request could not be merged.
    MergeFailed(MergeResultEvent),
    /// A user rejected a request.
    MergeRejected { by: String, reason: String, #[serde(flatten)] request: MergeRef },
    /// A request will be retried later.
    MergeSkipped(MergeResultEvent),
    /// The gates checked several requests in one run. The outcome is `passed` or `failed`.
    MergeBatch { rig: String, target: String, mrs: Vec<String>, outcome: String },
    /// The queue started to merge a request.
    MergeStarted(MergeRef),
    /// The result of a task does not contain the work that it was for.
    MergeUnproven(MergedAlong),
    /// A user waived the hooks of a request.
    MergeWaived { mr: String, by: String, reason: String },
    /// A request was withdrawn because it may not merge any more.
    MergeWithdrawn { reason: String, rescue: Option<String>, #[serde(flatten)] request: MergeRef },
    Merged(MergeResultEvent),
    /// A target was moved back or deleted, and merged work of these beads is on no target any more.
    MergesLost { rig: String, target: String, beads: String, reason: String },
    /// A request was merged with the task that brought its work to the target.
    MergedAlong(MergedAlong),
    /// A molecule was detached from a bead.
    MoleculeDetached { bead: String, molecule: String },
    /// A molecule was squashed or burned by hand, or ended with its work.
    MoleculeEnded { bead: String, molecule: String, how: String, digest: Option<String> },
    /// A formula was poured for a bead.
    MoleculePoured { bead: String, formula: String, molecule: String, steps: usize },
    /// The formula of a rig could not be poured for a bead.
    MoleculeSkipped { bead: String, formula: String, reason: String },
    /// A matter that only a user can resolve was reported.
    NeedsPerson { bead: String, subject: String, reason: String },
    /// A host that the settings do not list was refused to a jail for the first time.
    NetworkRefused { rig: String, host: String, #[serde(default, skip_serializing_if = "Option::is_none")] bead: Option<String> },
    /// The record of a started session was not written.
    NoteFailed { rig: String, polecat: String },
    Nuke { rig: String, polecat: String, rescue: Option<String>, forced: bool, bead: Option<String> },
    /// A text was typed into a session.
    Nudge { rig: Option<String>, target: String, reason: String, delivered: bool },
    Patrol(PatrolActionRecord),
    /// An agent tried to run a command that its role may not run.
    PermissionRefused { command: String, permission: String },
    /// The runs of the plugins on one day.
    PluginReport { date: String, lines: Vec<String> },
    /// A plugin ran. `run` is the record.
    PluginRun { plugin: String, rig: Option<String>, trigger: String, result: String, reason: String, seconds: f64, run: String },
    /// A user ended the use of a worker's persona.
    PolecatFired { rig: String, polecat: String },
    /// A user gave a worker a persona of this many bytes.
    PolecatHired { rig: String, polecat: String, bytes: usize, sha256: String },
    /// A user retried a worker that was stuck or had lost its sandbox. `session` was ended.
    PolecatRetried { rig: String, polecat: String, bead: String, reason: String, session: Option<String> },
    /// The pull request of a request is in a new state, which `text` describes.
    PullRequest { text: String, pull_request: Map<String, Value>, #[serde(flatten)] request: MergeRef },
    /// The remote refused the commits of unfinished work.
    PushRefused { rig: String, polecat: String, bead: String, branch: String, reason: String },
    /// A user rated the finished work of a bead.
    Rated { bead: String, rating: u8, why: String },
    /// A bead was taken off the hook of a worker.
    Release { bead: String, rig: String, polecat: String, reason: String, rescue: Option<String> },
    /// Rescued files were restored.
    RescueRestored { rig: String, r#ref: String, into: PathBuf, files: Vec<String> },
    /// A session was restarted.
    Respawn { rig: String, polecat: String, bead: String, lease: u64, handed_over: bool, snapshot: Option<String> },
    /// Nothing is started in a rig, or in the `town`, from now on.
    Held { rig: String, state: HoldState, reason: String, sessions: Vec<String>, stopped: Vec<HaltedWorker> },
    HostAdded { host: String },
    /// The connection to a host works again.
    HostConnected { host: String, since: String },
    /// A user removed a host that does not come back. The town no longer waits for these workers.
    HostGone { host: String, workers: Vec<String>, beads: Vec<String> },
    HostRemoved { host: String },
    /// The connection to a host was cut.
    HostUnreachable { host: String, reason: String },
    /// Agents are started again in a rig, or in the `town`.
    HoldEnded { rig: String, state: HoldState },
    RigAdded { rig: String, prefix: String, remote: Option<String> },
    /// A rig was removed from the registry.
    RigRemoved { rig: String },
    /// A setting of an agent program was ignored.
    /// The configuration of a rig's remote was restored to what the registry has.
    RemoteRestored { rig: String, url: String, found: Vec<String> },
    RuntimePassedOver { session: String, why: String },
    /// A broken sandbox was recreated.
    /// A sandbox that was gone or moved works again. `snapshot` holds the files that were put back.
    SandboxRestored { rig: String, polecat: String, reason: String, snapshot: Option<String> },
    SandboxRepaired { rig: String, polecat: String, reason: String, moved_to: PathBuf, rescue: Option<String> },
    /// A session's process was started.
    SessionBegun { session: String, agent: String },
    /// An agent program reported the end of its session.
    SessionEnd { session_id: String, reason: String, role: String, actor: String },
    /// The process of a session ended.
    SessionEnded { rig: String, polecat: String, bead: String, lease: u64, exit: Option<i32>, signal: Option<i32>, #[serde(default, skip_serializing_if = "String::is_empty")] because: String, screen: Vec<String> },
    /// A session shows a dialog that only a user can answer.
    SessionNeedsPerson { session: String, dialog: String },
    /// A session has no jail although the settings ask for one.
    SessionWithoutJail { session: String, why: String },
    /// An agent program reported the start of its session.
    SessionStart(ProgramSession),
    /// A bead was given to an agent.
    Sling { bead: String, target: String },
    /// A bead was queued for a worker.
    SlingWaits { bead: String, target: String, waits_for: Vec<String> },
    /// Uncommitted work could not be saved.
    SnapshotFailed { polecat: String, why: String },
    /// A worker's session was started for a bead.
    Spawn { rig: String, polecat: String, bead: String },
    /// An abandoned lock file of git was removed.
    StaleLockRemoved { rig: String, polecat: String, file: PathBuf },
    /// A stash of a worker was saved to a rescue ref.
    StashKept { rig: String, polecat: String, r#ref: String, stash: String },
    /// A worker closed a step of a molecule.
    StepDone { step: String, molecule: String, next: Option<String>, complete: bool },
    /// A setting was changed. Values that may hold a secret are left out.
    SettingChanged { key: String, place: String, before: String, after: String },
    /// A search found the commit that broke a target, and the request that merged it.
    TargetBisected { rig: String, target: String, commit: String, gate: String, mr: Option<String>, bead: Option<String> },
    /// Workers pushed to a target past the merge queue.
    TargetPushed { rig: String, target: String, workers: String, reason: String },
    /// A bead was taken from an agent.
    Unhook { bead: String, target: String },
    /// An event that this program does not know.
    #[serde(untagged)]
    Other { r#type: String, #[serde(default)] payload: Map<String, Value> },
}

/// A sent escalation. The field names are those of existing towns: `rig` is the escalation,
/// `target` the sender, `reason` the title.
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

/// A closed escalation.
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

/// A session that is replaced by a fresh one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionHandoff {
    pub to_session: bool,
    pub agent: Option<String>,
    pub subject: String,
    #[serde(rename = "letter")]
    pub message: Option<String>,
}

/// An action of the patrol, with its rule and the facts.
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

/// The beads that were added to a convoy.
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

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRef {
    pub mr: String,
    pub rig: String,
    pub bead: String,
    pub worker: String,
    pub branch: String,
}

impl MergeRef {
    /// The begin of the names of gate runs that search for the commit that broke a target.
    pub const SEARCH: &'static str = "bisect";

    /// Returns true for the gate runs of a search, which fail on purpose.
    pub fn is_search(&self) -> bool {
        let commit = self.mr.strip_prefix(Self::SEARCH);
        commit.is_some_and(|rest| {
            rest.strip_prefix('-').map_or(rest.is_empty(), |commit| {
                commit.len() == 12 && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
        })
    }
}

/// The result of a request in the queue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeResultEvent {
    #[serde(flatten)]
    pub request: MergeRef,
    /// The outcome with its fields.
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

/// The place and the reason at which a landing stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LandingStop {
    pub convoy: String,
    pub reason: String,
    /// None if the landing had not begun.
    #[serde(flatten)]
    pub progress: Option<LandingProgress>,
}

/// The rigs of a landing that has stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandingProgress {
    #[serde(rename = "landed")]
    pub landed_rigs: usize,
    #[serde(rename = "of")]
    pub total_rigs: usize,
    /// The rig that the landing waits for.
    pub rig: String,
    pub task: Option<String>,
}

/// A worker that had work when the town was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HaltedWorker {
    pub polecat: String,
    pub bead: String,
}

/// A hook that ran, with its subject.
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

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(value: &u32) -> bool {
    *value == 0
}
