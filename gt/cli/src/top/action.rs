//! The actions that a user can take, and the keys that offer them for a subject.

use gt::flow::townwide::town_change::TownChange;
use gt::view::need::UserNeedKind;
use gt::view::offer::{Confirmation, Offer};
use gt::view::overview::TownOverview;
use gt::view::status::AgentStatus;

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
    Complete(Offer),
}

impl TextPurpose {
    /// Returns the question for the text.
    pub(super) fn question(&self) -> &str {
        match self {
            Self::Search => "Search",
            Self::Complete(offer) => offer.text.as_ref().map_or("", |text| &text.question),
        }
    }

    /// Returns the effect of the entered text. None without text, where it is required.
    pub(super) fn finish(&self, text: &str) -> Option<KeyEffect> {
        let Self::Complete(offer) = self else {
            return None;
        };
        let is_optional = offer.text.as_ref().is_some_and(|text| text.optional);
        match text.trim() {
            "" if !is_optional => None,
            text => Some(change_effect(
                offer.change.clone().with_text(text),
                offer.confirm,
            )),
        }
    }
}

fn change_effect(change: TownChange, confirm: Confirmation) -> KeyEffect {
    match confirm {
        Confirmation::Always => KeyEffect::Confirm(change),
        Confirmation::Never | Confirmation::Click => KeyEffect::Act(TopAction::Change(change)),
    }
}

impl OfferedKey {
    pub(super) fn for_offer(offer: &Offer) -> Option<Self> {
        let key = offer.key?;
        Some(Self {
            key,
            // The words of an answer are the asker's.
            label: if key.is_ascii_uppercase() {
                offer.label.clone()
            } else {
                offer.label.to_lowercase()
            },
            effect: match offer.text {
                Some(_) => KeyEffect::AskText(TextPurpose::Complete(offer.clone())),
                None => change_effect(offer.change.clone(), offer.confirm),
            },
        })
    }
}

/// Returns the keys that a subject offers.
pub(super) fn list_offered_keys(overview: &TownOverview, subject: &Subject) -> Vec<OfferedKey> {
    let offers = &overview.offers;
    let offered = match subject {
        Subject::Need(key) => offers.needs.get(key),
        Subject::Agent(address) => offers.agents.get(address),
        Subject::Rig(name) => offers.rigs.get(name),
        Subject::Request(id) => offers.requests.get(id),
        Subject::Bead(id) => {
            return OfferedKey::for_offer(&Offer::sling(id))
                .into_iter()
                .collect();
        }
        Subject::Convoy(_) | Subject::Town => None,
    };
    let mut keys: Vec<OfferedKey> = offered
        .into_iter()
        .flatten()
        .filter_map(OfferedKey::for_offer)
        .collect();
    if let Some(agent) = find_attachable_agent(overview, subject) {
        keys.push(OfferedKey {
            key: 'a',
            label: "attach".to_owned(),
            effect: KeyEffect::Act(TopAction::Attach(agent.address.clone())),
        });
    }
    keys
}

/// Returns the agent of a subject if its session runs.
fn find_attachable_agent<'o>(
    overview: &'o TownOverview,
    subject: &Subject,
) -> Option<&'o AgentStatus> {
    let agent = match subject {
        Subject::Agent(address) => overview.status.find_agent(address),
        Subject::Need(key) => {
            let need = overview.needs_you.iter().find(|need| need.key == *key)?;
            let is_about_agent = need.question.is_none()
                && need.kind != UserNeedKind::GaveUp
                && need.find_request(&overview.requests).is_none();
            need.find_agent(&overview.status).filter(|_| is_about_agent)
        }
        _ => None,
    };
    agent.filter(|agent| agent.running == Some(true))
}
