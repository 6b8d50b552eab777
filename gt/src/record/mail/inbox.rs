//! Reading mail.

use bd::bead::{Bead, Kind, Status};
use bd::store::Snapshot;
use serde::Serialize;

use super::MailError;
use crate::town::Town;

/// A message as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct Message {
    /// Its id.
    pub id: String,
    /// Who sent it.
    pub from: String,
    /// Whose mailbox it is in.
    pub to: String,
    /// What it is about.
    pub subject: String,
    /// The text.
    pub body: String,
    /// When it was sent, RFC 3339.
    pub timestamp: String,
    /// Whether it was read.
    pub read: bool,
    /// `urgent`, `high`, `normal` or `low`.
    pub priority: &'static str,
    /// `notification`, `task`, `scavenge` or `reply`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The thread it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Whether it is local to this machine.
    pub wisp: bool,
}

/// The messages of a mailbox, newest first.
pub fn inbox(town: &Snapshot, mailbox: &str) -> Vec<Message> {
    let bare = mailbox.trim_end_matches('/');
    let cc = format!("cc:{mailbox}");
    let mut found: Vec<&Bead> = town
        .select(|head| head.is_open() && head.is_a(&Kind::Message, "gt:message"))
        .filter(|bead| bead.assignee.trim_end_matches('/') == bare || bead.has_label(&cc))
        .collect();
    found.sort_by(|a, b| (b.created_at.instant(), &b.id).cmp(&(a.created_at.instant(), &a.id)));
    found.into_iter().map(message).collect()
}

/// How many messages of a mailbox are unread.
pub fn unread(town: &Snapshot, mailbox: &str) -> usize {
    inbox(town, mailbox)
        .iter()
        .filter(|message| !message.read)
        .count()
}

/// One message, by its id or by its place in the mailbox (1 is the newest).
pub fn read(town: &Snapshot, mailbox: &str, which: &str) -> Result<Message, MailError> {
    let unknown = || MailError::Unknown {
        id: which.to_owned(),
    };
    if let Ok(place) = which.parse::<usize>() {
        let place = place.checked_sub(1).ok_or_else(unknown)?;
        return inbox(town, mailbox)
            .into_iter()
            .nth(place)
            .ok_or_else(unknown);
    }
    let bead = town
        .get(which)
        .filter(|bead| is_message(bead) && !bead.is_tombstone());
    bead.map(message).ok_or_else(unknown)
}

/// Marks messages as read.
pub fn mark_read(town: &Town, ids: &[String]) -> anyhow::Result<()> {
    let store = town.store()?;
    town.transact(&store, |tx| {
        for id in ids {
            let found = tx.get(id).filter(|bead| is_message(bead)).cloned();
            let mut bead = found.ok_or_else(|| MailError::Unknown { id: id.clone() })?;
            if !bead.has_label("read") {
                bead.labels.push("read".to_owned());
                bead.labels.sort();
                tx.put(bead)?;
            }
        }
        Ok(())
    })
}

fn is_message(bead: &Bead) -> bool {
    bead.issue_type == Kind::Message || bead.has_label("gt:message")
}

fn message(bead: &Bead) -> Message {
    let labelled = |key: &str| {
        bead.labels
            .iter()
            .find_map(|label| label.strip_prefix(key))
            .map(str::to_owned)
    };
    let from = labelled("from:").unwrap_or_else(|| bead.sender.clone());
    Message {
        id: bead.id.clone(),
        from,
        to: bead.assignee.clone(),
        subject: bead.title.clone(),
        body: bead.description.clone(),
        timestamp: bead.created_at.to_string(),
        read: bead.status == Status::Closed || bead.has_label("read"),
        priority: match bead.priority {
            0 => "urgent",
            1 => "high",
            3 => "low",
            _ => "normal",
        },
        kind: labelled("msg-type:").unwrap_or_else(|| "notification".to_owned()),
        thread_id: labelled("thread:"),
        reply_to: labelled("reply-to:"),
        wisp: bead.ephemeral,
    }
}
