//! `gt nudge`: a message typed into a session.

use std::time::Duration;

use kit::json::serialize_or_empty;
use kit::sys::clock;
use serde::Serialize;

use crate::host::{InputRules, LiveTown, SendResult, TYPED_PREFIX, runtime};
use crate::record::mail::{self, NewMessage};
use crate::record::notification_level::{NotificationLevel, load_level};
use crate::record::progress;
use crate::record::pulse::SessionPulse;
use crate::town::event::event;
use crate::town::identity::{Address, SessionName};

/// The time that a program gets to report that it has accepted a message.
const RECEIPT_WAIT: Duration = Duration::from_secs(3);

#[derive(Debug, Serialize)]
pub struct NudgeReport {
    pub agent: String,
    #[serde(serialize_with = "serialize_or_empty")]
    pub session: Option<String>,
    pub delivered: bool,
    pub how: &'static str,
    /// The id of the message that keeps the nudge for the agent's next turn, because the agent is
    /// muted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// Types a message into an agent's session for a user or another agent. A muted agent gets it as
/// mail, which its next turn shows.
pub fn nudge_unless_muted(
    town: &LiveTown,
    agent: &Address,
    message: &str,
) -> anyhow::Result<NudgeReport> {
    if load_level(town, agent) != NotificationLevel::Muted {
        return nudge_agent(town, agent, message);
    }
    let how = "is muted: the message is kept as mail for its next turn";
    queue_nudge(town, agent, message, how)
}

/// Keeps a message as mail, which the agent's next turn shows.
pub fn queue_nudge(
    town: &LiveTown,
    agent: &Address,
    message: &str,
    how: &'static str,
) -> anyhow::Result<NudgeReport> {
    let mail = NewMessage {
        to: agent.mailbox(),
        subject: message.lines().next().unwrap_or("").to_owned(),
        body: message.to_owned(),
        ..NewMessage::default()
    };
    Ok(NudgeReport {
        agent: agent.to_string(),
        session: SessionName::for_agent(agent).map(|session| session.to_string()),
        delivered: false,
        how,
        kept: Some(mail::send_message(town, &mail)?),
    })
}

/// Types a message into an agent's session and submits it. Fails if the session does not show the
/// submitted message.
pub fn nudge_agent(town: &LiveTown, agent: &Address, message: &str) -> anyhow::Result<NudgeReport> {
    nudge_with_input(town, agent, message, &runtime::input_rules_of(town, agent))
}

/// Waits a moment for the report of the program's hook that it has accepted a message.
fn is_accepted(is_reported: impl Fn() -> bool) -> bool {
    clock::wait_for(RECEIPT_WAIT, || is_reported().then_some(())).is_some()
}

/// Does the same for an agent whose program is known.
pub fn nudge_with_input(
    town: &LiveTown,
    agent: &Address,
    message: &str,
    input: &InputRules,
) -> anyhow::Result<NudgeReport> {
    let session = SessionName::for_agent(agent)
        .ok_or_else(|| anyhow::anyhow!("`{agent}` is a user: send mail instead"))?;
    let text = format!("{TYPED_PREFIX}{}] {}", town.actor, message);
    let live = town.host.find_session(session.as_str())?;
    let shown = live
        .as_ref()
        .and_then(|live| progress::last_output_at(&town.layout, live));
    let count_prompts = || {
        let live = live.as_ref()?;
        Some(SessionPulse::load(&town.layout, &live.name, &live.token).prompts)
    };
    let before = count_prompts();
    let (delivered, how) = match town.host.send(session.as_str(), &text, input)? {
        SendResult::Submitted => (true, "submitted"),
        // The screen of a busy program may still show a message that it has accepted.
        SendResult::Typed if is_accepted(|| count_prompts() > before) => (true, "submitted"),
        SendResult::Typed => (false, "typed, but it still stands in the input line"),
        SendResult::DialogOpen => (false, "not typed: a dialog is open"),
        SendResult::DraftInTheWay => (false, "not typed: a draft stands in the input line"),
    };
    SessionPulse::record_typed(town, session.as_str(), shown);
    let rig = agent.rig().map(str::to_owned);
    let target = agent.to_string();
    town.record_event(&event!(Nudge, rig: rig, target: target, reason: text, delivered: delivered));
    anyhow::ensure!(
        delivered,
        "{agent} did not get the message: {how} (gt peek {agent})"
    );
    Ok(NudgeReport {
        agent: agent.to_string(),
        session: Some(session.to_string()),
        delivered,
        how,
        kept: None,
    })
}
