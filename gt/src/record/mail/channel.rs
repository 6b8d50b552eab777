//! Channels: messages that many agents read, kept for a time. Beads with the label `gt:channel`.
//!
//! A message in a channel has the mailbox `channel:NAME`. An agent that has read it is in a label
//! `read-by:MAILBOX` of the message, one that has archived it also in `archived-by:MAILBOX`. The
//! messages of announcements have the same labels.

use std::collections::BTreeSet;

use bd::bead::Bead;
use bd::change;
use bd::store::{BeadMark, Snapshot, Tx};
use jiff::{SignedDuration, Timestamp};
use kit::json::serialize_or_empty;
use serde::Serialize;

use super::message::{MailMessage, MailRemoval, change_all, is_mail, parse_message};
use super::named::{
    self, NamedError, NamedKind, create_named, find_named, get_named_field, get_named_list,
    list_named, set_named_field,
};
use crate::town::Town;
use crate::town::identity::Address;

/// The beginning of the label that an agent has read the message.
const READ_BY: &str = "read-by:";
/// The beginning of the label that an agent has archived the message.
const ARCHIVED_BY: &str = "archived-by:";

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MailChannel {
    pub name: String,
    pub status: String,
    /// The mailboxes that get a copy of each message.
    pub subscribers: Vec<String>,
    /// The number of messages that are kept. 0 is unlimited.
    pub retention_count: u64,
    /// The time that a message is kept. 0 is unlimited.
    pub retention_hours: u64,
    #[serde(serialize_with = "serialize_or_empty")]
    pub created_by: Option<String>,
    #[serde(serialize_with = "serialize_or_empty")]
    pub created_at: Option<String>,
}

impl MailChannel {
    fn from_bead(bead: &Bead) -> Self {
        let read_number = |key| get_named_field(bead, key).and_then(|text| text.parse().ok());
        Self {
            name: named::name_of(bead, NamedKind::Channel),
            status: get_named_field(bead, "status").unwrap_or_else(|| "active".to_owned()),
            subscribers: get_named_list(bead, "subscribers"),
            retention_count: read_number("retention_count").unwrap_or(0),
            retention_hours: read_number("retention_hours").unwrap_or(0),
            created_by: get_named_field(bead, "created_by"),
            created_at: get_named_field(bead, "created_at"),
        }
    }

    /// Returns the mailbox of the channel.
    pub fn mailbox(&self) -> String {
        format!("channel:{}", self.name)
    }
}

/// Returns the channel of a name.
pub fn find_channel(beads: &Snapshot, name: &str) -> Option<MailChannel> {
    find_named(beads, NamedKind::Channel, name).map(MailChannel::from_bead)
}

/// Returns the channel of a name. Fails if there is none.
pub fn get_channel(beads: &Snapshot, name: &str) -> Result<MailChannel, NamedError> {
    named::get_named(beads, NamedKind::Channel, name).map(MailChannel::from_bead)
}

/// Returns all channels, by name.
pub fn list_channels(beads: &Snapshot) -> Vec<MailChannel> {
    list_named(beads, NamedKind::Channel)
        .into_iter()
        .map(MailChannel::from_bead)
        .collect()
}

/// Creates a channel. Each limit of 0 keeps its messages without end.
pub fn create_channel(
    town: &Town,
    name: &str,
    retention_count: u64,
    retention_hours: u64,
) -> anyhow::Result<MailChannel> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let own_fields = [
            ("subscribers", String::new()),
            ("status", "active".to_owned()),
            ("retention_count", retention_count.to_string()),
            ("retention_hours", retention_hours.to_string()),
        ];
        create_named(tx, NamedKind::Channel, name, &own_fields)?;
        Ok(get_channel(tx, name)?)
    })
}

pub fn delete_channel(town: &Town, name: &str) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        named::delete_named(tx, NamedKind::Channel, name)
    })
}

/// Adds an agent to the subscribers, or removes it. Returns true if that changed them.
pub fn set_subscribed(
    town: &Town,
    name: &str,
    agent: &Address,
    is_subscribed: bool,
) -> anyhow::Result<bool> {
    let store = town.open_town_store()?;
    let mailbox = agent.mailbox();
    town.transact(&store, |tx| {
        let before = get_channel(tx, name)?.subscribers;
        let mut after = before.clone();
        after
            .retain(|subscriber| subscriber.trim_end_matches('/') != mailbox.trim_end_matches('/'));
        if is_subscribed {
            after.push(mailbox.clone());
        }
        let has_changed =
            before.iter().collect::<BTreeSet<_>>() != after.iter().collect::<BTreeSet<_>>();
        if has_changed {
            let list = after.join(",");
            set_named_field(tx, NamedKind::Channel, name, "subscribers", &list)?;
        }
        Ok(has_changed)
    })
}

/// Returns the kept messages of a shared mailbox, newest first.
fn list_shared<'a>(beads: &'a Snapshot, mailbox: &str) -> Vec<&'a Bead> {
    let label = mailbox.to_owned();
    let marked = beads.select_open(&[BeadMark::Label(mailbox)]);
    let mut found: Vec<&Bead> = marked
        .filter(|bead| is_mail(bead) && bead.assignee == label)
        .collect();
    found.sort_by(|a, b| (b.created_at.instant(), &b.id).cmp(&(a.created_at.instant(), &a.id)));
    found
}

/// Returns the messages of a channel for a reader, newest first. `read` is that of the reader.
pub fn list_channel_messages(
    beads: &Snapshot,
    channel: &MailChannel,
    reader: &Address,
    now: Timestamp,
) -> Vec<MailMessage> {
    list_shared(beads, &channel.mailbox())
        .into_iter()
        .enumerate()
        .filter(|(place, bead)| is_kept(channel, *place, bead, now))
        .filter(|(_, bead)| !is_archived_by(bead, reader))
        .map(|(_, bead)| parse_for_reader(bead, reader))
        .collect()
}

/// Returns true for a message of a channel or an announcement, which every reader reads in one
/// place.
pub(super) fn is_broadcast(bead: &Bead) -> bool {
    let kinds = ["channel:", "announce:"];
    kinds.iter().any(|kind| bead.assignee.starts_with(kind))
}

fn is_archived_by(bead: &Bead, reader: &Address) -> bool {
    bead.has_label(&format!("{ARCHIVED_BY}{}", reader.mailbox()))
}

/// Returns a shared message as one of its readers sees it.
fn parse_for_reader(bead: &Bead, reader: &Address) -> MailMessage {
    let mailbox = reader.mailbox();
    MailMessage {
        read: bead.has_label(&format!("{READ_BY}{mailbox}")) || bead.sender == mailbox,
        ..parse_message(bead)
    }
}

/// Marks a shared message as read or unread by one reader.
pub(super) fn set_read_by(bead: &mut Bead, reader: &Address, is_read: bool) {
    set_reader_label(bead, READ_BY, reader, is_read);
}

/// Takes a shared message out of the lists of one reader.
pub(super) fn archive_for_reader(bead: &mut Bead, reader: &Address) {
    set_reader_label(bead, READ_BY, reader, true);
    set_reader_label(bead, ARCHIVED_BY, reader, true);
}

fn set_reader_label(bead: &mut Bead, prefix: &str, reader: &Address, is_set: bool) {
    let label = format!("{prefix}{}", reader.mailbox());
    bead.labels.retain(|other| *other != label);
    if is_set {
        bead.labels.push(label);
        bead.labels.sort();
    }
}

/// Returns true if a channel keeps the message at this place, counted from the newest.
fn is_kept(channel: &MailChannel, place: usize, bead: &Bead, now: Timestamp) -> bool {
    let count = usize::try_from(channel.retention_count).unwrap_or(usize::MAX);
    let hours = i64::try_from(channel.retention_hours).unwrap_or(i64::MAX / 3600);
    let age = now.duration_since(bead.created_at.instant());
    (count == 0 || place < count)
        && (hours == 0 || age < SignedDuration::from_secs(hours.saturating_mul(3600)))
}

/// Deletes the messages of a channel that it no longer keeps.
pub fn apply_retention(tx: &mut Tx, name: &str) -> anyhow::Result<()> {
    let channel = get_channel(tx, name)?;
    let now = tx.now();
    let over: Vec<Bead> = list_shared(tx, &channel.mailbox())
        .into_iter()
        .enumerate()
        .filter(|(place, bead)| !is_kept(&channel, *place, bead, now.instant()))
        .map(|(_, bead)| bead.clone())
        .collect();
    delete_all(tx, over)
}

/// Deletes all but the newest messages of an announcement.
pub fn keep_newest(tx: &mut Tx, mailbox: &str, count: u64) -> anyhow::Result<()> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let over: Vec<Bead> = list_shared(tx, mailbox)
        .into_iter()
        .skip(count)
        .cloned()
        .collect();
    delete_all(tx, over)
}

fn delete_all(tx: &mut Tx, messages: Vec<Bead>) -> anyhow::Result<()> {
    let now = tx.now();
    for mut message in messages {
        change::mark_closed(&mut message, MailRemoval::Deleted.close_reason(), &now);
        tx.put(message)?;
    }
    Ok(())
}

/// Returns the messages of an announcement for a reader, newest first. `read` is that of the
/// reader.
pub fn list_announcements(beads: &Snapshot, name: &str, reader: &Address) -> Vec<MailMessage> {
    list_shared(beads, &format!("announce:{name}"))
        .into_iter()
        .filter(|bead| !is_archived_by(bead, reader))
        .map(|bead| parse_for_reader(bead, reader))
        .collect()
}

/// Marks messages of a channel as read by an agent.
pub fn mark_channel_read(town: &Town, ids: &[String], reader: &Address) -> anyhow::Result<()> {
    change_all(town, ids, |bead, _| set_read_by(bead, reader, true))
}
