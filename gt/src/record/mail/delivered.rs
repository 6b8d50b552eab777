//! Records the messages that a session was notified of, so that each enters it once.
//!
//! Kept for the last sessions of each mailbox, in `.runtime/told/`. The hooks of a session and the
//! patrol, which types notices into it, share the record. Those that run at the same time wait for
//! each other, so that only one of them notifies. If the file is lost, a notification is repeated.
//! The recipient acknowledges a message by reading it.

use std::path::Path;
use std::time::Duration;

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::MailMessage;
use crate::town::lock::Lock;
use crate::town::process;
use crate::town::{Town, TownLayout};

/// The number of sessions of a mailbox that are remembered.
const MAX_SESSIONS: usize = 8;
/// The number of last messages of a session that are remembered.
const MAX_MESSAGES: usize = 500;
/// The time that a hook waits for another one.
const WAIT: Duration = Duration::from_secs(2);

#[derive(Debug, Default, Serialize, Deserialize)]
struct DeliveredMail {
    #[serde(flatten)]
    latest: SessionMail,
    /// The sessions before, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    earlier: Vec<SessionMail>,
}

/// The messages that one session was notified of.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct SessionMail {
    session: String,
    ids: Vec<String>,
}

/// Returns the session that this process notifies: the session of the town above it, which the
/// patrol knows, too. Outside the town, the session that an agent program names.
pub fn notified_session(town: &Town, program_session: &str) -> String {
    let token = town.env.get(process::TOKEN).unwrap_or_default();
    let session = if token.is_empty() {
        program_session
    } else {
        token
    };
    session.to_owned()
}

/// Returns the messages that this session was not notified of. Without a session all are new.
pub fn find_new_messages<'a>(
    layout: &TownLayout,
    mailbox: &str,
    session: &str,
    messages: &'a [MailMessage],
) -> Vec<&'a MailMessage> {
    let sessions = read_sessions(&layout.delivered_mail(mailbox));
    select_new_messages(&sessions, session, messages)
}

/// Returns the messages that this session was not notified of, and records the notification.
/// Without a session all are new.
pub fn take_new_messages<'a>(
    layout: &TownLayout,
    mailbox: &str,
    session: &str,
    messages: &'a [MailMessage],
) -> Vec<&'a MailMessage> {
    if session.is_empty() || messages.is_empty() {
        return messages.iter().collect();
    }
    let path = layout.delivered_mail(mailbox);
    // Without the lock a notification may be repeated, which is better than none.
    let _lock = Lock::take(&layout.state_lock(&path), WAIT).ok();
    let sessions = read_sessions(&path);
    let news = select_new_messages(&sessions, session, messages);
    if !news.is_empty() {
        let ids = news.iter().map(|message| message.id.clone());
        add_notices(&path, sessions, session, ids);
    }
    news
}

/// Records that a session was notified of a message.
pub fn record_notice(layout: &TownLayout, mailbox: &str, session: &str, id: &str) {
    let path = layout.delivered_mail(mailbox);
    // Without the lock a notification may be repeated, which is better than none.
    let _lock = Lock::take(&layout.state_lock(&path), WAIT).ok();
    let sessions = read_sessions(&path);
    add_notices(&path, sessions, session, std::iter::once(id.to_owned()));
}

/// Adds the messages that a session was notified of. A failed record only repeats the notification.
fn add_notices(
    path: &Path,
    mut sessions: Vec<SessionMail>,
    session: &str,
    ids: impl Iterator<Item = String>,
) {
    let mut latest = sessions
        .iter()
        .find(|notified| notified.session == session)
        .cloned()
        .unwrap_or_else(|| SessionMail {
            session: session.to_owned(),
            ids: Vec::new(),
        });
    latest.ids.extend(ids);
    let surplus = latest.ids.len().saturating_sub(MAX_MESSAGES);
    latest.ids.drain(..surplus);
    sessions.retain(|notified| notified.session != session && !notified.session.is_empty());
    sessions.truncate(MAX_SESSIONS - 1);
    let delivered = DeliveredMail {
        latest,
        earlier: sessions,
    };
    let folder = path
        .parent()
        .map_or(Ok(()), |folder| file::create_folder(folder, 0o700));
    let text = serde_json::to_vec(&delivered).unwrap_or_default();
    folder
        .and_then(|()| file::replace_file_relaxed(path, &text, 0o600))
        .ok();
}

/// Reads the sessions of a mailbox, newest first. Empty for an unreadable file.
fn read_sessions(path: &Path) -> Vec<SessionMail> {
    let read = file::read_file_if_exists(path).ok().flatten();
    let delivered: DeliveredMail = read
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let mut sessions = vec![delivered.latest];
    sessions.extend(delivered.earlier);
    sessions
}

fn select_new_messages<'a>(
    sessions: &[SessionMail],
    session: &str,
    messages: &'a [MailMessage],
) -> Vec<&'a MailMessage> {
    let notified = sessions
        .iter()
        .find(|notified| !session.is_empty() && notified.session == session);
    messages
        .iter()
        .filter(|message| notified.is_none_or(|notified| !notified.ids.contains(&message.id)))
        .collect()
}
