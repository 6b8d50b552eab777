//! Reads the settings of the town and of all its rigs at once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bd::store::Snapshot;

use super::SettingsLayers;
use super::strict;
use crate::town::{Rig, Town};

/// The layers of the town and of each of its rigs, read once. The built-in values stand in for
/// unreadable files.
#[derive(Debug, Default)]
pub struct TownSettings {
    town: SettingsLayers,
    rigs: BTreeMap<String, SettingsLayers>,
    /// The rigs in which nothing is merged until their settings are corrected, with the reason.
    stopped: BTreeMap<String, String>,
}

impl TownSettings {
    /// Reads the layers with the rigs' beads.
    pub fn load(town: &Town, rigs: &BTreeMap<String, Snapshot>) -> Self {
        let mut settings = Self::default();
        let all = town.list_rigs().unwrap_or_default();
        match SettingsLayers::load_for_town(town) {
            Ok(town_layers) => settings.town = town_layers,
            Err(error) => {
                let stopped = |rig: &Rig| (rig.name().to_owned(), error.to_string());
                settings.stopped = all.iter().map(stopped).collect();
                return settings;
            }
        }
        for rig in all {
            let name = rig.name().to_owned();
            let layers = settings.town.clone().with_rig(&rig, rigs.get(&name));
            let checked = layers
                .as_ref()
                .map(|layers| strict::check_layers(&rig, layers));
            let error = match checked {
                Ok(Ok(_)) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(error) => Some(error.to_string()),
            };
            settings
                .stopped
                .extend(error.map(|error| (name.clone(), error)));
            settings.rigs.insert(name, layers.unwrap_or_default());
        }
        settings
    }

    /// Returns the wrong setting because of which nothing is merged in a rig.
    pub fn merge_stop_of(&self, rig: &str) -> Option<&str> {
        self.stopped.get(rig).map(String::as_str)
    }

    /// Returns the wrong settings that stop merges, each with its rigs.
    pub fn merge_stops(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut stops: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (rig, error) in &self.stopped {
            stops.entry(error).or_default().push(rig);
        }
        stops
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
