//! Mail: messages are beads of the town, so that they last, can be read by anyone, and are never lost.
//!
//! A letter that belongs to an operation gets an id hashed from operation and recipient: written twice,
//! it is one letter.

mod delivered;
mod inbox;

pub use delivered::news;
pub use inbox::{Message, inbox, mark_read, read, unread};

use bd::bead::hash::short;
use bd::bead::validate::fit_title;
use bd::bead::{Bead, Kind};
use bd::store::Tx;

use crate::town::Town;
use crate::town::event::event;

/// A letter to be written.
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
    /// The letter that this one answers.
    pub reply_to: Option<String>,
    /// The thread it belongs to; a new one where none is given.
    pub thread: Option<String>,
    /// Whether it goes into git with the town's beads. Most mail does not.
    pub permanent: bool,
    /// The operation that it is part of, if any.
    pub operation: Option<String>,
}

/// Why a letter is refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MailError {
    /// It has no subject.
    #[error("a message needs a subject (-s)")]
    NoSubject,
    /// There is no such letter.
    #[error("message `{id}` not found in this town")]
    Unknown {
        /// What was asked for.
        id: String,
    },
}

/// Sends a letter from whoever acts; returns its id.
pub fn send(town: &Town, letter: &NewMessage) -> anyhow::Result<String> {
    anyhow::ensure!(!letter.subject.trim().is_empty(), MailError::NoSubject);
    let letter = NewMessage {
        from: if letter.from.is_empty() {
            town.actor.mailbox()
        } else {
            letter.from.clone()
        },
        thread: letter
            .thread
            .clone()
            .or_else(|| Some(format!("thread-{}", town.random.hex(12)))),
        operation: letter
            .operation
            .clone()
            .or_else(|| Some(format!("send:{}:{}", town.clock.now(), town.random.hex(8)))),
        ..letter.clone()
    };
    let store = town.store()?;
    let id = town.transact(&store, |tx| write(tx, &letter))?;
    town.tell(&event!(Mail, to: letter.to, subject: letter.subject, id: id));
    Ok(id)
}

/// Writes a letter as part of a transaction of the town's store; one that is there already stays as it
/// is.
pub fn write(tx: &mut Tx, letter: &NewMessage) -> anyhow::Result<String> {
    let operation = letter.operation.as_deref().unwrap_or_default();
    let id = message_id(operation, &letter.to);
    if tx.get(&id).is_some() {
        return Ok(id);
    }
    let now = tx.now();
    let mut labels = vec!["gt:message".to_owned(), format!("from:{}", letter.from)];
    labels.extend(
        letter
            .thread
            .iter()
            .map(|thread| format!("thread:{thread}")),
    );
    labels.extend(
        letter
            .reply_to
            .iter()
            .map(|reply| format!("reply-to:{reply}")),
    );
    if !letter.kind.is_empty() {
        labels.push(format!("msg-type:{}", letter.kind));
    }
    labels.sort();
    tx.put(Bead {
        id: id.clone(),
        title: fit_title(&letter.subject),
        description: letter.body.clone(),
        issue_type: Kind::Message,
        priority: letter.priority.unwrap_or(2),
        assignee: letter.to.clone(),
        sender: letter.from.clone(),
        ephemeral: !letter.permanent,
        labels,
        created_at: now.clone(),
        updated_at: now,
        created_by: letter.from.clone(),
        ..Bead::default()
    })?;
    Ok(id)
}

/// `hq-wisp-` and twelve hexadecimal digits of operation and recipient.
pub(crate) fn message_id(operation: &str, to: &str) -> String {
    let digest = short(format!("{operation}\0{to}"), 6);
    format!("hq-wisp-{digest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_operation_and_recipient_make_one_id() {
        assert_eq!(
            message_id("landing:x:1", "mayor/"),
            message_id("landing:x:1", "mayor/")
        );
        assert_ne!(
            message_id("landing:x:1", "mayor/"),
            message_id("landing:x:2", "mayor/")
        );
        assert_ne!(
            message_id("landing:x:1", "mayor/"),
            message_id("landing:x:1", "deacon/")
        );
    }
}
