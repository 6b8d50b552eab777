//! Reads the settings of the town and of all its rigs at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use bd::store::Snapshot;

use super::{FaultEffect, SettingFault, SettingsError, SettingsLayers};
use crate::town::{Rig, Town};

/// The layers of the town and of each of its rigs, read once. The built-in values stand in for
/// unreadable files.
#[derive(Debug, Default)]
pub struct TownSettings {
    town: SettingsLayers,
    rigs: BTreeMap<String, SettingsLayers>,
    /// The fault of the town's own file because of which no rig starts or merges anything.
    town_stop: Option<String>,
    /// The rigs in which nothing is started or merged until their settings are corrected, with the
    /// reason.
    rig_stops: BTreeMap<String, String>,
    /// The faults that stop nothing.
    warnings: BTreeSet<String>,
}

impl TownSettings {
    /// Reads the layers with the rigs' beads.
    pub fn load(town: &Town, beads: &BTreeMap<String, Snapshot>) -> Self {
        let mut settings = Self::default();
        match SettingsLayers::load_for_town(town) {
            Ok(layers) => {
                settings.town_stop = settings.add_faults(layers.find_faults(None));
                settings.town = layers;
            }
            Err(error) => settings.town_stop = Some(describe(error)),
        }
        // An unreadable registry is reported elsewhere, and no rig is worked on then.
        for rig in town.list_rigs().into_iter().flatten() {
            settings.add_rig(&rig, beads.get(rig.name()));
        }
        settings
    }

    fn add_rig(&mut self, rig: &Rig, beads: Option<&Snapshot>) {
        let name = rig.name().to_owned();
        let stop = match self.town.clone().with_rig(rig, beads) {
            Ok(layers) => {
                let stop = self.add_faults(layers.find_faults(Some(rig)));
                self.rigs.insert(name.clone(), layers);
                stop
            }
            Err(error) => Some(describe(error)),
        };
        if let Some(stop) = self.town_stop.clone().or(stop) {
            self.rig_stops.insert(name, stop);
        }
    }

    /// Returns the first fault that stops starts and merges.
    fn add_faults(&mut self, faults: Vec<SettingFault>) -> Option<String> {
        let mut stop = None;
        for fault in faults {
            match fault.effect {
                FaultEffect::Stop if stop.is_none() => stop = Some(fault.error.to_string()),
                FaultEffect::Stop | FaultEffect::Warning => {
                    self.warnings.insert(fault.error.to_string());
                }
                FaultEffect::Note => {}
            }
        }
        stop
    }

    /// Returns the wrong setting because of which nothing is started or merged in a rig, or in the
    /// whole town.
    pub fn find_stop(&self, rig: Option<&str>) -> Option<&str> {
        let of_rig = rig.and_then(|rig| self.rig_stops.get(rig));
        of_rig.or(self.town_stop.as_ref()).map(String::as_str)
    }

    /// Returns the wrong settings that stop starts and merges, each with its rigs.
    pub fn list_stops(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut stops: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        if let Some(stop) = &self.town_stop {
            stops.insert(stop, Vec::new());
        }
        for (rig, error) in &self.rig_stops {
            stops.entry(error).or_default().push(rig);
        }
        stops
    }

    /// Returns the faults that stop nothing by themselves.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings
            .iter()
            .map(String::as_str)
            .filter(|warning| !self.list_stops().contains_key(warning))
    }

    /// Returns the layers of the town and of each rig.
    pub fn all_layers(&self) -> impl Iterator<Item = &SettingsLayers> {
        std::iter::once(&self.town).chain(self.rigs.values())
    }

    /// Returns the layers for a rig, or for the town alone.
    pub fn for_rig(&self, rig: Option<&str>) -> &SettingsLayers {
        static BUILT_IN: LazyLock<SettingsLayers> = LazyLock::new(SettingsLayers::default);
        let Some(rig) = rig else { return &self.town };
        self.rigs.get(rig).unwrap_or(&BUILT_IN)
    }
}

/// Describes the rigs of a stop. None means the whole town.
pub fn describe_stopped_rigs(rigs: &[&str]) -> String {
    match rigs {
        [] => "in the town".to_owned(),
        rigs => format!("in rig {}", rigs.join(", ")),
    }
}

/// Returns an error with its cause.
fn describe(error: SettingsError) -> String {
    format!("{:#}", anyhow::Error::from(error))
}
