//! Reads the thresholds of the rules and the other settings of the patrol.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;

use super::decision::ActionKind;
use super::rule::{RULES, Rule};
use crate::flow::townwide::dog::chore::Chore;
use crate::record::restarts::RestartLimits;
use crate::record::town_view::TownView;
use crate::town::config::{RigSettings, SettingsError, SettingsLayers};
use crate::town::{RigLayout, Town};

/// The maximum number of sessions per rig into which text is typed at the same time. A hundred
/// quiet workers must not block all other actions.
const MAX_TALKS: usize = 10;

/// The maximum number of plugins per rig that run at the same time.
const MAX_PLUGINS: usize = 4;

/// The settings of a rig for the patrol.
#[derive(Debug, Clone, Default)]
pub struct PatrolSettings {
    /// The settings that the flows read too. None if a limit or another safety rule is wrong: then
    /// nothing is started or merged.
    pub rig: Option<RigSettings>,
    /// The thresholds of the rules.
    pub thresholds: Thresholds,
}

impl PatrolSettings {
    /// Builds the settings from layers that were read.
    pub fn from_layers(layers: &SettingsLayers, rig: &RigLayout) -> Self {
        Self {
            rig: RigSettings::from_layers(layers, rig).ok(),
            thresholds: Thresholds::from_layers(layers),
        }
    }

    /// Returns true if repair tasks go to workers automatically.
    pub fn is_auto_repair(&self) -> bool {
        self.rig.as_ref().is_some_and(RigSettings::is_auto_repair)
    }

    /// Reads the settings of each rig whose beads are readable.
    pub fn for_rigs(town: &Town, view: &TownView) -> BTreeMap<String, Self> {
        view.stores
            .rigs
            .keys()
            .map(|rig| {
                let layers = view.settings.for_rig(Some(rig));
                (rig.clone(), Self::from_layers(layers, &town.rig(rig)))
            })
            .collect()
    }
}

/// The numbers from which the user gets an alert. Zero turns an alert off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertLimits {
    /// Open merge requests of a rig.
    pub requests: usize,
    pub escalations: usize,
    /// Sessions that signal 9 ended within an hour.
    pub killed: usize,
}

/// The thresholds of the rules in one rig, or for the town's own subjects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thresholds {
    /// The names of the rules that are turned off.
    pub off: BTreeSet<&'static str>,
    /// The number of restarts on one bead within `restart_window` after which a worker is stuck.
    pub restarts: usize,
    /// The time window in which restarts are counted.
    pub restart_window: SignedDuration,
    /// The wait before the second restart within that window. It doubles each time.
    pub restart_wait: SignedDuration,
    /// The number of failures of one sling after which its worker is stuck.
    pub sling_failures: usize,
    /// The maximum number of concurrent session starts in a rig.
    pub starts: usize,
    /// The time that a worker which closed its bead itself gets for commits and `gt done`.
    pub after_close: SignedDuration,
    /// The wait before a stuck worker is retried. It doubles each time.
    pub half_open: SignedDuration,
    /// The time without progress after which a worker is nudged.
    pub nudge: SignedDuration,
    /// The time without progress after which a worker is restarted.
    pub restart: SignedDuration,
    /// The time without progress before a restart while the screen shows work in progress.
    pub restart_busy: SignedDuration,
    /// The interval between pushes of unfinished work.
    pub push: SignedDuration,
    /// The limits for restarts of agents.
    pub agents: RestartLimits,
    /// The limits of the alerts.
    pub alerts: AlertLimits,
    /// The time that an outside failure may last before the user gets a message.
    pub patience: SignedDuration,
    /// The interval of each chore. Zero turns a chore off.
    pub chores: BTreeMap<&'static str, SignedDuration>,
    /// The time without writes after which beads are synced.
    pub sync_rest: SignedDuration,
    /// The minimum time between two syncs of beads.
    pub sync_interval: SignedDuration,
}

impl Thresholds {
    /// Reads the thresholds. The built-in value replaces an invalid one, which the doctor reports.
    pub fn from_layers(layers: &SettingsLayers) -> Self {
        let read_count = |name| {
            layers
                .valid_value(name)
                .as_u64()
                .and_then(|count| count.try_into().ok())
                .unwrap_or(usize::MAX)
        };
        Self {
            off: RULES
                .iter()
                .copied()
                .filter(|rule| rule.switch_setting(layers).value == false)
                .map(|rule| rule.name)
                .collect(),
            restarts: read_count("patrol.breaker.restarts"),
            restart_window: layers.duration("patrol.breaker.window"),
            restart_wait: layers.duration("patrol.breaker.wait"),
            sling_failures: read_count("patrol.breaker.sling_failures"),
            starts: read_count("patrol.budget.starts").max(1),
            after_close: layers.duration("patrol.after_close"),
            half_open: layers.duration("patrol.breaker.half_open"),
            nudge: layers.duration("patrol.progress.nudge"),
            restart: layers.duration("patrol.progress.restart"),
            restart_busy: layers.duration("patrol.progress.restart_busy"),
            push: layers.duration("patrol.push.interval"),
            agents: RestartLimits {
                starts: read_count("patrol.agent.starts")
                    .try_into()
                    .unwrap_or(u32::MAX),
                window: layers.duration("patrol.agent.window"),
                half_open: layers.duration("patrol.breaker.half_open"),
            },
            alerts: AlertLimits {
                requests: read_count("patrol.alert.requests"),
                escalations: read_count("patrol.alert.escalations"),
                killed: read_count("patrol.alert.killed"),
            },
            patience: layers.duration("patrol.patience"),
            chores: Chore::ALL
                .map(|chore| {
                    let setting = format!("patrol.chore.{}", chore.name().replace('-', "_"));
                    (chore.name(), layers.duration(&setting))
                })
                .into(),
            sync_rest: layers.duration("patrol.sync.rest"),
            sync_interval: layers.duration("patrol.sync.interval"),
        }
    }

    /// Reads the thresholds of the town.
    pub fn for_town(town: &Town) -> Result<Self, SettingsError> {
        Ok(Self::from_layers(&SettingsLayers::load(town, None)?))
    }

    /// Returns the maximum number of concurrent actions of a kind.
    pub fn budget(&self, kind: ActionKind) -> usize {
        match kind {
            ActionKind::Start => self.starts,
            ActionKind::Talk => MAX_TALKS,
            ActionKind::Plugin => MAX_PLUGINS,
            ActionKind::Other => usize::MAX,
        }
    }

    /// Returns true if a rule is turned on.
    pub fn is_on(&self, rule: &Rule) -> bool {
        !self.off.contains(rule.name)
    }
}

impl Default for Thresholds {
    fn default() -> Self {
        Self::from_layers(&SettingsLayers::default())
    }
}
