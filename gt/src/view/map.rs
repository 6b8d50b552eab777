//! The map of a town: the user, the agents, the merge queues and the queued beads, who waits for whom,
//! and the mail between them.

use std::collections::{BTreeMap, BTreeSet};

use bd::graph::picture::{self, GraphPicture, PictureBead, PictureState};
use jiff::{SignedDuration, Timestamp};
use kit::ui::counted;
use serde::Serialize;

use super::overview::TownOverview;
use super::request::RequestRow;
use super::status::{AgentStatus, RigSummary};
use crate::record::polecat::PolecatState;
use crate::town::Town;
use crate::town::event::{Event, NewestEvents};

/// The age of the oldest mail that the map counts.
const MAIL_AGE: SignedDuration = SignedDuration::from_hours(24);
/// The number of listed pairs of sender and recipient.
const MAX_MAIL_FLOWS: usize = 20;

#[derive(Debug, Clone, Serialize)]
pub struct TownMap {
    pub places: Vec<MapPlace>,
    /// The places that wait or are waited for. None if no one waits, or if they are too many.
    pub picture: Option<GraphPicture>,
    /// The mail of the last day, the busiest pair first.
    pub mail: Vec<MailFlow>,
}

/// An agent, a queue or the user on the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapPlace {
    pub kind: MapPlaceKind,
    /// The agent's address, `NAME queue`, `NAME queued`, or `you`.
    pub id: String,
    /// The rig, if it belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig: Option<String>,
    /// The state and the work in a few words.
    pub text: String,
    pub state: PictureState,
    /// The ids of the places that it waits for.
    pub waits_for: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MapPlaceKind {
    User,
    Agent,
    MergeQueue,
    /// The beads that wait for a worker of a rig.
    QueuedBeads,
}

/// The messages from one agent to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MailFlow {
    pub from: String,
    pub to: String,
    pub messages: usize,
}

/// The id of the user's place.
const USER_PLACE: &str = "you";

impl TownMap {
    /// Builds the map of a town from its overview.
    pub fn read(town: &Town, overview: &TownOverview) -> anyhow::Result<Self> {
        let places = list_places(overview);
        Ok(Self {
            picture: picture::lay_out(list_picture_places(&places))
                .filter(|picture| !picture.boxes.is_empty()),
            mail: count_mail(town, overview.at)?,
            places,
        })
    }

    /// Returns the places that neither wait nor are waited for.
    pub fn list_unconnected(&self) -> Vec<&MapPlace> {
        let connected = list_connected(&self.places);
        let places = self.places.iter();
        places
            .filter(|place| !connected.contains(&*place.id))
            .collect()
    }
}

fn list_connected(places: &[MapPlace]) -> BTreeSet<&str> {
    places
        .iter()
        .filter(|place| !place.waits_for.is_empty())
        .flat_map(|place| place.waits_for.iter().chain([&place.id]))
        .map(String::as_str)
        .collect()
}

/// Returns the connected places as boxes of a picture.
pub fn list_picture_places(places: &[MapPlace]) -> Vec<PictureBead> {
    let connected = list_connected(places);
    let drawn: Vec<&MapPlace> = places
        .iter()
        .filter(|place| connected.contains(&*place.id))
        .collect();
    drawn
        .iter()
        .map(|place| PictureBead {
            id: shorten_address(&place.id),
            title: place.text.clone(),
            state: place.state,
            needs: drawn
                .iter()
                .enumerate()
                .filter(|(_, other)| place.waits_for.contains(&other.id))
                .map(|(at, _)| at)
                .collect(),
        })
        .collect()
}

/// Returns the short form of an address: `web/amber`.
pub fn shorten_address(address: &str) -> String {
    address.replace("/polecats/", "/").replace("/crew/", "/")
}

fn list_places(overview: &TownOverview) -> Vec<MapPlace> {
    let needs = overview.needs_you.len();
    let mut places = vec![MapPlace {
        kind: MapPlaceKind::User,
        id: USER_PLACE.to_owned(),
        rig: None,
        text: match needs {
            0 => "nothing needs you".to_owned(),
            needs => counted(needs, "matter"),
        },
        state: if needs == 0 {
            PictureState::Ready
        } else {
            PictureState::Stopped
        },
        waits_for: Vec::new(),
    }];
    let status = &overview.status;
    places.extend(
        status
            .agents
            .iter()
            .map(|agent| place_agent(overview, agent, None)),
    );
    for rig in &status.rigs {
        let agents = rig.agents.iter();
        places.extend(agents.map(|agent| place_agent(overview, agent, Some(&rig.name))));
        places.push(place_queue(overview, rig));
        places.extend(place_queued(overview, rig));
    }
    places
}

fn place_agent(overview: &TownOverview, agent: &AgentStatus, rig: Option<&str>) -> MapPlace {
    let (_, word) = agent.state_mark_and_word();
    let bead = agent.hook_bead.as_deref();
    let is_needed = overview.needs_you.iter().any(|need| {
        let from = need
            .question
            .as_ref()
            .map(|question| question.from.as_str());
        let is_from =
            from.is_some_and(|from| shorten_address(&agent.address) == shorten_address(from));
        is_from || (!need.bead.is_empty() && bead == Some(&*need.bead))
    });
    let waits = is_needed || !agent.waits_for_answers.is_empty();
    let text = match bead {
        Some(bead) => format!("{word} {bead}"),
        None => word.to_owned(),
    };
    MapPlace {
        kind: MapPlaceKind::Agent,
        id: agent.address.clone(),
        rig: rig.map(str::to_owned),
        text,
        state: agent_state(agent, waits),
        waits_for: waits.then(|| USER_PLACE.to_owned()).into_iter().collect(),
    }
}

fn agent_state(agent: &AgentStatus, waits: bool) -> PictureState {
    if waits || agent.is_stopped_at_work() {
        return PictureState::Stopped;
    }
    match (agent.state, agent.running) {
        (Some(PolecatState::Working), _) => PictureState::Working,
        (Some(_), _) | (None, Some(true)) => PictureState::Ready,
        (None, Some(false)) => PictureState::Deferred,
        (None, None) => PictureState::Unknown,
    }
}

fn place_queue(overview: &TownOverview, rig: &RigSummary) -> MapPlace {
    let requests: Vec<&RequestRow> = overview
        .requests
        .iter()
        .filter(|request| request.rig == rig.name)
        .collect();
    let needs_user = requests.iter().any(|request| {
        let needs = overview.needs_you.iter();
        needs
            .into_iter()
            .any(|need| need.bead == request.bead || need.bead == request.id)
    });
    let workers = requests
        .iter()
        .flat_map(|request| &request.waits_for)
        .filter_map(|bead| find_worker(overview, bead));
    let mut waits_for: BTreeSet<String> = workers.collect();
    if needs_user {
        waits_for.insert(USER_PLACE.to_owned());
    }
    let state = match (requests.is_empty(), waits_for.is_empty()) {
        (true, _) => PictureState::Done,
        (false, true) => PictureState::Merging,
        (false, false) => PictureState::Blocked,
    };
    MapPlace {
        kind: MapPlaceKind::MergeQueue,
        id: format!("{} queue", rig.name),
        rig: Some(rig.name.clone()),
        text: match requests.len() {
            0 => "empty".to_owned(),
            count => counted(count, "request"),
        },
        state,
        waits_for: waits_for.into_iter().collect(),
    }
}

/// Returns the place of a rig's queued beads. None if there are none.
fn place_queued(overview: &TownOverview, rig: &RigSummary) -> Option<MapPlace> {
    if rig.queued.is_empty() {
        return None;
    }
    let mut waits_for = BTreeSet::new();
    for blocker in rig.waits_for.values().flatten() {
        waits_for.extend(find_worker(overview, blocker));
        let request = overview
            .requests
            .iter()
            .find(|request| request.bead == *blocker);
        waits_for.extend(request.map(|request| format!("{} queue", request.rig)));
    }
    // Without room, beads wait for the workers of the rig.
    if rig.full.is_some() {
        let busy = rig.agents.iter().filter(|agent| agent.hook_bead.is_some());
        waits_for.extend(busy.map(|agent| agent.address.clone()));
    }
    Some(MapPlace {
        kind: MapPlaceKind::QueuedBeads,
        id: format!("{} queued", rig.name),
        rig: Some(rig.name.clone()),
        text: counted(rig.queued.len(), "bead"),
        state: PictureState::Blocked,
        waits_for: waits_for.into_iter().collect(),
    })
}

/// Returns the address of the agent that has a bead on its hook.
fn find_worker(overview: &TownOverview, bead: &str) -> Option<String> {
    let mut agents = overview.status.all_agents();
    let worker = agents.find(|agent| agent.hook_bead.as_deref() == Some(bead))?;
    Some(worker.address.clone())
}

fn count_mail(town: &Town, now: Timestamp) -> anyhow::Result<Vec<MailFlow>> {
    let since = now.checked_sub(MAIL_AGE)?;
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in NewestEvents::new(&town.layout)?.since(Some(since)) {
        let line = line?;
        let is_recent = line.ts.parse().is_ok_and(|at: Timestamp| at >= since);
        if is_recent && let Event::Mail { to, .. } = line.to_event() {
            *counts.entry((line.actor, to)).or_default() += 1;
        }
    }
    let mut flows: Vec<MailFlow> = counts
        .into_iter()
        .map(|((from, to), messages)| MailFlow { from, to, messages })
        .collect();
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.messages));
    flows.truncate(MAX_MAIL_FLOWS);
    Ok(flows)
}
