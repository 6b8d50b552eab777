//! Manages escalations: requests for help from agents that are stuck or must not decide alone.
//!
//! An escalation is a bead before anyone is notified, its messages are written in the same
//! transaction, and a command that has not run or has failed stays recorded until it runs again.
//!
//! 1. [`send_escalation`]: counts a repetition of an open escalation. Otherwise creates the bead
//!    with the messages of its routes.
//! 2. [`deliver_escalation`]: runs the commands of its routes and records their results.
//! 3. [`acknowledge_escalation`], [`forward_escalation`]: someone accepts it or forwards it.
//! 4. [`resolve_escalation`], [`close_escalation`]: all askers get the answer, and the messages
//!    about it are closed.
//! 5. [`raise_escalation`], [`take_default`]: handle an escalation that no one answers in time.

mod answer;
mod command;
mod deliver;
mod overdue;

use std::collections::BTreeMap;

use bd::bead::validate::fit_to_title;
use bd::change::{self, NewBead};
use bd::store::Tx;
use serde::Serialize;

pub use answer::{
    acknowledge_escalation, close_escalation, forward_escalation, resolve_escalation,
};
pub use deliver::deliver_escalation;
pub(crate) use deliver::redeliver_escalation;
pub use overdue::{
    RaiseTime, RaisedEscalation, close_settled_question, find_raise_time, raise_escalation,
    raise_stale_escalations, take_default,
};

use crate::flow::agent::recipient;
use crate::host::LiveTown;
use crate::record;
use crate::record::convoy;
use crate::record::escalation::{
    self, DeliveryState, Escalation, EscalationChoice, EscalationDetails, RouteDelivery, Severity,
};
use crate::record::mail::{self, NewMessage};
use crate::town::Town;
use crate::town::config::{EscalationRoute, EscalationSettings};
use crate::town::event::{EscalationSent, Event};
use crate::town::identity::Address;

#[derive(Debug, Clone, Default)]
pub struct EscalationRequest {
    /// The subject in one line.
    pub title: String,
    pub severity: Severity,
    /// The kind of problem in one word.
    pub category: String,
    /// The reason, in any number of lines.
    pub reason: String,
    /// The source that noticed the problem, such as a plugin.
    pub source: String,
    /// The bead concerned. If `None`, the one on the caller's hook.
    pub related: Option<String>,
    /// The convoy concerned. If `None`, the one that tracks the bead.
    pub convoy: Option<String>,
    /// The decision that is requested.
    pub decision: Option<EscalationChoice>,
}

/// The result of an escalation.
#[derive(Debug, Clone, Serialize)]
pub struct EscalationReport {
    pub id: String,
    pub severity: Severity,
    /// The routes.
    pub actions: Vec<String>,
    /// The mailboxes that got a message.
    pub targets: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The number of times that the same problem was escalated. 1 for a new escalation.
    pub occurrences: u64,
    /// The convoy concerned.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub convoy: String,
    /// The result of each route.
    pub deliveries: Vec<RouteDelivery>,
    /// A problem with the settings, which makes the built-in routes apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EscalateError {
    /// The description is empty.
    #[error("an escalation needs a description: gt escalate \"<what is wrong>\"")]
    NoDescription,
    #[error("no escalation `{id}` in this town: not found")]
    Unknown { id: String },
    #[error("{id} is closed already, by {by}: {reason}")]
    Closed {
        id: String,
        by: String,
        reason: String,
    },
    /// The default is none of the options.
    #[error("the default `{default}` is not an option (options: {})", options.join(", "))]
    NotAnOption {
        default: String,
        options: Vec<String>,
    },
    /// No option has this number.
    #[error("{id} has no option {number} (options: {})", options.join(", "))]
    NoSuchNumber {
        id: String,
        number: usize,
        options: Vec<String>,
    },
    #[error("say why: the text goes to the one who asked")]
    NoText,
    #[error("no convoy `{id}` in this town: not found")]
    NoConvoy { id: String },
}

/// Returns the settings with a description of their problems. Never fails, because an escalation
/// must be sent even with invalid settings.
pub fn read_settings(town: &Town) -> (EscalationSettings, Option<String>) {
    match EscalationSettings::load(town) {
        Ok(settings) => (settings, None),
        Err(error) => (EscalationSettings::default(), Some(error.to_string())),
    }
}

/// Returns the settings for sending messages: the overseer gets the mail for a mayor that does not
/// run.
fn read_send_settings(town: &LiveTown) -> (EscalationSettings, Option<String>) {
    let (mut settings, warning) = read_settings(town);
    settings.mayor_runs = recipient::is_mayor_running(town);
    (settings, warning)
}

/// Sends an escalation. A repetition of an open one is counted there, and raises it if it is more
/// urgent.
pub fn send_escalation(
    town: &LiveTown,
    request: &EscalationRequest,
) -> anyhow::Result<EscalationReport> {
    let new = build_escalation(town, request)?;
    let (settings, mut warning) = read_send_settings(town);
    let store = town.open_town_store()?;
    let (escalation, routes) = town.transact(&store, |tx| {
        let mut escalation = match escalation::find_duplicate(tx, &new) {
            Some(open) => count_repetition(tx, open, &new)?,
            None => create_escalation(tx, new.clone())?,
        };
        let is_new = escalation.details.occurrences == 1;
        let routes = if is_new || new.severity > escalation.severity {
            escalation.severity = escalation.severity.max(new.severity);
            apply_routes(town, tx, &mut escalation, &settings, "")?
        } else {
            Vec::new()
        };
        save_escalation(tx, &escalation)?;
        Ok((escalation, routes))
    })?;
    let actions: Vec<String> = routes.iter().map(ToString::to_string).collect();
    let targets = list_mailboxes(town, &routes, settings.mayor_runs);
    let none_if_empty = |text: &String| (!text.is_empty()).then(|| text.clone());
    town.record_event(&Event::EscalationSent(EscalationSent {
        rig: escalation.id.clone(),
        target: town.actor.mailbox(),
        to: targets.join(","),
        reason: escalation.title.clone(),
        severity: escalation.severity.name().to_owned(),
        actions: actions.clone(),
        source: none_if_empty(&escalation.source),
        bead: none_if_empty(&escalation.related_bead),
        convoy: none_if_empty(&escalation.details.convoy),
        occurrences: Some(escalation.details.occurrences),
        ..EscalationSent::default()
    }));
    let deliveries = match deliver_escalation(town, &escalation.id) {
        Ok(escalation) => escalation.details.deliveries,
        // The escalation is written. The patrol runs the remaining commands.
        Err(error) => {
            warning = warning.or_else(|| Some(format!("its commands were not run: {error:#}")));
            escalation.details.deliveries
        }
    };
    Ok(EscalationReport {
        id: escalation.id,
        severity: escalation.severity,
        actions,
        targets,
        source: escalation.source,
        occurrences: escalation.details.occurrences,
        convoy: escalation.details.convoy,
        deliveries,
        warning,
    })
}

/// Returns the report of an escalation without sending it: recipients and routes.
pub fn preview_escalation(
    town: &LiveTown,
    request: &EscalationRequest,
) -> anyhow::Result<EscalationReport> {
    let new = build_escalation(town, request)?;
    let (settings, warning) = read_send_settings(town);
    let same = escalation::find_duplicate(&town.open_town_store()?.snapshot()?, &new);
    let routes = settings.routes(new.severity.name());
    Ok(EscalationReport {
        id: same
            .as_ref()
            .map_or_else(String::new, |duplicate| duplicate.id.clone()),
        severity: new.severity,
        actions: routes.iter().map(ToString::to_string).collect(),
        targets: list_mailboxes(town, &routes, settings.mayor_runs),
        source: new.source,
        occurrences: same.map_or(1, |duplicate| duplicate.details.occurrences + 1),
        convoy: new.details.convoy,
        deliveries: Vec::new(),
        warning,
    })
}

/// Builds the escalation to write, with the bead and the convoy concerned.
fn build_escalation(town: &Town, request: &EscalationRequest) -> anyhow::Result<Escalation> {
    let title = fit_to_title(&request.title);
    anyhow::ensure!(!title.is_empty(), EscalateError::NoDescription);
    let related = match &request.related {
        Some(id) => town.find_bead(id)?.bead.id,
        None if town.actor == Address::Overseer => String::new(),
        // An agent without work may escalate too.
        None => record::hook::find_hooked_bead(town, &town.actor).unwrap_or_else(|_| String::new()),
    };
    let beads = town.open_town_store()?.snapshot()?;
    let convoy = match &request.convoy {
        Some(id) => match beads.get_live(id) {
            Some(bead) if convoy::is_convoy(bead) => bead.id.clone(),
            _ => return Err(EscalateError::NoConvoy { id: id.clone() }.into()),
        },
        None => convoy::convoys_tracking(&beads, &related)
            .into_iter()
            .next()
            .unwrap_or_default(),
    };
    if let Some(choice) = &request.decision
        && !choice.default.is_empty()
        && !choice.options.is_empty()
        && !choice.options.contains(&choice.default)
    {
        let default = choice.default.clone();
        let options = choice.options.clone();
        return Err(EscalateError::NotAnOption { default, options }.into());
    }
    let now = town.clock.now().to_string();
    Ok(Escalation {
        title,
        severity: request.severity,
        reason: request.reason.trim().to_owned(),
        source: fit_to_title(&request.source),
        escalated_by: town.actor.mailbox(),
        escalated_at: now.clone(),
        related_bead: related,
        details: EscalationDetails {
            category: fit_to_title(&request.category),
            asked_by: vec![town.actor.mailbox()],
            occurrences: 1,
            last_seen: now,
            decision: request.decision.clone(),
            convoy,
            ..EscalationDetails::default()
        },
        ..Escalation::default()
    })
}

fn create_escalation(tx: &mut Tx, mut new: Escalation) -> anyhow::Result<Escalation> {
    let bead = change::create_bead(
        tx,
        NewBead {
            title: new.title.clone(),
            labels: vec![escalation::LABEL.to_owned()],
            ..NewBead::default()
        },
    )?;
    new.id = bead.id;
    new.status = bead.status.to_string();
    Ok(new)
}

/// Counts a repetition of an open escalation, and adds its new facts as a comment.
fn count_repetition(
    tx: &mut Tx,
    mut open: Escalation,
    new: &Escalation,
) -> anyhow::Result<Escalation> {
    open.details.occurrences = open.details.occurrences.max(1) + 1;
    open.details.last_seen.clone_from(&new.details.last_seen);
    for who in &new.details.asked_by {
        if !open.details.asked_by.contains(who) {
            open.details.asked_by.push(who.clone());
        }
    }
    if !new.reason.is_empty() && new.reason != open.reason {
        change::add_comment(tx, &open.id, &new.escalated_by, &new.reason)?;
    }
    Ok(open)
}

/// Writes an escalation into its bead.
fn save_escalation(tx: &mut Tx, escalation: &Escalation) -> anyhow::Result<()> {
    let mut bead = find_with_bead(tx, &escalation.id)?.0;
    escalation.write_to(&mut bead)?;
    tx.put_updated(bead)?;
    Ok(())
}

/// Returns an escalation with its bead.
fn find_with_bead(tx: &Tx, id: &str) -> Result<(bd::bead::Bead, Escalation), EscalateError> {
    let bead = tx.get_live(id);
    let (Some(bead), Some(escalation)) = (bead, bead.and_then(Escalation::from_bead)) else {
        return Err(EscalateError::Unknown { id: id.to_owned() });
    };
    Ok((bead.clone(), escalation))
}

/// Returns an open escalation.
fn find_open(tx: &Tx, id: &str) -> Result<Escalation, EscalateError> {
    let (_, escalation) = find_with_bead(tx, id)?;
    if escalation.is_open() {
        return Ok(escalation);
    }
    Err(EscalateError::Closed {
        id: escalation.id,
        by: escalation.closed_by,
        reason: escalation.closed_reason,
    })
}

/// Writes the messages of a severity's routes, and records the commands to run. `mark` replaces the
/// severity before the subject.
fn apply_routes(
    town: &Town,
    tx: &mut Tx,
    escalation: &mut Escalation,
    settings: &EscalationSettings,
    mark: &str,
) -> anyhow::Result<Vec<EscalationRoute>> {
    let routes = settings.routes(escalation.severity.name());
    let now = tx.now().to_string();
    // Several roles may have the same stand-in, which gets one message.
    let mut sent: BTreeMap<String, String> = BTreeMap::new();
    for route in &routes {
        let mut delivery = RouteDelivery {
            route: route.to_string(),
            severity: escalation.severity,
            ..RouteDelivery::default()
        };
        match route {
            EscalationRoute::Bead | EscalationRoute::Log => continue,
            EscalationRoute::Mail(address) => {
                delivery.at.clone_from(&now);
                match town.parse_address(address) {
                    Ok(to) => {
                        let message =
                            build_notice(town, escalation, &to, mark, settings.mayor_runs);
                        if let Some(id) = sent.get(&message.to) {
                            delivery.message.clone_from(id);
                        } else {
                            delivery.message = mail::write_message(tx, &message)?;
                            sent.insert(message.to, delivery.message.clone());
                        }
                        delivery.state = DeliveryState::Sent;
                    }
                    Err(error) => {
                        delivery.state = DeliveryState::Skipped;
                        delivery.detail = error.to_string();
                    }
                }
            }
            EscalationRoute::Command { .. } => {}
        }
        escalation.details.deliveries.push(delivery);
    }
    Ok(routes)
}

/// Returns the mailboxes that get a message by the routes.
fn list_mailboxes(town: &Town, routes: &[EscalationRoute], mayor_runs: bool) -> Vec<String> {
    let mut mailboxes: Vec<String> = Vec::new();
    for route in routes {
        let EscalationRoute::Mail(address) = route else {
            continue;
        };
        let Ok(to) = town.parse_address(address) else {
            continue;
        };
        let mailbox = recipient::find_notice_reader(town, &to, mayor_runs).mailbox();
        if !mailboxes.contains(&mailbox) {
            mailboxes.push(mailbox);
        }
    }
    mailboxes
}

/// Builds the message about an escalation for an agent, or for its stand-in.
fn build_notice(
    town: &Town,
    escalation: &Escalation,
    to: &Address,
    mark: &str,
    mayor_runs: bool,
) -> NewMessage {
    let reader = recipient::find_notice_reader(town, to, mayor_runs);
    let mark = match mark {
        "" => format!("[{}]", escalation.severity.name().to_uppercase()),
        mark => mark.to_owned(),
    };
    NewMessage {
        to: reader.mailbox(),
        addressed_to: Some(to.mailbox()).filter(|_| reader != *to),
        from: escalation.escalated_by.clone(),
        subject: format!("{mark} {}", escalation.title),
        body: format_notice_text(escalation),
        priority: Some(escalation.severity.priority()),
        kind: "task".to_owned(),
        thread: Some(thread_of_escalation(&escalation.id)),
        operation: Some(format!(
            "escalation:{}:{}:{}",
            escalation.id,
            escalation.severity.name(),
            escalation.details.deliveries.len()
        )),
        ..NewMessage::default()
    }
}

/// Returns the thread of the messages about an escalation.
fn thread_of_escalation(id: &str) -> String {
    format!("escalation-{id}")
}

/// Formats the text of an escalation with the commands to act on it.
fn format_notice_text(escalation: &Escalation) -> String {
    let mut lines = vec![
        format!("Escalation: {}", escalation.id),
        format!("Severity: {}", escalation.severity.name()),
        format!("From: {}", escalation.escalated_by),
    ];
    let details = &escalation.details;
    for (key, value) in [
        ("Category", &details.category),
        ("Bead", &escalation.related_bead),
        ("Convoy", &details.convoy),
    ] {
        if !value.is_empty() {
            lines.push(format!("{key}: {value}"));
        }
    }
    if !escalation.reason.is_empty() {
        lines.push(String::new());
        lines.push(escalation.reason.clone());
    }
    let id = &escalation.id;
    let mut steps = vec![format!("gt escalate ack {id}")];
    match &details.decision {
        Some(choice) => {
            lines.push(String::new());
            lines.push("To be decided:".to_owned());
            for (number, option) in choice.options.iter().enumerate() {
                lines.push(format!("  {}. {option}", number + 1));
            }
            lines.extend(choice.describe_default());
            steps.push(format!("gt escalate resolve {id} \"<answer or number>\""));
        }
        None => steps.push(format!("gt escalate resolve {id} \"<what was done>\"")),
    }
    steps.push(format!("gt escalate forward {id} <address>"));
    lines.push(String::new());
    lines.push("Next steps:".to_owned());
    lines.push(String::new());
    lines.extend(steps.iter().map(|step| format!("    {step}")));
    format!("{}\n", lines.join("\n"))
}
