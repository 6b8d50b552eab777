//! Rule B1 and `gt boot triage`: watches the deacon's session. In mechanical mode there is no
//! session, because gtd does the deacon's work.
//!
//! A session without signs of life is asked first, and restarted only if it does not answer: two
//! signals. In a town without work and mail, nothing is asked. Rule D1 starts the deacon's session.

use std::time::Duration;

use jiff::Timestamp;
use kit::sys::clock;
use serde::Serialize;

use super::decision::{Action, Decision};
use super::rule;
use super::thresholds::Thresholds;
use super::triage::{DeaconAction, DeaconFacts, choose_deacon_action};
use crate::flow::agent::{nudge, role, session};
use crate::host::{Key, LiveTown};
use crate::record::boot_status::{BootStatus, DeaconMessage};
use crate::record::heartbeat::Heartbeat;
use crate::record::mail::{self, NewMessage};
use crate::record::pause::TownPause;
use crate::record::polecat::Slot;
use crate::record::pulse::SessionPulse;
use crate::record::restarts;
use crate::record::role::RoleMode;
use crate::record::town_view::TownView;
use crate::town::identity::Address;
use crate::town::{Town, TownLayout};

const CHECK_IN: &str = include_str!("../../templates/message/check-in.txt");
const CHECK_MESSAGE: &str = include_str!("../../templates/message/look-at-deacon.txt");

/// Returns true if an agent does the deacon's work.
pub(super) fn is_deacon_agent(view: &TownView) -> bool {
    view.roles
        .iter()
        .any(|role| role.address == Address::Deacon && role.mode == RoleMode::Agent)
}

/// Reads the facts.
pub fn facts(layout: &TownLayout, view: &TownView) -> DeaconFacts {
    let deacon = &Address::Deacon;
    let live = view.session_of(deacon);
    let pulse = live.map_or_else(SessionPulse::default, |live| {
        SessionPulse::load(layout, &live.name, &live.token)
    });
    let created = live.map_or(view.now, |live| live.created);
    let beat = Heartbeat::load(layout).map(|beat| beat.timestamp);
    let mut signs = [pulse.tool, pulse.idle, beat.filter(|at| *at > created)]
        .into_iter()
        .flatten()
        .peekable();
    // A program without hooks shows its activity only on the screen.
    let screen = live
        .filter(|_| signs.peek().is_none())
        .map(|live| live.activity);
    let sign = signs.chain(screen).chain([created]).max();
    let mut hooked = view.polecats.values().flatten();
    // An unreadable file may hold the stop of a user. Rule O1 reports it.
    let stopped = restarts::load_restarts(layout).map_or(true, |restarts| {
        restarts
            .get(&deacon.to_string())
            .is_some_and(|record| record.stopped)
    });
    DeaconFacts {
        is_agent: is_deacon_agent(view),
        running: view.is_running(deacon),
        stopped,
        paused: TownPause::load(layout).is_some(),
        attached: live.is_some_and(|live| live.attached),
        started: created,
        last_sign: sign.unwrap_or(created),
        refusals: pulse.refusal.map_or(0, |refusal| refusal.times),
        unread: mail::count_unread(&view.stores.town, &deacon.mailbox()),
        has_work: hooked.any(|polecat| polecat.hook.is_some())
            || view.hooked_bead_of(deacon).is_some(),
        asked: BootStatus::load(layout).and_then(|status| last_question(&status)),
    }
}

fn last_question(status: &BootStatus) -> Option<(DeaconAction, Timestamp)> {
    let asked = status.asked.as_ref()?;
    let action = DeaconAction::ALL
        .into_iter()
        .clone()
        .find(|triage| triage.name() == asked.action)?;
    Some((action, asked.at))
}

/// B1: a deacon without signs of life is asked, and restarted if it does not answer.
pub(super) fn decide(facts: Option<&DeaconFacts>, now: Timestamp) -> Option<Decision> {
    let (triage, saw) = choose_deacon_action(facts?, now);
    let is_ours = !matches!(triage, DeaconAction::Nothing | DeaconAction::Start);
    is_ours.then_some(Decision {
        rule: rule::B1_WATCH_DEACON,
        saw,
        action: Action::WatchDeacon { triage },
    })
}

/// The result of checking the deacon.
#[derive(Debug, Serialize)]
pub struct TriageReport {
    pub action: DeaconAction,
    pub target: &'static str,
    pub reason: String,
    pub done: bool,
}

/// Checks the deacon once, and acts unless it is a dry run.
pub fn run_triage(town: &LiveTown, dry_run: bool) -> anyhow::Result<TriageReport> {
    let view = TownView::read(town)?;
    let (action, reason) = choose_deacon_action(&facts(&town.layout, &view), view.now);
    let mut report = TriageReport {
        action,
        target: "deacon",
        reason,
        done: false,
    };
    if dry_run {
        return Ok(report);
    }
    let begun = town.clock.now();
    let result = act(town, &view, action, &report.reason);
    record_triage(town, begun, &report, result.as_ref().err())?;
    report.done = result?;
    Ok(report)
}

/// Acts on the decision if a second check confirms it.
pub(super) fn confirm_and_act(
    town: &LiveTown,
    decided: DeaconAction,
) -> anyhow::Result<Option<String>> {
    if run_triage(town, true)?.action != decided {
        return Ok(None);
    }
    let report = run_triage(town, false)?;
    Ok(report
        .done
        .then(|| format!("{}: {}", report.action.name(), report.reason)))
}

fn record_triage(
    town: &Town,
    begun: Timestamp,
    report: &TriageReport,
    error: Option<&anyhow::Error>,
) -> anyhow::Result<()> {
    let last = BootStatus::load(&town.layout).unwrap_or_default();
    let now = town.clock.now();
    // A failed action is recorded too, so that it is not repeated in each pass.
    let asked = report.action.is_message().then(|| DeaconMessage {
        action: report.action.name().to_owned(),
        at: now,
    });
    // A new session has not been asked yet.
    let earlier = match report.action {
        DeaconAction::Restart => None,
        _ => last.asked,
    };
    let action = error.map_or(report.action.name(), |_| "error");
    BootStatus {
        running: false,
        started_at: begun.to_string(),
        completed_at: now.to_string(),
        last_action: action.to_owned(),
        target: report.target.to_owned(),
        reason: report.reason.clone(),
        error: error.map_or(String::new(), |error| format!("{error:#}")),
        asked: asked.or(earlier),
        other: last.other,
    }
    .save(&town.layout)
}

/// Performs the action. Returns false if nothing was done.
fn act(
    town: &LiveTown,
    view: &TownView,
    action: DeaconAction,
    reason: &str,
) -> anyhow::Result<bool> {
    let deacon = Address::Deacon;
    // In agent mode boot decides, if it was not boot that ran the check.
    if action.is_message()
        && town.actor != Address::Boot
        && view.session_of(&Address::Boot).is_some()
    {
        let text = CHECK_MESSAGE.trim().replace("{reason}", reason);
        return nudge::nudge_agent(town, &Address::Boot, &text).map(|_| true);
    }
    let limits = Thresholds::for_town(town)?.agents;
    match action {
        DeaconAction::Nothing => Ok(false),
        DeaconAction::Start => Ok(role::keep_running(town, &deacon, &limits)?.is_some()),
        DeaconAction::Nudge => nudge::nudge_agent(town, &deacon, CHECK_IN.trim()).map(|_| true),
        DeaconAction::Wake => {
            let session = session::show::session_name_of(&deacon)?;
            town.host.press(session.as_str(), &[Key::Escape])?;
            clock::pause_thread(Duration::from_secs(1));
            nudge::nudge_agent(town, &deacon, CHECK_IN.trim()).map(|_| true)
        }
        DeaconAction::Interrupt => {
            let message = NewMessage {
                to: deacon.mailbox(),
                from: Address::Boot.mailbox(),
                subject: "Your API refuses: consider a handoff".to_owned(),
                body: format!("{reason}. Hand over with `gt handoff` when it answers again.\n"),
                ..NewMessage::default()
            };
            mail::send_message(town, &message).map(|_| true)
        }
        DeaconAction::Restart => {
            if let Some(live) = view.session_of(&deacon) {
                let ended =
                    session::end::end_of_quiet_session(town, live, &Slot::default(), reason);
                session::end::report_session_end(&ended, town, "", "deacon", "");
            }
            session::end::end_agent_session(town, &deacon)?;
            Ok(role::keep_running(town, &deacon, &limits)?.is_some())
        }
    }
}
