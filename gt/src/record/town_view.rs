//! Reads the current state of a town once: beads, sessions and workers. All screens and rules read
//! it from here, so that they never contradict each other.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use bd::bead::{Bead, Kind, Status};
use bd::store::{BeadMark, Snapshot};
use jiff::{SignedDuration, Timestamp};
use kit::sys::parallel::run_both;

use super::budget::{Budget, BudgetBook, BudgetLayers};
use super::desk::{DeskFailure, find_desk_failure};
use super::dog::{self, DogState};
use super::escalation;
use super::hidden;
use super::hook;
use super::mail;
use super::polecat::{
    self, AwaitedQuestion, Polecat, PolecatRecords, PolecatState, Slot, SlotState,
};
use super::progress::{self, ActivityCache, WorkerActivity};
use super::pulse::ApiRefusal;
use super::role::{self, PatrolRole, RoleMode};
use super::usage_pause::UsagePauses;
use crate::host::ended::strip_end_message;
use crate::host::runtime::{self, RuntimePreset};
use crate::host::{LiveSession, LiveTown};
use crate::town::beads::TownStores;
use crate::town::config::{SettingsLayers, TownSettings};
use crate::town::identity::{Address, SessionName};
use crate::town::{Rig, Town};

/// The time that a worker without work may still have a session after its last activity.
const FADE_TIME: SignedDuration = SignedDuration::from_mins(10);

/// The number of lines that are read of an ended session. Its output is above the last line,
/// however tall the screen is.
const DEAD_LINES: usize = 200;

/// The current state of a town.
pub struct TownView {
    pub now: Timestamp,
    /// The beads of the town and of its rigs.
    pub stores: TownStores,
    /// The sessions. None if they could not be listed.
    pub sessions: Option<Vec<LiveSession>>,
    /// The reason why the sessions could not be listed, or why their list is unreliable.
    pub blind: Option<String>,
    /// The roles of the patrol.
    pub roles: Vec<PatrolRole>,
    /// The settings of the town and its rigs.
    pub settings: TownSettings,
    pub budgets: BudgetBook,
    /// The failures that keep the workers of rigs from starting.
    pub desk_failures: BTreeMap<String, DeskFailure>,
    /// The workers of each rig whose beads are readable.
    pub polecats: BTreeMap<String, Vec<Polecat>>,
}

impl TownView {
    /// Reads the town with its sessions.
    pub fn read(town: &LiveTown) -> anyhow::Result<Self> {
        Self::read_again(town, &ActivityCache::default())
    }

    /// Reads the town with its sessions for a screen that is redrawn. `glances` has recent readings
    /// of quiet workers.
    pub fn read_again(town: &LiveTown, glances: &ActivityCache) -> anyhow::Result<Self> {
        let stores = town.read_stores()?;
        let settings = TownSettings::load(town, &stores.rigs);
        Ok(Self::read_with(town, stores, settings, glances, |_, _| {
            true
        }))
    }

    /// Reads the town, and lists the sessions only if any worker or role may have one, so that an
    /// idle town starts no process. `glances` has recent readings of quiet workers.
    pub fn read_idle(town: &LiveTown, glances: &ActivityCache) -> anyhow::Result<Self> {
        let stores = town.read_stores()?;
        let settings = TownSettings::load(town, &stores.rigs);
        let now = town.clock.now();
        Ok(Self::read_with(
            town,
            stores,
            settings,
            glances,
            |stores, roles| {
                roles.iter().any(|role| role.mode == RoleMode::Agent)
                    || stores
                        .rigs
                        .values()
                        .any(|beads| can_have_sessions(beads, now))
                    || has_hooked_beads(stores)
                    || mail::has_unread(&stores.town)
                    || dog::list_dogs(&town.layout)
                        .iter()
                        .any(|dog| dog.state == DogState::Working)
            },
        ))
    }

    fn read_with(
        town: &LiveTown,
        stores: TownStores,
        settings: TownSettings,
        glances: &ActivityCache,
        ask: impl FnOnce(&TownStores, &[PatrolRole]) -> bool,
    ) -> Self {
        let roles = role::list_patrol_roles(stores.rig_names(), &settings);
        let (without, (mut sessions, mut blind)) = if ask(&stores, &roles) {
            // Listing the sessions takes as long as reading everything else, so both run in
            // parallel.
            let (without, list) = run_both(|| read_workers(town, &stores), || town.host.list());
            let asked = match list {
                Ok(list) => (Some(list), None),
                Err(error) => (None, Some(error.to_string())),
            };
            (without, asked)
        } else {
            (read_workers(town, &stores), (Some(Vec::new()), None))
        };
        let mut polecats = add_sessions(&without, sessions.as_deref());
        if let Some(list) = &sessions
            && let Some(reason) =
                hidden::find_hidden_reason(town.layout.root(), polecats.values().flatten(), list)
        {
            (sessions, blind) = (None, Some(reason));
            polecats = add_sessions(&without, None);
        }
        drop(without);
        for polecat in polecats.values_mut().flatten() {
            add_question(town, &stores.town, polecat);
        }
        for (name, hold) in &stores.holds {
            for polecat in polecats.get_mut(name).into_iter().flatten() {
                if polecat.state == PolecatState::Stalled {
                    polecat.why.clone_from(&hold.reason);
                }
            }
        }
        let budgets = BudgetBook::load(&town.layout, town.clock.now());
        for (rig, polecats) in &mut polecats {
            let layers = BudgetLayers::new(&settings, rig);
            for polecat in polecats {
                if polecat.state == PolecatState::Stalled
                    && let Some(bead) = &polecat.hook
                    && let Some(budget) = layers.find_spent(&budgets, &stores.town, bead)
                {
                    polecat.why = budget.to_string();
                }
            }
        }
        let desk_failures: BTreeMap<String, DeskFailure> = stores
            .rigs
            .keys()
            .filter_map(|name| {
                let rig = town.layout.rig(name);
                let failure = find_desk_failure(&rig, settings.for_rig(Some(name)))?;
                Some((name.clone(), failure))
            })
            .collect();
        for (name, failure) in &desk_failures {
            for polecat in polecats.get_mut(name).into_iter().flatten() {
                if polecat.state == PolecatState::Stalled && !stores.holds.contains_key(name) {
                    polecat.why = format!("{}, log {}", failure.describe(), failure.log.display());
                }
            }
        }
        for (name, polecats) in &mut polecats {
            let note = settings
                .for_rig(Some(name))
                .duration("patrol.progress.note");
            watch_progress(town, &town.rig(name), note, glances, polecats);
        }
        Self {
            now: town.clock.now(),
            budgets,
            desk_failures,
            stores,
            sessions,
            blind,
            roles,
            settings,
            polecats,
        }
    }

    /// Reads one worker with its progress. No other sandbox or screen is read, because a hundred
    /// workers without progress cause a hundred such reads, which may run at the same time.
    pub fn read_worker(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<Polecat> {
        let beads = rig.store()?.snapshot()?;
        let sessions = town.host.list()?;
        let mut all = polecat::list_polecats(rig, &beads, Some(&sessions));
        if let Some(reason) = hidden::find_hidden_reason(town.layout.root(), all.iter(), &sessions)
        {
            anyhow::bail!(reason);
        }
        all.retain(|polecat| polecat.name == name);
        let note = SettingsLayers::load_for_rig(rig, &beads)?.duration("patrol.progress.note");
        watch_progress(town, rig, note, &ActivityCache::default(), &mut all);
        all.pop()
            .ok_or_else(|| build_unknown_error(rig.name(), name))
    }

    /// Returns a spent budget that a worker for a bead uses, if there is one.
    pub fn find_spent_budget(&self, rig: &str, bead: &str) -> Option<Budget> {
        let layers = BudgetLayers::new(&self.settings, rig);
        layers.find_spent(&self.budgets, &self.stores.town, bead)
    }

    /// Returns the workers of a rig.
    pub fn polecats_of(&self, rig: &str) -> &[Polecat] {
        self.polecats.get(rig).map_or(&[], Vec::as_slice)
    }

    pub fn find_polecat(&self, rig: &str, name: &str) -> anyhow::Result<&Polecat> {
        self.polecats_of(rig)
            .iter()
            .find(|polecat| polecat.name == name)
            .ok_or_else(|| build_unknown_error(rig, name))
    }

    /// Returns the running session of an agent.
    pub fn session_of(&self, agent: &Address) -> Option<&LiveSession> {
        let name = SessionName::for_agent(agent)?;
        let mut live = self.sessions.iter().flatten();
        live.find(|live| live.name == name.as_str() && live.dead.is_none())
    }

    /// Returns true if an agent has a session. None if unknown.
    pub fn is_running(&self, agent: &Address) -> Option<bool> {
        self.sessions.as_ref()?;
        Some(self.session_of(agent).is_some())
    }

    pub fn hooked_bead_of(&self, agent: &Address) -> Option<&Bead> {
        if let Address::Polecat(rig, name) = agent {
            let hook = self.find_polecat(rig, name).ok()?.hook.as_deref()?;
            return self.stores.get(hook);
        }
        hook::hooked_bead_of(&self.stores, agent, &Slot::default())
    }
}

fn build_unknown_error(rig: &str, name: &str) -> anyhow::Error {
    anyhow::anyhow!("there is no polecat `{name}` in rig `{rig}`: not found")
}

type WorkersByRig<T> = BTreeMap<String, Vec<T>>;

/// Reads the workers of each rig without their sessions.
fn read_workers<'a>(town: &Town, stores: &'a TownStores) -> WorkersByRig<PolecatRecords<'a>> {
    stores
        .rigs
        .iter()
        .map(|(name, beads)| {
            let workers = polecat::read_polecat_records(&town.rig(name), beads);
            (name.clone(), workers)
        })
        .collect()
}

fn add_sessions(
    without: &WorkersByRig<PolecatRecords<'_>>,
    sessions: Option<&[LiveSession]>,
) -> WorkersByRig<Polecat> {
    without
        .iter()
        .map(|(name, workers)| {
            let workers = workers.iter().map(|worker| worker.with_sessions(sessions));
            (name.clone(), workers.collect())
        })
        .collect()
}

/// Reads the progress of a rig's workers with work, and the refusals of their APIs.
fn watch_progress(
    town: &LiveTown,
    rig: &Rig,
    note: SignedDuration,
    glances: &ActivityCache,
    polecats: &mut [Polecat],
) {
    let mut presets: BTreeMap<Option<String>, (String, RuntimePreset)> = BTreeMap::new();
    let pauses = OnceCell::new();
    for polecat in polecats
        .iter_mut()
        .filter(|polecat| polecat.hook.is_some() && polecat.slot.is_unfinished())
    {
        if polecat.slot.state != SlotState::Working {
            continue;
        }
        let wanted = polecat.slot.agent.clone();
        let address = polecat.address();
        let (agent, preset) = &*presets.entry(wanted).or_insert_with_key(|wanted| {
            let found = runtime::resolve_runtime(town, Some(rig), &address, wanted.as_deref());
            // The screen of an unknown program cannot be read.
            found.map_or_else(
                |_| (wanted.clone().unwrap_or_default(), RuntimePreset::default()),
                |found| (found.name, found.preset),
            )
        });
        polecat.agent.clone_from(agent);
        match &polecat.session {
            Some(live) if live.dead.is_none() => {
                let sandbox = rig.sandbox(&polecat.name);
                let progress = progress::read_progress(
                    town,
                    &sandbox,
                    polecat.committed,
                    preset,
                    live,
                    note,
                    glances,
                );
                if let WorkerActivity::Refused(refusal) = &progress.doing {
                    polecat.refusal = Some(refusal.clone());
                }
                polecat.progress = Some(progress);
            }
            _ => {
                polecat.refusal = find_final_refusal(town, preset, polecat, &pauses);
                if let Some(pause) = &polecat.refusal
                    && pause.is_usage_limit()
                    && polecat.asks.is_none()
                    && polecat.state == PolecatState::Stalled
                {
                    polecat.why = pause.describe();
                }
            }
        }
    }
}

/// Adds the open question that a worker waits on. Without a session, it does nothing else.
fn add_question(town: &LiveTown, beads: &Snapshot, polecat: &mut Polecat) {
    let Some(hook) = &polecat.hook else { return };
    let found = escalation::find_awaited_question(beads, &polecat.address(), hook);
    polecat.asks = found.map(AwaitedQuestion::from);
    if let Some(question) = &polecat.asks
        && waits_without_session(polecat)
    {
        polecat.why = question.describe(&read_last_words(town, polecat));
    }
}

/// Returns true if a worker's session has ended and a new one could go on.
fn waits_without_session(polecat: &Polecat) -> bool {
    let state = &polecat.slot.state;
    let session = polecat.session.as_ref();
    let is_running = session.is_some_and(|live| live.dead.is_none());
    let has_ended = polecat.state == PolecatState::Stalled
        || (state.failed_done().is_some() && !is_running && !polecat.busy);
    has_ended && state.needs_worker() && state.stuck_reason().is_none()
}

/// Returns the last line that an ended session printed.
fn read_last_words(town: &LiveTown, polecat: &Polecat) -> String {
    let session = polecat.session.as_ref();
    let screen = session
        .and_then(|dead| town.host.capture(&dead.name, DEAD_LINES).ok())
        .or_else(|| Some(polecat.slot.ended.as_ref()?.screen.join("\n")));
    let last = screen
        .as_deref()
        .and_then(|screen| strip_end_message(screen).lines().last());
    last.unwrap_or("").trim().to_owned()
}

/// Returns the refusal of the API that ended a worker's last session, or that it showed last if a
/// user or a crash of the machine ended it. `pauses` holds the recorded ones once they are read.
fn find_final_refusal(
    town: &LiveTown,
    preset: &RuntimePreset,
    polecat: &Polecat,
    pauses: &OnceCell<UsagePauses>,
) -> Option<ApiRefusal> {
    if preset.refusals.is_empty() && preset.usage_limits.is_empty() {
        return None;
    }
    let now = town.clock.now();
    if let Some(last) = read_last_screen(town, polecat) {
        return progress::read_final_refusal(&last.screen, preset, last.at, now);
    }
    let pauses = pauses.get_or_init(|| UsagePauses::load(&town.layout));
    pauses.find_refusal(&polecat.slot.token, now)
}

/// The last screen of an ended session.
struct LastScreen {
    screen: String,
    at: Timestamp,
}

/// Returns the last screen of a worker's session that ended on its own.
fn read_last_screen(town: &LiveTown, polecat: &Polecat) -> Option<LastScreen> {
    if let Some(dead) = &polecat.session {
        return Some(LastScreen {
            screen: town.host.capture(&dead.name, DEAD_LINES).ok()?,
            at: dead.activity,
        });
    }
    let slot = &polecat.slot;
    let ended = slot.ended.as_ref();
    let ended = ended.filter(|ended| ended.lease == slot.lease)?;
    Some(LastScreen {
        screen: ended.screen.join("\n"),
        at: ended.at.parse().ok()?,
    })
}

/// Returns true if any agent has a bead on its hook.
fn has_hooked_beads(stores: &TownStores) -> bool {
    std::iter::once(&stores.town)
        .chain(stores.rigs.values())
        .any(|beads| {
            beads
                .select_open(&[BeadMark::Status(&Status::Hooked)])
                .next()
                .is_some()
        })
}

/// Returns true if any polecat of a rig may have a session: one with work, or one that had work a
/// moment ago.
fn can_have_sessions(beads: &Snapshot, now: Timestamp) -> bool {
    beads
        .select_open(&[BeadMark::Kind(&Kind::Agent), BeadMark::Label("gt:agent")])
        .filter(|bead| bead.role_type == "polecat")
        .any(|bead| {
            let last = bead.last_activity.as_ref();
            !bead.hook_bead.is_empty()
                || last.is_some_and(|at| now.duration_since(at.instant()) < FADE_TIME)
        })
}
