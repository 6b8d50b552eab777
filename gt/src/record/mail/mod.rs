//! Mail: messages are beads of the town, so that they last, can be read by anyone, and are never lost.
//!
//! A message that belongs to an operation gets an id hashed from operation and recipient: written twice,
//! it is one message.

mod delivered;
mod inbox;

pub use delivered::take_new_messages;
pub use inbox::{
    MailMessage, MailRemoval, count_unread, find_message, find_messages, list_inbox,
    list_with_archived, mark_read, mark_unread, remove_messages,
};

use bd::bead::hash::compute_short_hash;
use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Kind};
use bd::store::{Snapshot, Tx};

use crate::town::Town;
use crate::town::event::event;

/// A message to be written.
#[derive(Debug, Clone, Default)]
pub struct NewMessage {
    /// The recipient's mailbox.
    pub to: String,
    /// The sender's mailbox.
    pub from: String,
    /// What it is about.
    pub subject: String,
    /// The text.
    pub body: String,
    /// 0 urgent, 1 high, 2 normal, 3 low; `None` is normal.
    pub priority: Option<i64>,
    /// `notification`, `task`, `scavenge` or `reply`; empty is `notification`.
    pub kind: String,
    /// The message that this one answers.
    pub reply_to: Option<String>,
    /// The thread it belongs to; a new one where none is given.
    pub thread: Option<String>,
    /// Whether it goes into git with the town's beads. Most mail does not.
    pub permanent: bool,
    /// The operation that it is part of, if any.
    pub operation: Option<String>,
}

/// Why a message is refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MailError {
    /// It has no subject.
    #[error("a message needs a subject (-s)")]
    NoSubject,
    /// It has no text.
    #[error("a reply needs a text: gt mail reply ID \"<text>\"")]
    NoText,
    /// There is no such message.
    #[error("message `{id}` not found in this town")]
    Unknown {
        /// What was asked for.
        id: String,
    },
}

/// Sends a message from whoever acts; returns its id.
pub fn send_message(town: &Town, message: &NewMessage) -> anyhow::Result<String> {
    anyhow::ensure!(!message.subject.trim().is_empty(), MailError::NoSubject);
    let store = town.open_town_store()?;
    let thread = match (&message.thread, &message.reply_to) {
        (None, Some(original)) => thread_of_message(&store.snapshot()?, original),
        (thread, _) => thread.clone(),
    };
    let message = NewMessage {
        from: if message.from.is_empty() {
            town.actor.mailbox()
        } else {
            message.from.clone()
        },
        thread: thread.or_else(|| Some(format!("thread-{}", town.random.hex(12)))),
        operation: message
            .operation
            .clone()
            .or_else(|| Some(format!("send:{}:{}", town.clock.now(), town.random.hex(8)))),
        ..message.clone()
    };
    let id = town.transact(&store, |tx| write_message(tx, &message))?;
    town.record_event(&event!(Mail, to: message.to, subject: message.subject, id: id));
    Ok(id)
}

/// The thread of a message; none if it cannot be read.
fn thread_of_message(town: &Snapshot, id: &str) -> Option<String> {
    let labels = &town.get_live(id)?.labels;
    let thread = labels
        .iter()
        .find_map(|label| label.strip_prefix("thread:"));
    thread.map(str::to_owned)
}

/// Answers a message: to its sender, in its thread, and the message counts as read. One of our own goes to its recipient
/// once more.
pub fn send_reply(
    town: &Town,
    to: &MailMessage,
    subject: Option<&str>,
    body: &str,
) -> anyhow::Result<(String, NewMessage)> {
    let own = town.actor.mailbox();
    let other = if to.from == own { &to.to } else { &to.from };
    let address = town.parse_address(other)?;
    if let Some(rig) = address.rig() {
        town.find_rig(rig)?;
    }
    anyhow::ensure!(!body.trim().is_empty(), MailError::NoText);
    let again = match to.subject.get(..3) {
        Some(start) if start.eq_ignore_ascii_case("re:") => to.subject.clone(),
        _ => format!("Re: {}", to.subject),
    };
    let message = NewMessage {
        to: address.mailbox(),
        subject: subject.map_or(again, str::to_owned),
        body: body.to_owned(),
        kind: "reply".to_owned(),
        reply_to: Some(to.id.clone()),
        permanent: !to.wisp,
        ..NewMessage::default()
    };
    let id = send_message(town, &message)?;
    if !to.read && to.to == own {
        mark_read(town, std::slice::from_ref(&to.id))?;
    }
    Ok((id, message))
}

/// Writes a message as part of a transaction of the town's store; one that is there already stays as it
/// is.
pub fn write_message(tx: &mut Tx, message: &NewMessage) -> anyhow::Result<String> {
    let operation = message.operation.as_deref().unwrap_or_default();
    let id = hash_message_id(operation, &message.to);
    if tx.get(&id).is_some() {
        return Ok(id);
    }
    let now = tx.now();
    let mut labels = vec!["gt:message".to_owned(), format!("from:{}", message.from)];
    labels.extend(
        message
            .thread
            .iter()
            .map(|thread| format!("thread:{thread}")),
    );
    labels.extend(
        message
            .reply_to
            .iter()
            .map(|reply| format!("reply-to:{reply}")),
    );
    if !message.kind.is_empty() {
        labels.push(format!("msg-type:{}", message.kind));
    }
    labels.sort();
    tx.put(Bead {
        id: id.clone(),
        title: fit_to_title(&message.subject),
        description: message.body.clone(),
        issue_type: Kind::Message,
        priority: message.priority.unwrap_or(2),
        assignee: message.to.clone(),
        sender: message.from.clone(),
        ephemeral: !message.permanent,
        labels,
        created_at: now.clone(),
        updated_at: now,
        created_by: message.from.clone(),
        ..Bead::default()
    })?;
    Ok(id)
}

/// `hq-wisp-` and twelve hexadecimal digits of operation and recipient.
pub(crate) fn hash_message_id(operation: &str, to: &str) -> String {
    let digest = compute_short_hash(format!("{operation}\0{to}"), 6);
    format!("hq-wisp-{digest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_operation_and_recipient_make_one_id() {
        assert_eq!(
            hash_message_id("landing:x:1", "mayor/"),
            hash_message_id("landing:x:1", "mayor/")
        );
        assert_ne!(
            hash_message_id("landing:x:1", "mayor/"),
            hash_message_id("landing:x:2", "mayor/")
        );
        assert_ne!(
            hash_message_id("landing:x:1", "mayor/"),
            hash_message_id("landing:x:1", "deacon/")
        );
    }
}
