//! Reads `settings/escalation.json`: the routes of escalations by severity, and the commands that
//! notify users.
//!
//! The format is that of existing towns. The key `commands` is our extension: a route other than
//! `bead`, `mail:ADDRESS` and `log` runs the command of its name. Without a file the built-in
//! routes apply.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use jiff::SignedDuration;
use kit::json::strip_byte_order_mark;
use kit::sys::file;
use serde::Deserialize;

use super::layers::{SettingOrigin, SettingsLayers};
use super::{SettingPlace, SettingsError, parse_setting_duration};
use crate::town::Town;

/// The severities with routes in the file.
const ROUTED_SEVERITIES: [&str; 4] = ["low", "medium", "high", "critical"];
/// The default time limit of a command.
const DURATION_FORM: &str = "a duration such as 30s or 10m";

const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// A route of an escalation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EscalationRoute {
    /// The bead, which is written in any case.
    Bead,
    /// An event, which is written in any case.
    Log,
    /// A message to an agent or the overseer.
    Mail(String),
    /// A command. The target follows the colon.
    Command {
        name: String,
        /// The recipient. May be empty.
        target: String,
    },
}

impl EscalationRoute {
    /// Parses a route of the file.
    pub fn parse(text: &str) -> Self {
        let (name, target) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        match name {
            "bead" => Self::Bead,
            "log" => Self::Log,
            "mail" => Self::Mail(target.to_owned()),
            name => Self::Command {
                name: name.to_owned(),
                target: target.to_owned(),
            },
        }
    }
}

impl fmt::Display for EscalationRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bead => f.write_str("bead"),
            Self::Log => f.write_str("log"),
            Self::Mail(address) => write!(f, "mail:{address}"),
            Self::Command { name, target } if target.is_empty() => f.write_str(name),
            Self::Command { name, target } => write!(f, "{name}:{target}"),
        }
    }
}

/// A command that notifies a user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NotifyCommand {
    /// The program and its arguments. A relative path is relative to the town.
    pub cmd: Vec<String>,
    /// Variables in addition to those of the escalation.
    pub env: BTreeMap<String, String>,
    /// The time limit as text. Empty for 10 seconds.
    timeout: String,
}

impl NotifyCommand {
    pub fn time_limit(&self) -> Duration {
        parse_setting_duration(&self.timeout)
            .filter(|limit| !limit.is_zero())
            .unwrap_or(COMMAND_TIMEOUT)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscalationSettings {
    routes: BTreeMap<String, Vec<EscalationRoute>>,
    contacts: BTreeMap<String, String>,
    commands: BTreeMap<String, NotifyCommand>,
    /// True if the mayor's session runs. Otherwise the overseer gets the mail that would go to the
    /// mayor alone.
    pub mayor_runs: bool,
    /// The time without an acknowledgement after which an escalation is raised.
    pub stale: SignedDuration,
    /// The maximum number of times that one is raised.
    pub limit: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SettingsFile {
    routes: BTreeMap<String, Vec<String>>,
    contacts: BTreeMap<String, serde_json::Value>,
    commands: BTreeMap<String, NotifyCommand>,
    stale_threshold: String,
    max_reescalations: i64,
}

impl Default for EscalationSettings {
    fn default() -> Self {
        Self {
            routes: BTreeMap::new(),
            contacts: BTreeMap::new(),
            commands: BTreeMap::new(),
            mayor_runs: true,
            stale: SignedDuration::from_hours(4),
            limit: 2,
        }
    }
}

impl EscalationSettings {
    /// Reads the settings of a town. `patrol.escalation.*` takes precedence over the numbers in the
    /// file.
    pub fn load(town: &Town) -> Result<Self, SettingsError> {
        let path = town.layout.escalation_json();
        let mut settings = Self::from_file(&path)?;
        let layers = SettingsLayers::load(town, None)?;
        let is_set = |name: &str| {
            layers
                .get(name)
                .is_some_and(|set| set.origin != SettingOrigin::BuiltIn)
        };
        if is_set("patrol.escalation.stale")
            && let Some(text) = layers.valid_value("patrol.escalation.stale").as_str()
            && let Ok(stale) = text.parse()
        {
            settings.stale = stale;
        }
        if is_set("patrol.escalation.limit")
            && let Some(limit) = layers.valid_value("patrol.escalation.limit").as_u64()
        {
            settings.limit = limit;
        }
        Ok(settings)
    }

    fn from_file(path: &Path) -> Result<Self, SettingsError> {
        let Some(bytes) = file::read_file_if_exists(path).map_err(|source| SettingsError::Io {
            path: path.to_owned(),
            source,
        })?
        else {
            return Ok(Self::default());
        };
        let file: SettingsFile =
            serde_json::from_slice(strip_byte_order_mark(&bytes)).map_err(|source| {
                SettingsError::Invalid {
                    path: path.to_owned(),
                    cause: source,
                }
            })?;
        let mut settings = Self::default();
        for (severity, routes) in &file.routes {
            if !ROUTED_SEVERITIES.contains(&severity.as_str()) {
                let expected = format!("the severities {}", ROUTED_SEVERITIES.join(", "));
                return Err(build_value_error(path, "routes", severity, expected));
            }
            let routes = routes
                .iter()
                .map(|text| EscalationRoute::parse(text))
                .collect();
            settings.routes.insert(severity.clone(), routes);
        }
        for (name, command) in &file.commands {
            if command.cmd.first().is_none_or(String::is_empty) {
                let expected = "a list: the program and its arguments".to_owned();
                return Err(build_value_error(
                    path,
                    &format!("commands.{name}.cmd"),
                    "",
                    expected,
                ));
            }
            if !command.timeout.is_empty() && parse_setting_duration(&command.timeout).is_none() {
                return Err(build_value_error(
                    path,
                    &format!("commands.{name}.timeout"),
                    &command.timeout,
                    DURATION_FORM.to_owned(),
                ));
            }
        }
        if !file.stale_threshold.is_empty() {
            settings.stale = file
                .stale_threshold
                .parse()
                .ok()
                .filter(SignedDuration::is_positive)
                .ok_or_else(|| {
                    build_value_error(
                        path,
                        "stale_threshold",
                        &file.stale_threshold,
                        DURATION_FORM.to_owned(),
                    )
                })?;
        }
        if let Ok(limit @ 1..) = u64::try_from(file.max_reescalations) {
            settings.limit = limit;
        }
        settings.contacts = file
            .contacts
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())))
            .collect();
        settings.commands = file.commands;
        Ok(settings)
    }

    /// Returns the routes of a severity. From `high` on the overseer always gets a message, and
    /// also if the mayor should get one and does not run.
    pub fn routes(&self, severity: &str) -> Vec<EscalationRoute> {
        let set = self.routes.get(severity).cloned();
        let mut routes = set.unwrap_or_else(|| built_in_routes(severity));
        let urgent = ["high", "critical"].contains(&severity);
        let unread = !self.mayor_runs && routes.iter().any(|route| matches!(route, EscalationRoute::Mail(to) if to.trim_end_matches('/') == "mayor"));
        let overseer = EscalationRoute::Mail("overseer".to_owned());
        if (urgent || unread) && !routes.contains(&overseer) {
            routes.push(overseer);
        }
        let mut once: Vec<EscalationRoute> = Vec::new();
        for route in routes {
            if !once.contains(&route) {
                once.push(route);
            }
        }
        once
    }

    pub fn command(&self, name: &str) -> Option<&NotifyCommand> {
        self.commands.get(name)
    }

    /// Returns the contact of a route's target: `email:human` is `human_email`. A target without a
    /// contact stands for itself.
    pub fn contact<'a>(&'a self, name: &str, target: &'a str) -> &'a str {
        let keys = [format!("{target}_{name}"), format!("{name}_webhook")];
        let found = keys.iter().find_map(|key| self.contacts.get(key));
        found
            .filter(|text| !text.is_empty())
            .map_or(target, String::as_str)
    }
}

fn build_value_error(path: &Path, key: &str, text: &str, expected: String) -> SettingsError {
    SettingsError::BadValue {
        place: SettingPlace::in_file(path),
        key: key.to_owned(),
        text: text.to_owned(),
        expected,
    }
}

fn built_in_routes(severity: &str) -> Vec<EscalationRoute> {
    let texts: &[&str] = match severity {
        "low" => &["bead"],
        "high" => &["bead", "mail:mayor", "mail:overseer", "email:human"],
        "critical" => &[
            "bead",
            "mail:mayor",
            "mail:overseer",
            "email:human",
            "sms:human",
        ],
        _ => &["bead", "mail:mayor"],
    };
    texts
        .iter()
        .map(|text| EscalationRoute::parse(text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<EscalationSettings, SettingsError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("escalation.json");
        std::fs::write(&path, text).unwrap();
        EscalationSettings::from_file(&path)
    }

    fn routes(settings: &EscalationSettings, severity: &str) -> Vec<String> {
        let routes = settings.routes(severity).into_iter();
        routes.map(|route| route.to_string()).collect()
    }

    #[test]
    fn an_original_escalation_file_is_read_and_urgent_ones_always_notify_the_user() {
        let text = r#"{"type":"escalation","version":1,
            "routes":{"high":["bead","mail:mayor","email:human"],"low":["bead","bead"]},
            "contacts":{"human_email":"dana@example.com","slack_webhook":"https://example.com/x","human_sms":null},
            "stale_threshold":"2h","max_reescalations":0}"#;
        let settings = of(text).unwrap();
        assert_eq!(routes(&settings, "low"), ["bead"]);
        let high = ["bead", "mail:mayor", "email:human", "mail:overseer"];
        assert_eq!(routes(&settings, "high"), high);
        assert_eq!(routes(&settings, "medium"), ["bead", "mail:mayor"]);
        assert_eq!(settings.contact("email", "human"), "dana@example.com");
        assert_eq!(settings.contact("slack", ""), "https://example.com/x");
        assert_eq!(settings.contact("email", "a@b.c"), "a@b.c");
        assert_eq!(settings.stale, SignedDuration::from_hours(2));
        assert_eq!(settings.limit, 2, "a limit of nothing is the built-in one");
    }

    #[test]
    fn invalid_escalation_settings_are_refused_with_their_path() {
        for (text, words) in [
            (r#"{"routes":{"urgent":["bead"]}}"#, "routes is `urgent`"),
            (r#"{"stale_threshold":"soon"}"#, "stale_threshold"),
            (r#"{"commands":{"push":{}}}"#, "commands.push.cmd"),
            (
                r#"{"commands":{"push":{"cmd":["x"],"timeout":"1 x"}}}"#,
                "commands.push.timeout",
            ),
            ("[", "is not valid"),
        ] {
            let error = of(text).unwrap_err().to_string();
            assert!(
                error.contains(words) && error.contains("escalation.json"),
                "{error}"
            );
        }
    }
}
