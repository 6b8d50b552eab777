//! Finds the reason why the merge queue does not merge an open request now.

use std::collections::BTreeMap;

use bd::bead::{Bead, Status};
use bd::graph::find_blockers;
use bd::store::Snapshot;
use kit::ui::{escape, time};

use super::broken_target::BrokenTarget;
use super::pull_request::PullRequest;
use super::{merge_request, merge_task, queued_sling};
use crate::town::config;

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
    Target {
        branch: String,
        task: String,
        /// The time of the next run of the gates on the same commit.
        next_test: Option<jiff::Timestamp>,
    },
    /// Each try fails for a reason outside the request, and the queue tries it again.
    Failing { since: String, reason: String },
}

impl RequestWait {
    /// Returns the reason why an open request is not merged now.
    pub fn find(beads: &Snapshot, request: &Bead) -> Option<Self> {
        Self::find_among(beads, request, &BrokenTargets::find(beads))
    }

    /// Does the same for one of several requests.
    pub fn find_among(
        beads: &Snapshot,
        request: &Bead,
        broken_targets: &BrokenTargets,
    ) -> Option<Self> {
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
        if let Some(broken) = broken_targets.find_for(request) {
            return Some(Self::Target {
                branch: merge_request::receipt_of(request).target,
                task: broken.task.clone(),
                next_test: broken.next_test(),
            });
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

    /// Returns true if each run of the queue tries the request, also if someone must act.
    pub fn is_tried_again(&self) -> bool {
        matches!(self, Self::Failing { .. } | Self::Gate { .. })
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
            // The reason names the gate.
            Self::Gate { reason, .. } => reason.clone(),
            Self::PullRequest(awaited) => format!("waits for the pull request {awaited}"),
            Self::Beads { ids } => {
                let ids: Vec<String> = ids.iter().map(|id| describe_bead(beads, id)).collect();
                format!("waits for {}", ids.join(", "))
            }
            Self::Target {
                branch,
                task,
                next_test,
            } => {
                let task = describe_bead(beads, task);
                let next_test = next_test
                    .filter(|at| *at > now)
                    .map_or_else(String::new, |at| {
                        format!("; tested again {}", time::format_ago(now, at))
                    });
                format!("{branch} fails its own gates, and waits for {task}{next_test}")
            }
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
            Self::User { .. } => beads.get(request).map_or_else(
                || vec![format!("gt mq retry {request}")],
                merge_request::next_steps_for_user,
            ),
            Self::Gate { gate, .. } => vec![
                config::command_to_set_gate(gate, rig),
                format!("gt mq retry {request}"),
            ],
            Self::Failing { .. } => vec![format!("gt mq retry {request}")],
            Self::PullRequest(_) => vec![format!("gt mq status {request}")],
            Self::Beads { .. } | Self::Target { .. } => {
                let queued = queued_sling::list_queued_slings(beads);
                let has_failed_often = self
                    .awaited_beads()
                    .iter()
                    .filter_map(|id| beads.get(id))
                    .any(|task| merge_task::repair_number(task) > 1);
                let reject =
                    has_failed_often.then(|| format!("gt mq reject {request} --reason \"<why>\""));
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
                    .chain(reject)
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

/// The targets that fail their own gates, by branch: the newest record of each whose task is open.
#[derive(Debug, Default)]
pub struct BrokenTargets(BTreeMap<String, BrokenTarget>);

impl BrokenTargets {
    /// Finds them by the findings of all open requests.
    pub fn find(beads: &Snapshot) -> Self {
        let mut by_branch: BTreeMap<String, BrokenTarget> = BTreeMap::new();
        for request in merge_request::requests_with_findings(beads) {
            let Some(broken) = merge_request::request_state(request).broken else {
                continue;
            };
            if !beads.get(&broken.task).is_some_and(Bead::is_open) {
                continue;
            }
            let known = by_branch
                .entry(merge_request::receipt_of(request).target)
                .or_default();
            if known.at <= broken.at {
                *known = broken;
            }
        }
        Self(by_branch)
    }

    pub fn find_branch(&self, branch: &str) -> Option<&BrokenTarget> {
        self.0.get(branch)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&String, &BrokenTarget)> {
        self.0.iter()
    }

    /// Returns the broken target that a request must wait for. Work that may repair the target
    /// waits only after its own test.
    pub fn find_for(&self, request: &Bead) -> Option<&BrokenTarget> {
        if self.0.is_empty() || merge_request::request_state(request).broken.is_none() {
            return None;
        }
        self.0.get(&merge_request::receipt_of(request).target)
    }
}
