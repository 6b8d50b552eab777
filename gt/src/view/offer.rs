//! The changes that a screen of the town offers for what it shows: decided here, and drawn by
//! `gt top` as keys and by the page as buttons.

use std::collections::BTreeMap;
use std::iter;

use kit::ui::escape::escape_line;
use serde::Serialize;

use super::need::{UserNeed, UserNeedKind};
use super::request::RequestRow;
use super::status::{AgentStatus, RigSummary, TownStatus};
use crate::flow::townwide::town_change::TownChange;
use crate::record::polecat::build_sling_command;
use crate::town::hold::HoldState;

/// A change that a user may make, before it is confirmed and has its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// The key in `gt top`, unique among the offers of one subject. None for an answer after the
    /// last letter.
    pub key: Option<char>,
    /// The text of a button.
    pub label: String,
    pub change: TownChange,
    /// The text that the change still needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<OfferedText>,
    pub confirm: Confirmation,
    /// The question of the confirmation.
    pub question: String,
}

/// A text that completes a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OfferedText {
    /// The field of the change.
    pub field: &'static str,
    pub question: String,
    /// True if the change may be made without it.
    pub optional: bool,
}

/// The ways to make a change that are asked for a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirmation {
    Never,
    /// A click, which may be a slip, but not a key of its own.
    Click,
    /// Both. On the page, the prompt for a text is enough.
    Always,
}

impl Offer {
    fn new(key: char, label: &str, change: TownChange) -> Self {
        Self {
            key: Some(key),
            label: label.to_owned(),
            question: change.describe(),
            change,
            text: None,
            confirm: Confirmation::Never,
        }
    }

    fn confirmed(mut self, confirm: Confirmation) -> Self {
        self.confirm = confirm;
        self
    }

    /// Asks for the text that the change lacks.
    fn with_text(mut self, question: String) -> Self {
        self.text = self.change.text_field().map(|field| OfferedText {
            field,
            question,
            optional: matches!(self.change, TownChange::StopTown { .. }),
        });
        self
    }

    /// Offers to start work on a bead.
    pub fn sling(bead: &str) -> Self {
        let sling = TownChange::Sling {
            bead: bead.to_owned(),
            target: String::new(),
        };
        Self::new('s', "Sling", sling).with_text(format!("Sling {bead} to the rig or worker"))
    }

    fn nudge(agent: &AgentStatus) -> Self {
        let nudge = TownChange::Nudge {
            agent: agent.address.clone(),
            message: String::new(),
        };
        Self::new('n', "Nudge", nudge).with_text(format!("Message to {}", agent.address))
    }

    fn retry_worker(agent: &AgentStatus) -> Self {
        let worker = agent.address.clone();
        Self::new('t', "Retry", TownChange::RetryWorker { worker })
    }

    fn sling_again(bead: &str) -> Self {
        let again = TownChange::SlingAgain {
            bead: bead.to_owned(),
        };
        Self::new('f', "Give to a fresh worker", again).confirmed(Confirmation::Always)
    }

    /// Offers what ends the work of a worker that makes no progress.
    fn stop_work(bead: &str) -> [Self; 2] {
        let stop = TownChange::Unsling {
            bead: bead.to_owned(),
        };
        [
            Self::new('u', "Stop, keep the work", stop).confirmed(Confirmation::Always),
            Self::sling_again(bead),
        ]
    }

    /// Offers what ends work that led to no change: close the bead, or give it to another worker.
    fn end_work(bead: &str) -> [Self; 2] {
        let close = TownChange::CloseBead {
            bead: bead.to_owned(),
            reason: String::new(),
        };
        [
            Self::sling_again(bead),
            Self::new('c', "Close, nothing to change", close)
                .with_text(format!("Why nothing has to change for {bead}"))
                .confirmed(Confirmation::Always),
        ]
    }

    /// Offers to stop all agents of the town, or to let them start again.
    fn stop_or_thaw(is_stopped: bool) -> Self {
        let offer = if is_stopped {
            Self::new('!', "Thaw the town", TownChange::ThawTown)
        } else {
            let stop = TownChange::StopTown {
                reason: String::new(),
            };
            Self::new('!', "Stop all agents", stop)
                .with_text("Reason to stop every agent of the town".to_owned())
        };
        offer.confirmed(Confirmation::Always)
    }
}

/// The offers of a town by what they are about.
#[derive(Debug, Clone, Serialize)]
pub struct TownOffers {
    pub town: Vec<Offer>,
    /// By the key of the need.
    pub needs: BTreeMap<String, Vec<Offer>>,
    /// By address.
    pub agents: BTreeMap<String, Vec<Offer>>,
    /// By name.
    pub rigs: BTreeMap<String, Vec<Offer>>,
    /// By id.
    pub requests: BTreeMap<String, Vec<Offer>>,
}

impl TownOffers {
    pub fn list(status: &TownStatus, needs: &[UserNeed], requests: &[RequestRow]) -> Self {
        Self {
            town: vec![Offer::stop_or_thaw(status.stopped.is_some())],
            needs: needs
                .iter()
                .map(|need| (need.key.clone(), offer_for_need(status, need, requests)))
                .collect(),
            agents: status
                .all_agents()
                .map(|agent| (agent.address.clone(), offer_for_agent(agent)))
                .collect(),
            rigs: status
                .rigs
                .iter()
                .map(|rig| (rig.name.clone(), offer_for_rig(rig)))
                .collect(),
            requests: requests
                .iter()
                .map(|request| (request.id.clone(), offer_for_request(&request.id)))
                .collect(),
        }
    }
}

fn offer_for_need(status: &TownStatus, need: &UserNeed, requests: &[RequestRow]) -> Vec<Offer> {
    if need.question.is_some() {
        return offer_answers(need);
    }
    if let Some(request) = need.find_request(requests) {
        let mut offers = offer_for_request(&request.id);
        if request.adds_nothing {
            offers.splice(..1, Offer::end_work(&request.bead));
        }
        return offers;
    }
    match need.find_agent(status) {
        Some(agent) if need.kind != UserNeedKind::GaveUp => {
            let mut offers = offer_for_agent(agent);
            let can_retry = offers.iter().any(|offer| offer.key == Some('t'));
            if need.kind == UserNeedKind::Stuck && !can_retry {
                offers.insert(0, Offer::retry_worker(agent));
            }
            if need.kind == UserNeedKind::Stuck {
                offers.extend(Offer::end_work(&need.bead));
            }
            offers
        }
        _ if need.bead.is_empty() || need.is_review() => Vec::new(),
        _ => vec![Offer::sling(&need.bead)],
    }
}

/// Returns the answers to a question: its options, and any text.
fn offer_answers(need: &UserNeed) -> Vec<Offer> {
    let Some(question) = &need.question else {
        return Vec::new();
    };
    let build_answer = |answer: &str| TownChange::Answer {
        escalation: question.escalation.clone(),
        answer: answer.to_owned(),
    };
    let subject = escape_line(&need.subject);
    let mut offers: Vec<Offer> = ('A'..='Z')
        .map(Some)
        .chain(iter::repeat(None))
        .zip(&question.options)
        .map(|(key, option)| {
            let label = escape_line(option);
            Offer {
                key,
                question: format!("Answer \"{label}\" to: {subject}"),
                confirm: Confirmation::Click,
                change: build_answer(option),
                text: None,
                label,
            }
        })
        .collect();
    let reply = Offer::new('r', "Reply", build_answer(""));
    offers.push(reply.with_text(format!("Answer to {subject}")));
    if question.acked_by.is_empty() {
        let escalation = question.escalation.clone();
        let acknowledge = TownChange::Acknowledge { escalation };
        offers.push(Offer::new('a', "Acknowledge", acknowledge));
    }
    offers
}

fn offer_for_agent(agent: &AgentStatus) -> Vec<Offer> {
    let nudge = (agent.running == Some(true)).then(|| Offer::nudge(agent));
    let retry = agent
        .is_stopped_at_work()
        .then(|| Offer::retry_worker(agent));
    let stop = agent.hook_bead.as_ref().filter(|_| agent.is_quiet);
    nudge
        .into_iter()
        .chain(retry)
        .chain(stop.into_iter().flat_map(|bead| Offer::stop_work(bead)))
        .collect()
}

/// Lists the commands for a worker that makes no progress: look at it, and the offers as commands.
/// Empty for every other agent.
pub fn list_steps_for_quiet_agent(agent: &AgentStatus) -> Vec<String> {
    let (Some(bead), true) = (&agent.hook_bead, agent.is_quiet) else {
        return Vec::new();
    };
    let short = agent.address.replace("/polecats/", "/");
    let rig = short.split('/').next().unwrap_or_default();
    vec![
        format!("gt peek {short}"),
        format!("gt nudge {short} \"<message>\""),
        format!("gt unsling {bead}"),
        build_sling_command(bead, rig, agent.host.as_deref()),
    ]
}

/// Offers to park a rig or to unpark it. Only `gt rig undock` starts a docked rig again.
fn offer_for_rig(rig: &RigSummary) -> Vec<Offer> {
    let name = rig.name.clone();
    let create = TownChange::CreateBead {
        rig: name.clone(),
        title: String::new(),
    };
    let create =
        Offer::new('b', "New bead", create).with_text(format!("Title of a new bead of rig {name}"));
    let hold = match rig.held.as_ref().map(|hold| hold.state) {
        None => {
            let park = Offer::new('p', "Park", TownChange::Park { rig: name });
            Some(park.confirmed(Confirmation::Always))
        }
        Some(HoldState::Parked) => {
            Some(Offer::new('p', "Unpark", TownChange::Unpark { rig: name }))
        }
        Some(_) => None,
    };
    hold.into_iter().chain([create]).collect()
}

fn offer_for_request(id: &str) -> Vec<Offer> {
    let request = id.to_owned();
    let retry = TownChange::RetryRequest {
        request: request.clone(),
    };
    let reject = TownChange::Reject {
        request,
        reason: String::new(),
    };
    vec![
        Offer::new('t', "Retry", retry),
        Offer::new('x', "Reject", reject)
            .with_text(format!("Reason to reject {id}"))
            .confirmed(Confirmation::Always),
    ]
}
