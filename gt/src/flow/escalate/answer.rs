//! Handles the answers to an escalation: acknowledge, forward, resolve or close.

use bd::change;
use bd::store::Tx;

use super::{
    EscalateError, build_notice, find_open, find_with_bead, save_escalation, thread_of_escalation,
};
use crate::host::LiveTown;
use crate::record::escalation::{Escalation, EscalationForward};
use crate::record::mail::{self, NewMessage};
use crate::town::event::{EscalationClosed, Event, event};
use crate::town::identity::Address;

/// Acknowledges an escalation. Its severity is not raised any more.
pub fn acknowledge_escalation(town: &LiveTown, id: &str) -> anyhow::Result<Escalation> {
    let (store, by) = (town.open_town_store()?, town.actor.mailbox());
    let one = town.transact(&store, |tx| {
        let mut one = find_open(tx, id)?;
        if !one.is_acked() {
            one.acked_by.clone_from(&by);
            one.acked_at = tx.now().to_string();
            save_escalation(tx, &one)?;
        }
        Ok(one)
    })?;
    if one.acked_by == by {
        town.record_event(&event!(EscalationAcked, escalation_id: id, acked_by: by));
    }
    Ok(one)
}

/// Forwards an escalation: the new recipient gets a message, and the wait for an acknowledgement
/// starts again.
pub fn forward_escalation(
    town: &LiveTown,
    id: &str,
    to: &Address,
    note: &str,
) -> anyhow::Result<Escalation> {
    let (store, by) = (town.open_town_store()?, town.actor.mailbox());
    let one = town.transact(&store, |tx| {
        let mut one = find_open(tx, id)?;
        let mut message = build_notice(&one, to, "");
        message.from.clone_from(&by);
        message.operation = Some(format!(
            "escalation:{id}:forward:{}",
            one.details.forwards.len()
        ));
        if !note.trim().is_empty() {
            message.body = format!("{by} adds:\n\n{}\n\n{}", note.trim(), message.body);
        }
        let message = mail::write_message(tx, &message)?;
        one.acked_by.clear();
        one.acked_at.clear();
        one.details.forwards.push(EscalationForward {
            by: by.clone(),
            to: to.mailbox(),
            at: tx.now().to_string(),
            note: note.trim().to_owned(),
            message,
        });
        let mut bead = find_with_bead(tx, id)?.0;
        bead.assignee = to.mailbox();
        tx.put(bead)?;
        save_escalation(tx, &one)?;
        Ok(one)
    })?;
    let to = to.mailbox();
    town.record_event(&event!(EscalationForwarded, escalation_id: id, by: by, to: to));
    Ok(one)
}

/// Answers an escalation and closes it. A number stands for the option of that number.
pub fn resolve_escalation(town: &LiveTown, id: &str, answer: &str) -> anyhow::Result<Escalation> {
    let by = town.actor.mailbox();
    let over = EscalationEnding {
        by: &by,
        rule: "",
        text: answer,
        is_answer: true,
    };
    end_escalation(town, id, &over, |_| true)
}

/// Closes an escalation without an answer.
pub fn close_escalation(town: &LiveTown, id: &str, reason: &str) -> anyhow::Result<Escalation> {
    let by = town.actor.mailbox();
    let over = EscalationEnding {
        by: &by,
        rule: "",
        text: reason,
        is_answer: false,
    };
    end_escalation(town, id, &over, |_| true)
}

/// The ending of an escalation.
pub(super) struct EscalationEnding<'a> {
    pub by: &'a str,
    /// The rule of an automatic ending. Empty otherwise.
    pub rule: &'a str,
    /// The answer or the reason.
    pub text: &'a str,
    /// True if the text is an answer.
    pub is_answer: bool,
}

/// Ends an escalation if `still` holds in the transaction: all askers get the text, and the
/// messages about the escalation are closed, in one transaction.
pub(super) fn end_escalation(
    town: &LiveTown,
    id: &str,
    ending: &EscalationEnding,
    still: impl Fn(&Escalation) -> bool,
) -> anyhow::Result<Escalation> {
    let text = ending.text.trim();
    anyhow::ensure!(!text.is_empty(), EscalateError::NoText);
    let store = town.open_town_store()?;
    let (one, was_open) = town.transact(&store, |tx| {
        let mut one = find_open(tx, id)?;
        if !still(&one) {
            return Ok((one, false));
        }
        let text = if ending.is_answer {
            choose_option(&one, text)?
        } else {
            text.to_owned()
        };
        ending.by.clone_into(&mut one.closed_by);
        one.closed_reason = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if ending.is_answer {
            one.details.answer.clone_from(&text);
        }
        close_messages(tx, &one)?;
        for to in one.details.asked_by.iter().filter(|to| *to != ending.by) {
            mail::write_message(tx, &build_result_message(&one, to, ending, &text))?;
        }
        save_escalation(tx, &one)?;
        let mut bead = find_with_bead(tx, id)?.0;
        change::mark_closed(&mut bead, &one.closed_reason, &tx.now());
        one.status = bead.status.to_string();
        tx.put(bead)?;
        Ok((one, true))
    })?;
    if was_open {
        town.record_event(&Event::EscalationClosed(EscalationClosed {
            escalation_id: id.to_owned(),
            closed_by: one.closed_by.clone(),
            reason: one.closed_reason.clone(),
            answer: Some(one.details.answer.clone()).filter(|answer| !answer.is_empty()),
            bead: Some(one.related_bead.clone()).filter(|bead| !bead.is_empty()),
        }));
    }
    Ok(one)
}

/// Returns the option of a number, otherwise the text.
fn choose_option(one: &Escalation, text: &str) -> Result<String, EscalateError> {
    let options = one.details.decision.as_ref().map(|choice| &choice.options);
    let (Some(options), Ok(number)) = (options, text.parse::<usize>()) else {
        return Ok(text.to_owned());
    };
    if options.is_empty() || options.iter().any(|option| option == text) {
        return Ok(text.to_owned());
    }
    let option = number.checked_sub(1).and_then(|at| options.get(at));
    option.cloned().ok_or_else(|| EscalateError::NoSuchNumber {
        id: one.id.clone(),
        number,
        options: options.clone(),
    })
}

/// Closes the messages about an escalation. Replies to them stay open.
fn close_messages(tx: &mut Tx, one: &Escalation) -> anyhow::Result<()> {
    let details = &one.details;
    let sent = details.deliveries.iter().map(|delivery| &delivery.message);
    let forwarded = details.forwards.iter().map(|step| &step.message);
    let ids: Vec<String> = sent.chain(forwarded).cloned().collect();
    for id in ids {
        let found = tx
            .get_live(&id)
            .filter(|message| message.is_open())
            .cloned();
        if let Some(mut message) = found {
            change::mark_closed(&mut message, "The escalation is over", &tx.now());
            tx.put(message)?;
        }
    }
    Ok(())
}

/// Builds the message for one asker.
fn build_result_message(
    one: &Escalation,
    to: &str,
    ending: &EscalationEnding,
    text: &str,
) -> NewMessage {
    let (word, subject) = if ending.is_answer {
        ("answered", format!("Answer: {}", one.title))
    } else {
        ("closed without an answer", format!("Closed: {}", one.title))
    };
    let mut body = format!("{} was {word} by {}:\n\n{text}\n", one.id, ending.by);
    if !ending.rule.is_empty() {
        body.push_str(&format!("\n{}\n", ending.rule));
    }
    if !one.related_bead.is_empty() {
        body.push_str(&format!("\nBead: {}\n", one.related_bead));
    }
    NewMessage {
        to: to.to_owned(),
        from: if ending.rule.is_empty() {
            ending.by.to_owned()
        } else {
            Address::Deacon.mailbox()
        },
        subject,
        body,
        priority: Some(1),
        kind: "reply".to_owned(),
        thread: Some(thread_of_escalation(&one.id)),
        operation: Some(format!("escalation:{}:over", one.id)),
        ..NewMessage::default()
    }
}
