//! The patrol: one pass of facts → rules → actions over the whole town.
//!
//! The rules are grouped in families, one module each. A family has `facts`, which only reads.
//! `decide` is a pure function from facts to decisions. `due` returns the time until one of its
//! rules applies that does not apply now. Its actions first check if they are still needed, and are
//! safe to repeat. This module combines them: [`facts()`], [`decide`], [`due_in`] and [`act`],
//! which records each action with its rule, the facts and the result.
//!
//! A rule's name never changes its meaning: it is stored in events, and `gt why` reads it back.
//! `gtd` runs passes as long as anything happens. `gtd run --once` runs one.

pub mod attention;
pub mod boot;
mod chores;
mod convoys;
mod decision;
mod escalations;
mod executor;
mod gates;
mod held;
mod hooked;
pub mod invariant;
mod lifecycle;
mod mail;
mod memory;
pub mod outages;
mod places;
mod plugins;
mod polecats;
mod push;
mod queue;
mod roles;
mod scheduler;
mod standstill;
mod sync;
pub(crate) mod thresholds;
pub mod triage;
mod witness;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::json;

pub use chores::ChoreFacts;
pub use convoys::ConvoyFacts;
pub use decision::{Action, ActionKind, ActionSubject, Decision, WorkerVerb};
pub use escalations::{EscalationFacts, OpenEscalation};
pub use executor::ActionExecutor;
pub use gates::GateCheck;
pub use held::HeldFacts;
pub use hooked::HookFacts;
pub use lifecycle::LifecycleRequest;
pub use mail::{InputState, MailFacts};
pub use memory::PatrolMemory;
pub use plugins::{GateFacts, PluginFacts};
pub use polecats::PolecatFacts;
pub use push::UnfinishedWork;
pub use queue::QueueFacts;
pub use roles::RoleFacts;
pub use scheduler::SchedulerFacts;
pub use standstill::explain_worker;
pub use thresholds::{PatrolSettings, Thresholds};
pub use witness::WatchFacts;

pub use crate::record::rule;

use crate::flow::agent::costs;
use crate::flow::agent::seance::usage::RequestCache;
use crate::flow::agent::session::start::RestartCause;
use crate::flow::place::sync::SyncState;
use crate::flow::townwide::escalate;
use crate::flow::work::sling;
use crate::host::{LiveSession, LiveTown};
use crate::record::budget::BudgetBook;
use crate::record::heartbeat::Heartbeat;
use crate::record::pause::TownPause;
use crate::record::polecat::{Polecat, PolecatState};
use crate::record::progress::ActivityCache;
use crate::record::scheduler::{TownRoom, find_town_room, read_use_limits};
use crate::record::start_use::UseLimits;
use crate::record::town_view::TownView;
use crate::record::usage_pause::UsagePauses;
use crate::town::event::{Event, PatrolActionRecord};
use crate::town::hold::EmergencyStop;
use crate::town::lock;
use crate::town::{Rig, Town};

/// The facts about the town at the start of a pass.
#[derive(Debug, Clone, Default)]
pub struct TownFacts {
    pub now: Timestamp,
    pub rigs: BTreeMap<String, RigFacts>,
    pub convoys: ConvoyFacts,
    /// The items for the user.
    pub attention: attention::AttentionFacts,
    pub outages: Vec<outages::Outage>,
    pub escalations: EscalationFacts,
    /// The roles in agent mode.
    pub roles: Vec<RoleFacts>,
    /// The deacon's session, if an agent does the deacon's work.
    pub deacon: Option<triage::DeaconFacts>,
    /// The requests of agents by mail.
    pub requests: Vec<LifecycleRequest>,
    /// The hooked work of agents other than polecats.
    pub hooked: Vec<HookFacts>,
    /// The sessions with new mail.
    pub mail: Vec<MailFacts>,
    /// The gates that open without the user.
    pub gates: Vec<GateCheck>,
    pub chores: ChoreFacts,
    /// The places of engines that no worker needs.
    pub places: Vec<String>,
    pub plugins: PluginFacts,
    /// The pause, if the town is paused.
    pub paused: Option<TownPause>,
    /// The emergency stop, if the town is stopped.
    pub stopped: Option<EmergencyStop>,
    /// The heartbeat that this pass will write. None if the deacon's session writes it.
    pub heartbeat: Option<Heartbeat>,
    /// The stores with changes for their branches.
    pub sync: Vec<SyncState>,
    /// The thresholds for the town's own subjects.
    pub thresholds: Thresholds,
    /// The rigs whose beads are unreadable, with the reason.
    pub unreadable: Vec<String>,
    /// The room of the whole town for workers.
    pub room: TownRoom,
    /// The limits of agent programs and accounts.
    pub use_limits: UseLimits,
    /// The reason why the sessions cannot be listed, if there is one.
    pub degraded: Option<String>,
    /// The listed sessions, for callers that wait for their end.
    pub sessions: Vec<LiveSession>,
}

/// The facts about a rig.
#[derive(Debug, Clone, Default)]
pub struct RigFacts {
    /// The thresholds of the rules.
    pub thresholds: Thresholds,
    pub polecats: Vec<PolecatFacts>,
    /// The progress of the working polecats.
    pub watched: Vec<WatchFacts>,
    /// The commits of their unfinished work.
    pub unfinished: Vec<UnfinishedWork>,
    /// The beads to give to workers.
    pub scheduler: SchedulerFacts,
    pub queue: QueueFacts,
    /// The hold, if nothing may run in the rig.
    pub held: Option<HeldFacts>,
}

/// A decision with the result of its action.
#[derive(Debug, Clone, Serialize)]
pub struct ActionReport {
    #[serde(flatten)]
    pub decision: Decision,
    /// The result in a few words.
    pub outcome: String,
    /// True if the action failed. The next pass decides again.
    pub failed: bool,
    /// True if the action changed anything, so that another pass may find more to do.
    pub changed: bool,
    /// True if another process held the subject, so that a check should follow soon.
    pub busy: bool,
}

/// Runs one pass, the merge queues included, one action after the other. A decision about a subject
/// that changed in this pass is left to the next pass.
pub fn run_pass(town: &LiveTown) -> anyhow::Result<Vec<ActionReport>> {
    let (mut acted, mut changed): (Vec<ActionReport>, _) = (Vec::new(), BTreeSet::new());
    let facts = facts(town)?;
    for decision in decide(&facts, &|_| true) {
        let subject = decision.action.subject();
        if changed.contains(&subject) {
            continue;
        }
        let outcome = act(town, decision);
        if outcome.changed {
            changed.insert(subject);
        }
        acted.push(outcome);
    }
    let rules: Vec<&str> = acted
        .iter()
        .filter(|outcome| outcome.changed)
        .map(|outcome| outcome.decision.rule.name)
        .collect();
    write_heartbeat(town, facts.heartbeat, &rules).ok();
    Ok(acted)
}

/// Returns the decisions to sling queued beads that have room now.
pub fn choose_queued_slings(town: &LiveTown) -> anyhow::Result<Vec<Decision>> {
    let mut decisions = decide(&facts(town)?, &|_| true);
    decisions.retain(|decision| matches!(decision.action, Action::SlingQueued { .. }));
    Ok(decisions)
}

/// Writes the heartbeat of a pass, with the rules that acted since the previous one.
pub fn write_heartbeat(
    town: &Town,
    heartbeat: Option<Heartbeat>,
    rules: &[&str],
) -> anyhow::Result<()> {
    let Some(heartbeat) = heartbeat else {
        return Ok(());
    };
    let last = rules.last().map(|rule| (*rule).to_owned());
    let heartbeat = Heartbeat {
        last_action: last.unwrap_or_else(|| "patrol".to_owned()),
        actions: rules.len() as u64,
        ..heartbeat
    };
    Heartbeat::write_next(town, heartbeat).map(drop)
}

/// Returns the heartbeat that a pass will write.
fn build_heartbeat(view: &TownView) -> Option<Heartbeat> {
    if boot::is_deacon_agent(view) {
        return None;
    }
    let (ill, healthy): (Vec<&Polecat>, Vec<&Polecat>) =
        view.polecats.values().flatten().partition(|worker| {
            matches!(worker.state, PolecatState::Stalled | PolecatState::Zombie)
        });
    Some(Heartbeat {
        healthy_agents: healthy.len() as u64,
        unhealthy_agents: ill.len() as u64,
        ..Heartbeat::default()
    })
}

/// Reads the facts: lists the sessions once, reads every store once, checks locks, reads the clock
/// once. Writes nothing but what `record::observed` remembers of changed files and screens, and
/// `record::plugin` of read events, `record::usage_pause`, and the costs if a budget is set.
pub fn facts(town: &LiveTown) -> anyhow::Result<TownFacts> {
    facts_with(town, &mut PatrolCache::default())
}

/// Earlier readings, which repeated calls of [`facts_with`] continue.
#[derive(Default)]
pub struct PatrolCache {
    /// Recent observations of quiet workers.
    activity: ActivityCache,
    /// Transcripts, for budgets.
    requests: RequestCache,
}

/// Does the same for repeated calls.
pub fn facts_with(town: &LiveTown, cache: &mut PatrolCache) -> anyhow::Result<TownFacts> {
    let mut view = TownView::read_idle(town, &cache.activity)?;
    // Costs that cannot be read are reported by the sling that needs them.
    let layers = view.settings.all_layers();
    let refreshed = costs::refresh_old_spending(town, layers, &mut cache.requests);
    if matches!(refreshed, Ok(true)) {
        view.budgets = BudgetBook::load(&town.layout, view.now);
    }
    // Unknown sessions end no pause.
    if view.sessions.is_some() {
        UsagePauses::record(town, view.polecats.values().flatten());
    }
    let settings = PatrolSettings::for_rigs(town, &view);
    let thresholds = Thresholds::from_layers(view.settings.for_rig(None));
    let hooked = hooked::facts(town, &view);
    let use_limits = read_use_limits(town, &view);
    Ok(TownFacts {
        now: view.now,
        rigs: settings
            .iter()
            .filter_map(|(name, settings)| {
                let beads = view.stores.rigs.get(name)?;
                let rig = town.rig(name);
                let own = settings.rig.as_ref();
                let facts = RigFacts {
                    thresholds: settings.thresholds.clone(),
                    polecats: polecats::facts(&view, &rig, beads),
                    watched: witness::facts(&view, name),
                    unfinished: push::facts(&view, &rig),
                    scheduler: scheduler::facts(&view, &rig, beads, own, &use_limits),
                    queue: queue::facts(&rig, beads, own, view.now),
                    held: held::facts(&view, name),
                };
                Some((name.clone(), facts))
            })
            .collect(),
        convoys: convoys::facts(&town.layout, &view),
        attention: attention::facts(&town.layout, &view, &settings, &hooked, &thresholds),
        outages: outages::find_outages(&view),
        escalations: escalations::facts(town, &view),
        roles: roles::facts(&town.layout, &view),
        deacon: boot::is_deacon_agent(&view).then(|| boot::facts(&town.layout, &view)),
        requests: lifecycle::facts(&view),
        hooked,
        mail: mail::facts(town, &view),
        gates: gates::facts(&town.layout, &view),
        chores: chores::facts(&town.layout, &view),
        places: places::facts(&town.layout, &view),
        plugins: plugins::facts(town, &view),
        paused: TownPause::load(&town.layout),
        stopped: view.stores.stopped.clone(),
        heartbeat: build_heartbeat(&view),
        sync: sync::facts(town, &view),
        thresholds,
        unreadable: view
            .stores
            .unreadable
            .iter()
            .map(|(rig, reason)| format!("{rig}: {reason}"))
            .collect(),
        room: find_town_room(&town.layout, &view),
        use_limits,
        degraded: view.blind,
        sessions: view.sessions.unwrap_or_default(),
    })
}

/// Applies all rules to the facts, and leaves out decisions that wait after a failure.
pub fn decide(facts: &TownFacts, is_due: &dyn Fn(&Decision) -> bool) -> Vec<Decision> {
    let mut decisions: Vec<Decision> = facts
        .rigs
        .values()
        .flat_map(|rig| {
            let mut decisions = polecats::decide(&rig.polecats, facts.now, &rig.thresholds);
            decisions.extend(witness::decide(&rig.watched, facts.now, &rig.thresholds));
            decisions.extend(push::decide(&rig.unfinished, facts.now, &rig.thresholds));
            decisions.extend(scheduler::decide_repairs(&rig.scheduler));
            decisions.extend(queue::decide(&rig.queue));
            decisions.extend(rig.held.as_ref().and_then(held::decide));
            decisions
        })
        .collect();
    decisions.extend(scheduler::decide_slings(
        &facts.schedulable_rigs(),
        &facts.room,
        &facts.use_limits,
        is_due,
    ));
    decisions.extend(outages::decide(&facts.outages, facts.now));
    decisions.extend(convoys::decide(&facts.convoys));
    decisions.extend(attention::decide(&facts.attention));
    decisions.extend(escalations::decide(&facts.escalations, facts.now));
    decisions.extend(roles::decide(&facts.roles, facts.now, &facts.thresholds));
    decisions.extend(boot::decide(facts.deacon.as_ref(), facts.now));
    decisions.extend(lifecycle::decide(&facts.requests));
    decisions.extend(hooked::decide(&facts.hooked, facts.now));
    decisions.extend(mail::decide(&facts.mail));
    decisions.extend(gates::decide(&facts.gates, facts.now));
    decisions.extend(chores::decide(&facts.chores, facts.now, &facts.thresholds));
    decisions.extend(places::decide(&facts.places));
    decisions.extend(plugins::decide(&facts.plugins, facts.now));
    for store in &facts.sync {
        let thresholds = facts.thresholds_for(store.rig.as_deref());
        decisions.extend(sync::decide(store, thresholds));
    }
    if facts.paused.is_some() {
        decisions.retain(|decision| decision.action.is_message());
    }
    if facts.stopped.is_some() {
        decisions.retain(|decision| {
            decision.action.is_message() || matches!(decision.action, Action::StopRig { .. })
        });
    }
    decisions.retain(|decision| !facts.is_held_back(&decision.action));
    decisions.retain(|decision| {
        let rig = decision.action.rig_at_work();
        let rig = rig.and_then(|rig| facts.rigs.get(rig));
        rig.is_none_or(|rig| rig.held.is_none())
    });
    decisions.retain(|decision| {
        facts
            .thresholds_for(decision.action.rig())
            .is_on(decision.rule)
            && is_due(decision)
    });
    decisions
}

/// Returns the time until a rule applies that does not apply now, if nothing happens until then.
pub fn due_in(facts: &TownFacts) -> Option<SignedDuration> {
    let mut waits: Vec<SignedDuration> = Vec::new();
    for rig in facts.rigs.values() {
        waits.extend(polecats::due(&rig.polecats, facts.now, &rig.thresholds));
        waits.extend(witness::due(&rig.watched, facts.now, &rig.thresholds));
        waits.extend(push::due(&rig.unfinished, facts.now, &rig.thresholds));
        waits.extend(queue::due(&rig.queue));
    }
    for store in &facts.sync {
        let thresholds = facts.thresholds_for(store.rig.as_deref());
        waits.extend(sync::due(store, thresholds));
    }
    waits.extend(facts.attention.due_in);
    waits.extend(outages::due(&facts.outages, facts.now));
    waits.extend(escalations::due(&facts.escalations, facts.now));
    waits.extend(roles::due(&facts.roles, facts.now, &facts.thresholds));
    waits.extend(hooked::due(&facts.hooked, facts.now));
    waits.extend(gates::due(&facts.gates, facts.now));
    waits.extend(mail::due(&facts.mail));
    waits.extend(chores::due(&facts.chores, facts.now, &facts.thresholds));
    waits.extend(plugins::due(&facts.plugins, facts.now));
    waits.extend(scheduler::due(
        &facts.schedulable_rigs(),
        &facts.room,
        &facts.use_limits,
    ));
    waits.into_iter().min()
}

impl TownFacts {
    /// Records that the machine was suspended until `at`. No worker could make progress before, so
    /// quiet workers are judged from then on.
    pub fn awake_since(&mut self, at: Timestamp) {
        for rig in self.rigs.values_mut() {
            for watched in &mut rig.watched {
                let progress = &mut watched.progress;
                progress.at = progress.at.max(at);
                progress.work = progress.work.max(at);
            }
        }
        for hooked in &mut self.hooked {
            hooked.progress.at = hooked.progress.at.max(at);
        }
    }

    /// Returns the facts about the beads of the rigs in which workers may be started, so that the
    /// others take no room of the town.
    fn schedulable_rigs(&self) -> Vec<&SchedulerFacts> {
        self.rigs
            .values()
            .filter(|rig| rig.held.is_none() && rig.thresholds.is_on(rule::W1_SLING_UNBLOCKED))
            .map(|rig| &rig.scheduler)
            .collect()
    }

    /// Returns true for the start of a session for work that is held back.
    fn is_held_back(&self, action: &Action) -> bool {
        let Action::Worker { verb, worker } = action else {
            return false;
        };
        let starts_work = matches!(
            verb,
            WorkerVerb::ResumeSling
                | WorkerVerb::Respawn
                | WorkerVerb::HalfOpen
                | WorkerVerb::RestartQuiet
                | WorkerVerb::RestartRefused
        );
        starts_work
            && self.rigs.get(&*worker.rig).is_some_and(|rig| {
                rig.polecats
                    .iter()
                    .any(|polecat| polecat.worker == *worker && polecat.held_back)
            })
    }

    /// Returns the thresholds for a rig, or for the town's own subjects.
    pub fn thresholds_for(&self, rig: Option<&str>) -> &Thresholds {
        let rig = rig.and_then(|rig| self.rigs.get(rig));
        rig.map_or(&self.thresholds, |rig| &rig.thresholds)
    }
}

/// Acts on a decision.
pub fn act(town: &LiveTown, decision: Decision) -> ActionReport {
    let result = perform_action(town, &decision.action);
    let busy = result.as_ref().is_err_and(lock::is_lock_held_error);
    let (outcome, failed, changed) = match result {
        Ok(Some(outcome)) => (outcome, false, true),
        Ok(None) => ("nothing left to do".to_owned(), false, false),
        // Another process holds the subject, which is no failure.
        Err(error) if busy => (format!("{error:#}"), false, false),
        Err(error) => (format!("{error:#}"), true, false),
    };
    if changed || failed {
        town.record_event(&Event::Patrol(PatrolActionRecord {
            rule: decision.rule.name.to_owned(),
            saw: decision.saw.clone(),
            r#do: json!(decision.action),
            outcome: outcome.clone(),
            failed,
        }));
    }
    ActionReport {
        decision,
        outcome,
        failed,
        changed,
        busy,
    }
}

/// Performs an action. `None` if nothing was left to do.
fn perform_action(town: &LiveTown, action: &Action) -> anyhow::Result<Option<String>> {
    match action {
        Action::Worker { verb, worker } => {
            perform_on_worker(town, *verb, town.find_rig(&worker.rig)?, &worker.name)
        }
        Action::SlingQueued { rig, bead } => {
            scheduler::sling_queued(town, &town.find_rig(rig)?, bead)
        }
        Action::QueueRepair { rig, bead } => scheduler::queue_repair(&town.find_rig(rig)?, bead),
        Action::StopRig { rig } => held::stop_held(town, &town.find_rig(rig)?),
        Action::NotifyMail { agent } => mail::notify_agent(town, agent),
        Action::CheckGate { rig, gate } => gates::check_gate(town, rig.as_deref(), gate),
        Action::RunQueue { rig, .. } => queue::run_queue_action(&town.find_rig(rig)?),
        Action::Land { convoy } => convoys::land_convoy_action(town, convoy),
        Action::FinishConvoy { request } => convoys::finish_convoy(town, request),
        Action::AskPerson => attention::report_items(town),
        Action::Reescalate { escalation } => escalations::raise_escalation_action(town, escalation),
        Action::TakeDefault { escalation } => escalate::take_default(town, escalation),
        Action::CloseQuestion { escalation, bead } => {
            escalate::close_settled_question(town, escalation, bead)
        }
        Action::Deliver { escalation } => escalate::redeliver_escalation(town, escalation),
        Action::StartAgent { agent } => roles::start_role_agent(town, agent),
        Action::SettleAgent { agent } => roles::reset_restarts(town, agent),
        Action::WatchDeacon { triage } => boot::confirm_and_act(town, *triage),
        Action::Lifecycle { message } => lifecycle::carry_out_request(town, message),
        Action::NudgeHooked { agent, bead } => hooked::remind_of_hook(town, agent, bead),
        Action::DoChore { chore } => chores::run_chore_action(town, *chore),
        Action::SyncBeads { rig } => sync::run_sync(town, rig.as_deref()),
        Action::RemovePlace { place } => places::remove_place(town, place),
        Action::RunPlugin { plugin, .. } => plugins::run_plugin_action(town, plugin),
        Action::ReportPlugins { day } => plugins::report_plugins_action(town, day),
    }
}

fn perform_on_worker(
    town: &LiveTown,
    verb: WorkerVerb,
    rig: Rig<'_>,
    name: &str,
) -> anyhow::Result<Option<String>> {
    match verb {
        WorkerVerb::ResumeSling => polecats::resume_sling_action(town, &rig, name),
        WorkerVerb::FinishDone => polecats::finish_done(rig, name),
        WorkerVerb::Respawn => polecats::restart_worker(town, &rig, name, RestartCause::Ended),
        WorkerVerb::OpenBreaker => polecats::open_breaker(town, &rig, name),
        WorkerVerb::HalfOpen => polecats::retry_stuck(&rig, name),
        WorkerVerb::NudgeQuiet => witness::nudge_quiet(town, &rig, name),
        WorkerVerb::RestartQuiet => witness::restart_quiet(town, &rig, name),
        WorkerVerb::ResumeRefused => witness::resume_refused(town, &rig, name),
        WorkerVerb::RestartRefused => {
            polecats::restart_worker(town, &rig, name, RestartCause::Refused)
        }
        WorkerVerb::PushUnfinished => crate::flow::place::push::push_unfinished(&rig, name),
        WorkerVerb::EndSession => polecats::end_idle_session(town, &rig, name),
        WorkerVerb::Release => sling::release_worker(town, &rig, name),
    }
}

#[cfg(test)]
mod tests;
