//! Writes the messages about items for the user: one per item and mailbox, closed when the
//! item is resolved.

use std::collections::BTreeSet;

use bd::bead::{Bead, Stamp, Status};
use bd::change;
use bd::store::{BeadMark, Snapshot, Tx};

use super::item::AttentionItem;
use crate::record::mail::{self, NewMessage};
use crate::town::Town;
use crate::town::event::event;
use crate::town::identity::Address;

/// The label of such a message.
const LABEL: &str = "gt:attention";
/// The label of a message that was closed because its item was resolved, not by a user.
const OVER: &str = "over";

/// The messages to write and to close.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttentionMessages {
    /// The items that a mailbox has no message about.
    pub new: Vec<AttentionItem>,
    /// The messages whose item is resolved.
    pub over: Vec<String>,
    pub mailboxes: Vec<String>,
}

impl AttentionMessages {
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.over.is_empty()
    }
}

/// Compares the current items with the messages. The mayor gets them too if it runs.
pub(super) fn plan_messages(
    town: &Snapshot,
    items: Vec<AttentionItem>,
    mayor_runs: bool,
) -> AttentionMessages {
    let mut mailboxes = vec![Address::Overseer.mailbox()];
    if mayor_runs {
        mailboxes.push(Address::Mayor.mailbox());
    }
    let ids: BTreeSet<String> = items
        .iter()
        .flat_map(|item| {
            [Address::Overseer, Address::Mayor].map(|to| message_id(item, &to.mailbox()))
        })
        .collect();
    let over = town
        .select_marked(&[BeadMark::Label(LABEL)], |bead| !bead.has_label(OVER))
        .filter(|message| !ids.contains(&message.id))
        .map(|message| message.id.clone())
        .collect();
    let is_reported = |item: &AttentionItem| {
        mailboxes.iter().all(|mailbox| {
            let message = town.get(&message_id(item, mailbox));
            message.is_some_and(|message| !message.has_label(OVER))
        })
    };
    AttentionMessages {
        new: items
            .into_iter()
            .filter(|item| !is_reported(item))
            .collect(),
        over,
        mailboxes,
    }
}

/// Writes and closes the messages in one transaction.
pub(super) fn deliver_messages(town: &Town, messages: &AttentionMessages) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        for item in &messages.new {
            for mailbox in &messages.mailboxes {
                write_message(tx, item, mailbox)?;
            }
        }
        for id in &messages.over {
            if let Some(mut message) = tx
                .get(id)
                .filter(|message| !message.is_tombstone())
                .cloned()
            {
                let now = tx.now();
                if message.is_open() {
                    change::mark_closed(&mut message, "It is over", &now);
                }
                message.updated_at = now;
                message.labels.push(OVER.to_owned());
                tx.put(message)?;
            }
        }
        Ok(())
    })?;
    for item in &messages.new {
        town.record_event(&event!(NeedsPerson,
            bead: item.bead, subject: item.subject, reason: item.text,
        ));
    }
    Ok(())
}

fn write_message(tx: &mut Tx, item: &AttentionItem, mailbox: &str) -> anyhow::Result<()> {
    let message = build_message(item, mailbox);
    let id = mail::write_message(tx, &message)?;
    let Some(mut bead) = tx.get(&id).cloned() else {
        return Ok(());
    };
    let is_over = bead.has_label(OVER);
    if bead.has_label(LABEL) && !is_over {
        return Ok(());
    }
    if is_over {
        reopen_message(&mut bead, &tx.now());
        bead.description = message.body;
    }
    bead.labels.push(LABEL.to_owned());
    bead.labels.sort();
    bead.labels.dedup();
    tx.put(bead)?;
    Ok(())
}

/// Reopens the message of an item that came back, as if it were new.
fn reopen_message(bead: &mut Bead, now: &Stamp) {
    change::mark_open(bead, Status::Open, now);
    bead.labels.retain(|label| label != OVER && label != "read");
}

fn build_message(item: &AttentionItem, mailbox: &str) -> NewMessage {
    let mut body = format!("{}\n\nNext steps:\n", item.text);
    for command in &item.next {
        body.push_str(&format!("\n    {command}"));
    }
    body.push('\n');
    NewMessage {
        to: mailbox.to_owned(),
        from: Address::Deacon.mailbox(),
        subject: item.subject.clone(),
        body,
        priority: Some(1),
        thread: Some(format!("attention-{}", item.key)),
        operation: Some(operation_of(item)),
        ..NewMessage::default()
    }
}

fn operation_of(item: &AttentionItem) -> String {
    format!("attention:{}", item.key)
}

fn message_id(item: &AttentionItem, mailbox: &str) -> String {
    mail::hash_message_id(&operation_of(item), mailbox)
}
