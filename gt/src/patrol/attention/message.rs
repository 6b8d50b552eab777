//! Writes the messages about items for the user: one per item and mailbox, closed when the item is
//! resolved. A role of the patrol that an agent does gets the messages of its own field: the
//! witness those about workers, the refinery those about the merge queue, the deacon all others.

use std::collections::BTreeSet;

use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Stamp, Status};
use bd::change;
use bd::store::{BeadMark, Snapshot, Tx};

use super::item::AttentionItem;
use super::requests::TASK_KEY;
use crate::record::mail::{self, NewMessage};
use crate::record::role::{PatrolRole, RoleMode};
use crate::record::town_view::TownView;
use crate::town::Town;
use crate::town::event::event;
use crate::town::identity::Address;

/// The label of such a message.
const ATTENTION_LABEL: &str = "gt:attention";
/// The label of a message that was closed because its item was resolved, not by a user.
const RESOLVED_LABEL: &str = "over";

/// The messages to write and to close.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttentionMessages {
    /// The items that a mailbox has no message about.
    pub new: Vec<AddressedItem>,
    /// The messages whose item is resolved.
    pub over: Vec<String>,
}

/// An item with the mailboxes that get a message about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressedItem {
    pub item: AttentionItem,
    pub mailboxes: Vec<String>,
}

impl AttentionMessages {
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.over.is_empty()
    }
}

/// Compares the current items with the messages. The mayor gets them too if it runs, and the role
/// of their field if an agent does it.
pub(super) fn plan_messages(view: &TownView, items: Vec<AttentionItem>) -> AttentionMessages {
    let town = &view.stores.town;
    let ids: BTreeSet<String> = items
        .iter()
        .flat_map(|item| {
            [Address::Overseer, Address::Mayor]
                .into_iter()
                .chain(role_of_item(view, item))
                .map(|reader| message_id(item, &reader.mailbox()))
                .collect::<Vec<_>>()
        })
        .collect();
    let over = town
        .select_marked(&[BeadMark::Label(ATTENTION_LABEL)], |bead| {
            !bead.has_label(RESOLVED_LABEL)
        })
        .filter(|message| !ids.contains(&message.id))
        .map(|message| message.id.clone())
        .collect();
    AttentionMessages {
        new: items
            .into_iter()
            .map(|item| address_item(view, item))
            .filter(|addressed| !is_reported(town, addressed))
            .collect(),
        over,
    }
}

fn is_reported(town: &Snapshot, addressed: &AddressedItem) -> bool {
    addressed.mailboxes.iter().all(|mailbox| {
        town.get(&message_id(&addressed.item, mailbox))
            .is_some_and(|message| !message.has_label(RESOLVED_LABEL))
    })
}

fn address_item(view: &TownView, item: AttentionItem) -> AddressedItem {
    let mut readers = vec![Address::Overseer];
    if view.session_of(&Address::Mayor).is_some() {
        readers.push(Address::Mayor);
    }
    readers.extend(role_of_item(view, &item).filter(|role| {
        view.session_of(role).is_some()
            && view
                .roles
                .iter()
                .any(|known: &PatrolRole| known.address == *role && known.mode == RoleMode::Agent)
    }));
    AddressedItem {
        mailboxes: readers.iter().map(Address::mailbox).collect(),
        item,
    }
}

/// The begins of the keys of items about workers and about the merge queue.
const WORKER_KEYS: [&str; 4] = ["stuck:", "dialog:", "attached:", "done:"];
const QUEUE_KEYS: [&str; 7] = [
    TASK_KEY,
    "forge:",
    "target:",
    "request:",
    "pull-request:",
    "merging:",
    "gate:",
];

/// The begin of the keys of items about sessions of the patrol's roles.
const ROLE_KEY: &str = "crash-loop:";

/// Returns the role of the patrol that an item belongs to. None for an item about such a role.
fn role_of_item(view: &TownView, item: &AttentionItem) -> Option<Address> {
    if item.key.starts_with(ROLE_KEY) {
        return None;
    }
    let rig = view
        .stores
        .rigs
        .iter()
        .find(|(_, beads)| beads.get(&item.bead).is_some());
    let Some((rig, _)) = rig else {
        return Some(Address::Deacon);
    };
    Some(if WORKER_KEYS.iter().any(|key| item.key.starts_with(key)) {
        Address::Witness(rig.clone())
    } else if QUEUE_KEYS.iter().any(|key| item.key.starts_with(key)) {
        Address::Refinery(rig.clone())
    } else {
        Address::Deacon
    })
}

/// Writes and closes the messages in one transaction.
pub(super) fn deliver_messages(town: &Town, messages: &AttentionMessages) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        for AddressedItem { item, mailboxes } in &messages.new {
            for mailbox in mailboxes {
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
                message.labels.push(RESOLVED_LABEL.to_owned());
                tx.put(message)?;
            }
        }
        Ok(())
    })?;
    for AddressedItem { item, .. } in &messages.new {
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
    let is_over = bead.has_label(RESOLVED_LABEL);
    if bead.has_label(ATTENTION_LABEL) && !is_over {
        return Ok(());
    }
    if is_over {
        reopen_message(&mut bead, &tx.now());
        bead.title = fit_to_title(&message.subject);
        bead.description = message.body;
    }
    bead.labels.push(ATTENTION_LABEL.to_owned());
    bead.labels.sort();
    bead.labels.dedup();
    tx.put(bead)?;
    Ok(())
}

/// Reopens the message of an item that came back, as if it were new.
fn reopen_message(bead: &mut Bead, now: &Stamp) {
    change::mark_open(bead, Status::Open, now);
    bead.labels
        .retain(|label| label != RESOLVED_LABEL && label != "read");
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
