//! Handles escalations that no one answers in time: raises the severity if no one acknowledges, and
//! takes the default if the deadline passes.

use bd::bead::Status;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::answer::{self, EscalationEnding};
use super::{
    apply_routes, deliver_escalation, find_open, list_mailboxes, read_send_settings, read_settings,
    save_escalation,
};
use crate::host::LiveTown;
use crate::record::escalation::{self, Escalation, Severity};
use crate::town::event::{EscalationSent, Event};

/// The time at which an escalation is raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaiseTime {
    At(Timestamp),
    Never(&'static str),
}

/// An escalation that was raised, or the reason why it was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct RaisedEscalation {
    #[serde(rename = "ID")]
    pub id: String,
    pub title: String,
    pub old_severity: Severity,
    pub new_severity: Severity,
    /// The number of times it was raised.
    pub reescalation_num: u64,
    /// True if it was not raised.
    pub skipped: bool,
    pub skip_reason: String,
}

/// Returns the time at which an unacknowledged escalation is raised.
pub fn find_raise_time(
    severity: Severity,
    is_acked: bool,
    count: u64,
    since: Timestamp,
    stale: SignedDuration,
    limit: u64,
) -> RaiseTime {
    if is_acked {
        return RaiseTime::Never("acknowledged");
    }
    if severity.raised().is_none() {
        return RaiseTime::Never("critical already");
    }
    if count >= limit {
        return RaiseTime::Never("raised as often as the limit allows");
    }
    RaiseTime::At(since.saturating_add(stale).unwrap_or(Timestamp::MAX))
}

impl Escalation {
    /// Returns the time at which this escalation is raised.
    pub(crate) fn raise_time(&self, stale: SignedDuration, limit: u64) -> RaiseTime {
        find_raise_time(
            self.severity,
            self.is_acked(),
            self.reescalation_count,
            self.waits_since(),
            stale,
            limit,
        )
    }
}

/// Raises an escalation by one severity if it is due, and applies the routes of that severity. None
/// if it is not due.
pub fn raise_escalation(town: &LiveTown, id: &str) -> anyhow::Result<Option<RaisedEscalation>> {
    let (settings, _) = read_send_settings(town);
    let store = town.open_town_store()?;
    let raised = town.transact(&store, |tx| {
        let mut escalation = find_open(tx, id)?;
        let old = escalation.severity;
        let due = escalation.raise_time(settings.stale, settings.limit);
        let is_due = matches!(due, RaiseTime::At(at) if at <= tx.now().instant());
        let Some(new) = old.raised().filter(|_| is_due) else {
            return Ok(None);
        };
        if escalation.original_severity.is_empty() {
            escalation.original_severity = old.name().to_owned();
        }
        escalation.severity = new;
        escalation.reescalation_count += 1;
        escalation.last_reescalated_at = tx.now().to_string();
        escalation.last_reescalated_by = town.actor.mailbox();
        let [before, after] = [old, new].map(|severity| severity.name().to_uppercase());
        let mark = format!("[{before}→{after}] Re-escalated:");
        let routes = apply_routes(town, tx, &mut escalation, &settings, &mark)?;
        save_escalation(tx, &escalation)?;
        Ok(Some((escalation, old, routes)))
    })?;
    let Some((escalation, old, routes)) = raised else {
        return Ok(None);
    };
    let targets = list_mailboxes(town, &routes, settings.mayor_runs);
    town.record_event(&Event::EscalationSent(EscalationSent {
        rig: id.to_owned(),
        target: town.actor.mailbox(),
        to: targets.join(","),
        reason: escalation.title.clone(),
        severity: escalation.severity.name().to_owned(),
        actions: routes.iter().map(ToString::to_string).collect(),
        escalation_id: Some(id.to_owned()),
        reescalated: Some(true),
        old_severity: Some(old.name().to_owned()),
        new_severity: Some(escalation.severity.name().to_owned()),
        reescalation_num: Some(escalation.reescalation_count),
        targets: Some(targets),
        ..EscalationSent::default()
    }));
    // The escalation is raised. The patrol reruns a command that fails now.
    deliver_escalation(town, id).ok();
    Ok(Some(RaisedEscalation {
        id: id.to_owned(),
        title: escalation.title,
        old_severity: old,
        new_severity: escalation.severity,
        reescalation_num: escalation.reescalation_count,
        skipped: false,
        skip_reason: String::new(),
    }))
}

/// Raises all escalations that no one acknowledged in time, or only lists them. Those that are due
/// but may not be raised are listed with the reason.
pub fn raise_stale_escalations(
    town: &LiveTown,
    only_show: bool,
) -> anyhow::Result<Vec<RaisedEscalation>> {
    let (settings, _) = read_settings(town);
    let now = town.clock.now();
    let mut found = Vec::new();
    for escalation in escalation::list_escalations(&town.open_town_store()?.snapshot()?, false) {
        let waited = now.duration_since(escalation.waits_since());
        if waited < settings.stale || escalation.is_acked() {
            continue;
        }
        let (raised, skip_reason) = match escalation.raise_time(settings.stale, settings.limit) {
            RaiseTime::Never(reason) => (None, reason),
            RaiseTime::At(_) if only_show => (escalation.severity.raised(), ""),
            RaiseTime::At(_) => {
                found.extend(raise_escalation(town, &escalation.id)?);
                continue;
            }
        };
        found.push(RaisedEscalation {
            new_severity: raised.unwrap_or(escalation.severity),
            reescalation_num: escalation.reescalation_count + u64::from(raised.is_some()),
            skipped: raised.is_none(),
            skip_reason: skip_reason.to_owned(),
            old_severity: escalation.severity,
            title: escalation.title,
            id: escalation.id,
        });
    }
    Ok(found)
}

/// Answers an escalation with its default after the deadline. None if someone answered first.
pub fn take_default(town: &LiveTown, id: &str) -> anyhow::Result<Option<String>> {
    let beads = town.open_town_store()?.snapshot()?;
    let found = beads.get_live(id).and_then(Escalation::from_bead);
    let now = town.clock.now();
    let is_due = |escalation: &Escalation| escalation.default_at().is_some_and(|(_, at)| at <= now);
    let Some(escalation) = found.filter(|one| one.is_open() && is_due(one)) else {
        return Ok(None);
    };
    let Some((default, at)) = escalation.default_at() else {
        return Ok(None);
    };
    let rule = format!("No one answered by {at}, so the default was taken.");
    let ending = EscalationEnding {
        by: "deadline",
        rule: &rule,
        text: default,
        is_answer: true,
    };
    let escalation = answer::end_escalation(town, id, &ending, is_due)?;
    Ok((!escalation.is_open()).then(|| format!("{id} was answered with its default: {default}")))
}

/// Closes a question about a bead that was closed in the meantime. None if someone answered first.
pub fn close_settled_question(
    town: &LiveTown,
    id: &str,
    bead: &str,
) -> anyhow::Result<Option<String>> {
    let beads = town.open_town_store()?.snapshot()?;
    let found = beads.get_live(id).and_then(Escalation::from_bead);
    let is_closed = town.find_bead(bead)?.bead.status == Status::Closed;
    if !is_closed || !found.is_some_and(|escalation| escalation.is_open()) {
        return Ok(None);
    }
    let by = town.actor.mailbox();
    let ending = EscalationEnding {
        by: &by,
        rule: "",
        text: &format!("{bead} is closed, so that no one waits for an answer"),
        is_answer: false,
    };
    answer::end_escalation(town, id, &ending, |_| true)?;
    Ok(Some(format!("{id} was closed with {bead}")))
}
