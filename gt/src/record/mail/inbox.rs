//! Reads and changes the messages of a mailbox.

use std::collections::BTreeMap;

use bd::bead::{Bead, Kind, Stamp, Status};
use bd::change;
use bd::store::{BeadMark, Snapshot};

use super::channel::{archive_for_reader, is_broadcast, set_read_by};
use super::message::{
    MailMessage, MailRemoval, change_all, is_listed, is_mail, parse_message, try_change_all,
};
use super::queue::check_removal;
use super::{MailError, is_shared_mailbox};
use crate::town::Town;
use crate::town::identity::Address;

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
    let marks = [
        BeadMark::Kind(&Kind::Message),
        BeadMark::Label("gt:message"),
    ];
    let mut found: Vec<&Bead> = if all {
        town.select_marked(&marks, |_| true).collect()
    } else {
        town.select_open(&marks).collect()
    };
    found.retain(|bead| {
        let is_addressed = bead.assignee.trim_end_matches('/') == bare || bead.has_label(&cc);
        is_listed(bead) && is_addressed
    });
    found.sort_by(|a, b| (b.created_at.instant(), &b.id).cmp(&(a.created_at.instant(), &a.id)));
    found.into_iter().map(parse_message).collect()
}

/// Returns the last messages that an agent sent, newest first.
pub fn list_sent(town: &Snapshot, sender: &Address, limit: usize) -> Vec<MailMessage> {
    let marks = [
        BeadMark::Kind(&Kind::Message),
        BeadMark::Label("gt:message"),
    ];
    let mut sent: Vec<MailMessage> = town
        .select_marked(&marks, |_| true)
        .filter(|bead| is_mail(bead))
        .map(parse_message)
        .filter(|message| {
            message
                .from
                .parse()
                .is_ok_and(|from: Address| from == *sender)
        })
        .collect();
    sent.sort_by(|a, b| (&b.timestamp, &b.id).cmp(&(&a.timestamp, &a.id)));
    sent.truncate(limit);
    sent
}

/// Returns the last messages between two agents, oldest first, also archived ones.
pub fn list_correspondence(
    town: &Snapshot,
    one: &Address,
    other: &Address,
    limit: usize,
) -> Vec<MailMessage> {
    let marks = [
        BeadMark::Kind(&Kind::Message),
        BeadMark::Label("gt:message"),
    ];
    let is_between = |message: &MailMessage| {
        let from: Option<Address> = message.from.parse().ok();
        let to: Option<Address> = message.to.parse().ok();
        let (from, to) = (from.as_ref(), to.as_ref());
        (from == Some(one) && to == Some(other)) || (from == Some(other) && to == Some(one))
    };
    let mut found: Vec<MailMessage> = town
        .select_marked(&marks, |_| true)
        .filter(|bead| is_mail(bead) && is_listed(bead))
        .map(parse_message)
        .filter(is_between)
        .collect();
    found.sort_by(|a, b| (&a.timestamp, &a.id).cmp(&(&b.timestamp, &b.id)));
    found.drain(..found.len().saturating_sub(limit));
    found
}

/// Returns the messages of a thread, oldest first, also archived ones. `id` is that of the thread
/// or of one of its messages.
pub fn list_thread(town: &Snapshot, id: &str) -> Result<Vec<MailMessage>, MailError> {
    let thread = match town
        .get(id)
        .filter(|bead| is_mail(bead))
        .map(parse_message)
        .and_then(|message| message.thread_id)
    {
        Some(thread) => thread,
        None => id.to_owned(),
    };
    let label = format!("thread:{thread}");
    let mut found: Vec<&Bead> = town
        .select_marked(&[BeadMark::Label(&label)], |_| true)
        .filter(|bead| is_mail(bead) && is_listed(bead))
        .collect();
    if found.is_empty() {
        return Err(MailError::Unknown { id: id.to_owned() });
    }
    found.sort_by(|a, b| (a.created_at.instant(), &a.id).cmp(&(b.created_at.instant(), &b.id)));
    Ok(found.into_iter().map(parse_message).collect())
}

/// The conditions of a search for messages.
#[derive(Debug, Clone, Default)]
pub struct MailSearch {
    /// The text to find, in any case.
    pub text: String,
    /// A part of the sender's address.
    pub from: String,
    pub in_subject: bool,
    pub in_body: bool,
    /// True if archived messages are searched too.
    pub archived: bool,
}

/// Returns the messages of a mailbox that meet the conditions, newest first.
pub fn search_mailbox(town: &Snapshot, mailbox: &str, search: &MailSearch) -> Vec<MailMessage> {
    let contains_text = |text: &str| contains_ignoring_case(text, &search.text);
    let mut found = list_mailbox(town, mailbox, search.archived);
    found.retain(|message| {
        let matches_text = (search.in_subject && contains_text(&message.subject))
            || (search.in_body && contains_text(&message.body));
        matches_text && contains_ignoring_case(&message.from, &search.from)
    });
    found
}

fn contains_ignoring_case(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// Returns the unread messages of each agent's mailbox, newest first. The overseer is no agent.
pub fn list_unread(town: &Snapshot) -> BTreeMap<String, Vec<MailMessage>> {
    let mut unread: Vec<&Bead> = select_unread(town).collect();
    unread.sort_by(|a, b| (b.created_at.instant(), &b.id).cmp(&(a.created_at.instant(), &a.id)));
    let mut mailboxes: BTreeMap<String, Vec<MailMessage>> = BTreeMap::new();
    for bead in unread {
        let mailbox = mailboxes.entry(bead.assignee.clone()).or_default();
        mailbox.push(parse_message(bead));
    }
    mailboxes
}

/// Returns true if an agent has unread mail.
pub fn has_unread(town: &Snapshot) -> bool {
    select_unread(town).next().is_some()
}

fn select_unread(town: &Snapshot) -> impl Iterator<Item = &Bead> {
    const MESSAGE_MARKS: [BeadMark<'static>; 2] = [
        BeadMark::Kind(&Kind::Message),
        BeadMark::Label("gt:message"),
    ];
    let overseer = Address::Overseer.mailbox();
    town.select_open(&MESSAGE_MARKS).filter(move |bead| {
        !bead.has_label("read")
            && bead.assignee != overseer
            && !is_shared_mailbox(&bead.assignee)
            && is_listed(bead)
    })
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
    let found = match which.parse::<usize>() {
        Ok(place) => place
            .checked_sub(1)
            .and_then(|place| list_inbox(town, mailbox).into_iter().nth(place)),
        Err(_) => town
            .get(which)
            .filter(|bead| is_mail(bead) && !bead.is_tombstone())
            .map(parse_message),
    };
    found.ok_or_else(|| MailError::Unknown {
        id: which.to_owned(),
    })
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

/// Returns true if an agent may mark or remove a message: its recipient, or the overseer. The
/// messages of queues, channels and announcements have rules of their own.
pub fn may_change(bead: &Bead, agent: &Address) -> bool {
    let own_mailbox = agent.mailbox();
    *agent == Address::Overseer
        || bead.assignee.trim_end_matches('/') == own_mailbox.trim_end_matches('/')
        || bead.has_label(&format!("cc:{own_mailbox}"))
        || is_shared_mailbox(&bead.assignee)
}

fn check_recipient(bead: &Bead, agent: &Address) -> Result<(), MailError> {
    if may_change(bead, agent) {
        return Ok(());
    }
    Err(MailError::OtherMailbox {
        id: bead.id.clone(),
        mailbox: bead.assignee.clone(),
    })
}

/// Marks messages as read. Refuses those of other mailboxes, whose readers would not be reminded.
pub fn mark_read(town: &Town, ids: &[String]) -> anyhow::Result<()> {
    try_change_all(town, ids, |bead, _| {
        check_recipient(bead, &town.actor)?;
        set_read(bead, &town.actor);
        Ok(())
    })
}

/// Marks messages as read that say nothing any more, in whatever mailbox.
pub fn mark_outdated(town: &Town, ids: &[String]) -> anyhow::Result<()> {
    change_all(town, ids, |bead, _| set_read(bead, &town.actor))
}

fn set_read(bead: &mut Bead, reader: &Address) {
    if is_broadcast(bead) {
        set_read_by(bead, reader, true);
    } else if !bead.has_label("read") {
        bead.labels.push("read".to_owned());
        bead.labels.sort();
    }
}

pub fn mark_unread(town: &Town, ids: &[String]) -> anyhow::Result<()> {
    try_change_all(town, ids, |bead, _| {
        check_recipient(bead, &town.actor)?;
        if is_broadcast(bead) {
            set_read_by(bead, &town.actor, false);
        }
        bead.labels.retain(|label| label != "read");
        Ok(())
    })
}

/// Puts a message on the hook of its recipient.
pub fn hook_message(town: &Town, id: &str) -> anyhow::Result<MailMessage> {
    let own_mailbox = town.actor.mailbox();
    try_change_all(town, &[id.to_owned()], |bead, now| {
        anyhow::ensure!(
            bead.assignee.trim_end_matches('/') == own_mailbox.trim_end_matches('/'),
            "{id} is addressed to {}: only its recipient can put it on the hook",
            bead.assignee
        );
        if bead.status != Status::Hooked {
            change::mark_open(bead, Status::Hooked, now);
        }
        Ok(())
    })?;
    Ok(find_message(&town.open_town_store()?.snapshot()?, "", id)?)
}

/// Removes messages from their mailboxes. A message of a channel or an announcement is removed for
/// the caller only, unless its sender or the overseer deletes it. Refuses the messages of other
/// mailboxes.
pub fn remove_messages(town: &Town, ids: &[String], how: MailRemoval) -> anyhow::Result<()> {
    try_change_all(town, ids, |bead, now| {
        check_removal(bead, &town.actor, how)?;
        check_recipient(bead, &town.actor)?;
        let may_delete = town.actor == Address::Overseer || bead.sender == town.actor.mailbox();
        if is_broadcast(bead) && !(how == MailRemoval::Deleted && may_delete) {
            archive_for_reader(bead, &town.actor);
            return Ok(());
        }
        close_message(bead, how, now);
        Ok(())
    })
}

/// Removes messages whose work the town itself has done, from whatever mailbox.
pub fn remove_handled_messages(
    town: &Town,
    ids: &[String],
    how: MailRemoval,
) -> anyhow::Result<()> {
    change_all(town, ids, |bead, now| close_message(bead, how, now))
}

fn close_message(bead: &mut Bead, how: MailRemoval, now: &Stamp) {
    // Archiving a deleted message does not bring it back.
    if bead.is_open() || how == MailRemoval::Deleted {
        change::mark_closed(bead, how.close_reason(), now);
    }
}
