//! Mail: messages are beads of the town, so that they are durable and readable by everyone.
//!
//! The id of a message that belongs to an operation is a hash of operation and recipient, so that
//! writing it twice gives one message.

pub mod channel;
mod delivered;
pub mod group;
mod inbox;
mod message;
mod named;
pub mod pattern;
pub mod protocol;
pub mod queue;

pub use delivered::{
    find_new_messages, forget_notices, notified_session, record_notice, take_new_messages,
};
pub use inbox::{
    MailSearch, count_unread, find_message, find_messages, has_unread, hook_message,
    list_correspondence, list_inbox, list_sent, list_thread, list_unread, list_with_archived,
    mark_outdated, mark_read, mark_unread, may_change, remove_handled_messages, remove_messages,
    search_mailbox,
};
pub use message::{MailMessage, MailRemoval, NAMED_MESSAGES, is_mail};
pub use named::{NamedError, NamedKind};

use bd::bead::hash::compute_short_hash;
use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Kind};
use bd::change;
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
    /// One of [`MAIL_KINDS`]. Empty is `notification`.
    pub kind: String,
    /// The id of the message that this one answers.
    pub reply_to: Option<String>,
    /// The mailboxes that get a copy.
    pub cc: Vec<String>,
    /// The address that the sender wrote, if it is not the mailbox: a group, or a role that no one
    /// plays.
    pub addressed_to: Option<String>,
    /// True if it stays in the mailbox when the mailbox is cleared.
    pub pinned: bool,
    /// True if the recipient need not be reminded of it.
    pub read: bool,
    /// The rule of the patrol that does what the message asks for. The message is then archived at
    /// once.
    pub handled_by: Option<&'static str>,
    /// The thread. If `None`, a new one.
    pub thread: Option<String>,
    /// True if it is synced with the town's beads. Most mail is not.
    pub permanent: bool,
    /// The operation that it belongs to.
    pub operation: Option<String>,
}

/// The beginning of the label with the address that the sender wrote.
const ADDRESSED_TO: &str = "addressed-to:";

/// The types of messages that agents and users send.
pub const MAIL_KINDS: [&str; 4] = ["notification", "task", "scavenge", "reply"];

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MailError {
    #[error("a message needs a subject (-s)")]
    NoSubject,
    #[error("a reply needs a text: gt mail reply ID \"<text>\"")]
    NoText,
    #[error("message `{id}` not found in this town")]
    Unknown { id: String },
    /// Only the recipient of a message and the overseer change its state.
    #[error(
        "message {id} is in the mailbox of {mailbox}, and only its recipient removes or marks it"
    )]
    OtherMailbox { id: String, mailbox: String },
}

/// Sends a message from the town's actor. Returns its id.
pub fn send_message(town: &Town, message: &NewMessage) -> anyhow::Result<String> {
    let ids = send_messages(town, std::slice::from_ref(message), |_| Ok(()))?;
    Ok(ids.concat())
}

/// Sends the copies of a message in one transaction, in one thread and as one operation, so that
/// each mailbox gets the message once. `also` changes the store in the same transaction. Returns
/// the ids.
pub fn send_messages(
    town: &Town,
    copies: &[NewMessage],
    also: impl FnOnce(&mut Tx) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<String>> {
    let Some(first) = copies.first() else {
        return Ok(Vec::new());
    };
    anyhow::ensure!(!first.subject.trim().is_empty(), MailError::NoSubject);
    let store = town.open_town_store()?;
    let thread = match (&first.thread, &first.reply_to) {
        (None, Some(original)) => thread_of_message(&store.snapshot()?, original),
        (thread, _) => thread.clone(),
    };
    let thread = thread.unwrap_or_else(|| format!("thread-{}", town.random.hex(12)));
    let operation = first
        .operation
        .clone()
        .unwrap_or_else(|| format!("send:{}:{}", town.clock.now(), town.random.hex(8)));
    let copies: Vec<NewMessage> = copies
        .iter()
        .map(|copy| NewMessage {
            from: if copy.from.is_empty() {
                town.actor.mailbox()
            } else {
                copy.from.clone()
            },
            thread: Some(thread.clone()),
            operation: Some(operation.clone()),
            ..copy.clone()
        })
        .collect();
    let ids = town.transact(&store, |tx| {
        let ids = copies.iter().map(|copy| write_message(tx, copy));
        let ids = ids.collect::<anyhow::Result<Vec<String>>>()?;
        also(tx)?;
        Ok(ids)
    })?;
    for (copy, id) in copies.iter().zip(&ids) {
        town.record_event(&event!(Mail, to: copy.to, subject: copy.subject, id: id));
    }
    Ok(ids)
}

/// Returns the thread of a message. None if it is unreadable.
fn thread_of_message(town: &Snapshot, id: &str) -> Option<String> {
    let labels = &town.get_live(id)?.labels;
    let thread = labels
        .iter()
        .find_map(|label| label.strip_prefix("thread:"));
    thread.map(str::to_owned)
}

/// Returns the subject of an answer or a forwarded message: the mark, such as `Re:`, stands before
/// it once.
pub fn mark_subject(mark: &str, subject: &str) -> String {
    match subject.get(..mark.len()) {
        Some(start) if start.eq_ignore_ascii_case(mark) => subject.to_owned(),
        _ => format!("{mark} {subject}"),
    }
}

/// Writes a message in a transaction of the town's store. An existing message stays unchanged.
pub fn write_message(tx: &mut Tx, message: &NewMessage) -> anyhow::Result<String> {
    let operation = message.operation.as_deref().unwrap_or("");
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
    labels.extend(
        message
            .addressed_to
            .iter()
            .map(|address| format!("{ADDRESSED_TO}{address}")),
    );
    if is_shared_mailbox(&message.to) {
        labels.push(message.to.clone());
    }
    if message.read {
        labels.push("read".to_owned());
    }
    labels.sort();
    let mut bead = Bead {
        id: id.clone(),
        title: fit_to_title(&message.subject),
        description: message.body.clone(),
        issue_type: Kind::Message,
        priority: message.priority.unwrap_or(2),
        assignee: message.to.clone(),
        sender: message.from.clone(),
        ephemeral: !message.permanent,
        pinned: message.pinned,
        labels,
        created_at: now.clone(),
        updated_at: now.clone(),
        created_by: message.from.clone(),
        ..Bead::default()
    };
    if !message.cc.is_empty() {
        bead.set_metadata("cc", &message.cc)?;
    }
    if let Some(rule) = message.handled_by {
        change::mark_closed(&mut bead, &format!("Handled by {rule}"), &now);
    }
    tx.put(bead)?;
    Ok(id)
}

/// Returns true for the mailbox of a queue, a channel or an announcement, which many agents read.
fn is_shared_mailbox(mailbox: &str) -> bool {
    let kinds = ["queue:", "channel:", "announce:"];
    kinds.iter().any(|kind| mailbox.starts_with(kind))
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
