//! Reads a message from its bead, and changes messages.

use bd::bead::{Bead, Kind, Stamp, Status};
use kit::ui::escape;
use serde::Serialize;

use super::protocol::is_call_for_help;
use super::{ADDRESSED_TO, MailError};
use crate::town::Town;
use crate::town::identity::Address;

/// A message, for display.
#[derive(Debug, Clone, Default, Serialize)]
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
    /// True if it stays in the mailbox when the mailbox is cleared.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// True if it is local to this machine.
    pub wisp: bool,
    /// The mailboxes that got a copy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<String>,
    /// The address that the sender wrote, if it is not the mailbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addressed_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The mailbox of the agent that works on a message of a queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// The time of the claim, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_at: Option<String>,
    /// True if it was removed from the mailbox.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

/// The maximum number of messages that a notice names. The inbox has the rest.
pub const NAMED_MESSAGES: usize = 10;

impl MailMessage {
    /// Describes the message in one line, for a notice: `hq-1a from web/amber: HELP: no disk`.
    pub fn describe(&self) -> String {
        let from = escape::escape_line(&self.from);
        let subject = escape::escape_line(&self.subject);
        format!("{} from {from}: {subject}", self.id)
    }

    /// Returns true if the message is a call on its recipient, which must not stay unread: an
    /// important message, a call for help, or a message of a worker.
    pub fn is_call(&self) -> bool {
        let sender: Result<Address, _> = self.from.parse();
        matches!(self.priority, "urgent" | "high")
            || is_call_for_help(&self.subject)
            || matches!(sender, Ok(Address::Polecat(..)))
    }
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
    pub(super) fn close_reason(self) -> &'static str {
        match self {
            Self::Archived => "Archived",
            Self::Deleted => "Deleted",
        }
    }
}

/// Changes messages, all or none.
pub(super) fn change_all(
    town: &Town,
    ids: &[String],
    change: impl Fn(&mut Bead, &Stamp),
) -> anyhow::Result<()> {
    try_change_all(town, ids, |bead, now| {
        change(bead, now);
        Ok(())
    })
}

/// Changes messages, all or none. Fails if one of the changes fails.
pub(super) fn try_change_all(
    town: &Town,
    ids: &[String],
    change: impl Fn(&mut Bead, &Stamp) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let now = tx.now();
        for id in ids {
            let found = tx.get_live(id).filter(|bead| is_mail(bead)).cloned();
            let mut bead = found.ok_or_else(|| MailError::Unknown { id: id.clone() })?;
            change(&mut bead, &now)?;
            if tx.get(id) != Some(&bead) {
                tx.put(bead)?;
            }
        }
        Ok(())
    })
}

/// Returns false for a deleted message.
pub(super) fn is_listed(bead: &Bead) -> bool {
    !bead.is_tombstone() && bead.close_reason != MailRemoval::Deleted.close_reason()
}

pub fn is_mail(bead: &Bead) -> bool {
    bead.issue_type == Kind::Message || bead.has_label("gt:message")
}

/// Returns the mailboxes that got a copy. Older programs keep them in labels.
fn read_copies(bead: &Bead) -> Vec<String> {
    let mut copies: Vec<String> = bead
        .labels
        .iter()
        .filter_map(|label| label.strip_prefix("cc:").map(str::to_owned))
        .collect();
    let listed: Option<Vec<String>> = bead.metadata_value("cc");
    copies.extend(listed.into_iter().flatten());
    copies
}

pub(super) fn parse_message(bead: &Bead) -> MailMessage {
    let find_label = |key: &str| {
        bead.labels
            .iter()
            .find_map(|label| label.strip_prefix(key))
            .map(str::to_owned)
    };
    let from = find_label("from:").unwrap_or_else(|| bead.sender.clone());
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
        kind: find_label("msg-type:").unwrap_or_else(|| "notification".to_owned()),
        thread_id: find_label("thread:"),
        reply_to: find_label("reply-to:"),
        pinned: bead.pinned,
        wisp: bead.ephemeral,
        cc: read_copies(bead),
        addressed_to: find_label(ADDRESSED_TO),
        queue: find_label("queue:"),
        channel: find_label("channel:"),
        claimed_by: find_label("claimed-by:"),
        claimed_at: find_label("claimed-at:"),
        archived: bead.status == Status::Closed,
    }
}
