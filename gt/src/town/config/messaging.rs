//! Reads `config/messaging.json`: the mailing lists, queues, announcements and nudge channels of
//! existing towns. Without a file there are none.

use std::collections::BTreeMap;

use kit::json::strip_byte_order_mark;
use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::{SettingPlace, SettingsError};
use crate::town::TownLayout;

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct MessagingSettings {
    /// The members of each list.
    pub lists: BTreeMap<String, Vec<String>>,
    pub queues: BTreeMap<String, QueueSettings>,
    pub announces: BTreeMap<String, AnnounceSettings>,
    /// The agents of each nudge channel, as patterns.
    pub nudge_channels: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct QueueSettings {
    /// The agents that may claim its messages, as patterns.
    pub workers: Vec<String>,
    /// The maximum number of claims at a time. 0 is unlimited.
    pub max_claims: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnnounceSettings {
    /// The agents that read it, as patterns.
    pub readers: Vec<String>,
    /// The number of messages that are kept. 0 is unlimited.
    pub retain_count: u64,
}

impl MessagingSettings {
    /// Reads the settings of a town.
    pub fn load(layout: &TownLayout) -> Result<Self, SettingsError> {
        let path = layout.messaging_json();
        let bytes = file::read_file_if_exists(&path).map_err(|source| SettingsError::Io {
            path: path.clone(),
            source,
        })?;
        let Some(bytes) = bytes else {
            return Ok(Self::default());
        };
        let settings: Self =
            serde_json::from_slice(strip_byte_order_mark(&bytes)).map_err(|source| {
                SettingsError::Invalid {
                    path: path.clone(),
                    cause: source,
                }
            })?;
        match settings.find_empty() {
            Some((key, expected)) => Err(SettingsError::BadValue {
                place: SettingPlace::in_file(&path),
                key,
                text: "[]".to_owned(),
                expected: expected.to_owned(),
            }),
            None => Ok(settings),
        }
    }

    /// Returns the key of an empty list of addresses, and the expected value.
    fn find_empty(&self) -> Option<(String, &'static str)> {
        let mut addresses = Vec::new();
        addresses.extend(self.lists.iter().map(|(name, list)| ("lists", name, list)));
        for (name, queue) in &self.queues {
            addresses.push(("queues", name, &queue.workers));
        }
        for (name, announce) in &self.announces {
            addresses.push(("announces", name, &announce.readers));
        }
        for (name, list) in &self.nudge_channels {
            addresses.push(("nudge_channels", name, list));
        }
        let (section, name, _) = addresses
            .into_iter()
            .find(|(_, _, addresses)| addresses.is_empty())?;
        let (key, expected) = match section {
            "queues" => (".workers", "the agents that may claim its messages"),
            "announces" => (".readers", "the agents that read it"),
            _ => ("", "a list of addresses"),
        };
        Some((format!("{section}.{name}{key}"), expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    fn load(text: &str) -> Result<MessagingSettings, String> {
        let place = TestTown::new();
        let path = place.town.layout.messaging_json();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        MessagingSettings::load(&place.town.layout).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_of_the_original_gas_town_is_read() {
        let settings = load(
            r#"{"type":"messaging","version":1,"lists":{"oncall":["mayor/","web/witness"]},
                "queues":{"review":{"workers":["web/crew/*"],"max_claims":2}},
                "announces":{"alerts":{"readers":["@town"],"retain_count":3}},
                "nudge_channels":{"workers":["web/polecats/*"]}}"#,
        )
        .unwrap();
        assert_eq!(settings.lists["oncall"], ["mayor/", "web/witness"]);
        assert_eq!(settings.queues["review"].max_claims, 2);
        assert_eq!(settings.announces["alerts"].retain_count, 3);
        assert_eq!(settings.nudge_channels["workers"], ["web/polecats/*"]);
    }

    #[test]
    fn a_list_without_members_or_with_a_negative_limit_is_refused() {
        for (text, expected) in [
            (r#"{"lists":{"x":[]}}"#, "lists.x is `[]`"),
            (r#"{"queues":{"x":{}}}"#, "queues.x.workers is `[]`"),
            (r#"{"announces":{"x":{}}}"#, "announces.x.readers is `[]`"),
            (r#"{"nudge_channels":{"x":[]}}"#, "nudge_channels.x is `[]`"),
            (
                r#"{"queues":{"x":{"workers":["*"],"max_claims":-1}}}"#,
                "invalid value",
            ),
            ("{", "is not valid"),
        ] {
            let error = load(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let place = TestTown::new();
        let empty = MessagingSettings::load(&place.town.layout).unwrap();
        assert_eq!(empty, MessagingSettings::default());
    }
}
