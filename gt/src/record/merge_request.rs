//! The merge request: a durable bead of the rig with a receipt of what is to be merged.

use bd::bead::{Bead, DepKind, Kind, Stamp};
use bd::store::{BeadMark, BeadRef, Snapshot, Store};
use serde::{Deserialize, Serialize};

use crate::town::Town;
use crate::town::identity::Address;
use crate::town::name::Lease;

/// How the closing of a request begins that was merged only with another one.
pub(crate) const AS_IT_WAS: &str = "not merged as it was handed in";

/// What exactly was handed in. The queue merges the commits named here, whatever a branch says later.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Receipt {
    /// The branch that holds the commits.
    pub branch: String,
    /// The branch to merge into.
    pub target: String,
    /// The commit that the work started from.
    pub base: String,
    /// The last commit.
    pub tip: String,
    /// All commits, oldest first.
    pub commits: Vec<String>,
    /// The files they change.
    pub files: Vec<String>,
    /// What the worker says was done.
    pub summary: String,
    /// The worker's address.
    pub worker: String,
    /// The lease under which it was handed in.
    pub lease: Lease,
    /// The attempt at the bead that it is the result of ([`bd::bead::attempt`]).
    pub attempt: u64,
    /// The request that this work resolves, for work on a conflict or repair task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolves: Option<String>,
}

/// What the queue has found out about a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestState {
    /// The commit that was or is about to be pushed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub candidate: String,
    /// The commit of the target that it was made for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub onto: String,
    /// Why it waits for a person.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub needs_person: String,
    /// The target that it waits for to move, because that fails its own gates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenTarget>,
    /// Since when each try fails, RFC 3339, and why the last one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<(String, String)>,
    /// Whether it waits for its review.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub for_review: bool,
    /// Who released it after a review.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reviewed_by: String,
    /// Whether a `pre-merge` hook stopped it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_hook: bool,
    /// That hook.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stopped_by: String,
    /// The hooks that a waiver lets it by; the others are asked all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    /// The task that the hook asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hook_task: String,
    /// Who lets it by these hooks, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waived: Option<HookWaiver>,
}

/// The target that a request waits for to move.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenTarget {
    /// The commit of the target that fails.
    pub target: String,
    /// The task made for it.
    #[serde(default)]
    pub task: String,
    /// When that was seen last, RFC 3339.
    pub at: String,
}

/// Who let a request by its hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookWaiver {
    /// Who.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
    /// Why.
    pub reason: String,
}

impl Receipt {
    /// The request bead for work on `bead`.
    pub fn build_request(
        &self,
        id: &str,
        bead: &Bead,
        agent: &str,
        now: &Stamp,
        by: &str,
    ) -> serde_json::Result<Bead> {
        let rig = self.worker.split('/').next().unwrap_or_default();
        let name = self.worker.rsplit('/').next().unwrap_or_default();
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

/// Whether a bead is a merge request.
pub fn is_merge_request(bead: &Bead) -> bool {
    bead.issue_type == Kind::MergeRequest || bead.has_label("gt:merge-request")
}

/// The receipt of a request; requests of older towns have the branch in their description and none of the
/// rest.
pub fn receipt_of(request: &Bead) -> Receipt {
    let stored = request.metadata_object().remove("receipt");
    stored
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_else(|| {
            let line =
                |key| bd::bead::fields::get_field(&request.description, key).unwrap_or_default();
            Receipt {
                branch: line("branch"),
                target: line("target"),
                tip: line("commit_sha"),
                worker: format!("{}/polecats/{}", line("rig"), line("worker")),
                ..Receipt::default()
            }
        })
}

/// The bead whose work a request merges.
pub fn source_bead_of(request: &Bead) -> String {
    bd::bead::fields::get_field(&request.description, "source_issue").unwrap_or_default()
}

/// What the queue has found out about a request.
pub(crate) fn request_state(request: &Bead) -> RequestState {
    let stored = request.metadata_object().remove("queue");
    stored
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default()
}

/// Writes what the queue has found out; other metadata stays.
pub(crate) fn set_request_state(
    request: &mut Bead,
    state: &RequestState,
) -> serde_json::Result<()> {
    request.set_metadata("queue", state)
}

/// Why a request waits for a person, if it does.
pub fn reason_for_user(request: &Bead) -> Option<String> {
    Some(request_state(request).needs_person).filter(|reason| !reason.is_empty())
}

/// Since when each try to merge a request fails for a reason outside, RFC 3339, and why.
pub fn failing_since(request: &Bead) -> Option<(String, String)> {
    request_state(request).failing
}

/// The task for the target that a request waits for, because the target fails its own gates.
pub fn target_task_of(request: &Bead) -> Option<String> {
    request_state(request).broken.map(|broken| broken.task)
}

/// The hook that stopped a request, which a waiver would let it by.
pub fn stopping_hook(request: &Bead) -> Option<String> {
    let state = request_state(request);
    (state.by_hook && !state.stopped_by.is_empty()).then_some(state.stopped_by)
}

/// Sends on a request that waits for a person or for its target, or that keeps failing; gives what it waited for.
pub fn retry_request(town: &Town, store: &Store, id: &str) -> anyhow::Result<Option<String>> {
    town.transact(store, |tx| {
        let mut request = tx
            .get(id)
            .filter(|bead| is_merge_request(bead) && bead.is_open())
            .cloned()
            .ok_or_else(|| anyhow::anyhow!("`{id}` is no open merge request: not found"))?;
        let mut state = request_state(&request);
        let failing = state.failing.take().map(|(_, reason)| reason);
        let broken = state.broken.take().map(|broken| broken.task);
        let broken = broken.map(|task| format!("its target fails its own gates ({task})"));
        let was = Some(std::mem::take(&mut state.needs_person)).filter(|reason| !reason.is_empty());
        let was = was.or(broken).or(failing);
        if was.is_some() {
            if std::mem::take(&mut state.for_review) {
                let worker = town.actor.to_string();
                anyhow::ensure!(
                    !matches!(town.actor, Address::Polecat(..)),
                    "{worker} is a worker: a review is for a person, the mayor or crew"
                );
                state.reviewed_by = worker;
            }
            set_request_state(&mut request, &state)?;
            request.updated_at = tx.now();
            tx.put(request)?;
        }
        Ok(was)
    })
}

/// The open requests of a rig.
pub fn open_requests(beads: &Snapshot) -> Vec<&Bead> {
    beads
        .select_marked(
            &[
                BeadMark::Kind(&Kind::MergeRequest),
                BeadMark::Label("gt:merge-request"),
            ],
            BeadRef::is_open,
        )
        .collect()
}

/// The open request that merges a bead's work: one that the bead waits for.
pub fn find_open_request<'a>(beads: &'a Snapshot, id: &str) -> Option<&'a Bead> {
    let bead = beads.get(id)?;
    let mut requests = bead.edges(&DepKind::Blocks).filter_map(|edge| {
        beads
            .get(&edge.depends_on_id)
            .filter(|bead| bead.is_open() && is_merge_request(bead))
    });
    requests.next()
}

/// The request that a bead was made to resolve: set on conflict and repair tasks.
pub fn resolved_request(bead: &Bead) -> Option<String> {
    bead.metadata_object()
        .remove("resolves")
        .and_then(|value| value.as_str().map(str::to_owned))
}
