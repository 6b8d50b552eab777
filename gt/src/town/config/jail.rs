//! Defines the settings of the jail in which the commands of a repository run.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::{NetworkAccess, SandboxSettings, SettingPlace, SettingsError};
use crate::town::RigLayout;

/// The mark of a cache that jailed commands may change.
const SHARED: &str = "shared:";

/// Whether the commands of a repository run in a jail.
///
/// The later ones are stricter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JailMode {
    #[default]
    Off,
    /// In a jail if the machine can build one.
    On,
    /// Only in a jail.
    Required,
}

impl JailMode {
    /// The names in settings.
    pub const NAMES: &[&str] = &["off", "on", "required"];

    fn parse(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            "on" => Some(Self::On),
            "required" => Some(Self::Required),
            _ => None,
        }
    }
}

/// The settings of the jail of a rig.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JailSettings {
    pub mode: JailMode,
    /// The network of jailed commands and workers. Workers reach the hosts of their program, too.
    pub network: NetworkAccess,
    pub caches: Vec<JailCache>,
    /// The names of further variables. `*` at the end stands for all that begin so.
    pub variables: Vec<String>,
}

/// A folder outside the tree that jailed commands read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JailCache {
    /// An absolute path, or one that begins with `~/`.
    pub path: String,
    /// True if they may change it, too. Each branch then sees what the others wrote.
    pub is_shared: bool,
}

impl SandboxSettings {
    /// Returns the settings of the jail.
    pub fn jail(&self, rig: &RigLayout) -> Result<JailSettings, SettingsError> {
        let caches = self.caches.iter().flatten();
        let variables = self.jail_pass.iter().flatten();
        let settings = JailSettings {
            mode: match self.jail.as_deref() {
                Some(name) => JailMode::parse(name).ok_or_else(|| {
                    bad_value(rig, "sandbox.jail", name, "one of off, on, required")
                })?,
                None => JailMode::Off,
            },
            network: match self.jail_network.as_deref() {
                Some(text) => NetworkAccess::parse(text).ok_or_else(|| {
                    let expected = "full, none, or hosts such as \
                         `registry.npmjs.org,*.example.com,db.example.com:5432`";
                    bad_value(rig, "sandbox.jail_network", text, expected)
                })?,
                None => NetworkAccess::Full,
            },
            caches: caches
                .map(|text| {
                    JailCache::parse(text)
                        .ok_or_else(|| bad_value(rig, "sandbox.caches", text, JailCache::EXPECTED))
                })
                .collect::<Result<_, _>>()?,
            variables: variables.cloned().collect(),
        };
        if let Some(name) = settings
            .variables
            .iter()
            .find(|name| !is_variable_pattern(name))
        {
            let expected = "the name of a variable, with * at the end for all that begin so";
            return Err(bad_value(rig, "sandbox.jail_pass", name, expected));
        }
        Ok(settings)
    }
}

impl JailCache {
    /// The values that an entry of `sandbox.caches` can have.
    pub const EXPECTED: &str = "the path of a folder, absolute or beginning with ~/, without ..";

    /// Parses an entry of `sandbox.caches`. None if it is not valid.
    pub fn parse(text: &str) -> Option<Self> {
        let (path, is_shared) = match text.strip_prefix(SHARED) {
            Some(path) => (path, true),
            None => (text, false),
        };
        let below = path.strip_prefix("~/").or_else(|| path.strip_prefix('/'))?;
        let mut parts = Path::new(below).components().peekable();
        let is_folder =
            parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)));
        is_folder.then(|| Self {
            path: path.to_owned(),
            is_shared,
        })
    }
}

fn is_variable_pattern(name: &str) -> bool {
    let start = name.strip_suffix('*').unwrap_or(name);
    !start.is_empty()
        && start
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn bad_value(rig: &RigLayout, key: &str, text: &str, expected: &str) -> SettingsError {
    SettingsError::BadValue {
        place: SettingPlace::in_file(&rig.settings()),
        key: key.to_owned(),
        text: text.to_owned(),
        expected: expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::TownLayout;

    fn parse(settings: serde_json::Value) -> Result<JailSettings, SettingsError> {
        let rig = TownLayout::new(Path::new("/town")).rig("web");
        let settings: SandboxSettings = serde_json::from_value(settings).unwrap();
        settings.jail(&rig)
    }

    #[test]
    fn a_cache_is_read_only_unless_it_is_shared() {
        let found = parse(serde_json::json!({
            "jail": "required",
            "jail_network": "none",
            "caches": ["~/.cargo/registry", "shared:/var/cache/ccache"],
            "jail_pass": ["PG*"],
        }))
        .unwrap();
        let cache = |path: &str, is_shared| JailCache {
            path: path.to_owned(),
            is_shared,
        };
        assert_eq!(found.mode, JailMode::Required);
        assert_eq!(found.network, NetworkAccess::parse("none").unwrap());
        let caches = [
            cache("~/.cargo/registry", false),
            cache("/var/cache/ccache", true),
        ];
        assert_eq!(found.caches, caches);
        assert_eq!(
            parse(serde_json::json!({})).unwrap(),
            JailSettings::default()
        );
    }

    #[test]
    fn caches_and_variables_that_would_open_the_jail_are_refused() {
        for path in [
            "",
            "/",
            "~",
            "~/",
            "shared:~/",
            "target",
            "~/../x",
            "/a/../..",
            "~me/x",
        ] {
            let error = parse(serde_json::json!({ "caches": [path] }));
            assert!(error.is_err(), "{path}");
        }
        for name in ["", "*", "A B", "A=*"] {
            let error = parse(serde_json::json!({ "jail_pass": [name] }));
            assert!(error.is_err(), "{name}");
        }
    }
}
