//! Rule G4: types a notice of unread mail into the session of an idle agent.
//!
//! A busy agent hears of its mail when its turn ends, by the stop hook of its program. The patrol
//! looks at the screens of agents without that hook, or whose turn was interrupted. Each message is
//! named once per session. A call for help that stays unread is an item for the user.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::agent::handoff;
use crate::flow::agent::nudge;
use crate::host::runtime::{self, ScreenState, inspect_screen};
use crate::host::{LiveSession, LiveTown};
use crate::record::mail::{self, MailMessage, NAMED_MESSAGES};
use crate::record::notification_level::{NotificationLevel, load_level};
use crate::record::progress;
use crate::record::pulse::SessionPulse;
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::identity::Address;

/// The time between two looks at a busy agent with new mail.
const BUSY_INTERVAL: SignedDuration = SignedDuration::from_secs(10);

/// The number of lines of a screen that are read.
const SCREEN_LINES: usize = 60;

/// An agent with a session and mail that the session was not notified of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailFacts {
    pub agent: String,
    /// The number of messages.
    pub new_messages: usize,
    pub input: InputState,
}

/// The readiness of a program for a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputState {
    /// Waits at its input line.
    Idle,
    /// Works, or waits for something else. Its screen shows when that is over.
    Busy,
    /// Is at its usage limit. Rule A1 wakes it.
    Paused,
    /// Has no known input line. Only its hooks report that it waits.
    Unknown,
}

/// Reads the facts.
pub(super) fn facts(town: &LiveTown, view: &TownView) -> Vec<MailFacts> {
    list_unread_by_agent(&town.layout, view)
        .iter()
        .filter_map(|(mailbox, (agent, messages))| {
            let live = view.session_of(agent)?;
            let news = mail::find_new_messages(&town.layout, mailbox, &live.token, messages);
            let count = news.into_iter().filter(|one| is_notice(one)).count();
            let is_notified = count > 0 && load_level(town, agent) != NotificationLevel::Muted;
            is_notified.then(|| MailFacts {
                agent: agent.to_string(),
                new_messages: count,
                input: read_input_state(town, agent, live, requested_runtime(view, agent)),
            })
        })
        .collect()
}

/// Returns the unread messages of agents by mailbox. Other programs write addresses in other forms.
fn list_unread_by_agent(
    layout: &TownLayout,
    view: &TownView,
) -> BTreeMap<String, (Address, Vec<MailMessage>)> {
    let mut by_agent: BTreeMap<String, (Address, Vec<MailMessage>)> = BTreeMap::new();
    for (mailbox, messages) in mail::list_unread(&view.stores.town) {
        let Ok(agent) = layout.parse_address(&mailbox) else {
            continue;
        };
        let entry = by_agent
            .entry(agent.mailbox())
            .or_insert_with(|| (agent, Vec::new()));
        entry.1.extend(messages);
    }
    by_agent
}

/// Returns true for a message that a notice is typed for. A handoff is in the context of the
/// session already, and a message of low priority waits for the next turn.
fn is_notice(message: &MailMessage) -> bool {
    message.kind != handoff::KIND && message.priority != "low"
}

/// Returns the runtime that was requested with an agent's work.
fn requested_runtime<'a>(view: &'a TownView, agent: &Address) -> Option<&'a str> {
    let Address::Polecat(rig, name) = agent else {
        return None;
    };
    view.find_polecat(rig, name).ok()?.slot.agent.as_deref()
}

/// Judges a program by its own report or by its screen. A program at its usage limit takes no
/// notice. `wanted` is the runtime that was requested with the work.
fn read_input_state(
    town: &LiveTown,
    agent: &Address,
    live: &LiveSession,
    wanted: Option<&str>,
) -> InputState {
    let pulse = SessionPulse::load(&town.layout, &live.name, &live.token);
    if pulse.dialog.is_some() || pulse.refusal.is_some() {
        return InputState::Busy;
    }
    if pulse.turn_ended.is_some() {
        return InputState::Idle;
    }
    let reported = if pulse.idle.is_some() {
        InputState::Idle
    } else {
        InputState::Unknown
    };
    let rig = agent.rig().map(|rig| town.rig(rig));
    let Ok(runtime) = runtime::resolve_runtime(town, rig.as_ref(), agent, wanted) else {
        return reported;
    };
    let preset = &runtime.preset;
    if preset.ready_prompt_prefix.is_empty() {
        return reported;
    }
    // A session whose screen cannot be read is looked at again.
    let Ok(screen) = town.host.capture(&live.name, SCREEN_LINES) else {
        return InputState::Busy;
    };
    if progress::shows_usage_limit(&screen, preset) {
        return InputState::Paused;
    }
    let is_at_prompt = inspect_screen(&screen, preset) == ScreenState::AtPrompt;
    if reported == InputState::Idle || is_at_prompt {
        InputState::Idle
    } else {
        InputState::Busy
    }
}

/// G4: an idle agent with new mail gets a notice.
pub(super) fn decide(facts: &[MailFacts]) -> Vec<Decision> {
    facts
        .iter()
        .filter(|mailbox| mailbox.input == InputState::Idle)
        .map(|mailbox| Decision {
            rule: rule::G4_NOTIFY_MAIL,
            saw: format!(
                "{} is idle and has {}",
                mailbox.agent,
                kit::ui::counted(mailbox.new_messages, "new message")
            ),
            action: Action::NotifyMail {
                agent: mailbox.agent.clone(),
            },
        })
        .collect()
}

/// Returns the time until the next look at a busy agent.
pub(super) fn due(facts: &[MailFacts]) -> Option<SignedDuration> {
    facts
        .iter()
        .any(|mailbox| mailbox.input == InputState::Busy)
        .then_some(BUSY_INTERVAL)
}

/// Types a notice of new mail. Recorded first, so that a notice that cannot be recorded is not
/// repeated, and taken back if the session did not get it.
pub(super) fn notify_agent(town: &LiveTown, agent: &str) -> anyhow::Result<Option<String>> {
    let view = TownView::read(town)?;
    let is_due = facts(town, &view)
        .iter()
        .any(|mailbox| mailbox.agent == agent && mailbox.input == InputState::Idle);
    let agent = town.parse_address(agent)?;
    let Some(live) = view.session_of(&agent).filter(|_| is_due) else {
        return Ok(None);
    };
    let mailbox = agent.mailbox();
    let mut unread = mail::list_inbox(&view.stores.town, &mailbox);
    unread.retain(|message| !message.read);
    let layout = &town.layout;
    let token = &live.token;
    let news = mail::take_new_messages(layout, &mailbox, token, &unread, is_notice)?;
    if news.is_empty() {
        return Ok(None);
    }
    nudge::nudge_agent(town, &agent, &build_notice(&news))
        .inspect_err(|_| mail::forget_notices(layout, &mailbox, token, &news))?;
    let count = kit::ui::counted(news.len(), "new message");
    Ok(Some(format!("notified of {count}")))
}

/// Builds a notice of one line.
fn build_notice(news: &[&MailMessage]) -> String {
    let named: Vec<String> = news
        .iter()
        .take(NAMED_MESSAGES)
        .map(|message| message.describe())
        .collect();
    let rest = news.len().saturating_sub(NAMED_MESSAGES);
    let more = if rest > 0 {
        format!("; and {rest} more (gt mail inbox)")
    } else {
        String::new()
    };
    format!("New mail (gt mail read <id>): {}{more}", named.join("; "))
}

/// A mailbox with a call on its agent that was not read in time.
#[derive(Debug, Clone)]
pub(super) struct UnheardCalls {
    pub agent: Address,
    /// The oldest call.
    pub oldest: MailMessage,
    /// The number of calls.
    pub calls: usize,
    /// The time from which the user gets a message.
    pub due: Timestamp,
}

/// Returns the mailboxes of agents with unread calls. Escalations and items for the user are
/// reported by rules of their own.
pub(super) fn unheard_calls(layout: &TownLayout, view: &TownView) -> Vec<UnheardCalls> {
    let limit = view.settings.for_rig(None).duration("patrol.mail.unread");
    list_unread_by_agent(layout, view)
        .into_values()
        .filter_map(|(agent, messages)| {
            let calls: Vec<MailMessage> = messages
                .into_iter()
                .filter(|message| message.is_call() && !is_reported_otherwise(message))
                .collect();
            let oldest = calls.last()?.clone();
            let sent: Timestamp = oldest.timestamp.parse().ok()?;
            Some(UnheardCalls {
                agent,
                calls: calls.len(),
                due: sent.checked_add(limit).ok()?,
                oldest,
            })
        })
        .collect()
}

fn is_reported_otherwise(message: &MailMessage) -> bool {
    let thread = message.thread_id.as_deref().unwrap_or("");
    message.kind == handoff::KIND
        || thread.starts_with("attention-")
        || thread.starts_with("escalation-")
}
