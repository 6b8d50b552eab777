//! Handing an agent's work over to a fresh session of the same agent.
//!
//! Steps: what the successor should know becomes a note to the agent itself; the old session is ended and the
//! next one started by a process of its own, since the one who asks for this usually is in the old one; the
//! successor's context has the note once. Hook, branch and sandbox stay as they are, and what a worker has not
//! committed is saved to a hidden ref. A process that dies in between leaves a polecat without a session, which
//! the patrol restarts, or another agent without one, which a person does; the note waits.

mod collect;

use bd::bead::Bead;
use kit::sys::{ChildCommand, file};
use serde::Serialize;

pub use collect::collect_state;

use crate::flow::session::start;
use crate::host::LiveTown;
use crate::host::daemon::is_foreign;
use crate::record::mail::{self, NewMessage};
use crate::town::event::{Event, SessionHandoff};
use crate::town::identity::Address;

/// What the subject of such a note begins with.
pub const SUBJECT: &str = "🤝 HANDOFF";

/// The variable that names the session which hands over, for the process that renews it.
const TOKEN: &str = "GT_HANDOFF_OF";

/// The kind of such a note.
pub const KIND: &str = "handoff";

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct HandoffRequest {
    /// What the note is about; empty for nothing special.
    pub subject: String,
    /// What the successor should know; empty for no note.
    pub message: String,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandoffReport {
    /// Whose session is renewed.
    pub agent: String,
    /// The session.
    pub session: String,
    /// The note to the successor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Why nothing is handed over.
#[derive(Debug, thiserror::Error)]
pub enum HandoffError {
    /// There is nothing to end.
    #[error("{agent} has no session: nothing to hand over")]
    NoSession {
        /// The agent.
        agent: String,
    },
    /// A worker without work ends, it is not renewed.
    #[error("nothing is on the hook of {agent}: end the session instead")]
    NoWork {
        /// The agent.
        agent: String,
    },
}

/// Writes the note and replaces the session.
pub fn hand_off(
    town: &LiveTown,
    agent: &Address,
    request: &HandoffRequest,
) -> anyhow::Result<HandoffReport> {
    let session = start::start_session_name(agent)?;
    let name = || agent.to_string();
    let live = town.host.find(session.as_str())?;
    let Some(live) = live.filter(|live| live.dead.is_none()) else {
        anyhow::bail!(HandoffError::NoSession { agent: name() });
    };
    if matches!(agent, Address::Polecat(..)) {
        let hook = crate::record::hook::find_hooked_bead(town, agent);
        anyhow::ensure!(hook.is_ok(), HandoffError::NoWork { agent: name() });
    }
    let message = if request.message.trim().is_empty() && request.subject.is_empty() {
        None
    } else {
        // First: the note must not be had by the session that writes it.
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
        agent: Some(name()),
        subject: request.subject.clone(),
        message: message.clone(),
    }));
    spawn_renewal(town, agent, &live.token)?;
    Ok(HandoffReport {
        agent: name(),
        session: session.to_string(),
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
        subject: format!("{SUBJECT}: {about}"),
        body: request.message.clone(),
        kind: KIND.to_owned(),
        ..NewMessage::default()
    }
}

/// The notes that no successor has had yet, oldest first.
pub fn unread_notes(messages: &[mail::MailMessage]) -> Vec<&mail::MailMessage> {
    let mut found: Vec<_> = messages
        .iter()
        .filter(|message| is_handoff_note(message) && !message.read)
        .collect();
    found.reverse();
    found
}

/// Takes back the notes that a polecat has not had: they are of work that it has no more.
pub fn withdraw_notes(town: &LiveTown, agent: &Address) -> anyhow::Result<()> {
    let messages = mail::list_inbox(&town.open_town_store()?.snapshot()?, &agent.mailbox());
    let old: Vec<String> = unread_notes(&messages)
        .iter()
        .map(|message| message.id.clone())
        .collect();
    if old.is_empty() {
        return Ok(());
    }
    mail::mark_read(town, &old)
}

/// Whether this process belongs to a session of the agent that hands over and has not ended yet: the note is
/// for the next one.
pub fn is_in_ending_session(town: &LiveTown, agent: &Address) -> bool {
    let own = town.env.get(crate::town::process::TOKEN);
    let ending = file::read_file_if_exists(&town.layout.ending_session(&agent.mailbox()))
        .ok()
        .flatten();
    own.zip(ending)
        .is_some_and(|(own, ending)| own.as_bytes() == ending)
}

/// Whether a message is a handoff note.
pub fn is_handoff_note(message: &mail::MailMessage) -> bool {
    message.kind == KIND
}

/// Renews a session from a process that is no part of it.
fn spawn_renewal(town: &LiveTown, agent: &Address, token: &str) -> anyhow::Result<()> {
    let log_path = town.layout.runtime().join("handoff.log");
    if let Some(folder) = log_path.parent() {
        file::create_folder(folder, 0o700)?;
    }
    let log = file::open_append(&log_path, 0o600)?;
    let run = ChildCommand::new(&town.exe)
        .args(["session-restart", &agent.to_string()])
        .cwd(town.layout.root())
        .env_clear();
    let own = town.env.vars().filter(|(name, _)| !is_foreign(name));
    own.fold(run, |run, (name, value)| run.env(name, value))
        .env(TOKEN, token)
        .spawn_detached(&log)?;
    Ok(())
}

/// Ends the session of an agent and starts the next one; returns its name. Only the session that hands over
/// is ended.
pub fn renew_session(town: &LiveTown, agent: &Address) -> anyhow::Result<String> {
    let token = town.env.get(TOKEN).unwrap_or_default();
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
    start::check_session_token(town.host.find(session.as_str())?.as_ref(), token)?;
    let mut saved = Ok(true);
    if let Address::Crew(rig, name) = agent {
        saved = crate::flow::crew::stop_member(town, &town.find_rig(rig)?, name);
    } else {
        town.host.kill(start::start_session_name(agent)?.as_str())?;
    }
    // The next session starts, whatever could not be saved; that is told.
    let live = start::start_agent_session(town, agent, "")?;
    saved?;
    Ok(live.name)
}

/// The work of an agent in a line.
fn describe_bead(bead: &Bead) -> String {
    format!(
        "{} \"{}\" ({})",
        bead.id,
        kit::ui::escape::escape_line(&bead.title),
        bead.status
    )
}
