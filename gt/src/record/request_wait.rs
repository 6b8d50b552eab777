//! Finds the reason why the merge queue does not merge an open request now.

use bd::bead::{Bead, Status};
use bd::graph::find_blockers;
use bd::store::Snapshot;
use kit::ui::{escape, time};

use super::pull_request::PullRequest;
use super::{merge_request, queued_sling};

/// The reason why an open request is not merged now. A ready request has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestWait {
    /// A user must act.
    User { reason: String },
    /// The command of a gate cannot be run.
    Gate { gate: String, reason: String },
    /// The request lands by a pull request.
    PullRequest(Box<PullRequest>),
    /// Other beads must be closed first, such as the tasks of failed merges.
    Beads { ids: Vec<String> },
    /// The target fails its own gates. The task is for its repair.
    Target { branch: String, task: String },
    /// Each try fails for a reason outside the request, and the queue tries it again.
    Failing { since: String, reason: String },
}

impl RequestWait {
    /// Returns the reason why an open request is not merged now.
    pub fn find(beads: &Snapshot, request: &Bead) -> Option<Self> {
        let state = merge_request::request_state(request);
        if !state.needs_person.is_empty() {
            let reason = state.needs_person;
            return Some(Self::User { reason });
        }
        let blockers = find_blockers(beads, &request.id);
        let awaited = merge_request::awaited_pull_request(request);
        // The task of a review is more useful to know than the pull request that waits for it.
        if let Some(awaited) =
            awaited.filter(|awaited| awaited.needs_person() || blockers.is_empty())
        {
            return Some(Self::PullRequest(Box::new(awaited)));
        }
        if !blockers.is_empty() {
            let ids = blockers.into_iter().map(str::to_owned).collect();
            return Some(Self::Beads { ids });
        }
        let broken = state.broken;
        if let Some(broken) =
            broken.filter(|broken| beads.get(&broken.task).is_some_and(Bead::is_open))
        {
            let branch = merge_request::receipt_of(request).target;
            let task = broken.task;
            return Some(Self::Target { branch, task });
        }
        let (since, reason) = state.failing?;
        Some(match state.gate_cannot_run {
            gate if gate.is_empty() => Self::Failing { since, reason },
            gate => Self::Gate { gate, reason },
        })
    }

    /// Returns true if only a user can advance the request.
    pub fn is_for_user(&self) -> bool {
        match self {
            Self::User { .. } | Self::Gate { .. } => true,
            Self::PullRequest(awaited) => awaited.needs_person(),
            Self::Beads { .. } | Self::Target { .. } | Self::Failing { .. } => false,
        }
    }

    /// Returns true if the queue tries the request again without a change elsewhere.
    pub fn is_retried(&self) -> bool {
        matches!(self, Self::Failing { .. })
    }

    /// Returns the beads that must be closed first.
    pub fn awaited_beads(&self) -> &[String] {
        match self {
            Self::Beads { ids } => ids,
            Self::Target { task, .. } => std::slice::from_ref(task),
            _ => &[],
        }
    }

    /// Describes the reason in one line that is safe for a terminal.
    pub fn describe(&self, beads: &Snapshot, now: jiff::Timestamp) -> String {
        let text = match self {
            Self::User { reason } => format!("blocked: {reason}"),
            Self::Gate { gate, reason } => format!("the gate {gate} cannot run: {reason}"),
            Self::PullRequest(awaited) => format!("waits for the pull request {awaited}"),
            Self::Beads { ids } => {
                let ids: Vec<String> = ids.iter().map(|id| describe_bead(beads, id)).collect();
                format!("waits for {}", ids.join(", "))
            }
            Self::Target { branch, task } => format!(
                "{branch} fails its own gates, and waits for {}",
                describe_bead(beads, task)
            ),
            Self::Failing { since, reason } => {
                let since = since
                    .parse()
                    .map_or_else(|_| since.clone(), |then| time::format_ago(now, then));
                format!("each try fails, the first {since}: {reason}")
            }
        };
        escape::escape_line(&text)
    }

    /// Returns the commands that advance the request.
    pub fn next_steps(&self, beads: &Snapshot, request: &str, rig: &str) -> Vec<String> {
        match self {
            Self::User { .. } | Self::Gate { .. } | Self::Failing { .. } => {
                vec![format!("gt mq retry {request}")]
            }
            Self::PullRequest(_) => vec![format!("gt mq status {request}")],
            Self::Beads { .. } | Self::Target { .. } => {
                let queued = queued_sling::list_queued_slings(beads);
                self.awaited_beads()
                    .iter()
                    .map(|id| match beads.get(id) {
                        Some(bead)
                            if bead.status == Status::Open
                                && queued.iter().all(|queued| queued.work_bead_id != *id) =>
                        {
                            format!("gt sling {id} {rig}")
                        }
                        _ => format!("gt why {id}"),
                    })
                    .collect()
            }
        }
    }
}

/// Describes an awaited bead: id, status and title.
fn describe_bead(beads: &Snapshot, id: &str) -> String {
    match beads.get(id) {
        Some(bead) => format!("{id} ({}): {}", bead.status, bead.title),
        None => id.to_owned(),
    }
}
