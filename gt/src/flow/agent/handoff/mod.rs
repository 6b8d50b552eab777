//! Hands an agent's work over to a fresh session of the same agent.
//!
//! Steps: the message for the successor becomes a note to the agent itself. A separate process ends
//! the old session and starts the next one, because the caller usually runs inside the old session.
//! The successor's context includes the note once. Hook, branch and sandbox stay unchanged, and a
//! worker's uncommitted work is saved to a hidden ref. If a process dies in between, the note
//! waits, and the patrol restarts a polecat without a session. Any other agent is restarted by a
//! user.

mod collect;

use bd::bead::Bead;
use jiff::Timestamp;
use kit::sys::{ChildCommand, file};
use serde::Serialize;

pub use collect::collect_state;

use crate::flow::agent::down;
use crate::flow::agent::session::start;
use crate::host::daemon::is_foreign;
use crate::host::{LiveSession, LiveTown};
use crate::record::mail::protocol::ProtocolMessage;
use crate::record::mail::{self, NewMessage};
use crate::record::scheduler::check_worker_start;
use crate::record::start_limit;
use crate::town::Town;
use crate::town::config::SettingsLayers;
use crate::town::event::{Event, SessionHandoff};
use crate::town::identity::Address;

/// The variable with the token of the session to replace, for the process that replaces it.
const HANDOFF_VARIABLE: &str = "GT_HANDOFF_OF";

/// The message type of a handoff note.
pub const KIND: &str = "handoff";

#[derive(Debug, Clone, Default)]
pub struct HandoffRequest {
    /// The subject of the note. May be empty.
    pub subject: String,
    /// The message for the successor. Empty for no note.
    pub message: String,
}

/// The result of a handoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandoffReport {
    pub agent: String,
    pub session: String,
    /// The id of the note to the successor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum HandoffError {
    /// The agent has no session.
    #[error("{agent} has no session: nothing to hand over")]
    NoSession { agent: String },
    /// A worker without work is not restarted.
    #[error("nothing is on the hook of {agent}: end the session instead")]
    NoWork { agent: String },
    /// The worker hands over again and again without any work.
    #[error(
        "{agent} was started again {count} times without a commit or a changed file: it goes on in its session"
    )]
    NoProgress { agent: String, count: usize },
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// Writes the note and replaces the session.
pub fn hand_off(
    town: &LiveTown,
    agent: &Address,
    request: &HandoffRequest,
) -> Result<HandoffReport, HandoffError> {
    let session = start::start_session_name(agent)?;
    let live = town
        .host
        .find_session(session.as_str())
        .map_err(anyhow::Error::from)?;
    let Some(live) = live.filter(|live| live.dead.is_none()) else {
        let agent = agent.to_string();
        return Err(HandoffError::NoSession { agent });
    };
    if matches!(agent, Address::Polecat(..))
        && crate::record::hook::find_hooked_bead(town, agent).is_err()
    {
        let agent = agent.to_string();
        return Err(HandoffError::NoWork { agent });
    }
    check_limits(town, agent)?;
    Ok(replace_session(town, agent, request, &live)?)
}

/// Refuses a handoff of an agent that hands over again and again, and in a town that starts too
/// many sessions. Checked before the note is written.
fn check_limits(town: &LiveTown, agent: &Address) -> Result<(), HandoffError> {
    check_town_runs(town)?;
    let layout = &town.layout;
    let now = town.clock.now();
    let settings = SettingsLayers::load(town, None).map_err(anyhow::Error::from)?;
    let limit = start::starts_per_minute(&settings);
    let Address::Polecat(rig, name) = agent else {
        return Ok(start_limit::check_handoff(layout, agent, now, limit)?);
    };
    let rig = town.find_rig(rig)?;
    check_worker_start(&rig, name)?;
    if let Some(count) = start::has_used_up_restarts(town, &rig, name)? {
        let agent = agent.to_string();
        return Err(HandoffError::NoProgress { agent, count });
    }
    Ok(start_limit::check_starts(layout, now, limit)?)
}

/// Fails in a process of a session that `gt down` ends or has ended.
fn check_town_runs(town: &Town) -> anyhow::Result<()> {
    let started = town.env.get(start::STARTED).and_then(|at| at.parse().ok());
    let halted = down::last_halt(&town.layout);
    let is_stopped = started
        .zip(halted)
        .is_some_and(|(started, halted): (Timestamp, _)| halted >= started);
    anyhow::ensure!(
        !is_stopped,
        "the town was stopped: the next session starts with `gt up`"
    );
    Ok(())
}

fn replace_session(
    town: &Town,
    agent: &Address,
    request: &HandoffRequest,
    live: &LiveSession,
) -> anyhow::Result<HandoffReport> {
    let message = if request.message.trim().is_empty() && request.subject.is_empty() {
        None
    } else {
        // Written first, because the session that writes the note must not read it.
        let path = town.layout.ending_session(&agent.mailbox());
        if let Some(folder) = path.parent() {
            file::create_folder(folder, 0o700)?;
        }
        file::replace_file_relaxed(&path, live.token.as_bytes(), 0o600)?;
        Some(mail::send_message(
            town,
            &build_handoff_note(agent, request),
        )?)
    };
    town.record_event(&Event::Handoff(SessionHandoff {
        to_session: true,
        agent: Some(agent.to_string()),
        subject: request.subject.clone(),
        message: message.clone(),
    }));
    spawn_renewal(town, agent, &live.token)?;
    Ok(HandoffReport {
        agent: agent.to_string(),
        session: live.name.clone(),
        message,
    })
}

fn build_handoff_note(agent: &Address, request: &HandoffRequest) -> NewMessage {
    let about = match request.subject.trim() {
        "" => "context of the last session",
        subject => subject,
    };
    NewMessage {
        to: agent.mailbox(),
        subject: ProtocolMessage::Handoff {
            topic: about.to_owned(),
            text: String::new(),
        }
        .subject(),
        body: request.message.clone(),
        kind: KIND.to_owned(),
        ..NewMessage::default()
    }
}

/// Returns the notes that no successor has read, oldest first.
pub fn unread_notes(messages: &[mail::MailMessage]) -> Vec<&mail::MailMessage> {
    let mut found: Vec<_> = messages
        .iter()
        .filter(|message| is_handoff_note(message) && !message.read)
        .collect();
    found.reverse();
    found
}

/// Marks the unread notes of a polecat as read, because they are about work that it no longer has.
pub fn withdraw_notes(town: &Town, agent: &Address) -> anyhow::Result<()> {
    let messages = mail::list_inbox(&town.open_town_store()?.snapshot()?, &agent.mailbox());
    let old: Vec<String> = unread_notes(&messages)
        .iter()
        .map(|message| message.id.clone())
        .collect();
    if old.is_empty() {
        return Ok(());
    }
    mail::mark_outdated(town, &old)
}

/// Returns true if this process belongs to a session that hands over and has not ended yet. The
/// note is for the next session.
pub fn is_in_ending_session(town: &Town, agent: &Address) -> bool {
    let own_token = town.env.get(crate::town::process::TOKEN);
    let ending = file::read_file_if_exists(&town.layout.ending_session(&agent.mailbox()))
        .ok()
        .flatten();
    own_token
        .zip(ending)
        .is_some_and(|(own_token, ending)| own_token.as_bytes() == ending)
}

pub fn is_handoff_note(message: &mail::MailMessage) -> bool {
    message.kind == KIND
}

/// Replaces a session from a process outside of it.
fn spawn_renewal(town: &Town, agent: &Address, token: &str) -> anyhow::Result<()> {
    let log_path = town.layout.runtime().join("handoff.log");
    if let Some(folder) = log_path.parent() {
        file::create_folder(folder, 0o700)?;
    }
    let log = file::open_append(&log_path, 0o600)?;
    let run = ChildCommand::new(&town.exe)
        .args(["session-restart", &agent.to_string()])
        .cwd(town.layout.root())
        .env_clear();
    town.env
        .vars()
        .filter(|(name, _)| !is_foreign(name))
        .fold(run, |run, (name, value)| run.env(name, value))
        .env(HANDOFF_VARIABLE, token)
        .spawn_detached(&log)?;
    Ok(())
}

/// Ends the session of an agent and starts the next one. Returns its name. Only the session that
/// hands over is ended.
pub fn renew_session(town: &LiveTown, agent: &Address) -> anyhow::Result<String> {
    check_town_runs(town)?;
    let token = town.env.get(HANDOFF_VARIABLE).unwrap_or("");
    if let Address::Polecat(rig, name) = agent {
        let why = start::RestartCause::HandedOver(token);
        let started = start::restart_session(town, &town.find_rig(rig)?, name, why)?;
        return started.ok_or_else(|| {
            HandoffError::NoWork {
                agent: agent.to_string(),
            }
            .into()
        });
    }
    let session = start::start_session_name(agent)?;
    let settings = SettingsLayers::load(town, None)?;
    let limit = start::starts_per_minute(&settings);
    start_limit::record_start(&town.layout, agent, town.clock.now(), limit)?;
    start::check_session_token(town.host.find_session(session.as_str())?.as_ref(), token)?;
    let mut saved = Ok(true);
    if let Address::Crew(rig, name) = agent {
        saved = crate::flow::place::crew::stop_member(town, &town.find_rig(rig)?, name);
    } else {
        town.host.kill(start::start_session_name(agent)?.as_str())?;
    }
    // The next session starts even if the save failed. The error is reported afterwards.
    let live = start::start_agent_session(town, agent, start::SessionChoice::default())?;
    saved?;
    Ok(live.name)
}

/// Describes a bead in one line.
fn describe_bead(bead: &Bead) -> String {
    format!(
        "{} \"{}\" ({})",
        bead.id,
        kit::ui::escape::escape_line(&bead.title),
        bead.status
    )
}
