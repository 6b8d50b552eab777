//! Handles the answers to an escalation: acknowledge, forward, resolve or close.

use bd::change;
use bd::store::Tx;
use kit::ui::escape;

use std::time::Duration;

use super::{
    EscalateError, build_notice, find_open, find_with_bead, save_escalation, thread_of_escalation,
};
use crate::flow::agent::nudge;
use crate::flow::agent::polecat::record_answer;
use crate::flow::agent::recipient;
use crate::host::LiveTown;
use crate::record::escalation::{Escalation, EscalationForward};
use crate::record::mail::{self, NewMessage};
use crate::record::notification_level::{NotificationLevel, load_level};
use crate::town::Town;
use crate::town::event::{EscalationClosed, Event, event};
use crate::town::identity::{Address, SessionName};

/// The maximum number of characters of an answer in a notice.
const NOTICE_LENGTH: usize = 400;

/// The time that an answer waits for a process that holds the slot of the asker.
const SLOT_WAIT: Duration = Duration::from_secs(2);

/// Acknowledges an escalation. Its severity is not raised any more.
pub fn acknowledge_escalation(town: &Town, id: &str) -> anyhow::Result<Escalation> {
    let store = town.open_town_store()?;
    let by = town.actor.mailbox();
    let escalation = town.transact(&store, |tx| {
        let mut escalation = find_open(tx, id)?;
        if !escalation.is_acked() {
            escalation.acked_by.clone_from(&by);
            escalation.acked_at = tx.now().to_string();
            save_escalation(tx, &escalation)?;
        }
        Ok(escalation)
    })?;
    if escalation.acked_by == by {
        town.record_event(&event!(EscalationAcked, escalation_id: id, acked_by: by));
    }
    Ok(escalation)
}

/// Forwards an escalation: the new recipient, or its stand-in, gets a message, and the wait for an
/// acknowledgement starts again.
pub fn forward_escalation(
    town: &LiveTown,
    id: &str,
    to: &Address,
    note: &str,
) -> anyhow::Result<Escalation> {
    let store = town.open_town_store()?;
    let by = town.actor.mailbox();
    let mayor_runs = recipient::is_mayor_running(town);
    let reader = recipient::find_notice_reader(town, to, mayor_runs).mailbox();
    let escalation = town.transact(&store, |tx| {
        let mut escalation = find_open(tx, id)?;
        let mut message = build_notice(town, &escalation, to, "", mayor_runs);
        message.from.clone_from(&by);
        message.operation = Some(format!(
            "escalation:{id}:forward:{}",
            escalation.details.forwards.len()
        ));
        if !note.trim().is_empty() {
            message.body = format!("{by} adds:\n\n{}\n\n{}", note.trim(), message.body);
        }
        let message = mail::write_message(tx, &message)?;
        escalation.acked_by.clear();
        escalation.acked_at.clear();
        escalation.details.forwards.push(EscalationForward {
            by: by.clone(),
            to: reader.clone(),
            at: tx.now().to_string(),
            note: note.trim().to_owned(),
            message,
        });
        let mut bead = find_with_bead(tx, id)?.0;
        bead.assignee.clone_from(&reader);
        tx.put(bead)?;
        save_escalation(tx, &escalation)?;
        Ok(escalation)
    })?;
    town.record_event(&event!(EscalationForwarded, escalation_id: id, by: by, to: reader));
    Ok(escalation)
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
/// messages about the escalation are closed, in one transaction. Askers whose sessions run get a
/// notice at once.
pub(super) fn end_escalation(
    town: &LiveTown,
    id: &str,
    ending: &EscalationEnding,
    still: impl Fn(&Escalation) -> bool,
) -> anyhow::Result<Escalation> {
    let text = ending.text.trim();
    anyhow::ensure!(!text.is_empty(), EscalateError::NoText);
    let store = town.open_town_store()?;
    let (escalation, messages) = town.transact(&store, |tx| {
        let mut escalation = find_open(tx, id)?;
        if !still(&escalation) {
            return Ok((escalation, None));
        }
        let text = if ending.is_answer {
            choose_option(&escalation, text)?
        } else {
            text.to_owned()
        };
        ending.by.clone_into(&mut escalation.closed_by);
        escalation.closed_reason = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if ending.is_answer {
            escalation.details.answer.clone_from(&text);
        }
        close_messages(tx, &escalation)?;
        let mut messages = Vec::new();
        for to in escalation
            .details
            .asked_by
            .iter()
            .filter(|to| *to != ending.by)
        {
            let message = build_result_message(&escalation, to, ending, &text);
            messages.push(ResultMessage {
                to: to.clone(),
                id: mail::write_message(tx, &message)?,
            });
        }
        save_escalation(tx, &escalation)?;
        let mut bead = find_with_bead(tx, id)?.0;
        change::mark_closed(&mut bead, &escalation.closed_reason, &tx.now());
        escalation.status = bead.status.to_string();
        tx.put(bead)?;
        Ok((escalation, Some(messages)))
    })?;
    if let Some(messages) = messages {
        for asker in &escalation.details.asked_by {
            release_asker(town, asker, &escalation.related_bead);
        }
        for message in &messages {
            notify_asker(town, &escalation, message);
        }
        town.record_event(&Event::EscalationClosed(EscalationClosed {
            escalation_id: id.to_owned(),
            closed_by: escalation.closed_by.clone(),
            reason: escalation.closed_reason.clone(),
            answer: Some(escalation.details.answer.clone()).filter(|answer| !answer.is_empty()),
            bead: Some(escalation.related_bead.clone()).filter(|bead| !bead.is_empty()),
        }));
    }
    Ok(escalation)
}

/// Lets the patrol start a polecat again that asked and whose sessions ended since: its restarts no
/// longer count. Errors are ignored, because a user can retry the worker.
fn release_asker(town: &Town, asker: &str, bead: &str) {
    let Ok(Address::Polecat(rig, name)) = town.parse_address(asker) else {
        return;
    };
    let Ok(rig) = town.find_rig(&rig) else { return };
    record_answer(&rig, &name, bead, SLOT_WAIT).ok();
}

/// The message with the result of an escalation.
struct ResultMessage {
    to: String,
    id: String,
}

/// Types the result into the session of an asker, if one runs. The message is in its mailbox in any
/// case, and the context of its next session has an answer.
fn notify_asker(town: &LiveTown, escalation: &Escalation, message: &ResultMessage) {
    let Ok(agent) = town.parse_address(&message.to) else {
        return;
    };
    let session = SessionName::for_agent(&agent);
    let live = session.and_then(|session| town.host.find_session(session.as_str()).ok().flatten());
    let Some(live) = live.filter(|live| live.dead.is_none()) else {
        return;
    };
    if load_level(town, &agent) == NotificationLevel::Muted {
        return;
    }
    let title = escape::escape_line(&escalation.title);
    let result = escape::escape_line(&escalation.closed_reason);
    let shown: String = result.chars().take(NOTICE_LENGTH).collect();
    let word = if escalation.details.answer.is_empty() {
        "was closed without an answer"
    } else {
        "is answered"
    };
    let text = format!(
        "Your question {} \"{title}\" {word}: {shown} (gt mail read {})",
        escalation.id, message.id
    );
    if nudge::nudge_agent(town, &agent, &text).is_ok() {
        mail::record_notice(&town.layout, &message.to, &live.token, &message.id);
    }
}

/// Returns the option of a number, otherwise the text.
fn choose_option(escalation: &Escalation, text: &str) -> Result<String, EscalateError> {
    let options = escalation
        .details
        .decision
        .as_ref()
        .map(|choice| &choice.options);
    let (Some(options), Ok(number)) = (options, text.parse::<usize>()) else {
        return Ok(text.to_owned());
    };
    if options.is_empty() || options.iter().any(|option| option == text) {
        return Ok(text.to_owned());
    }
    let option = number.checked_sub(1).and_then(|at| options.get(at));
    option.cloned().ok_or_else(|| EscalateError::NoSuchNumber {
        id: escalation.id.clone(),
        number,
        options: options.clone(),
    })
}

/// Closes the messages about an escalation. Replies to them stay open.
fn close_messages(tx: &mut Tx, escalation: &Escalation) -> anyhow::Result<()> {
    let details = &escalation.details;
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
    escalation: &Escalation,
    to: &str,
    ending: &EscalationEnding,
    text: &str,
) -> NewMessage {
    let (word, subject) = if ending.is_answer {
        ("answered", format!("Answer: {}", escalation.title))
    } else {
        (
            "closed without an answer",
            format!("Closed: {}", escalation.title),
        )
    };
    let mut body = format!("{} was {word} by {}:\n\n{text}\n", escalation.id, ending.by);
    if !ending.rule.is_empty() {
        body.push_str(&format!("\n{}\n", ending.rule));
    }
    if !escalation.related_bead.is_empty() {
        body.push_str(&format!("\nBead: {}\n", escalation.related_bead));
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
        thread: Some(thread_of_escalation(&escalation.id)),
        operation: Some(format!("escalation:{}:over", escalation.id)),
        ..NewMessage::default()
    }
}
