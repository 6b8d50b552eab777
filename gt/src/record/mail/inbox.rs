//! Reads and changes the messages of a mailbox.

use bd::bead::{Bead, Kind, Stamp, Status};
use bd::change;
use bd::store::{BeadMark, Snapshot};
use serde::Serialize;

use super::MailError;
use crate::town::Town;

/// A message, for display.
#[derive(Debug, Clone, Serialize)]
pub struct MailMessage {
    pub id: String,
    pub from: String,
    /// The address of the mailbox.
    pub to: String,
    pub subject: String,
    pub body: String,
    /// The sending time, RFC 3339.
    pub timestamp: String,
    pub read: bool,
    /// `urgent`, `high`, `normal` or `low`.
    pub priority: &'static str,
    /// `notification`, `task`, `scavenge` or `reply`.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The id of the message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// True if it is local to this machine.
    pub wisp: bool,
    /// True if it was removed from the mailbox.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

/// The way in which a message leaves its mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailRemoval {
    /// Can still be listed.
    Archived,
    /// Is never listed. Its bead stays, so that the message is not sent again.
    Deleted,
}

impl MailRemoval {
    /// Returns the close reason of the bead.
    fn close_reason(self) -> &'static str {
        match self {
            Self::Archived => "Archived",
            Self::Deleted => "Deleted",
        }
    }
}

/// Returns the messages of a mailbox, newest first.
pub fn list_inbox(town: &Snapshot, mailbox: &str) -> Vec<MailMessage> {
    list_mailbox(town, mailbox, false)
}

/// Returns the messages of a mailbox, also archived and resolved ones, newest first.
pub fn list_with_archived(town: &Snapshot, mailbox: &str) -> Vec<MailMessage> {
    list_mailbox(town, mailbox, true)
}

fn list_mailbox(town: &Snapshot, mailbox: &str, all: bool) -> Vec<MailMessage> {
    let bare = mailbox.trim_end_matches('/');
    let cc = format!("cc:{mailbox}");
    let mut found: Vec<&Bead> = town
        .select_marked(
            &[
                BeadMark::Kind(&Kind::Message),
                BeadMark::Label("gt:message"),
            ],
            move |bead| all || bead.is_open(),
        )
        .filter(|bead| {
            !bead.is_tombstone() && bead.close_reason != MailRemoval::Deleted.close_reason()
        })
        .filter(|bead| bead.assignee.trim_end_matches('/') == bare || bead.has_label(&cc))
        .collect();
    found.sort_by(|a, b| (b.created_at.instant(), &b.id).cmp(&(a.created_at.instant(), &a.id)));
    found.into_iter().map(parse_message).collect()
}

/// Returns the number of unread messages of a mailbox.
pub fn count_unread(town: &Snapshot, mailbox: &str) -> usize {
    list_inbox(town, mailbox)
        .iter()
        .filter(|message| !message.read)
        .count()
}

/// Returns one message, by its id or by its place in the mailbox (1 is the newest).
pub fn find_message(town: &Snapshot, mailbox: &str, which: &str) -> Result<MailMessage, MailError> {
    let unknown = || MailError::Unknown {
        id: which.to_owned(),
    };
    if let Ok(place) = which.parse::<usize>() {
        let place = place.checked_sub(1).ok_or_else(unknown)?;
        return list_inbox(town, mailbox)
            .into_iter()
            .nth(place)
            .ok_or_else(unknown);
    }
    let bead = town
        .get(which)
        .filter(|bead| is_mail(bead) && !bead.is_tombstone());
    bead.map(parse_message).ok_or_else(unknown)
}

/// Returns several messages, each by its id or by its place in the mailbox.
pub fn find_messages(
    town: &Snapshot,
    mailbox: &str,
    which: &[String],
) -> Result<Vec<MailMessage>, MailError> {
    which
        .iter()
        .map(|message| find_message(town, mailbox, message))
        .collect()
}

pub fn mark_read(town: &Town, ids: &[String]) -> anyhow::Result<()> {
    change_all(town, ids, |bead, _| {
        if !bead.has_label("read") {
            bead.labels.push("read".to_owned());
            bead.labels.sort();
        }
    })
}

pub fn mark_unread(town: &Town, ids: &[String]) -> anyhow::Result<()> {
    change_all(town, ids, |bead, _| {
        bead.labels.retain(|label| label != "read");
    })
}

/// Removes messages from their mailboxes.
pub fn remove_messages(town: &Town, ids: &[String], how: MailRemoval) -> anyhow::Result<()> {
    change_all(town, ids, |bead, now| {
        // Archiving a deleted message does not bring it back.
        if bead.is_open() || how == MailRemoval::Deleted {
            change::mark_closed(bead, how.close_reason(), now);
        }
    })
}

/// Changes messages, all or none.
fn change_all(
    town: &Town,
    ids: &[String],
    change: impl Fn(&mut Bead, &Stamp),
) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let now = tx.now();
        for id in ids {
            let found = tx.get_live(id).filter(|bead| is_mail(bead)).cloned();
            let mut bead = found.ok_or_else(|| MailError::Unknown { id: id.clone() })?;
            change(&mut bead, &now);
            if tx.get(id) != Some(&bead) {
                tx.put(bead)?;
            }
        }
        Ok(())
    })
}

fn is_mail(bead: &Bead) -> bool {
    bead.issue_type == Kind::Message || bead.has_label("gt:message")
}

fn parse_message(bead: &Bead) -> MailMessage {
    let labelled = |key: &str| {
        bead.labels
            .iter()
            .find_map(|label| label.strip_prefix(key))
            .map(str::to_owned)
    };
    let from = labelled("from:").unwrap_or_else(|| bead.sender.clone());
    MailMessage {
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
        archived: bead.status == Status::Closed,
    }
}
