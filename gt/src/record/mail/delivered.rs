//! Which messages a session was told of already: each enters it once.
//!
//! Kept for the last session of each mailbox, in `.runtime/told/`. Lost, or written by two at once, a message
//! is told of once more.

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::MailMessage;
use crate::town::Town;

#[derive(Debug, Default, Serialize, Deserialize)]
struct DeliveredMail {
    session: String,
    ids: Vec<String>,
}

/// Of these messages, those that this session was not told of; from now on it was. Without a session all are
/// new.
pub fn take_new_messages<'a>(
    town: &Town,
    mailbox: &str,
    session: &str,
    messages: &'a [MailMessage],
) -> Vec<&'a MailMessage> {
    if session.is_empty() {
        return messages.iter().collect();
    }
    let path = town.layout.delivered_mail(mailbox);
    let read = file::read_file_if_exists(&path).ok().flatten();
    let told: DeliveredMail = read
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .filter(|told: &DeliveredMail| told.session == session)
        .unwrap_or_default();
    let news: Vec<&MailMessage> = messages
        .iter()
        .filter(|message| !told.ids.contains(&message.id))
        .collect();
    if !news.is_empty() {
        // Those that were read or removed need not be remembered.
        let told = DeliveredMail {
            session: session.to_owned(),
            ids: messages.iter().map(|message| message.id.clone()).collect(),
        };
        let folder = path
            .parent()
            .map_or(Ok(()), |folder| file::create_folder(folder, 0o700));
        let text = serde_json::to_vec(&told).unwrap_or_default();
        // Where it cannot be remembered they are told again.
        folder
            .and_then(|()| file::replace_file_relaxed(&path, &text, 0o600))
            .ok();
    }
    news
}
