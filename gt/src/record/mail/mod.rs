//! Mail: messages are beads of the town, so that they are durable and readable by everyone.
//!
//! The id of a message that belongs to an operation is a hash of operation and recipient, so that
//! writing it twice gives one message.

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

/// A message to write.
#[derive(Debug, Clone, Default)]
pub struct NewMessage {
    pub to: String,
    pub from: String,
    pub subject: String,
    pub body: String,
    /// 0 urgent, 1 high, 2 normal, 3 low. `None` is normal.
    pub priority: Option<i64>,
    /// `notification`, `task`, `scavenge` or `reply`. Empty is `notification`.
    pub kind: String,
    /// The id of the message that this one answers.
    pub reply_to: Option<String>,
    /// The thread. If `None`, a new one.
    pub thread: Option<String>,
    /// True if it is synced with the town's beads. Most mail is not.
    pub permanent: bool,
    /// The operation that it belongs to.
    pub operation: Option<String>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MailError {
    #[error("a message needs a subject (-s)")]
    NoSubject,
    #[error("a reply needs a text: gt mail reply ID \"<text>\"")]
    NoText,
    #[error("message `{id}` not found in this town")]
    Unknown { id: String },
}

/// Sends a message from the town's actor. Returns its id.
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

/// Returns the thread of a message. None if it is unreadable.
fn thread_of_message(town: &Snapshot, id: &str) -> Option<String> {
    let labels = &town.get_live(id)?.labels;
    let thread = labels
        .iter()
        .find_map(|label| label.strip_prefix("thread:"));
    thread.map(str::to_owned)
}

/// Answers a message in its thread and marks it as read. The answer goes to the sender. For a
/// message of the caller, it goes to the recipient again.
pub fn send_reply(
    town: &Town,
    to: &MailMessage,
    subject: Option<&str>,
    body: &str,
) -> anyhow::Result<(String, NewMessage)> {
    let own_mailbox = town.actor.mailbox();
    let other = if to.from == own_mailbox {
        &to.to
    } else {
        &to.from
    };
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
    if !to.read && to.to == own_mailbox {
        mark_read(town, std::slice::from_ref(&to.id))?;
    }
    Ok((id, message))
}

/// Writes a message in a transaction of the town's store. An existing message stays unchanged.
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

/// Returns `hq-wisp-` and twelve hexadecimal digits of the hash of operation and recipient.
pub(crate) fn hash_message_id(operation: &str, to: &str) -> String {
    let digest = compute_short_hash(format!("{operation}\0{to}"), 6);
    format!("hq-wisp-{digest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_operation_and_recipient_give_the_same_id() {
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
