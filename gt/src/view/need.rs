//! Needs that only the user can resolve: questions of agents, and work that cannot continue.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Serialize;

use super::request::RequestRow;
use super::status::{AgentStatus, TownStatus};
use crate::patrol::attention::{self, AttentionItem};
use crate::record::escalation::{self, Escalation, Severity};
use crate::record::town_view::TownView;

/// Something that only the user can resolve.
#[derive(Debug, Clone, Serialize)]
pub struct UserNeed {
    /// The same as long as the need is the same.
    pub key: String,
    pub kind: UserNeedKind,
    /// The need in one line.
    pub subject: String,
    /// The facts, and the reason why the work cannot continue.
    pub text: String,
    /// The bead concerned. A need of an agent or of the town concerns none.
    pub bead: String,
    /// Commands, one of which resolves it.
    pub next: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<UserQuestion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UserNeedKind {
    /// An open escalation.
    Question,
    /// A worker that is not restarted.
    Stuck,
    /// A worker gave up its bead.
    GaveUp,
    /// A retry that fails for long.
    Failing,
    /// Work that cannot continue without the user.
    NeedsPerson,
}

/// The question of an escalation.
#[derive(Debug, Clone, Serialize)]
pub struct UserQuestion {
    pub escalation: String,
    pub severity: Severity,
    pub from: String,
    /// The time of asking, RFC 3339.
    pub since: String,
    /// The possible answers. Without any, every answer is valid.
    pub options: Vec<String>,
    /// The answer that is taken at the deadline, with the deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultAnswer>,
    /// The agent or user that acknowledged it. A new question has none.
    pub acked_by: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct DefaultAnswer {
    pub answer: String,
    pub at: Timestamp,
}

impl UserNeed {
    /// Returns the merge request that it is about.
    pub fn find_request<'r>(&self, requests: &'r [RequestRow]) -> Option<&'r RequestRow> {
        requests
            .iter()
            .find(|request| self.key.split(':').any(|part| part == request.id))
    }

    /// Returns the agent with its bead on the hook.
    pub fn find_agent<'s>(&self, status: &'s TownStatus) -> Option<&'s AgentStatus> {
        status
            .all_agents()
            .find(|agent| agent.hook_bead.as_deref() == Some(self.bead.as_str()))
    }

    /// Returns true for a convoy that waits for a review, which only `gt convoy review` ends.
    pub fn is_review(&self) -> bool {
        self.key.starts_with("review:")
    }
}

/// Returns the beads that need the user.
pub fn list_needing_beads(needs: &[UserNeed]) -> BTreeSet<&str> {
    needs.iter().map(|need| need.bead.as_str()).collect()
}

/// Lists the needs of the user: questions first, then items by kind.
pub fn list_needs(view: &TownView, due_items: &[AttentionItem]) -> Vec<UserNeed> {
    let questions = escalation::list_escalations(&view.stores.town, false);
    let mut needs: Vec<UserNeed> = questions.into_iter().map(UserNeed::from).collect();
    let mut items: Vec<UserNeed> = due_items.iter().cloned().map(UserNeed::from).collect();
    items.sort_by_key(|need| need.kind as u8);
    needs.append(&mut items);
    needs
}

impl From<Escalation> for UserNeed {
    fn from(escalation: Escalation) -> Self {
        let default = escalation.default_at().map(|(answer, at)| DefaultAnswer {
            answer: answer.to_owned(),
            at,
        });
        let next = escalation.next_step();
        let choice = escalation.details.decision;
        Self {
            key: format!("escalation:{}", escalation.id),
            kind: UserNeedKind::Question,
            next: vec![next, format!("gt escalate show {}", escalation.id)],
            subject: escalation.title,
            text: escalation.reason,
            bead: escalation.related_bead,
            question: Some(UserQuestion {
                escalation: escalation.id,
                severity: escalation.severity,
                from: escalation.escalated_by,
                since: escalation.escalated_at,
                options: choice.map_or(Vec::new(), |choice| choice.options),
                default,
                acked_by: escalation.acked_by,
            }),
        }
    }
}

impl From<AttentionItem> for UserNeed {
    fn from(item: AttentionItem) -> Self {
        use attention::AttentionKind;
        Self {
            kind: match item.kind {
                AttentionKind::Stuck => UserNeedKind::Stuck,
                AttentionKind::GaveUp => UserNeedKind::GaveUp,
                AttentionKind::Failing => UserNeedKind::Failing,
                AttentionKind::NeedsPerson => UserNeedKind::NeedsPerson,
            },
            key: item.key,
            subject: item.subject,
            text: item.text,
            bead: item.bead,
            next: item.next,
            question: None,
        }
    }
}
