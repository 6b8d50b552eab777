//! Rebuilds the town as it was at an instant, from the history of beads.
//!
//! Sessions, mail, queued beads, holds and the progress of workers leave no history, and changes
//! outside bd appear at every instant. Every screen of the past shows [`NOT_KNOWN`].

use bd::bead::{Bead, Kind, Status};
use bd::store::{BeadMark, Snapshot};
use jiff::Timestamp;
use serde::Serialize;

use crate::flow::work::convoy::ProgressBoard;
use crate::record::convoy;
use crate::record::merge_request;
use crate::record::polecat::PolecatIds;
use crate::town::Town;
use crate::town::beads::TownStores;
use crate::town::identity::Address;

use super::status::{ConvoyLine, EscalationLine};

/// The limits of every view of the past, for users.
pub const NOT_KNOWN: &str = "rebuilt from history: sessions, mail, queued beads, holds and changes made without bd are not known";

/// The town at an instant.
#[derive(Debug, Serialize)]
pub struct PastStatus {
    pub at: Timestamp,
    /// The polecats that existed, and other agents with a bead on the hook.
    pub agents: Vec<PastAgent>,
    /// The open merge requests, oldest first.
    pub requests: Vec<PastRequest>,
    /// The open convoys, oldest first.
    pub convoys: Vec<ConvoyLine>,
    /// The open escalations, the most urgent first.
    pub escalations: Vec<PastEscalation>,
    /// The rigs whose beads cannot be read.
    pub unreadable: Vec<String>,
    pub not_known: &'static str,
}

/// An agent and the bead on its hook.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct PastAgent {
    pub agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_bead: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_title: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct PastRequest {
    pub id: String,
    pub rig: String,
    /// The bead whose work it merges.
    pub bead: String,
    pub title: String,
    pub worker: String,
    /// The time of submission, RFC 3339.
    pub since: String,
}

#[derive(Debug, Serialize)]
pub struct PastEscalation {
    pub id: String,
    pub severity: &'static str,
    pub title: String,
    /// RFC 3339.
    pub since: String,
}

/// Rebuilds the status of the town at an instant.
pub fn read_past_status(town: &Town, at: Timestamp) -> anyhow::Result<PastStatus> {
    let stores = town.read_stores_at(at)?;
    let board = ProgressBoard::from_stores(&stores);
    Ok(PastStatus {
        at,
        agents: list_past_agents(&stores),
        requests: list_past_requests(&stores),
        convoys: convoy::list_convoys(&stores.town, false)
            .into_iter()
            .map(|bead| board.progress(bead).into())
            .collect(),
        escalations: EscalationLine::list_open(&stores.town)
            .into_iter()
            .map(|line| PastEscalation {
                id: line.id,
                severity: line.severity.name(),
                title: line.title,
                since: line.since,
            })
            .collect(),
        unreadable: stores.unreadable.into_keys().collect(),
        not_known: NOT_KNOWN,
    })
}

/// Returns the stores, the town's first.
fn all_stores(stores: &TownStores) -> impl Iterator<Item = &Snapshot> {
    std::iter::once(&stores.town).chain(stores.rigs.values())
}

fn list_past_agents(stores: &TownStores) -> Vec<PastAgent> {
    let mut agents: Vec<PastAgent> = Vec::new();
    for beads in all_stores(stores) {
        for bead in beads.select_open(&[BeadMark::Status(&Status::Hooked)]) {
            let agent: Option<Address> = bead.assignee.parse().ok();
            agents.push(PastAgent {
                agent: agent.map_or_else(|| bead.assignee.clone(), |agent| agent.to_string()),
                hook_bead: Some(bead.id.clone()),
                work_title: Some(bead.title.clone()),
            });
        }
    }
    for beads in all_stores(stores) {
        let marks = [BeadMark::Kind(&Kind::Agent), BeadMark::Label("gt:agent")];
        for ids in beads
            .select_open(&marks)
            .filter_map(PolecatIds::from_identity_bead)
        {
            let agent = ids.address.to_string();
            if agents.iter().all(|known| known.agent != agent) {
                agents.push(PastAgent {
                    agent,
                    hook_bead: None,
                    work_title: None,
                });
            }
        }
    }
    agents.sort_by(|a, b| (&a.agent, &a.hook_bead).cmp(&(&b.agent, &b.hook_bead)));
    agents
}

fn list_past_requests(stores: &TownStores) -> Vec<PastRequest> {
    let mut found: Vec<(Timestamp, PastRequest)> = Vec::new();
    for (rig, beads) in &stores.rigs {
        found.extend(
            merge_request::open_requests(beads)
                .into_iter()
                .map(|request| {
                    let row = PastRequest {
                        id: request.id.clone(),
                        rig: rig.clone(),
                        bead: merge_request::source_bead_of(request),
                        title: request.title.clone(),
                        worker: merge_request::receipt_of(request).worker,
                        since: request.created_at.to_string(),
                    };
                    (request.created_at.instant(), row)
                }),
        );
    }
    found.sort_by(|a, b| (a.0, &a.1.id).cmp(&(b.0, &b.1.id)));
    found.into_iter().map(|(_, request)| request).collect()
}

/// Describes a bead or an agent at an instant, the most important line first. One that did not
/// exist has no lines.
pub(super) fn describe_past_state(town: &Town, stores: &TownStores, what: &str) -> Vec<String> {
    if let Some(bead) = stores.get(what).filter(|bead| !bead.is_tombstone()) {
        return describe_past_bead(stores, bead);
    }
    let address = town.parse_agent(what).ok().map(|agent| agent.to_string());
    list_past_agents(stores)
        .into_iter()
        .filter(|agent| Some(&agent.agent) == address.as_ref())
        .map(|agent| match (agent.hook_bead, agent.work_title) {
            (Some(id), Some(title)) => format!("{} had {id} \"{title}\" on the hook", agent.agent),
            _ => format!("{} had nothing on the hook", agent.agent),
        })
        .collect()
}

fn describe_past_bead(stores: &TownStores, bead: &Bead) -> Vec<String> {
    let mut lines = vec![format!("{} \"{}\": {}", bead.id, bead.title, bead.status)];
    let fields = [
        ("assigned to", bead.assignee.as_str()),
        ("closed because", bead.close_reason.as_str()),
    ];
    lines.extend(
        fields
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name} {value}")),
    );
    if convoy::is_convoy(bead) {
        let counts = ProgressBoard::from_stores(stores).progress(bead).counts;
        lines.push(format!(
            "{} of {} beads completed",
            counts.completed, counts.total
        ));
    }
    let request = all_stores(stores).find_map(|beads| {
        beads.get(&bead.id)?;
        merge_request::find_open_request(beads, &bead.id)
    });
    lines.extend(request.map(|request| format!("its work was in the merge queue: {}", request.id)));
    lines
}
