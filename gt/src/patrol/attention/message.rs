//! Writes the messages about matters for the user: one per matter and mailbox, closed when the
//! matter is resolved.

use std::collections::BTreeSet;

use bd::bead::{Bead, Stamp, Status};
use bd::change;
use bd::store::{BeadMark, Snapshot, Tx};

use super::matter::AttentionMatter;
use crate::record::mail::{self, NewMessage};
use crate::town::Town;
use crate::town::event::event;
use crate::town::identity::Address;

/// The label of such a message.
const LABEL: &str = "gt:attention";
/// The label of a message that was closed because its matter was resolved, not by a user.
const OVER: &str = "over";

/// The messages to write and to close.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttentionMessages {
    /// The matters that a mailbox has no message about.
    pub new: Vec<AttentionMatter>,
    /// The messages whose matter is resolved.
    pub over: Vec<String>,
    pub mailboxes: Vec<String>,
}

impl AttentionMessages {
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.over.is_empty()
    }
}

/// Compares the current matters with the messages. The mayor gets them too if it runs.
pub(super) fn plan_messages(
    town: &Snapshot,
    matters: Vec<AttentionMatter>,
    mayor_runs: bool,
) -> AttentionMessages {
    let mut mailboxes = vec![Address::Overseer.mailbox()];
    if mayor_runs {
        mailboxes.push(Address::Mayor.mailbox());
    }
    let ids: BTreeSet<String> = matters
        .iter()
        .flat_map(|matter| {
            [Address::Overseer, Address::Mayor].map(|to| message_id(matter, &to.mailbox()))
        })
        .collect();
    let over = town
        .select_marked(&[BeadMark::Label(LABEL)], |bead| !bead.has_label(OVER))
        .filter(|message| !ids.contains(&message.id))
        .map(|message| message.id.clone())
        .collect();
    let is_reported = |matter: &AttentionMatter| {
        mailboxes.iter().all(|mailbox| {
            let message = town.get(&message_id(matter, mailbox));
            message.is_some_and(|message| !message.has_label(OVER))
        })
    };
    AttentionMessages {
        new: matters
            .into_iter()
            .filter(|matter| !is_reported(matter))
            .collect(),
        over,
        mailboxes,
    }
}

/// Writes and closes the messages in one transaction.
pub(super) fn deliver_messages(town: &Town, messages: &AttentionMessages) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        for matter in &messages.new {
            for mailbox in &messages.mailboxes {
                write_message(tx, matter, mailbox)?;
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
    for matter in &messages.new {
        town.record_event(&event!(NeedsPerson,
            bead: matter.bead, subject: matter.subject, reason: matter.text,
        ));
    }
    Ok(())
}

fn write_message(tx: &mut Tx, matter: &AttentionMatter, mailbox: &str) -> anyhow::Result<()> {
    let message = build_message(matter, mailbox);
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

/// Reopens the message of a matter that came back, as if it were new.
fn reopen_message(bead: &mut Bead, now: &Stamp) {
    change::mark_open(bead, Status::Open, now);
    bead.labels.retain(|label| label != OVER && label != "read");
}

fn build_message(matter: &AttentionMatter, mailbox: &str) -> NewMessage {
    let mut body = format!("{}\n\nNext steps:\n", matter.text);
    for command in &matter.next {
        body.push_str(&format!("\n    {command}"));
    }
    body.push('\n');
    NewMessage {
        to: mailbox.to_owned(),
        from: Address::Deacon.mailbox(),
        subject: matter.subject.clone(),
        body,
        priority: Some(1),
        thread: Some(format!("attention-{}", matter.key)),
        operation: Some(operation_of(matter)),
        ..NewMessage::default()
    }
}

fn operation_of(matter: &AttentionMatter) -> String {
    format!("attention:{}", matter.key)
}

fn message_id(matter: &AttentionMatter, mailbox: &str) -> String {
    mail::hash_message_id(&operation_of(matter), mailbox)
}
