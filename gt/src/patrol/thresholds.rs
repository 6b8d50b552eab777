//! The numbers of the rules, and the other settings that the patrol reads.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use crate::host::LiveTown;
use crate::record::town_view::TownView;
use crate::town::RigLayout;
use crate::town::config::RigSettings;

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
        Self {
            rig: RigSettings::load(town, rig).unwrap_or_default(),
            thresholds: Thresholds::default(),
        }
    }

    /// Reads the settings of each rig whose beads could be read.
    pub fn of_rigs(town: &LiveTown, view: &TownView) -> BTreeMap<String, Self> {
        let rigs = view.stores.rigs.keys();
        rigs.map(|rig| (rig.clone(), Self::load(town, &town.layout.rig(rig))))
            .collect()
    }
}

/// The numbers that the rules go by, in one rig or for the town's own matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thresholds {
    /// After so many restarts on one bead within `restart_window` a worker is stuck.
    pub restarts: usize,
    /// The time over which restarts are counted.
    pub restart_window: SignedDuration,
    /// After so many failures of one sling its worker is stuck.
    pub sling_failures: usize,
    /// How long a worker that closed its bead itself may still commit and run `gt done`.
    pub after_close: SignedDuration,
    /// How long something outside may fail before a person hears of it.
    pub patience: SignedDuration,
    /// How long nobody may have written beads before they are put on their branch.
    pub sync_rest: SignedDuration,
    /// How long after the last sync of beads the next may come.
    pub sync_interval: SignedDuration,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            restarts: 3,
            restart_window: SignedDuration::from_mins(30),
            sling_failures: 5,
            after_close: SignedDuration::from_mins(10),
            patience: SignedDuration::from_mins(30),
            sync_rest: SignedDuration::from_secs(30),
            sync_interval: SignedDuration::from_secs(60),
        }
    }
}
