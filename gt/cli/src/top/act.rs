//! Runs an action with the function that its command calls, and describes the result in one line.

use gt::flow::nudge::nudge_unless_muted;
use gt::flow::sling::{SlingBatch, SlingOptions, sling_batch};
use gt::flow::{escalate, hold, mq, polecat};
use gt::host::LiveTown;
use gt::host::daemon::wake_daemon;
use gt::town::hold::HoldState;
use gt::town::identity::Address;
use kit::ui::counted;
use kit::ui::escape::escape_line;

use super::super::mq::find_request;
use super::action::TownChange;
use super::source::describe_error;
use super::state::ResultLine;

/// Runs a change of the town.
pub(super) fn run_change(town: &LiveTown, change: &TownChange) -> ResultLine {
    match apply_change(town, change) {
        Ok(text) => ResultLine {
            text: escape_line(&text),
            is_error: false,
        },
        Err(error) => ResultLine {
            text: describe_error(&error),
            is_error: true,
        },
    }
}

fn apply_change(town: &LiveTown, change: &TownChange) -> anyhow::Result<String> {
    Ok(match change {
        TownChange::Answer { escalation, answer } => {
            let resolved = escalate::resolve_escalation(town, escalation, answer)?;
            format!("{} is resolved: {}", resolved.id, resolved.details.answer)
        }
        TownChange::Acknowledge { escalation } => {
            let acknowledged = escalate::acknowledge_escalation(town, escalation)?;
            let by = &acknowledged.acked_by;
            format!("{} is acknowledged by {by}", acknowledged.id)
        }
        TownChange::Nudge { agent, message } => {
            let nudged = nudge_unless_muted(town, &town.parse_agent(agent)?, message)?;
            format!("{} {}", nudged.agent, nudged.how)
        }
        TownChange::Sling { bead, target } => sling(town, bead, target)?,
        TownChange::RetryRequest { request } => {
            let (found, rig) = find_request(town, std::slice::from_ref(request))?;
            let was = mq::retry_request(&rig, &found.store, request)?;
            wake_daemon(town);
            match was {
                Some(_) => format!("{request} is in the queue again"),
                None => format!("{request} is ready to merge already"),
            }
        }
        TownChange::RetryWorker { worker } => {
            let Address::Polecat(rig, name) = town.parse_agent(worker)? else {
                anyhow::bail!("{worker} is no polecat");
            };
            polecat::retry_polecat(&town.find_rig(&rig)?, &name)?;
            wake_daemon(town);
            format!("{rig}/{name} is tried again")
        }
        TownChange::Reject { request, reason } => {
            let (found, rig) = find_request(town, std::slice::from_ref(request))?;
            let rejected = mq::reject_request(&rig, &found.store, request, reason)?;
            wake_daemon(town);
            let bead = &rejected.bead;
            format!("{request} will not be merged: {reason}; {bead} is open again")
        }
        TownChange::Park { rig } => {
            let report = hold::hold_rig(town, &town.find_rig(rig)?, HoldState::Parked)?;
            let ended = counted(report.sessions.len(), "session");
            format!("rig {rig} is parked: nothing is started, {ended} ended")
        }
        TownChange::Unpark { rig } => {
            let report = hold::release_rig(town, &town.find_rig(rig)?, HoldState::Parked)?;
            match report.held {
                Some(hold) => anyhow::bail!("{}: nothing is started", hold.reason),
                None => format!("rig {rig} is no longer parked"),
            }
        }
        TownChange::StopTown { reason } => {
            let report = hold::stop_town_agents(town, reason)?;
            let ended = counted(report.sessions.len(), "session");
            format!("the town is stopped: nothing is started, {ended} ended")
        }
        TownChange::ThawTown => {
            let report = hold::thaw_town(town)?;
            match report.held {
                Some(hold) => anyhow::bail!("{}: nothing is started", hold.reason),
                None => "the town is no longer stopped".to_owned(),
            }
        }
    })
}

fn sling(town: &LiveTown, bead: &str, target: &str) -> anyhow::Result<String> {
    let batch = SlingBatch {
        beads: vec![bead.to_owned()],
        target: target.to_owned(),
        options: SlingOptions::default(),
    };
    let mut warnings = Vec::new();
    let slung = sling_batch(town, &batch, |problem| warnings.push(problem.to_owned()))?;
    wake_daemon(town);
    let mut results: Vec<String> = slung
        .iter()
        .map(|report| {
            if !report.waits_for.is_empty() {
                let blockers = report.waits_for.join(", ");
                return format!("{} is queued until {blockers} closes", report.bead);
            }
            let trouble = match (&report.needs_person, &report.start_failed) {
                (Some(question), _) => format!("; its session needs you: {question}"),
                (None, Some(reason)) => format!("; its session could not be started: {reason}"),
                (None, None) => String::new(),
            };
            format!("{} is slung to {}{trouble}", report.bead, report.target)
        })
        .collect();
    if results.is_empty() {
        results.push("no open bead to sling".to_owned());
    }
    results.extend(warnings);
    Ok(results.join("; "))
}
