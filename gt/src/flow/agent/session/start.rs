//! Starts an agent's session: its identity, its lease, its first message.
//!
//! A new session in a sandbox starts only when every process of the old one is gone. It takes the
//! next lease, so that a remaining process of the old one cannot finish any work.

use bd::bead::Bead;
use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};

use super::end;
use super::guards::check_guards;
pub use super::identity::STARTED;
use super::identity::build_identity_env;
pub use super::message::fill_template;
use super::message::format_local_time;
use super::place::{SessionCommand, prepare_crew_desk, prepare_jail, prepare_polecat_place};
use crate::flow::place::desk::{DeskVariables, DeskWork};
use crate::flow::place::sandbox;
use crate::flow::place::sandbox::{Sandbox, SandboxError};
use crate::host::LiveTown;
use crate::host::ended::SessionEnd;
use crate::host::runtime::{self, AgentRuntime, RuntimePreset, StartResult};
use crate::host::{HostError, LiveSession, SendResult, SessionSpec};
use crate::record::account;
use crate::record::molecule::{self};
use crate::record::polecat::Claim;
use crate::record::polecat::{self, NudgeCount, PolecatIds, Slot, SlotState, WorkTakenAway};
use crate::record::progress;
use crate::record::pulse::SessionPulse;
use crate::record::quota;
use crate::record::start_limit;
use crate::record::theme::StatusTheme;
use crate::town;
use crate::town::config::SettingsLayers;
use crate::town::event::event;
use crate::town::hold;
use crate::town::identity::{Address, SessionName};
use crate::town::lock::Lock;
use crate::town::{Rig, Town};

const ASSIGNED: &str = include_str!("../../../../templates/message/assigned.txt");
const AGAIN: &str = include_str!("../../../../templates/message/again.txt");
const REBUILT: &str = include_str!("../../../../templates/message/rebuilt.txt");
const START: &str = include_str!("../../../../templates/message/start.txt");
const HANDED_OVER: &str = include_str!("../../../../templates/message/handed-over.txt");
const HOOKED: &str = include_str!("../../../../templates/message/hooked.txt");

/// A started session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedAgent {
    pub session: String,
    /// The open dialog that only a user can answer, if there is one.
    pub question: Option<String>,
}

/// The result of a launch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct LaunchResult {
    host: Option<Timestamp>,
    question: Option<String>,
}

/// Starts the session of a freshly slung polecat, unless it runs already.
pub fn start_polecat_session(
    town: &LiveTown,
    rig: &Rig,
    claimed: &Claim,
    slot: &mut Slot,
) -> anyhow::Result<StartedAgent> {
    let address = claimed.address();
    hold::check_free(town, address.rig())?;
    let session = start_session_name(&address)?;
    let running = town.host.find_session(session.as_str())?;
    let mut launched = Ok(LaunchResult {
        host: slot.host,
        question: None,
    });
    if !running.is_some_and(|live| is_session_of_slot(&live, slot)) {
        end::end_polecat_session(town, session.as_str(), slot)?;
        let desk = prepare_polecat_place(rig, &address, slot, DeskWork::New)?;
        take_lease(rig, &claimed.ids, slot, RestartCount::Uncounted, false)?;
        launched = launch_polecat(town, rig, &address, slot, &claimed.bead, ASSIGNED, desk);
    }
    // A session that ended at once counts as started. The restart rule and its breaker handle the
    // rest.
    let launched = match launched {
        Err(error) if !error.is_ended_at_once() => return Err(error.into()),
        launched => launched,
    };
    slot.state = SlotState::Working;
    slot.host = launched.as_ref().ok().and_then(|launched| launched.host);
    let ended = launched
        .as_ref()
        .err()
        .and_then(|error| error.session_end(town, slot));
    slot.ended.clone_from(&ended);
    if let Some(taken_away) = record_start(rig, claimed, slot)? {
        // Someone else has the bead by now, so this session must not work on it.
        end::end_polecat_session(town, session.as_str(), slot)?;
        return Err(taken_away.into());
    }
    town.record_event(
        &event!(Spawn, rig: rig.name(), polecat: claimed.worker.name, bead: claimed.bead.id),
    );
    if let Some(ended) = ended {
        end::report_session_end(
            &ended,
            town,
            rig.name(),
            &claimed.worker.name,
            &claimed.bead.id,
        );
    }
    Ok(StartedAgent {
        session: session.to_string(),
        question: launched?.question,
    })
}

/// Records that the session runs. Returns the reason if the worker no longer has the bead.
fn record_start(rig: &Rig, claimed: &Claim, slot: &Slot) -> anyhow::Result<Option<WorkTakenAway>> {
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        let now = tx.now();
        if let Err(taken_away) = slot.reload_held(tx, &claimed.ids) {
            return Ok(Some(taken_away));
        }
        slot.save(tx, &claimed.ids.slot)?;
        if let Some(mut agent) = tx.get(&claimed.ids.agent).cloned() {
            polecat::set_hook(&mut agent, Some(&claimed.bead.id), "working", &now);
            tx.put(agent)?;
        }
        Ok(None)
    })
}

/// The reason that a session did not start.
#[derive(Debug)]
enum LaunchError {
    Host(HostError),
    Other(anyhow::Error),
}

impl LaunchError {
    /// Returns true if the session's process ended right away.
    fn is_ended_at_once(&self) -> bool {
        matches!(
            self,
            Self::Host(HostError::EndedAtOnce { .. } | HostError::NoSession { .. })
        )
    }

    /// Describes the end of a session that ended right after its start.
    fn session_end(&self, town: &Town, slot: &Slot) -> Option<SessionEnd> {
        match self {
            Self::Host(error) => end::end_of_failed_start(town, slot, error),
            Self::Other(_) => None,
        }
    }
}

impl From<HostError> for LaunchError {
    fn from(error: HostError) -> Self {
        Self::Host(error)
    }
}

impl From<anyhow::Error> for LaunchError {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

impl From<LaunchError> for anyhow::Error {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Host(error) => error.into(),
            LaunchError::Other(error) => error,
        }
    }
}

/// The time that a handoff waits for another process that holds the polecat's slot.
const HANDOVER: std::time::Duration = std::time::Duration::from_secs(60);

/// The cause of a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartCause<'a> {
    /// The session ended during the work.
    Ended,
    /// The session ended because the API refused its requests.
    Refused,
    /// The session runs, and its program waits at a question after the API refused, for this
    /// reason. The restart ends it.
    RefusedAtQuestion(&'a str),
    /// The session runs without progress, for this reason. The restart ends it.
    NoProgress(&'a str),
    /// The session with this token hands over. The restart ends that session and no other.
    HandedOver(&'a str),
}

/// Restarts the session of a polecat in its unchanged sandbox, on the bead on its hook.
///
/// 1. Snapshot the uncommitted work.
/// 2. End the remaining processes of the old session.
/// 3. Take the next lease.
/// 4. Start the session.
///
/// The caller's view of the worker may be outdated. Nothing is done if the worker has lost its work
/// in the meantime, or if its session runs and does not hand over.
pub fn restart_session(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
    why: RestartCause<'_>,
) -> anyhow::Result<Option<String>> {
    hold::check_free(town, Some(rig.name()))?;
    let lock = rig.slot_lock(name);
    let _slot = match why {
        // A handoff is not retried later, so it waits.
        RestartCause::HandedOver(_) => Lock::take(&lock, HANDOVER)?,
        _ => Lock::try_take(&lock)?,
    };
    let ids = PolecatIds::for_polecat(rig, name);
    let session = start_session_name(&ids.address)?;
    let beads = rig.store()?.snapshot()?;
    let mut slot = Slot::load(&beads, &ids.slot);
    let Some(bead) = beads.get(&slot.bead).cloned() else {
        return Ok(None);
    };
    let live = town.host.find_session(session.as_str())?;
    if let RestartCause::HandedOver(token) = why {
        check_session_token(live.as_ref(), token)?;
    }
    let runs = live
        .as_ref()
        .is_some_and(|live| is_session_of_slot(live, &slot));
    let is_handoff = matches!(why, RestartCause::HandedOver(_));
    let unneeded = slot.reload_held(&beads, &ids).is_err()
        || !bead.is_open()
        // `gt down` came first.
        || (is_handoff && slot.stopped)
        || (runs && matches!(why, RestartCause::Ended | RestartCause::Refused));
    if unneeded {
        return Ok(None);
    }
    check_guards(town, &ids.address)?;
    let ended = live.as_ref().and_then(|live| match why {
        RestartCause::NoProgress(reason) | RestartCause::RefusedAtQuestion(reason) => {
            Some(end::end_of_quiet_session(town, live, &slot, reason))
        }
        _ => end::end_of_dead_session(town, live, &slot),
    });
    if let Some(ended) = ended {
        end::record_session_end(rig, &ids, &mut slot, &ended)?;
    }
    let settings = SettingsLayers::load_for_rig(rig, &beads)?;
    let counted = match why {
        RestartCause::HandedOver(_) => match &live {
            Some(live) if has_worked_in_session(town, rig, name, &slot, live, &beads) => {
                RestartCount::Uncounted
            }
            _ => RestartCount::Failed { forget: None },
        },
        RestartCause::Refused | RestartCause::RefusedAtQuestion(_) => RestartCount::Refused,
        RestartCause::Ended if live.is_none() && are_sessions_lost(town, &slot)? => {
            RestartCount::Lost
        }
        RestartCause::NoProgress(_) if has_worked_since_restart(town, rig, name, &slot) => {
            RestartCount::Failed {
                forget: Some(SignedDuration::ZERO),
            }
        }
        // The crashes of a worker count within a window, whatever it did in between.
        RestartCause::Ended if has_worked_since_restart(town, rig, name, &slot) => {
            RestartCount::Failed {
                forget: Some(settings.duration("patrol.breaker.window")),
            }
        }
        _ => RestartCount::Failed { forget: None },
    };
    start_limit::record_start(
        &town.layout,
        &ids.address,
        town.clock.now(),
        starts_per_minute(&settings),
    )?;
    let sandbox = Sandbox::new(rig, name);
    let saved = match sandbox.repair_links() {
        Ok(true) => sandbox::save_snapshot(rig, name, &slot)?,
        Ok(false) => None,
        // The processes of a copy's workers are those of the original.
        Err(error) => return Err(mark_as_stuck(rig, &ids, &mut slot, error)),
    };
    end::end_polecat_session(town, session.as_str(), &slot)?;
    let aside = match sandbox.restore(&slot) {
        Ok(aside) => aside,
        Err(error) => return Err(mark_as_stuck(rig, &ids, &mut slot, error)),
    };
    let desk = prepare_polecat_place(rig, &ids.address, &slot, DeskWork::Continued)?;
    take_lease(rig, &ids, &mut slot, counted, is_handoff)?;
    let message = match &aside {
        Some(aside) => &fill_template(REBUILT, &[("aside", &aside.display().to_string())]),
        None if is_handoff => HANDED_OVER,
        None => AGAIN,
    };
    match launch_polecat(town, rig, &ids.address, &slot, &bead, message, desk) {
        Ok(launched) => record_host(rig, &ids, &slot, launched.host)?,
        Err(error) => {
            if let Some(ended) = error.session_end(town, &slot) {
                end::record_session_end(rig, &ids, &mut slot, &ended)?;
            }
            return Err(error.into());
        }
    }
    town.record_event(&event!(Respawn,
        rig: rig.name(), polecat: name, bead: bead.id, lease: slot.lease,
        handed_over: is_handoff, snapshot: saved.map(|saved| saved.refname),
    ));
    Ok(Some(session.to_string()))
}

/// Marks a worker as stuck whose sandbox cannot be restored, because a retry would fail as well.
/// Returns the error of the restart.
fn mark_as_stuck(
    rig: &Rig,
    ids: &PolecatIds,
    slot: &mut Slot,
    error: SandboxError,
) -> anyhow::Error {
    // Another process holds the repository, which ends.
    if matches!(error, SandboxError::Busy(_)) || slot.state.stuck_reason().is_some() {
        return error.into();
    }
    let reason = format!("its sandbox cannot be restored: {error}");
    let marked = rig.store().and_then(|store| {
        rig.transact(&store, |tx| {
            let mut current = slot.reload_held(tx, ids)?;
            current.state = current.state.into_stuck(reason, tx.now().instant());
            current.stuck_times = current.stuck_times.saturating_add(1);
            current.save(tx, &ids.slot)
        })
    });
    marked.err().unwrap_or_else(|| error.into())
}

/// Records the process that hosts a session, if the worker still has the work.
fn record_host(
    rig: &Rig,
    ids: &PolecatIds,
    slot: &Slot,
    host: Option<Timestamp>,
) -> anyhow::Result<()> {
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        // A session that has submitted its work needs no host.
        if let Ok(mut current) = slot.reload_held(tx, ids) {
            current.host = host;
            current.save(tx, &ids.slot)?;
        }
        Ok(())
    })
}

/// Refuses to end a session other than the one with this token.
pub fn check_session_token(live: Option<&LiveSession>, token: &str) -> anyhow::Result<()> {
    let is_other = live.is_some_and(|live| live.dead.is_none() && live.token != token);
    anyhow::ensure!(
        !is_other,
        "another session has begun in the meantime: it goes on"
    );
    Ok(())
}

/// The runtime and the account that a user chose for a session, instead of the configured ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionChoice<'a> {
    pub agent: Option<&'a str>,
    pub account: Option<&'a str>,
}

impl<'a> SessionChoice<'a> {
    /// Chooses a runtime only.
    pub fn with_agent(agent: Option<&'a str>) -> Self {
        Self {
            agent,
            account: None,
        }
    }
}

/// Starts the session of an agent other than a polecat. A running session is left alone.
pub fn start_agent_session(
    town: &LiveTown,
    address: &Address,
    choice: SessionChoice<'_>,
) -> anyhow::Result<LiveSession> {
    let session = start_session_name(address)?;
    match town.host.find_session(session.as_str())? {
        Some(live) if live.dead.is_none() => return Ok(live),
        Some(_) => town.host.kill(session.as_str())?,
        None => {}
    }
    hold::check_free(town, address.rig())?;
    let rig = address.rig().map(|rig| town.find_rig(rig)).transpose()?;
    let runtime = runtime::resolve_runtime(town, rig.as_ref(), address, choice.agent)?;
    let message = fill_template(
        START,
        &[
            ("prime", first_instruction(&runtime)),
            ("recipient", &address.display_name()),
            ("time", &format_local_time(town)),
        ],
    );
    let home = town::agent_home(town, address);
    // Errors are ignored, because `gt prime` gives the agent the same text.
    town::role_file::ensure_role_file(town, address, runtime.preset.has_hooks()).ok();
    let mut env = build_identity_env(town, address, session.as_str());
    env.extend(prepare_crew_desk(rig.as_ref(), address)?);
    let (live, _) = start_session(
        town,
        address,
        &runtime,
        SessionStart {
            home,
            message,
            env,
            token: town.random.hex(32),
            account: choice.account,
            host: None,
        },
    )?;
    let agent = &runtime.name;
    town.record_event(&event!(SessionBegun, session: session.as_str(), agent: agent));
    Ok(live)
}

/// Notifies an agent with a running session that work is on its hook. Returns the session, if one
/// runs.
pub fn notify_of_work(
    town: &LiveTown,
    address: &Address,
    bead: &Bead,
) -> anyhow::Result<Option<String>> {
    let Some(session) = SessionName::for_agent(address) else {
        return Ok(None);
    };
    let Some(live) = town
        .host
        .find_session(session.as_str())?
        .filter(|live| live.dead.is_none())
    else {
        return Ok(None);
    };
    let title = kit::ui::escape::escape_line(&bead.title);
    let text = fill_template(HOOKED, &[("bead", &bead.id), ("title", &title)]);
    let shown = progress::last_output_at(&town.layout, &live);
    town.host.send(
        &live.name,
        text.trim(),
        &runtime::input_rules_of(town, address),
    )?;
    SessionPulse::record_typed(town, &live.name, shown);
    Ok(Some(live.name))
}

/// Returns the agent's first instruction. Our hooks of a program provide the context instead.
fn first_instruction(runtime: &AgentRuntime) -> &'static str {
    if runtime.preset.has_hooks() {
        ""
    } else {
        "Run `gt prime` for your whole context. "
    }
}

/// Returns the name of an agent's session.
pub fn start_session_name(address: &Address) -> anyhow::Result<SessionName> {
    SessionName::for_agent(address)
        .ok_or_else(|| anyhow::anyhow!("`{address}` is a user and has no session"))
}

/// Returns true if a running session is the one that the slot's lease started.
fn is_session_of_slot(live: &LiveSession, slot: &Slot) -> bool {
    live.dead.is_none() && !slot.token.is_empty() && live.token == slot.token
}

/// Decides how a restart counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RestartCount {
    /// Not counted: the session handed over after some work, or is the first.
    Uncounted,
    /// The session failed, or handed over without any work. Too many of these make the worker
    /// stuck. After work, earlier ones that are older than `forget` no longer count.
    Failed { forget: Option<SignedDuration> },
    /// All sessions of the town were lost at once, so no worker is at fault.
    Lost,
    /// The API refused, so no worker is at fault.
    Refused,
}

/// Returns true if a worker changed its sandbox since its last restart.
fn has_worked_since_restart(town: &LiveTown, rig: &Rig, name: &str, slot: &Slot) -> bool {
    let last = slot.respawns.last().and_then(|at| at.parse().ok());
    last.is_some_and(|last| progress::is_changed_since(&rig.sandbox(name), last, town.clock.now()))
}

/// Returns true if a worker changed its sandbox or closed a step since its session began.
fn has_worked_in_session(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
    slot: &Slot,
    live: &LiveSession,
    beads: &Snapshot,
) -> bool {
    let begun = slot.begun.unwrap_or(live.created);
    let molecule = molecule::molecule_of_bead(beads, &slot.bead);
    molecule.is_some_and(|molecule| {
        molecule.steps.iter().any(|step| {
            let closed = beads.get(&step.id).and_then(|step| step.closed_at.as_ref());
            closed.is_some_and(|at| at.instant() >= begun)
        })
    }) || progress::is_changed_after(&rig.sandbox(name), begun, town.clock.now())
}

/// Returns how many sessions of the town may be started again per minute.
pub fn starts_per_minute(settings: &SettingsLayers) -> usize {
    usize::try_from(settings.number("patrol.budget.per_minute")).unwrap_or(usize::MAX)
}

/// Returns the number of restarts after which a worker is stuck, if it has reached that number
/// without any work.
pub fn has_used_up_restarts(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
) -> anyhow::Result<Option<usize>> {
    let ids = PolecatIds::for_polecat(rig, name);
    let beads = rig.store()?.snapshot()?;
    let slot = Slot::load(&beads, &ids.slot);
    let settings = SettingsLayers::load_for_rig(rig, &beads)?;
    let limit = usize::try_from(settings.number("patrol.breaker.restarts")).unwrap_or(usize::MAX);
    let is_used_up =
        slot.respawns.len() >= limit && !has_worked_since_restart(town, rig, name, &slot);
    Ok(is_used_up.then_some(limit))
}

/// Returns true if a missing session was lost together with all others: the process that hosted the
/// sessions is gone or was restarted since.
fn are_sessions_lost(town: &LiveTown, slot: &Slot) -> Result<bool, HostError> {
    let live = town.host.list()?;
    let is_running = live.iter().any(|live| Some(live.host_started) == slot.host);
    // A session without a host ended before its start was over: its program failed.
    Ok(slot.host.is_some() && !is_running)
}

/// Takes the next lease, if the current one is unchanged and the worker still has the work.
fn take_lease(
    rig: &Rig,
    ids: &PolecatIds,
    slot: &mut Slot,
    counted: RestartCount,
    is_handoff: bool,
) -> anyhow::Result<()> {
    let store = rig.store()?;
    let token = rig.town().random.hex(32);
    let wanted = slot.agent.as_deref();
    // An agent that cannot be started is reported by the start.
    let runtime = runtime::resolve_runtime(rig.town(), Some(rig), &ids.address, wanted).ok();
    *slot = rig.transact(&store, |tx| {
        let mut current = slot.reload_held(tx, ids)?;
        anyhow::ensure!(
            !(is_handoff && current.stopped),
            "the town was stopped: the next session starts with `gt up`"
        );
        current.lease = current.lease.next();
        current.started = match current.started {
            // The first session of this bead, or one that an earlier version started.
            0 if counted == RestartCount::Uncounted
                && current.state.sling_in_progress().is_some() =>
            {
                1
            }
            0 => current.session_count() + 1,
            started => started + 1,
        };
        current.token.clone_from(&token);
        current.left.clear();
        let now = tx.now();
        match counted {
            RestartCount::Failed { forget } if !current.stopped => {
                current.respawns.retain(|at| {
                    let age = at.parse().map(|at| now.instant().duration_since(at));
                    forget.is_none_or(|oldest| age.is_ok_and(|age| age < oldest))
                });
                current.respawns.push(now.to_string());
                current.assignment.stalls += 1;
            }
            RestartCount::Lost if !current.stopped => current.lost.push(now.instant()),
            RestartCount::Refused => current.refused.push(now.instant()),
            _ => {}
        }
        current.assignment.set_program(runtime.as_ref());
        current.begun = Some(now.instant());
        current.handed_over = is_handoff;
        current.stopped = false;
        current.host = None;
        current.nudges = NudgeCount::default();
        current.save(tx, &ids.slot)?;
        Ok(current)
    })?;
    Ok(())
}

/// Starts the session of a polecat with its first message.
fn launch_polecat(
    town: &LiveTown,
    rig: &Rig,
    address: &Address,
    slot: &Slot,
    bead: &Bead,
    message: &str,
    desk: DeskVariables,
) -> Result<LaunchResult, LaunchError> {
    let session = start_session_name(address)?;
    let name = address.name().unwrap_or("");
    let home = rig.sandbox(name);
    let runtime = runtime::resolve_runtime(town, Some(rig), address, slot.agent.as_deref())
        .map_err(anyhow::Error::from)?;
    let title = kit::ui::escape::escape_line(&bead.title);
    let message = fill_template(
        message,
        &[
            ("prime", first_instruction(&runtime)),
            ("recipient", &address.display_name()),
            ("time", &format_local_time(town)),
            ("bead", &bead.id),
            ("title", &title),
        ],
    );
    let mut env = build_identity_env(town, address, session.as_str());
    env.push(("GT_POLECAT".to_owned(), name.to_owned()));
    env.push(("GT_LEASE".to_owned(), slot.lease.to_string()));
    env.push(("GT_BRANCH".to_owned(), slot.branch.to_string()));
    env.push(("GT_POLECAT_PATH".to_owned(), home.display().to_string()));
    env.extend(desk);
    let (live, question) = start_session(
        town,
        address,
        &runtime,
        SessionStart {
            home,
            message,
            env,
            token: slot.token.clone(),
            account: slot.account.as_deref(),
            host: slot.host_name.clone(),
        },
    )?;
    Ok(LaunchResult {
        host: Some(live.host_started),
        question,
    })
}

/// The inputs of a new session.
struct SessionStart<'a> {
    home: std::path::PathBuf,
    message: String,
    env: Vec<(String, String)>,
    token: String,
    /// The chosen account, instead of the default one.
    account: Option<&'a str>,
    /// The other machine on which it runs.
    host: Option<String>,
}

/// Starts the session, answers its opening dialogs, and waits until the agent is ready. Also
/// returns the open dialog that only a user can answer.
fn start_session(
    town: &LiveTown,
    address: &Address,
    runtime: &AgentRuntime,
    begin: SessionStart<'_>,
) -> Result<(LiveSession, Option<String>), LaunchError> {
    let session = start_session_name(address)?;
    check_guards(town, address)?;
    for warning in &runtime.warnings {
        town.record_event(&event!(RuntimePassedOver, session: session.as_str(), why: warning));
    }
    let preset = &runtime.preset;
    let ready = runtime
        .prepare(&town.layout, address, &begin.home)
        .map_err(anyhow::Error::from)?;
    let mut env = begin.env;
    env.push((town::process::AGENT.to_owned(), runtime.name.clone()));
    env.extend(ready.env);
    let folder = &preset.config_dir_env;
    // A folder in the settings of the agent is more specific.
    if !folder.is_empty()
        && !env.iter().any(|(name, _)| name == folder)
        && let Some(chosen) = account::choose_account(town, begin.account)?
    {
        if let Some((account, limit)) = &chosen.passed_over {
            town.record_event(&event!(AccountPassedOver,
                session: session.as_str(), account: account, used: chosen.handle,
                until: limit.until.map(|until| until.to_string()),
            ));
        }
        let started = (begin.token.as_str(), runtime.name.as_str());
        // Errors are ignored: without the record, `gt quota scan` skips the session.
        quota::record_session(town, session.as_str(), started, &chosen.handle).ok();
        env.push((folder.clone(), chosen.folder.display().to_string()));
    }
    let rig = address.rig().map(|rig| town.rig(rig));
    let pass = [
        runtime.pass.clone(),
        runtime::added_variables(town, rig.as_ref()),
    ]
    .concat();
    let argv = runtime.command_with_prompt(&ready.args, &begin.message);
    let command = SessionCommand {
        session: session.as_str(),
        argv: &argv,
        pass: &pass,
    };
    let jail = match begin.host {
        Some(_) => None,
        None => prepare_jail(rig.as_ref(), address, runtime, command, &mut env)?,
    };
    let live = town.host.start(&SessionSpec {
        name: session.to_string(),
        cwd: begin.home,
        argv,
        env,
        pass,
        token: begin.token,
        // The screen of a worker is kept after its end, because no user watches it.
        keep: matches!(address, Address::Polecat(..)),
        status_style: StatusTheme::for_agent(town, address).tmux_style(),
        jail,
        host: begin.host,
    })?;
    let words = preset.prompt_to_type(&begin.message);
    let mut question = None;
    if words.is_some() || !preset.ready_prompt_prefix.is_empty() {
        let limit = std::time::Duration::from_secs(60);
        let ready = runtime::wait_until_ready(town.host.as_ref(), &live.name, preset, limit)?;
        question = match (ready, words) {
            (StartResult::NeedsPerson(dialog), _) => Some(dialog),
            (StartResult::Ended | StartResult::AtUsageLimit, _) | (_, None) => None,
            (_, Some(words)) => type_first_message(town, &live.name, words, preset)?,
        };
        if let Some(dialog) = &question {
            town.record_event(&event!(SessionNeedsPerson, session: live.name, dialog: dialog));
            // The dialog ends when the program's hooks report that the session continues.
            if preset.has_hooks() {
                SessionPulse::record_dialog(town, &live.name, &live.token, dialog);
            }
        }
    }
    SessionPulse::record_typed(town, &live.name, None);
    Ok((live, question))
}

/// Types the first message. Returns the problem for a user if it is not submitted.
fn type_first_message(
    town: &LiveTown,
    session: &str,
    words: &str,
    preset: &RuntimePreset,
) -> Result<Option<String>, HostError> {
    let sent = town
        .host
        .send(session, words.trim(), &preset.input_rules())?;
    Ok((sent != SendResult::Submitted).then(|| "its first message is not submitted".to_owned()))
}
