//! The numbers of the rules, and the other settings that the patrol reads.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;

use super::decision::ActionKind;
use super::rule::{RULES, Rule};
use crate::flow::dog::chore::Chore;
use crate::host::LiveTown;
use crate::record::restarts::RestartLimits;
use crate::record::town_view::TownView;
use crate::town::RigLayout;
use crate::town::config::{RigSettings, SettingsLayers};

/// In so many sessions of a rig something is typed at the same time: a hundred workers that are quiet at once are no reason
/// to leave everything else.
const TALKS: usize = 10;

/// The settings of a rig that the patrol reads.
#[derive(Debug, Clone, Default)]
pub struct PatrolSettings {
    /// Those that the flows read, too.
    pub rig: RigSettings,
    /// The numbers of the rules.
    pub thresholds: Thresholds,
}

impl PatrolSettings {
    /// Reads the settings of a rig. What cannot be read is for the queue to complain about, and the default counts.
    pub fn load(town: &LiveTown, rig: &RigLayout) -> Self {
        Self::from_layers(
            &SettingsLayers::load(town, Some(rig)).unwrap_or_default(),
            rig,
        )
    }

    fn from_layers(layers: &SettingsLayers, rig: &RigLayout) -> Self {
        Self {
            rig: RigSettings::from_layers(layers, rig).unwrap_or_default(),
            thresholds: Thresholds::from_layers(layers),
        }
    }

    /// Takes the settings of each rig whose beads could be read.
    pub fn for_rigs(town: &LiveTown, view: &TownView) -> BTreeMap<String, Self> {
        let rigs = view.stores.rigs.keys();
        let of_rig = |rig: &String| {
            let layers = view.settings.for_rig(Some(rig));
            (
                rig.clone(),
                Self::from_layers(layers, &town.layout.rig(rig)),
            )
        };
        rigs.map(of_rig).collect()
    }
}

/// From which numbers on a person hears of something; zero is never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertLimits {
    /// Open merge requests of a rig.
    pub requests: usize,
    /// Escalations within an hour.
    pub escalations: usize,
    /// Sessions ended by signal 9 within an hour.
    pub killed: usize,
}

/// The numbers that the rules go by, in one rig or for the town's own matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thresholds {
    /// The names of the rules that are turned off.
    pub off: BTreeSet<&'static str>,
    /// After so many restarts on one bead within `restart_window` a worker is stuck.
    pub restarts: usize,
    /// The time over which restarts are counted.
    pub restart_window: SignedDuration,
    /// How long the second restart within that time waits; twice as long each time.
    pub restart_wait: SignedDuration,
    /// After so many failures of one sling its worker is stuck.
    pub sling_failures: usize,
    /// How many sessions of a rig may be started at the same time.
    pub starts: usize,
    /// How long a worker that closed its bead itself may still commit and run `gt done`.
    pub after_close: SignedDuration,
    /// How long a stuck worker waits before it is tried again; twice as long each time.
    pub half_open: SignedDuration,
    /// How long a worker may make no progress before it is nudged.
    pub nudge: SignedDuration,
    /// How long it may make none before it is restarted.
    pub restart: SignedDuration,
    /// How long it may make none while its screen shows work in progress.
    pub restart_busy: SignedDuration,
    /// How often the commits of unfinished work are pushed.
    pub push: SignedDuration,
    /// By which the starts of agents are judged.
    pub agents: RestartLimits,
    /// From which numbers on a person hears of them.
    pub alerts: AlertLimits,
    /// How long something outside may fail before a person hears of it.
    pub patience: SignedDuration,
    /// How often each chore is done; never where that is zero.
    pub chores: BTreeMap<&'static str, SignedDuration>,
    /// How long nobody may have written beads before they are put on their branch.
    pub sync_rest: SignedDuration,
    /// How long after the last sync of beads the next may come.
    pub sync_interval: SignedDuration,
}

impl Thresholds {
    /// Reads them. In place of a value that cannot be used the built-in one counts, and the doctor names it.
    pub fn from_layers(layers: &SettingsLayers) -> Self {
        let count = |name| {
            layers
                .valid_value(name)
                .as_u64()
                .and_then(|n| n.try_into().ok())
        };
        let count = |name| count(name).unwrap_or(usize::MAX);
        let time = |name: &str| layers.duration(name);
        let is_off = |rule: &&Rule| rule.switch_setting(layers).value == false;
        Self {
            off: RULES
                .iter()
                .copied()
                .filter(is_off)
                .map(|rule| rule.name)
                .collect(),
            restarts: count("patrol.breaker.restarts"),
            restart_window: time("patrol.breaker.window"),
            restart_wait: time("patrol.breaker.wait"),
            sling_failures: count("patrol.breaker.sling_failures"),
            starts: count("patrol.budget.starts").max(1),
            after_close: time("patrol.after_close"),
            half_open: time("patrol.breaker.half_open"),
            nudge: time("patrol.progress.nudge"),
            restart: time("patrol.progress.restart"),
            restart_busy: time("patrol.progress.restart_busy"),
            push: time("patrol.push.interval"),
            agents: RestartLimits {
                starts: count("patrol.agent.starts").try_into().unwrap_or(u32::MAX),
                window: time("patrol.agent.window"),
                half_open: time("patrol.breaker.half_open"),
            },
            alerts: AlertLimits {
                requests: count("patrol.alert.requests"),
                escalations: count("patrol.alert.escalations"),
                killed: count("patrol.alert.killed"),
            },
            patience: time("patrol.patience"),
            chores: Chore::ALL
                .map(|chore| {
                    let setting = format!("patrol.chore.{}", chore.name().replace('-', "_"));
                    (chore.name(), time(&setting))
                })
                .into(),
            sync_rest: time("patrol.sync.rest"),
            sync_interval: time("patrol.sync.interval"),
        }
    }

    /// Reads those of the town.
    pub fn for_town(town: &LiveTown) -> Self {
        Self::from_layers(&SettingsLayers::load(town, None).unwrap_or_default())
    }

    /// How many actions of a kind may run at the same time.
    pub fn budget(&self, kind: ActionKind) -> usize {
        match kind {
            ActionKind::Start => self.starts,
            ActionKind::Talk => TALKS,
            ActionKind::Other => usize::MAX,
        }
    }

    /// Whether a rule applies.
    pub fn is_on(&self, rule: &Rule) -> bool {
        !self.off.contains(rule.name)
    }
}

impl Default for Thresholds {
    fn default() -> Self {
        Self::from_layers(&SettingsLayers::default())
    }
}
