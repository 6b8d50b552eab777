//! Stores the state of the scheduler, `.runtime/scheduler-state.json`, and finds the reasons why
//! the town starts no worker for queued beads now.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use kit::sys::{file, machine};
use kit::ui::counted;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::budget::{Budget, BudgetBook, BudgetLayers, has_budgets};
use super::desk::{DeskFailure, find_desk_failure};
use super::host_choice::NoFreeHost;
use super::polecat;
use super::queued_sling::SlingOptions;
use super::start_use::{FullUse, PausedUse, StartNeeds, UseLimits};
use super::state_file;
use super::town_view::TownView;
use super::usage_pause::UsagePauses;
use crate::town::beads::TownStores;
use crate::town::config::SettingsLayers;
use crate::town::lock::Lock;
use crate::town::{Rig, Town, TownLayout};

/// The time that a claim waits for another one.
const CLAIM_WAIT: Duration = Duration::from_secs(60);

/// The state of the scheduler. The file is shared with other versions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SchedulerState {
    pub paused: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub paused_by: String,
    /// RFC 3339.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub paused_at: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub paused_reason: String,
    /// The time of the last start of a worker, RFC 3339. Recorded if `scheduler.spawn_delay` is
    /// set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_dispatch_at: Option<Timestamp>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl SchedulerState {
    /// Reads the state. An unreadable file counts as a pause, because its writer may have wanted
    /// one.
    pub fn load(layout: &TownLayout) -> Self {
        match state_file::read_state_or_default(&layout.scheduler_state()) {
            Ok(state) => state,
            Err(error) => Self {
                paused: true,
                paused_by: format!("{error:#}"),
                ..Self::default()
            },
        }
    }

    /// Pauses the scheduler. Returns false if it was paused already.
    pub fn pause(town: &Town, reason: &str) -> anyhow::Result<bool> {
        let path = town.layout.scheduler_state();
        let by = town.actor.to_string();
        let now = town.clock.now().to_string();
        state_file::change_state(&town.layout, &path, |state: &mut Self| {
            let changed = !state.paused;
            if changed {
                state.paused = true;
                state.paused_by = by;
                state.paused_at = now;
                reason.clone_into(&mut state.paused_reason);
            }
            changed
        })
    }

    /// Ends the pause, and removes a damaged file. Returns false if the scheduler was not paused.
    pub fn resume(town: &Town) -> anyhow::Result<bool> {
        let path = town.layout.scheduler_state();
        if state_file::read_state::<Self>(&path).is_err() {
            file::remove_file(&path)?;
            return Ok(true);
        }
        state_file::change_state(&town.layout, &path, |state: &mut Self| {
            state.paused_by.clear();
            state.paused_at.clear();
            state.paused_reason.clear();
            std::mem::take(&mut state.paused)
        })
    }
}

/// The limits of the whole town for starts of workers. Zero turns a limit off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TownLimits {
    /// Polecats at work in all rigs.
    pub max_polecats: usize,
    /// The minimum time between two starts.
    pub spawn_delay: SignedDuration,
    /// MiB.
    pub min_free_memory: u64,
    /// MiB, in the file system of the town.
    pub min_free_disk: u64,
    /// Percent of the processors.
    pub max_load: u64,
}

impl TownLimits {
    /// Reads the limits from the layers of the town.
    pub fn from_layers(layers: &SettingsLayers) -> Self {
        let max_polecats = layers.number("scheduler.max_polecats");
        Self {
            max_polecats: usize::try_from(max_polecats).unwrap_or(usize::MAX),
            spawn_delay: layers.duration("scheduler.spawn_delay"),
            min_free_memory: layers.number("scheduler.min_free_memory_mb"),
            min_free_disk: layers.number("scheduler.min_free_disk_mb"),
            max_load: layers.number("scheduler.max_load"),
        }
    }

    /// Returns true if a start depends on the other starts in the town.
    fn counts_starts(&self) -> bool {
        self.max_polecats > 0 || self.spawn_delay.is_positive()
    }

    /// Returns how many more workers the town may start now, and the reason if none.
    pub fn find_room(&self, layout: &TownLayout, at_work: usize, now: Timestamp) -> TownRoom {
        let state = SchedulerState::load(layout);
        if state.paused {
            return TownRoom::none(StartObstacle::Paused {
                by: state.paused_by,
                reason: state.paused_reason,
            });
        }
        if let Some(obstacle) = self.find_pressure(layout) {
            return TownRoom::none(obstacle);
        }
        let mut slots = usize::MAX;
        if self.max_polecats > 0 {
            slots = self.max_polecats.saturating_sub(at_work);
            if slots == 0 {
                let limit = self.max_polecats;
                return TownRoom::none(StartObstacle::Full { at_work, limit });
            }
        }
        if self.spawn_delay.is_positive() {
            slots = 1;
            let since = state.last_dispatch_at.map(|last| now.duration_since(last));
            // A clock that was set back must not stop all starts.
            if let Some(since) = since
                && !since.is_negative()
                && since < self.spawn_delay
            {
                let wait = self.spawn_delay - since;
                return TownRoom::none(StartObstacle::TooSoon { wait });
            }
        }
        TownRoom {
            slots,
            obstacle: None,
        }
    }

    /// Returns the disk of the town as an obstacle if it has too little room.
    pub fn find_low_disk(&self, layout: &TownLayout) -> Option<StartObstacle> {
        let minimum = self.min_free_disk;
        let free = machine::free_disk(layout.root())?;
        (free < minimum).then_some(StartObstacle::LowDisk { free, minimum })
    }

    fn find_pressure(&self, layout: &TownLayout) -> Option<StartObstacle> {
        let minimum = self.min_free_memory;
        if minimum > 0
            && let Some(free) = machine::free_memory()
            && free < minimum
        {
            return Some(StartObstacle::LowMemory { free, minimum });
        }
        if let Some(low) = self.find_low_disk(layout) {
            return Some(low);
        }
        let limit = self.max_load;
        if limit > 0
            && let Some(load) = machine::load_percent()
            && load > limit
        {
            return Some(StartObstacle::HighLoad { load, limit });
        }
        None
    }
}

/// Returns the room of the whole town.
pub fn find_town_room(layout: &TownLayout, view: &TownView) -> TownRoom {
    if let Some(stop) = &view.stores.stopped {
        let reason = stop.hold().reason;
        return TownRoom::none(StartObstacle::Stopped { reason });
    }
    if let Some(stop) = view.settings.find_stop(None) {
        let reason = stop.to_owned();
        return TownRoom::none(StartObstacle::WrongSetting { reason });
    }
    let budget = view.budgets.of_day(view.settings.for_rig(None));
    if let Some(budget) = budget.filter(Budget::is_spent) {
        return TownRoom::none(StartObstacle::BudgetSpent(budget));
    }
    let limits = TownLimits::from_layers(view.settings.for_rig(None));
    limits.find_room(layout, count_workers(view), view.now)
}

/// Returns the number of polecats at work in all rigs. Those of a rig that is held have no sessions
/// and take no room.
pub fn count_workers(view: &TownView) -> usize {
    view.polecats
        .iter()
        .filter(|(rig, _)| !view.stores.holds.contains_key(*rig))
        .flat_map(|(_, workers)| workers)
        .filter(|worker| worker.is_counted_as_working())
        .count()
}

/// Returns the priority of a rig for free places: its setting with the adjustments of all layers.
/// The lowest goes first.
pub fn priority_of_rig(layers: &SettingsLayers) -> i64 {
    let priority = i64::try_from(layers.number("scheduler.priority")).unwrap_or(i64::MAX);
    priority.saturating_add(layers.sum("priority_adjustment"))
}

/// The number of workers that the town may start now.
#[derive(Debug, Clone, PartialEq)]
pub struct TownRoom {
    pub slots: usize,
    /// The reason for no slots.
    pub obstacle: Option<StartObstacle>,
}

impl Default for TownRoom {
    /// A town without limits.
    fn default() -> Self {
        Self {
            slots: usize::MAX,
            obstacle: None,
        }
    }
}

impl TownRoom {
    fn none(obstacle: StartObstacle) -> Self {
        Self {
            slots: 0,
            obstacle: Some(obstacle),
        }
    }
}

/// A reason of the whole town for not starting a worker.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StartObstacle {
    /// The town has an emergency stop.
    Stopped {
        reason: String,
    },
    /// A limit or another safety rule in the settings is wrong.
    WrongSetting {
        reason: String,
    },
    Paused {
        by: String,
        #[serde(skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    Full {
        at_work: usize,
        limit: usize,
    },
    /// The limit of an agent program or an account.
    UseFull(FullUse),
    /// The usage limit of an agent program.
    UsePaused(PausedUse),
    /// The hosts on which the worker may run.
    NoFreeHost(NoFreeHost),
    BudgetSpent(Budget),
    /// The setup or the check of the rig's desk failed.
    DeskFailed {
        rig: String,
        reason: String,
        log: PathBuf,
    },
    TooSoon {
        #[serde(serialize_with = "as_seconds")]
        wait: SignedDuration,
    },
    LowMemory {
        free: u64,
        minimum: u64,
    },
    LowDisk {
        free: u64,
        minimum: u64,
    },
    HighLoad {
        load: u64,
        limit: u64,
    },
}

fn as_seconds<S: serde::Serializer>(
    wait: &SignedDuration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(wait.as_secs_f64())
}

impl StartObstacle {
    fn for_desk(rig: &str, failure: &DeskFailure) -> Self {
        Self::DeskFailed {
            rig: rig.to_owned(),
            reason: failure.describe(),
            log: failure.log.clone(),
        }
    }

    /// Returns the command that ends the obstacle, if one does.
    pub fn next_step(&self) -> Option<String> {
        let next_step = match self {
            Self::Stopped { .. } => "gt thaw".to_owned(),
            Self::WrongSetting { .. } => "gt doctor".to_owned(),
            Self::Paused { .. } => "gt scheduler resume".to_owned(),
            Self::Full { .. } => "gt config set --town scheduler.max_polecats N".to_owned(),
            Self::UseFull(full) => full.next_step(),
            Self::BudgetSpent(budget) => budget.next_step(),
            Self::DeskFailed { rig, .. } => format!("gt rig desk {rig} --try"),
            Self::NoFreeHost(_) => "gt host list".to_owned(),
            _ => return None,
        };
        Some(next_step)
    }

    /// Returns the time after which the obstacle may be gone without an event of the town.
    pub fn recheck_in(&self) -> Option<SignedDuration> {
        match self {
            // A usage limit ends at the retry of the worker that has reached it.
            Self::Stopped { .. }
            | Self::Paused { .. }
            | Self::Full { .. }
            | Self::UseFull(_)
            | Self::UsePaused(_)
            | Self::DeskFailed { .. } => None,
            Self::TooSoon { wait } => Some(*wait),
            Self::WrongSetting { .. }
            | Self::LowMemory { .. }
            | Self::LowDisk { .. }
            | Self::HighLoad { .. } => Some(SignedDuration::from_secs(30)),
            Self::NoFreeHost(none) => none.recheck_in(),
            // A day may end.
            Self::BudgetSpent(_) => Some(SignedDuration::from_mins(10)),
        }
    }
}

impl fmt::Display for StartObstacle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Stopped { reason } => write!(f, "{reason}"),
            Self::WrongSetting { reason } => write!(f, "a setting is wrong: {reason}"),
            Self::Paused { by, reason } => {
                write!(f, "the scheduler is paused")?;
                if !by.is_empty() {
                    write!(f, " by {by}")?;
                }
                if !reason.is_empty() {
                    write!(f, ": {reason}")?;
                }
                Ok(())
            }
            Self::Full { at_work, limit } => write!(
                f,
                "{} at work in the town (setting scheduler.max_polecats: {limit})",
                counted(*at_work, "worker")
            ),
            Self::UseFull(full) => write!(f, "{full}"),
            Self::UsePaused(paused) => write!(f, "{paused}"),
            Self::NoFreeHost(none) => write!(f, "{none}"),
            Self::BudgetSpent(budget) => write!(f, "{budget}"),
            Self::DeskFailed { reason, log, .. } => {
                write!(f, "{reason}, log {}", log.display())
            }
            Self::TooSoon { wait } => write!(
                f,
                "the next worker starts in {}s (setting scheduler.spawn_delay)",
                wait.as_secs().max(1)
            ),
            Self::LowMemory { free, minimum } => write!(
                f,
                "{free} MiB of memory are free (setting scheduler.min_free_memory_mb: {minimum})"
            ),
            Self::LowDisk { free, minimum } => write!(
                f,
                "{free} MiB of disk space are free (setting scheduler.min_free_disk_mb: {minimum})"
            ),
            Self::HighLoad { load, limit } => write!(
                f,
                "the load is {load} % of the processors (setting scheduler.max_load: {limit})"
            ),
        }
    }
}

/// The permission to start one worker. Held until the worker counts as working, so that two claims
/// at the same time do not take the same place.
#[derive(Debug)]
pub struct StartPermit {
    /// True if the next start must wait for `scheduler.spawn_delay`.
    is_spaced: bool,
    _lock: Option<Lock>,
}

impl StartPermit {
    /// Records that the worker was claimed.
    pub fn record_start(self, town: &Town) -> anyhow::Result<()> {
        if !self.is_spaced {
            return Ok(());
        }
        let path = town.layout.scheduler_state();
        let now = town.clock.now();
        state_file::change_state(&town.layout, &path, |state: &mut SchedulerState| {
            state.last_dispatch_at = Some(now);
        })
    }
}

/// Checks that the town has room for another worker of a rig, and reserves it for a bead. `Err`
/// within the result is the reason to wait.
pub fn reserve_start(
    rig: &Rig,
    bead: &str,
    options: &SlingOptions,
) -> anyhow::Result<Result<StartPermit, StartObstacle>> {
    let town = rig.town();
    if let Some(obstacle) = find_start_obstacle(rig, bead)? {
        return Ok(Err(obstacle));
    }
    let layers = SettingsLayers::load(town, None)?;
    let of_rig = SettingsLayers::load(town, Some(rig))?;
    let limits = TownLimits::from_layers(&layers);
    let now = town.clock.now();
    let paused = UsagePauses::load(&town.layout).list_paused_uses(now);
    let mut uses = UseLimits::from_layers(&layers)
        .with_paused(paused)
        .with_hosts(town);
    let lock = (limits.counts_starts() || uses.counts_workers())
        .then(|| Lock::take(&town.layout.scheduler_lock(), CLAIM_WAIT))
        .transpose()?;
    let at_work = if limits.max_polecats > 0 || uses.counts_workers() {
        count_at_work(town, &town.read_stores()?, &mut uses)?
    } else {
        0
    };
    let room = limits.find_room(&town.layout, at_work, now);
    // The host is chosen before: it is an option here, and the bead decides nothing more.
    let needs = uses.needs_of(rig, &of_rig, options, None);
    Ok(
        match room.obstacle.or_else(|| find_use_obstacle(&uses, &needs)) {
            Some(obstacle) => Err(obstacle),
            None => Ok(StartPermit {
                is_spaced: limits.spawn_delay.is_positive(),
                _lock: lock,
            }),
        },
    )
}

/// Reads the limits of agent programs and accounts, with the workers of each, without a view of the
/// town.
pub fn read_start_limits(town: &Town) -> anyhow::Result<UseLimits> {
    let layers = SettingsLayers::load(town, None)?;
    let paused = UsagePauses::load(&town.layout).list_paused_uses(town.clock.now());
    let mut uses = UseLimits::from_layers(&layers)
        .with_paused(paused)
        .with_hosts(town);
    if uses.counts_workers() {
        count_at_work(town, &town.read_stores()?, &mut uses)?;
    }
    Ok(uses)
}

/// Returns the reason why no other worker with these needs is started, if there is one.
pub fn find_use_obstacle(limits: &UseLimits, needs: &StartNeeds) -> Option<StartObstacle> {
    let paused = limits.find_paused_use(&needs.uses);
    paused
        .map(StartObstacle::UsePaused)
        .or_else(|| {
            limits
                .find_full_use(&needs.uses)
                .map(StartObstacle::UseFull)
        })
        .or_else(|| {
            let no_host = limits.hosts.choose(&needs.hosts).err();
            no_host.map(StartObstacle::NoFreeHost)
        })
}

/// Returns the wrong setting, the failed desk or the spent budget because of which no session of a
/// worker for a bead is started, as a view of the town shows it.
pub fn find_work_obstacle(view: &TownView, rig: &str, bead: &str) -> Option<StartObstacle> {
    if let Some(stop) = view.settings.find_stop(Some(rig)) {
        let reason = stop.to_owned();
        return Some(StartObstacle::WrongSetting { reason });
    }
    if let Some(failure) = view.desk_failures.get(rig) {
        return Some(StartObstacle::for_desk(rig, failure));
    }
    let budget = view.find_spent_budget(rig, bead);
    budget.map(StartObstacle::BudgetSpent)
}

/// Returns the wrong setting, the failed desk or the spent budget because of which no session of a
/// worker for a bead is started, if there is one.
pub fn find_start_obstacle(rig: &Rig, bead: &str) -> anyhow::Result<Option<StartObstacle>> {
    let town = rig.town();
    let layers = SettingsLayers::load(town, None)
        .and_then(|of_town| Ok((of_town, SettingsLayers::load(town, Some(rig))?)))
        .and_then(|(of_town, of_rig)| {
            of_rig.check_guards(Some(rig))?;
            Ok((of_town, of_rig))
        });
    let (town_layers, rig_layers) = match layers {
        Ok(layers) => layers,
        Err(error) => {
            let reason = format!("{:#}", anyhow::Error::from(error));
            return Ok(Some(StartObstacle::WrongSetting { reason }));
        }
    };
    if let Some(failure) = find_desk_failure(rig, &rig_layers) {
        return Ok(Some(StartObstacle::for_desk(rig.name(), &failure)));
    }
    if !has_budgets(&town_layers) && !has_budgets(&rig_layers) {
        return Ok(None);
    }
    let layers = BudgetLayers {
        town: &town_layers,
        rig: &rig_layers,
        rig_name: rig.name(),
    };
    let book = BudgetBook::load(&town.layout, town.clock.now());
    let spent = layers.find_spent(&book, &town.open_town_store()?.snapshot()?, bead);
    Ok(spent.map(StartObstacle::BudgetSpent))
}

/// Fails if no other session may be started for a worker: a setting is wrong, the desk fails, or a
/// budget is spent.
pub fn check_worker_start(rig: &Rig, name: &str) -> anyhow::Result<()> {
    let ids = polecat::PolecatIds::for_polecat(rig, name);
    let slot = polecat::Slot::load(&rig.store()?.snapshot()?, &ids.slot);
    let Some(obstacle) = find_start_obstacle(rig, &slot.bead)? else {
        return Ok(());
    };
    let next = obstacle.next_step();
    let next = next.map_or_else(String::new, |next| format!("\nNext step: {next}"));
    anyhow::bail!("no other session is started: {obstacle}{next}")
}

/// Counts the polecats at work in all rigs that are not held, also those of each limited use.
fn count_at_work(town: &Town, stores: &TownStores, uses: &mut UseLimits) -> anyhow::Result<usize> {
    let mut count = 0;
    for rig in town.list_rigs()? {
        if stores.holds.contains_key(rig.name()) {
            continue;
        }
        if let Some(beads) = stores.rigs.get(rig.name()) {
            for polecat in polecat::list_polecats(&rig, beads, None) {
                uses.count_worker(&rig, &polecat);
                count += usize::from(polecat.is_counted_as_working());
            }
        }
    }
    Ok(count)
}

/// Reads the limits of agent programs and accounts, with the workers of each.
pub fn read_use_limits(town: &Town, view: &TownView) -> UseLimits {
    let paused = UsagePauses::load(&town.layout).list_paused_uses(view.now);
    let mut uses = UseLimits::from_layers(view.settings.for_rig(None))
        .with_paused(paused)
        .with_hosts(town);
    if !uses.counts_workers() {
        return uses;
    }
    for (rig, workers) in &view.polecats {
        if view.stores.holds.contains_key(rig) {
            continue;
        }
        let rig = town.rig(rig);
        for worker in workers {
            uses.count_worker(&rig, worker);
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    fn room_of(town: &Town, limits: &TownLimits, at_work: usize) -> TownRoom {
        limits.find_room(&town.layout, at_work, town.clock.now())
    }

    #[test]
    fn a_town_without_limits_has_room_until_the_scheduler_is_paused() {
        let place = TestTown::new();
        let town = &place.town;
        let limits = TownLimits::default();
        assert_eq!(room_of(town, &limits, 500), TownRoom::default());
        assert!(SchedulerState::pause(town, "").unwrap());
        assert!(!SchedulerState::pause(town, "").unwrap());
        let paused = room_of(town, &limits, 0).obstacle.unwrap();
        assert_eq!(paused.next_step().as_deref(), Some("gt scheduler resume"));
        assert!(SchedulerState::resume(town).unwrap());
        assert_eq!(room_of(town, &limits, 0), TownRoom::default());
        std::fs::write(town.layout.scheduler_state(), "{").unwrap();
        assert_eq!(room_of(town, &limits, 0).slots, 0, "a damaged file pauses");
        assert!(SchedulerState::resume(town).unwrap());
        assert_eq!(room_of(town, &limits, 0), TownRoom::default());
    }

    #[test]
    fn the_room_ends_at_the_limit_of_the_town_and_at_the_pressure_of_the_machine() {
        let place = TestTown::new();
        let town = &place.town;
        let cap = TownLimits {
            max_polecats: 5,
            ..TownLimits::default()
        };
        assert_eq!(room_of(town, &cap, 3).slots, 2);
        let full = StartObstacle::Full {
            at_work: 7,
            limit: 5,
        };
        assert_eq!(room_of(town, &cap, 7).obstacle, Some(full));
        let memory = TownLimits {
            min_free_memory: u64::MAX,
            ..TownLimits::default()
        };
        let disk = TownLimits {
            min_free_disk: u64::MAX,
            ..TownLimits::default()
        };
        for limits in [memory, disk] {
            let obstacle = room_of(town, &limits, 0).obstacle.unwrap();
            assert!(obstacle.recheck_in().is_some(), "{obstacle}");
        }
    }

    #[test]
    fn two_starts_are_as_far_apart_as_the_setting_says() {
        let place = TestTown::new();
        let town = &place.town;
        std::fs::create_dir_all(town.layout.settings().parent().unwrap()).unwrap();
        std::fs::write(
            town.layout.settings(),
            r#"{"scheduler":{"spawn_delay":"1h"}}"#,
        )
        .unwrap();
        let rig = town.rig("web");
        let reserve = || reserve_start(&rig, "web-1", &SlingOptions::default()).unwrap();
        drop(reserve());
        reserve().unwrap().record_start(town).unwrap();
        let refused = reserve().unwrap_err();
        assert!(
            matches!(refused, StartObstacle::TooSoon { .. }),
            "{refused}"
        );
    }
}
