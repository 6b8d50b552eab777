//! Escalations: an agent that cannot go on, or must not decide alone, asks for help.
//!
//! What must always hold: an escalation is a bead before anyone hears of it, its messages are written in the same
//! transaction, and a command that was not run or failed stays recorded until it is run again.
//!
//! 1. [`escalate`]: the same, if it is still open, is counted; else the bead is made, with the messages of its routes.
//! 2. [`deliver()`]: runs the commands of its routes, and records how each went.
//! 3. [`acknowledge`], [`forward`]: someone takes it up, or passes it on.
//! 4. [`resolve`], [`close`]: the answer goes to all that asked, and the messages about it are closed.
//! 5. [`reescalate`], [`take_default`]: what time does to one that nobody answers.

mod answer;
mod command;
mod deliver;
mod overdue;

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
    RaiseTime, RaisedEscalation, find_raise_time, raise_escalation, raise_stale_escalations,
    take_default,
};

use crate::host::LiveTown;
use crate::record;
use crate::record::convoy;
use crate::record::escalation::{
    self, DeliveryState, Escalation, EscalationChoice, EscalationDetails, RouteDelivery, Severity,
};
use crate::record::mail::{self, NewMessage};
use crate::town::config::{EscalationRoute, EscalationSettings};
use crate::town::event::{EscalationSent, Event};
use crate::town::identity::{Address, SessionName};

/// What is escalated.
#[derive(Debug, Clone, Default)]
pub struct EscalationRequest {
    /// What it is about, in one line.
    pub title: String,
    /// How urgent it is.
    pub severity: Severity,
    /// What kind of trouble it is, in a word.
    pub category: String,
    /// Why, in as many lines as needed.
    pub reason: String,
    /// What noticed it, such as a plugin.
    pub source: String,
    /// The bead that it is about; the one on the caller's hook if none is named.
    pub related: Option<String>,
    /// The convoy that it concerns; the one that tracks the bead if none is named.
    pub convoy: Option<String>,
    /// What is to be decided.
    pub decision: Option<EscalationChoice>,
}

/// What was done.
#[derive(Debug, Clone, Serialize)]
pub struct EscalationReport {
    /// The escalation.
    pub id: String,
    /// Its severity.
    pub severity: Severity,
    /// The routes that it took.
    pub actions: Vec<String>,
    /// The mailboxes that got a message.
    pub targets: Vec<String>,
    /// What noticed it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// How often the same was escalated; 1 for a new one.
    pub occurrences: u64,
    /// The convoy that it concerns.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub convoy: String,
    /// What became of each route.
    pub deliveries: Vec<RouteDelivery>,
    /// What is wrong with the settings; the built-in routes count then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// Why an escalation cannot be made or changed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EscalateError {
    /// There is nothing to read.
    #[error("an escalation needs a description: gt escalate \"<what is wrong>\"")]
    NoDescription,
    /// There is no such escalation.
    #[error("no escalation `{id}` in this town: not found")]
    Unknown {
        /// What was asked for.
        id: String,
    },
    /// It is over.
    #[error("{id} is closed already, by {by}: {reason}")]
    Closed {
        /// The escalation.
        id: String,
        /// Who closed it.
        by: String,
        /// Why.
        reason: String,
    },
    /// The default is none of the options.
    #[error("the default `{default}` is not an option (options: {})", options.join(", "))]
    NotAnOption {
        /// The default.
        default: String,
        /// The options.
        options: Vec<String>,
    },
    /// There is no option of this number.
    #[error("{id} has no option {number} (options: {})", options.join(", "))]
    NoSuchNumber {
        /// The escalation.
        id: String,
        /// The number.
        number: usize,
        /// The options.
        options: Vec<String>,
    },
    /// Something must be said.
    #[error("say why: the text goes to the one who asked")]
    NoText,
    /// There is no such convoy.
    #[error("no convoy `{id}` in this town: not found")]
    NoConvoy {
        /// What was asked for.
        id: String,
    },
}

/// The settings, and what is wrong with them: an escalation must go out all the same.
pub fn read_settings(town: &LiveTown) -> (EscalationSettings, Option<String>) {
    match EscalationSettings::load(town) {
        Ok(settings) => (settings, None),
        Err(error) => (EscalationSettings::default(), Some(error.to_string())),
    }
}

/// The same for who sends messages: the overseer gets what would go to a mayor that does not run.
fn read_send_settings(town: &LiveTown) -> (EscalationSettings, Option<String>) {
    let (mut settings, warning) = read_settings(town);
    let session = SessionName::for_agent(&Address::Mayor);
    // Sessions that cannot be asked are no reason for nobody to hear of it.
    settings.mayor_runs = session.is_some_and(|session| {
        let live = town.host.find(session.as_str()).ok().flatten();
        live.is_some_and(|live| live.dead.is_none())
    });
    (settings, warning)
}

/// Escalates. The same that is still open is counted there, and raised if this one is more urgent.
pub fn send_escalation(
    town: &LiveTown,
    request: &EscalationRequest,
) -> anyhow::Result<EscalationReport> {
    let new = build_escalation(town, request)?;
    let (settings, mut warning) = read_send_settings(town);
    let store = town.open_town_store()?;
    let (one, routes) = town.transact(&store, |tx| {
        let mut one = match escalation::find_duplicate(tx, &new) {
            Some(open) => count_repetition(tx, open, &new)?,
            None => create_escalation(tx, new.clone())?,
        };
        let is_new = one.details.occurrences == 1;
        let routes = if is_new || new.severity > one.severity {
            one.severity = one.severity.max(new.severity);
            apply_routes(town, tx, &mut one, &settings, "")?
        } else {
            Vec::new()
        };
        save_escalation(tx, &one)?;
        Ok((one, routes))
    })?;
    let actions: Vec<String> = routes.iter().map(ToString::to_string).collect();
    let targets = list_mailboxes(town, &routes);
    let named = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    town.record_event(&Event::EscalationSent(EscalationSent {
        rig: one.id.clone(),
        target: town.actor.mailbox(),
        to: targets.join(","),
        reason: one.title.clone(),
        severity: one.severity.name().to_owned(),
        actions: actions.clone(),
        source: named(&one.source),
        bead: named(&one.related_bead),
        convoy: named(&one.details.convoy),
        occurrences: Some(one.details.occurrences),
        ..EscalationSent::default()
    }));
    let deliveries = match deliver_escalation(town, &one.id) {
        Ok(one) => one.details.deliveries,
        // It is written: what is left to be run is run by the patrol.
        Err(error) => {
            warning = warning.or_else(|| Some(format!("its commands were not run: {error:#}")));
            one.details.deliveries
        }
    };
    Ok(EscalationReport {
        id: one.id,
        severity: one.severity,
        actions,
        targets,
        source: one.source,
        occurrences: one.details.occurrences,
        convoy: one.details.convoy,
        deliveries,
        warning,
    })
}

/// What would be escalated: to whom, and by which routes.
pub fn preview_escalation(
    town: &LiveTown,
    request: &EscalationRequest,
) -> anyhow::Result<EscalationReport> {
    let new = build_escalation(town, request)?;
    let (settings, warning) = read_send_settings(town);
    let same = escalation::find_duplicate(&town.open_town_store()?.snapshot()?, &new);
    let routes = settings.routes(new.severity.name());
    Ok(EscalationReport {
        id: same.as_ref().map(|one| one.id.clone()).unwrap_or_default(),
        severity: new.severity,
        actions: routes.iter().map(ToString::to_string).collect(),
        targets: list_mailboxes(town, &routes),
        source: new.source,
        occurrences: same.map_or(1, |one| one.details.occurrences + 1),
        convoy: new.details.convoy,
        deliveries: Vec::new(),
        warning,
    })
}

/// The escalation as it is to be written, with the bead and the convoy that it concerns.
fn build_escalation(town: &LiveTown, request: &EscalationRequest) -> anyhow::Result<Escalation> {
    let title = fit_to_title(&request.title);
    anyhow::ensure!(!title.is_empty(), EscalateError::NoDescription);
    let related = match &request.related {
        Some(id) => town.find_bead(id)?.bead.id,
        None if town.actor == Address::Overseer => String::new(),
        // An agent without work may escalate, too.
        None => record::hook::find_hooked_bead(town, &town.actor).unwrap_or_default(),
    };
    let beads = town.open_town_store()?.snapshot()?;
    let convoy = match &request.convoy {
        Some(id) => {
            let found = beads.get_live(id).filter(|bead| convoy::is_convoy(bead));
            let unknown = || EscalateError::NoConvoy { id: id.clone() };
            found.ok_or_else(unknown)?.id.clone()
        }
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
        let (default, options) = (choice.default.clone(), choice.options.clone());
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

/// The same was escalated before: it is counted, and what is new about it becomes a comment.
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

/// An escalation with its bead.
fn find_with_bead(tx: &Tx, id: &str) -> Result<(bd::bead::Bead, Escalation), EscalateError> {
    let unknown = || EscalateError::Unknown { id: id.to_owned() };
    let bead = tx.get_live(id).ok_or_else(unknown)?;
    let one = Escalation::from_bead(bead).ok_or_else(unknown)?;
    Ok((bead.clone(), one))
}

/// The same, if it is open.
fn find_open(tx: &Tx, id: &str) -> Result<Escalation, EscalateError> {
    let (_, one) = find_with_bead(tx, id)?;
    if one.is_open() {
        return Ok(one);
    }
    Err(EscalateError::Closed {
        id: one.id,
        by: one.closed_by,
        reason: one.closed_reason,
    })
}

/// Writes the messages of a severity's routes, and notes the commands that are to be run. `mark` stands before the
/// subject in place of the severity.
fn apply_routes(
    town: &LiveTown,
    tx: &mut Tx,
    one: &mut Escalation,
    settings: &EscalationSettings,
    mark: &str,
) -> anyhow::Result<Vec<EscalationRoute>> {
    let routes = settings.routes(one.severity.name());
    let now = tx.now().to_string();
    for route in &routes {
        let mut delivery = RouteDelivery {
            route: route.to_string(),
            severity: one.severity,
            ..RouteDelivery::default()
        };
        match route {
            EscalationRoute::Bead | EscalationRoute::Log => continue,
            EscalationRoute::Mail(address) => {
                delivery.at.clone_from(&now);
                match town.parse_address(address) {
                    Ok(to) => {
                        let message = build_notice(one, &to, mark);
                        delivery.message = mail::write_message(tx, &message)?;
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
        one.details.deliveries.push(delivery);
    }
    Ok(routes)
}

/// The mailboxes among routes.
fn list_mailboxes(town: &LiveTown, routes: &[EscalationRoute]) -> Vec<String> {
    let addresses = routes.iter().filter_map(|route| match route {
        EscalationRoute::Mail(address) => town.parse_address(address).ok(),
        _ => None,
    });
    addresses.map(|address| address.mailbox()).collect()
}

/// The message about an escalation.
fn build_notice(one: &Escalation, to: &Address, mark: &str) -> NewMessage {
    let mark = match mark {
        "" => format!("[{}]", one.severity.name().to_uppercase()),
        mark => mark.to_owned(),
    };
    NewMessage {
        to: to.mailbox(),
        from: one.escalated_by.clone(),
        subject: format!("{mark} {}", one.title),
        body: format_notice_text(one),
        priority: Some(one.severity.priority()),
        kind: "task".to_owned(),
        thread: Some(thread_of_escalation(&one.id)),
        operation: Some(format!(
            "escalation:{}:{}:{}",
            one.id,
            one.severity.name(),
            one.details.deliveries.len()
        )),
        ..NewMessage::default()
    }
}

/// The thread of the messages about an escalation.
fn thread_of_escalation(id: &str) -> String {
    format!("escalation-{id}")
}

/// What is said about an escalation, with the commands that move it.
fn format_notice_text(one: &Escalation) -> String {
    let mut lines = vec![
        format!("Escalation: {}", one.id),
        format!("Severity: {}", one.severity.name()),
        format!("From: {}", one.escalated_by),
    ];
    let details = &one.details;
    for (key, value) in [
        ("Category", &details.category),
        ("Bead", &one.related_bead),
        ("Convoy", &details.convoy),
    ] {
        if !value.is_empty() {
            lines.push(format!("{key}: {value}"));
        }
    }
    if !one.reason.is_empty() {
        lines.push(String::new());
        lines.push(one.reason.clone());
    }
    let id = &one.id;
    let mut steps = vec![format!("gt escalate ack {id}")];
    match &details.decision {
        Some(choice) => {
            lines.push(String::new());
            lines.push("To be decided:".to_owned());
            for (number, option) in choice.options.iter().enumerate() {
                lines.push(format!("  {}. {option}", number + 1));
            }
            if !choice.default.is_empty() {
                lines.push(format!(
                    "Without an answer by {}: {}",
                    choice.deadline, choice.default
                ));
            }
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
