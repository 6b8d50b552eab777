//! Reads the town for full-screen views: its status, the needs of the user, and the merge queues,
//! all from one view of the town.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::flow::work::convoy::ProgressBoard;
use crate::host::LiveTown;
use crate::patrol::attention::{self, AttentionItem};
use crate::record::convoy;
use crate::record::escalation::{self, Escalation, Severity};
use crate::record::town_view::TownView;
use crate::town::identity::Address;
use crate::view::convoy::{BeadPace, ConvoyEnd};
use crate::view::glance::{GlanceCache, SessionGlance, read_glances};
use crate::view::request::{self, RequestRow};
use crate::view::status::{self, TownStatus};

#[derive(Debug, Clone, Serialize)]
pub struct TownOverview {
    /// The time of the view.
    pub at: Timestamp,
    pub status: TownStatus,
    /// The needs of the user: questions first, the most urgent before others, then items by kind.
    pub needs_you: Vec<UserNeed>,
    /// The open merge requests of all rigs, those of a rig in merge order.
    pub requests: Vec<RequestRow>,
    /// The expected ends of the open convoys, by id. A convoy without one is missing.
    pub estimates: BTreeMap<String, ConvoyEnd>,
    /// The last line and the context of each running session, by the address of its agent.
    pub sessions: BTreeMap<String, SessionGlance>,
}

/// The readings that a redrawn screen keeps.
#[derive(Debug, Default)]
pub struct OverviewMemory {
    /// Earlier readings of sessions.
    glances: GlanceCache,
    pace: Mutex<Option<(Timestamp, Option<BeadPace>)>>,
}

/// The time for which a pace is kept.
const PACE_FRESH: SignedDuration = SignedDuration::from_mins(1);

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
    /// The bead concerned. Empty if there is none.
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
    /// The possible answers. Empty if any answer is valid.
    pub options: Vec<String>,
    /// The answer that is taken at the deadline, with the deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultAnswer>,
    /// The agent or user that acknowledged it. Empty if no one has.
    pub acked_by: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct DefaultAnswer {
    pub answer: String,
    pub at: Timestamp,
}

impl TownOverview {
    /// Reads the town once.
    pub fn read(town: &LiveTown) -> anyhow::Result<Self> {
        Self::read_again(town, &OverviewMemory::default())
    }

    /// Reads the town for a screen that is redrawn.
    pub fn read_again(town: &LiveTown, memory: &OverviewMemory) -> anyhow::Result<Self> {
        let view = TownView::read_again(town, &memory.glances.activity)?;
        let mut requests = Vec::new();
        for (rig, beads) in &view.stores.rigs {
            // A rig with wrong settings has no order of requests, and is among the problems.
            let rows = request::list_requests(&town.rig(rig), beads);
            requests.extend(rows.into_iter().flatten());
        }
        let status = status::build_status(town, &view)?;
        let of_rigs = status.rigs.iter().flat_map(|rig| &rig.agents);
        let addresses: Vec<Address> = status
            .agents
            .iter()
            .chain(of_rigs)
            .filter_map(|agent| agent.address.parse().ok())
            .collect();
        let needs_you = list_needs(town, &view);
        Ok(Self {
            at: view.now,
            sessions: read_glances(town, &view, &addresses, &memory.glances),
            status,
            estimates: memory.estimate_convoys(&view, &needs_you),
            needs_you,
            requests,
        })
    }
}

/// Returns the beads that need the user.
pub fn list_needing_beads(needs: &[UserNeed]) -> BTreeSet<&str> {
    needs.iter().map(|need| need.bead.as_str()).collect()
}

impl OverviewMemory {
    fn estimate_convoys(&self, view: &TownView, needs: &[UserNeed]) -> BTreeMap<String, ConvoyEnd> {
        let open = convoy::list_convoys(&view.stores.town, false);
        if open.is_empty() {
            return BTreeMap::new();
        }
        let board = ProgressBoard::from_view(view);
        let pace = self.pace(view);
        let needs = list_needing_beads(needs);
        open.into_iter()
            .filter_map(|convoy| {
                let end = ConvoyEnd::estimate(&board.progress(convoy), view, pace, &needs)?;
                Some((convoy.id.clone(), end))
            })
            .collect()
    }

    fn pace(&self, view: &TownView) -> Option<BeadPace> {
        let mut kept = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, pace)) = *kept
            && view.now.duration_since(at).abs() < PACE_FRESH
        {
            return pace;
        }
        let pace = BeadPace::from_view(view);
        *kept = Some((view.now, pace));
        pace
    }
}

/// Lists the needs of the user: questions first, then items by kind.
pub fn list_needs(town: &LiveTown, view: &TownView) -> Vec<UserNeed> {
    let questions = escalation::list_escalations(&view.stores.town, false);
    let mut needs: Vec<UserNeed> = questions.into_iter().map(UserNeed::from).collect();
    let mut items: Vec<UserNeed> = attention::list_due_items(town, view)
        .into_iter()
        .map(UserNeed::from)
        .collect();
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
                options: choice.map(|choice| choice.options).unwrap_or_default(),
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

#[cfg(test)]
mod tests;
