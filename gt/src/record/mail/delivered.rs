//! Records the messages that a session was notified of, so that each enters it once.
//!
//! Kept for the last sessions of each mailbox, in `.runtime/told/`. Hooks of one session that run
//! at the same time wait for each other, so that only one of them notifies. If the file is lost, a
//! notification is repeated. The recipient acknowledges a message by reading it.

use std::time::Duration;

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::MailMessage;
use crate::town::TownLayout;
use crate::town::lock::Lock;

/// The number of sessions of a mailbox that are remembered.
const SESSIONS: usize = 8;
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
#[derive(Debug, Default, Serialize, Deserialize)]
struct SessionMail {
    session: String,
    ids: Vec<String>,
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
    let read = file::read_file_if_exists(&path).ok().flatten();
    let delivered: DeliveredMail = read
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let mut sessions = vec![delivered.latest];
    sessions.extend(delivered.earlier);
    let known = sessions.iter().find(|known| known.session == session);
    let is_new =
        |message: &&MailMessage| known.is_none_or(|known| !known.ids.contains(&message.id));
    let news: Vec<&MailMessage> = messages.iter().filter(is_new).collect();
    if !news.is_empty() {
        sessions.retain(|known| known.session != session && !known.session.is_empty());
        sessions.truncate(SESSIONS - 1);
        let delivered = DeliveredMail {
            // Messages that were read or removed need no record.
            latest: SessionMail {
                session: session.to_owned(),
                ids: messages.iter().map(|message| message.id.clone()).collect(),
            },
            earlier: sessions,
        };
        let folder = path
            .parent()
            .map_or(Ok(()), |folder| file::create_folder(folder, 0o700));
        let text = serde_json::to_vec(&delivered).unwrap_or_default();
        // A failed record only repeats the notification.
        folder
            .and_then(|()| file::replace_file_relaxed(&path, &text, 0o600))
            .ok();
    }
    news
}
