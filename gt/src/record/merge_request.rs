//! Reads and writes merge requests: durable beads of the rig with a receipt of the work to merge.

use bd::bead::{Bead, DepKind, Kind, Stamp};
use bd::store::{BeadMark, BeadRef, Snapshot, Store, TimeField};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::approval::{Approval, HookWaiver};
use super::broken_target::BrokenTarget;
use super::pull_request::PullRequest;
use crate::town::Rig;
use crate::town::identity::Address;
use crate::town::name::Lease;

/// The close reason prefix of a request that was merged as part of another one.
pub(crate) const AS_IT_WAS: &str = "not merged as it was handed in";

/// The `close_reason` of a request whose change was on its target by another commit.
pub(crate) const ALREADY_THERE: &str = "already there";

/// The metadata key of the queue's findings.
const STATE_KEY: &str = "queue";

/// The marks of merge requests.
const REQUEST_MARKS: [BeadMark<'_>; 2] = [
    BeadMark::Kind(&Kind::MergeRequest),
    BeadMark::Label("gt:merge-request"),
];

/// The exact work that was submitted. The queue merges the commits of the receipt, even if the
/// branch moves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Receipt {
    /// The branch that holds the commits.
    pub branch: String,
    /// The branch to merge into.
    pub target: String,
    /// The commit that the work started from.
    pub base: String,
    pub tip: String,
    pub commits: Vec<String>,
    pub files: Vec<String>,
    /// The worker's summary.
    pub summary: String,
    pub worker: String,
    /// The lease under which the work was submitted.
    pub lease: Lease,
    /// The number of the attempt at the bead ([`bd::bead::attempt`]).
    pub attempt: u64,
    /// The request that this work resolves, if it is a conflict or repair task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolves: Option<String>,
    /// True if the worker had pushed the commits to the target before it submitted them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pushed_to_target: bool,
}

/// The queue's findings about a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestState {
    /// The commit that was or will be pushed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub candidate: String,
    /// The target's commit for which the candidate was built.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub onto: String,
    /// The user who rejected it and the reason, `rejected by NAME: REASON`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rejected: String,
    /// The reason why it waits for a user.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub needs_person: String,
    /// True if it waits for a user because its commits change nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adds_nothing: bool,
    /// The broken target that it waits for to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenTarget>,
    /// The start of repeated failures, RFC 3339, and the last error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<(String, String)>,
    /// The time of the last retry by a user, RFC 3339. It ends the pause of a queue whose last run
    /// failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub retried: String,
    /// The gate whose command cannot be run, while that is why it fails.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub gate_cannot_run: String,
    /// True if it waits for a review.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub for_review: bool,
    /// True if a `pre-merge` hook stopped it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_hook: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stopped_by: String,
    /// The task for the hook's rejection.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hook_task: String,
    /// The pull request by which it lands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<PullRequest>,
    /// A waiver of its hooks, for readers. The queue obeys only [`super::approval`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waived: Option<HookWaiver>,
}

impl Receipt {
    /// Builds the request bead for work on `bead` of a rig. `agent` is the identity bead of the
    /// worker.
    pub fn build_request(
        &self,
        id: &str,
        rig: &str,
        bead: &Bead,
        agent: &str,
        now: &Stamp,
        by: &str,
    ) -> serde_json::Result<Bead> {
        let name = self.worker.rsplit('/').next().unwrap_or("");
        let lines = [
            ("branch", self.branch.as_str()),
            ("target", &self.target),
            ("source_issue", &bead.id),
            ("rig", rig),
            ("worker", name),
            ("agent_bead", agent),
            ("commit_sha", &self.tip),
            ("retry_count", "0"),
            ("last_conflict_sha", "null"),
            ("conflict_task_id", "null"),
        ];
        let text: Vec<String> = lines
            .iter()
            .map(|(key, value)| format!("{key}: {value}"))
            .collect();
        let mut request = Bead {
            id: id.to_owned(),
            title: format!("Merge: {}", bead.id),
            description: text.join("\n"),
            priority: bead.priority,
            issue_type: Kind::MergeRequest,
            labels: vec!["gt:merge-request".to_owned()],
            created_at: now.clone(),
            updated_at: now.clone(),
            created_by: by.to_owned(),
            ..Bead::default()
        };
        request.set_metadata("receipt", self)?;
        Ok(request)
    }
}

pub fn is_merge_request(bead: &Bead) -> bool {
    bead.issue_type == Kind::MergeRequest || bead.has_label("gt:merge-request")
}

/// Returns the receipt of a request. Requests of older towns have only the branch, in their
/// description.
pub fn receipt_of(request: &Bead) -> Receipt {
    request.metadata_value("receipt").unwrap_or_else(|| {
        let read_line =
            |key| bd::bead::fields::get_field(&request.description, key).unwrap_or_default();
        Receipt {
            branch: read_line("branch"),
            target: read_line("target"),
            tip: read_line("commit_sha"),
            worker: format!("{}/polecats/{}", read_line("rig"), read_line("worker")),
            ..Receipt::default()
        }
    })
}

/// Returns the bead whose work a request merges.
pub fn source_bead_of(request: &Bead) -> String {
    bd::bead::fields::get_field(&request.description, "source_issue").unwrap_or_default()
}

/// Returns the commit on the target with the work of a closed request: the one that was merged, or
/// the one by which the target had the change before.
pub fn commit_with_work(request: &Bead) -> Option<String> {
    ["merge_commit", "found_in"]
        .iter()
        .find_map(|key| bd::bead::fields::get_field(&request.description, key))
        .filter(|commit| commit != "null")
}

/// Returns true if a request waits for a user because its commits change nothing.
pub fn adds_nothing(request: &Bead) -> bool {
    request_state(request).adds_nothing
}

/// Returns the commands that end the wait of a request for a user.
pub fn next_steps_for_user(request: &Bead) -> Vec<String> {
    let id = &request.id;
    if !request_state(request).adds_nothing {
        return vec![format!("gt mq retry {id}")];
    }
    let bead = source_bead_of(request);
    vec![
        format!("bd close {bead} --force --reason \"Nothing to change: <why>\""),
        format!("gt mq reject {id} --reason \"<what is missing>\""),
    ]
}

/// Returns the commit by which a closed request was merged.
pub(crate) fn merge_commit_of(request: &Bead) -> Option<String> {
    let commit = bd::bead::fields::get_field(&request.description, "merge_commit");
    commit.filter(|commit| commit != "null")
}

/// Returns the queue's findings about a request.
pub(crate) fn request_state(request: &Bead) -> RequestState {
    request.metadata_value(STATE_KEY).unwrap_or_default()
}

/// Writes the queue's findings and keeps other metadata.
pub(crate) fn set_request_state(
    request: &mut Bead,
    state: &RequestState,
) -> serde_json::Result<()> {
    request.set_metadata(STATE_KEY, state)
}

/// Returns why a request waits for a user.
pub fn reason_for_user(request: &Bead) -> Option<String> {
    Some(request_state(request).needs_person).filter(|reason| !reason.is_empty())
}

/// Returns since when each try to merge a request has failed for an outside reason, RFC 3339, and
/// the last error.
pub fn failing_since(request: &Bead) -> Option<(String, String)> {
    request_state(request).failing
}

/// The name under which all gates of a rig fail that are not started without a jail.
pub const JAIL_GATE: &str = "sandbox.jail";

/// Returns the gate whose command cannot be run, which keeps a request from being merged.
pub fn gate_that_cannot_run(request: &Bead) -> Option<String> {
    Some(request_state(request).gate_cannot_run).filter(|gate| !gate.is_empty())
}

/// Returns the task for the broken target that a request waits for.
pub fn target_task_of(request: &Bead) -> Option<String> {
    request_state(request).broken.map(|broken| broken.task)
}

/// Returns the pull request by which a request lands.
pub fn pull_request_of(request: &Bead) -> Option<PullRequest> {
    request_state(request).pull_request
}

/// Returns the pull request that an open request waits for.
pub fn awaited_pull_request(request: &Bead) -> Option<PullRequest> {
    pull_request_of(request).filter(|pull_request| request.is_open() && pull_request.is_open())
}

/// Returns the hook that stopped a request and that a waiver would skip.
pub fn stopping_hook(request: &Bead) -> Option<String> {
    let state = request_state(request);
    (state.by_hook && !state.stopped_by.is_empty()).then_some(state.stopped_by)
}

/// Continues a request that waits for a user or for its target, or that keeps failing. Returns the
/// reason for which it waited. A user who continues a request that waited for a review, or because
/// of a merge driver or its receipt, approves it.
pub fn retry_request(rig: &Rig, store: &Store, id: &str) -> anyhow::Result<Option<String>> {
    let town = rig.town();
    town.transact(store, |tx| {
        let mut request = tx
            .get(id)
            .filter(|bead| is_merge_request(bead) && bead.is_open())
            .cloned()
            .ok_or_else(|| anyhow::anyhow!("`{id}` is no open merge request: not found"))?;
        let mut state = request_state(&request);
        let failing = state.failing.take().map(|(_, reason)| reason);
        state.gate_cannot_run.clear();
        state.adds_nothing = false;
        let broken = state
            .broken
            .take()
            .map(|broken| broken.task)
            .map(|task| format!("its target fails its own gates ({task})"));
        let was = Some(std::mem::take(&mut state.needs_person))
            .filter(|reason| !reason.is_empty())
            .or(broken)
            .or(failing);
        if was.is_some() {
            let mut approval = Approval::load(rig, id)?;
            let for_review = std::mem::take(&mut state.for_review);
            let for_direct_push = std::mem::take(&mut approval.direct_push_asked);
            let for_receipt = approval.receipt_asked.take();
            if for_review
                || for_direct_push
                || for_receipt.is_some()
                || !approval.driven_files_asked.is_empty()
            {
                let actor = town.actor.to_string();
                anyhow::ensure!(
                    !matches!(town.actor, Address::Polecat(..)),
                    "{actor} is a worker: only the user, the mayor or crew can review"
                );
                if for_review {
                    approval.reviewed_by = actor;
                }
                approval.direct_push_accepted |= for_direct_push;
                approval.receipt_accepted = for_receipt.or(approval.receipt_accepted);
                let asked = std::mem::take(&mut approval.driven_files_asked);
                approval.driven_files_accepted.extend(asked);
                approval.save(rig, id)?;
            }
        }
        let now = tx.now();
        state.retried = now.to_string();
        set_request_state(&mut request, &state)?;
        request.updated_at = now;
        tx.put(request)?;
        Ok(was)
    })
}

pub fn open_requests(beads: &Snapshot) -> Vec<&Bead> {
    beads.select_open(&REQUEST_MARKS).collect()
}

/// Returns the number of open requests, without reading them.
pub fn count_open_requests(beads: &Snapshot) -> usize {
    beads.marked_open(&REQUEST_MARKS).count()
}

/// Returns the ids of the open requests, without reading them.
pub(crate) fn list_open_ids(beads: &Snapshot) -> Vec<&str> {
    let open = beads.marked_open(&REQUEST_MARKS);
    open.map(|request| request.id()).collect()
}

/// Returns the times of the last retries of the open requests by a user.
pub(crate) fn list_retries(beads: &Snapshot) -> Vec<String> {
    requests_with_findings(beads)
        .map(|request| request_state(request).retried)
        .filter(|retried| !retried.is_empty())
        .collect()
}

/// Returns the open requests about which the queue may have findings. Does not read the others.
pub(crate) fn requests_with_findings(beads: &Snapshot) -> impl Iterator<Item = &Bead> {
    let open = beads.marked_open(&REQUEST_MARKS);
    open.filter(|request| request.may_have_key(STATE_KEY))
        .filter_map(|request| request.bead())
}

/// Returns the requests that were closed at or after a time.
pub fn requests_closed_since(beads: &Snapshot, since: Timestamp) -> Vec<&Bead> {
    beads
        .select_marked(&REQUEST_MARKS, move |request| {
            let closed_at = request.time(TimeField::Closed);
            !request.is_open() && closed_at.is_some_and(|at| at >= since)
        })
        .collect()
}

/// Returns the requests that a request resolves: the request of its task, the request of that one's
/// task, and so on.
pub(crate) fn find_originals(beads: &Snapshot, request: &Bead) -> Vec<Bead> {
    let mut found: Vec<Bead> = Vec::new();
    let mut next = receipt_of(request).resolves;
    while let Some(original) = next.take().and_then(|id| beads.get(&id)) {
        if original.id == request.id || found.iter().any(|known| known.id == original.id) {
            break;
        }
        next = receipt_of(original).resolves;
        found.push(original.clone());
    }
    found
}

/// Returns the requests for a bead's work. An edge alone is no proof: a bead may wait for the
/// request of another bead.
fn requests_of<'a>(beads: &'a Snapshot, id: &str) -> impl Iterator<Item = &'a Bead> {
    let edges = beads.get(id).into_iter();
    edges
        .flat_map(|bead| bead.edges(&DepKind::Blocks))
        .filter_map(|edge| beads.get(&edge.depends_on_id))
        .filter(move |request| is_merge_request(request) && source_bead_of(request) == id)
}

/// Returns the open request that merges a bead's work, which the bead waits for.
pub fn find_open_request<'a>(beads: &'a Snapshot, id: &str) -> Option<&'a Bead> {
    requests_of(beads, id).find(|request| request.is_open())
}

/// Returns the newest request for a bead's work, open or closed.
pub fn find_last_request<'a>(beads: &'a Snapshot, id: &str) -> Option<&'a Bead> {
    requests_of(beads, id).max_by_key(|request| request.created_at.clone())
}

/// Returns true if a bead waits for an open request that merges its work. Reads neither.
pub(crate) fn has_open_request(beads: &Snapshot, bead: &BeadRef) -> bool {
    let blocks = DepKind::Blocks.code();
    bead.edges()
        .into_iter()
        .filter(|(kind, _)| *kind == blocks)
        .filter_map(|(_, target)| beads.bead_ref(target))
        .any(|target| {
            target.is_open() && target.has_kind_or_label(&Kind::MergeRequest, "gt:merge-request")
        })
}

/// Returns the request that a bead resolves. Set on conflict and repair tasks.
pub fn resolved_request(bead: &Bead) -> Option<String> {
    bead.metadata_value("resolves")
}
