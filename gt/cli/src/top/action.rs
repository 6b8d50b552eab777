//! The actions that a user can take, and the keys that offer them for a subject.

use gt::flow::townwide::town_change::TownChange;
use gt::record::polecat::PolecatState;
use gt::view::overview::{TownOverview, UserNeed, UserNeedKind};
use gt::view::request::RequestRow;
use gt::view::status::{AgentStatus, ParkingOffer, RigSummary};

use super::subject::Subject;

/// The next step of the loop around the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TopAction {
    Change(TownChange),
    /// Show an agent's session instead of this screen.
    Attach(String),
    Quit,
}

/// A key that the selected subject offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OfferedKey {
    pub(super) key: char,
    pub(super) label: String,
    pub(super) effect: KeyEffect,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyEffect {
    Act(TopAction),
    /// Ask for a line of text first.
    AskText(TextPurpose),
    /// Ask for a yes first.
    Confirm(TownChange),
}

/// The purpose of a line of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextPurpose {
    Search,
    Reply { escalation: String },
    Nudge { agent: String },
    Sling { bead: String },
    Reject { request: String },
    StopTown,
}

impl TextPurpose {
    /// Returns the question for the text.
    pub(super) fn question(&self) -> String {
        match self {
            Self::Search => "Search".to_owned(),
            Self::Reply { escalation } => format!("Answer to {escalation}"),
            Self::Nudge { agent } => format!("Message to {agent}"),
            Self::Sling { bead } => format!("Sling {bead} to the rig or worker"),
            Self::Reject { request } => format!("Reason to reject {request}"),
            Self::StopTown => "Reason to stop every agent of the town".to_owned(),
        }
    }

    /// Returns the effect of the entered text. None without text, where it is required.
    pub(super) fn finish(&self, text: &str) -> Option<KeyEffect> {
        let text = text.trim().to_owned();
        if text.is_empty() && *self != Self::StopTown {
            return None;
        }
        let act = |change| Some(KeyEffect::Act(TopAction::Change(change)));
        match self.clone() {
            Self::Search => None,
            Self::Reply { escalation } => act(TownChange::Answer {
                escalation,
                answer: text,
            }),
            Self::Nudge { agent } => act(TownChange::Nudge {
                agent,
                message: text,
            }),
            Self::Sling { bead } => act(TownChange::Sling { bead, target: text }),
            Self::Reject { request } => Some(KeyEffect::Confirm(TownChange::Reject {
                request,
                reason: text,
            })),
            Self::StopTown => Some(KeyEffect::Confirm(TownChange::StopTown { reason: text })),
        }
    }
}

/// Returns the keys that a subject offers.
pub(super) fn list_offered_keys(overview: &TownOverview, subject: &Subject) -> Vec<OfferedKey> {
    match subject {
        Subject::Need(key) => {
            let need = overview.needs_you.iter().find(|need| need.key == *key);
            need.map_or_else(Vec::new, |need| offer_for_need(overview, need))
        }
        Subject::Agent(address) => {
            find_agent(overview, address).map_or_else(Vec::new, offer_for_agent)
        }
        Subject::Rig(name) => {
            let rig = overview.status.rigs.iter().find(|rig| rig.name == *name);
            rig.and_then(offer_parking).into_iter().collect()
        }
        Subject::Request(id) => offer_for_request(id),
        Subject::Bead(id) => vec![offer_sling(id)],
        Subject::Convoy(_) => Vec::new(),
    }
}

/// Returns the key that stops all agents of the town, or lets them start again.
pub(super) fn offer_stop(overview: &TownOverview) -> OfferedKey {
    let (label, effect) = if overview.status.stopped.is_some() {
        ("thaw the town", KeyEffect::Confirm(TownChange::ThawTown))
    } else {
        ("stop all agents", KeyEffect::AskText(TextPurpose::StopTown))
    };
    offer('!', label, effect)
}

fn offer(key: char, label: &str, effect: KeyEffect) -> OfferedKey {
    OfferedKey {
        key,
        label: label.to_owned(),
        effect,
    }
}

fn change(key: char, label: &str, change: TownChange) -> OfferedKey {
    offer(key, label, KeyEffect::Act(TopAction::Change(change)))
}

fn offer_for_need(overview: &TownOverview, need: &UserNeed) -> Vec<OfferedKey> {
    let mut keys = Vec::new();
    if let Some(question) = &need.question {
        let escalation = &question.escalation;
        for (key, option) in ('A'..='Z').zip(&question.options) {
            let label = kit::ui::escape::escape_line(option);
            let answer = TownChange::Answer {
                escalation: escalation.clone(),
                answer: option.clone(),
            };
            keys.push(change(key, &label, answer));
        }
        let reply = TextPurpose::Reply {
            escalation: escalation.clone(),
        };
        keys.push(offer('r', "reply", KeyEffect::AskText(reply)));
        if question.acked_by.is_empty() {
            let acknowledge = TownChange::Acknowledge {
                escalation: escalation.clone(),
            };
            keys.push(change('a', "acknowledge", acknowledge));
        }
        return keys;
    }
    if let Some(request) = request_of_need(overview, need) {
        return offer_for_request(&request.id);
    }
    match agent_of_need(overview, need) {
        Some(agent) if need.kind != UserNeedKind::GaveUp => {
            let mut keys = offer_for_agent(agent);
            if need.kind == UserNeedKind::Stuck && keys.iter().all(|offered| offered.key != 't') {
                keys.insert(0, offer_retry(agent));
            }
            keys
        }
        _ if need.bead.is_empty() || need.key.starts_with("review:") => Vec::new(),
        _ => vec![offer_sling(&need.bead)],
    }
}

/// Returns the merge request that a need is about.
pub(super) fn request_of_need<'a>(
    overview: &'a TownOverview,
    need: &UserNeed,
) -> Option<&'a RequestRow> {
    overview
        .requests
        .iter()
        .find(|request| need.key.split(':').any(|part| part == request.id))
}

/// Returns the agent with the bead of a need on its hook.
pub(super) fn agent_of_need<'a>(
    overview: &'a TownOverview,
    need: &UserNeed,
) -> Option<&'a AgentStatus> {
    list_agents(overview).find(|agent| agent.hook_bead.as_deref() == Some(need.bead.as_str()))
}

fn list_agents(overview: &TownOverview) -> impl Iterator<Item = &AgentStatus> {
    let of_rigs = overview.status.rigs.iter().flat_map(|rig| &rig.agents);
    overview.status.agents.iter().chain(of_rigs)
}

pub(super) fn find_agent<'a>(overview: &'a TownOverview, address: &str) -> Option<&'a AgentStatus> {
    list_agents(overview).find(|agent| agent.address == address)
}

fn offer_for_agent(agent: &AgentStatus) -> Vec<OfferedKey> {
    let mut keys = Vec::new();
    if agent.running == Some(true) {
        let nudge = TextPurpose::Nudge {
            agent: agent.address.clone(),
        };
        keys.push(offer('n', "nudge", KeyEffect::AskText(nudge)));
        let attach = TopAction::Attach(agent.address.clone());
        keys.push(offer('a', "attach", KeyEffect::Act(attach)));
    }
    if is_stopped_at_work(agent) {
        keys.push(offer_retry(agent));
    }
    keys
}

/// Returns true for a worker whose work does not continue.
pub(super) fn is_stopped_at_work(agent: &AgentStatus) -> bool {
    matches!(
        agent.state,
        Some(PolecatState::Stalled | PolecatState::Zombie)
    )
}

fn offer_retry(agent: &AgentStatus) -> OfferedKey {
    let worker = agent.address.clone();
    change('t', "retry", TownChange::RetryWorker { worker })
}

fn offer_parking(rig: &RigSummary) -> Option<OfferedKey> {
    let name = rig.name.clone();
    Some(match rig.parking? {
        ParkingOffer::Unpark => change('p', "unpark", TownChange::Unpark { rig: name }),
        ParkingOffer::Park => {
            let park = TownChange::Park { rig: name };
            offer('p', "park", KeyEffect::Confirm(park))
        }
    })
}

fn offer_for_request(id: &str) -> Vec<OfferedKey> {
    let retry = TownChange::RetryRequest {
        request: id.to_owned(),
    };
    let reject = TextPurpose::Reject {
        request: id.to_owned(),
    };
    vec![
        change('t', "retry", retry),
        offer('x', "reject", KeyEffect::AskText(reject)),
    ]
}

fn offer_sling(bead: &str) -> OfferedKey {
    let sling = TextPurpose::Sling {
        bead: bead.to_owned(),
    };
    offer('s', "sling", KeyEffect::AskText(sling))
}
