//! Records the messages that a session was notified of, so that each enters it once.
//!
//! Kept for the last session of each mailbox, in `.runtime/told/`. If the file is lost, or two
//! processes write it at once, a notification is repeated.

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::MailMessage;
use crate::town::TownLayout;

#[derive(Debug, Default, Serialize, Deserialize)]
struct DeliveredMail {
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
    if session.is_empty() {
        return messages.iter().collect();
    }
    let path = layout.delivered_mail(mailbox);
    let read = file::read_file_if_exists(&path).ok().flatten();
    let delivered: DeliveredMail = read
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .filter(|delivered: &DeliveredMail| delivered.session == session)
        .unwrap_or_default();
    let news: Vec<&MailMessage> = messages
        .iter()
        .filter(|message| !delivered.ids.contains(&message.id))
        .collect();
    if !news.is_empty() {
        // Messages that were read or removed need no record.
        let delivered = DeliveredMail {
            session: session.to_owned(),
            ids: messages.iter().map(|message| message.id.clone()).collect(),
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
