//! A rig's settings: `settings/config.json`, with what `config.json` says where that is silent. Files of
//! the era are read as they are; a missing file or key means the default.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::time::Duration;

use kit::sys::file;
use serde::Deserialize;

use super::SettingsLayers;
use super::{MergeStrategy, SettingsError};
use crate::town::{RigLayout, Town};

/// The settings of a rig that the flows read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct RigSettings {
    /// The merge queue.
    pub merge_queue: MergeQueueSettings,
    /// Names for polecats.
    pub namepool: Namepool,
    /// How many polecats the rig may have.
    pub max_polecats: Option<usize>,
}

/// Settings of the merge queue.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct MergeQueueSettings {
    /// Whether it runs; absent means yes.
    pub enabled: Option<bool>,
    /// What it merges into; absent means the repository's default branch.
    pub target_branch: Option<String>,
    /// How a convoy's own branches are named: `{epic}`, `{prefix}` and `{user}` are filled in.
    pub integration_branch_template: Option<String>,
    /// Whether `test_command` runs; absent means yes.
    pub run_tests: Option<bool>,
    /// The first gate of all: it makes the tree ready for the others.
    pub setup_command: Option<String>,
    /// A gate.
    pub typecheck_command: Option<String>,
    /// A gate.
    pub lint_command: Option<String>,
    /// A gate.
    pub build_command: Option<String>,
    /// The last gate.
    pub test_command: Option<String>,
    /// Whether work is merged without a person; absent means yes.
    pub auto_merge: Option<bool>,
    /// Whether a person releases each request; absent means no.
    pub require_review: Option<bool>,
    /// Gates by name.
    pub gates: BTreeMap<String, GateSetting>,
    /// Whether merged branches are removed; absent means yes.
    pub delete_merged_branches: Option<bool>,
    /// How work gets onto its target, one of [`Strategy`]. Kept as text, so that a misspelt one does not
    /// make the other settings unreadable.
    pub strategy: Option<String>,
    /// Whether a repair task goes to a worker without being asked; absent means yes.
    pub auto_repair: Option<bool>,
}

/// A gate as written in the settings.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct GateSetting {
    /// The command line, the owner's own words, run by `sh -c`.
    pub cmd: String,
    /// A duration such as `10m`.
    pub timeout: Option<String>,
    /// Ignored files and folders below the tree that are kept from one run to the next.
    pub cache: Vec<String>,
}

/// Where polecats get their names.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Namepool {
    /// A theme.
    pub style: String,
    /// The rig's own list, instead of a theme.
    pub names: Vec<String>,
}

/// A gate ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// Its name.
    pub name: String,
    /// The command line.
    pub command: String,
    /// How long it may take.
    pub limit: Duration,
    /// Ignored files and folders below the tree that are kept from one run to the next: relative, without `..`.
    pub cache: Vec<String>,
}

impl RigSettings {
    /// Reads what counts for a rig, over all layers.
    pub fn load(town: &Town, rig: &RigLayout) -> Result<Self, SettingsError> {
        Self::from_layers(&SettingsLayers::load(town, Some(rig))?, rig)
    }

    /// Takes them from layers that were read.
    pub fn from_layers(layers: &SettingsLayers, rig: &RigLayout) -> Result<Self, SettingsError> {
        serde_json::from_value(layers.merged()).map_err(|source| SettingsError::Invalid {
            path: rig.settings(),
            source,
        })
    }

    /// How work gets onto its target. [`super::check_merge_queue`] refuses a name that is not known before each merge.
    pub fn strategy(&self) -> MergeStrategy {
        let name = self.merge_queue.strategy.as_deref();
        name.and_then(MergeStrategy::parse).unwrap_or_default()
    }

    /// Whether a repair task goes to a worker without being asked.
    pub fn is_auto_repair(&self) -> bool {
        self.merge_queue.auto_repair.unwrap_or(true)
    }

    /// How many polecats of a rig may be at work at once.
    pub fn max_polecats(&self) -> usize {
        self.max_polecats.unwrap_or(10)
    }

    /// Why each request waits for a person before it is merged, if it does.
    pub fn review_reason(&self) -> Option<&'static str> {
        self.merge_queue.review_reason()
    }

    /// The gates, in groups that each share one checked out tree: every gate with a name has one of its own, the commands of
    /// the era share one, and `setup_command` runs first in each.
    pub fn gates(&self, rig: &RigLayout) -> Result<Vec<Vec<Gate>>, SettingsError> {
        let queue = &self.merge_queue;
        let setup = build_command_gate("setup_command", queue.setup_command.as_ref());
        let after_setup = |gates: Vec<Gate>| setup.iter().cloned().chain(gates).collect();
        let mut groups: Vec<Vec<Gate>> = Vec::new();
        for (name, setting) in &queue.gates {
            groups.push(after_setup(vec![build_named_gate(rig, name, setting)?]));
        }
        let run_tests = queue.run_tests != Some(false);
        let commands = [
            ("typecheck_command", queue.typecheck_command.as_ref()),
            ("lint_command", queue.lint_command.as_ref()),
            ("build_command", queue.build_command.as_ref()),
            (
                "test_command",
                queue.test_command.as_ref().filter(|_| run_tests),
            ),
        ];
        let commands: Vec<Gate> = commands
            .into_iter()
            .filter_map(|(name, line)| build_command_gate(name, line))
            .collect();
        if !commands.is_empty() || groups.is_empty() {
            groups.push(after_setup(commands));
        }
        groups.retain(|group| !group.is_empty());
        Ok(groups)
    }
}

impl MergeQueueSettings {
    /// Why each request waits for a person before it is merged, if it does.
    pub fn review_reason(&self) -> Option<&'static str> {
        if self.require_review == Some(true) {
            return Some("merge_queue.require_review is true: review it");
        }
        let is_off = self.auto_merge == Some(false);
        is_off.then_some("merge_queue.auto_merge is false: review it")
    }
}

/// How long a gate may take if its settings do not say.
const LIMIT: Duration = Duration::from_secs(1800);

/// A gate whose command line is a setting of its own.
fn build_command_gate(name: &str, line: Option<&String>) -> Option<Gate> {
    let line = line.filter(|line| !line.trim().is_empty())?;
    Some(Gate {
        name: name.to_owned(),
        command: line.clone(),
        limit: LIMIT,
        cache: Vec::new(),
    })
}

fn build_named_gate(
    rig: &RigLayout,
    name: &str,
    setting: &GateSetting,
) -> Result<Gate, SettingsError> {
    let limit = match setting.timeout.as_deref() {
        None => LIMIT,
        Some(text) => {
            super::parse_setting_duration(text).ok_or_else(|| SettingsError::Duration {
                path: rig.settings(),
                key: format!("merge_queue.gates.{name}.timeout"),
                text: text.to_owned(),
            })?
        }
    };
    Ok(Gate {
        name: name.to_owned(),
        command: setting.cmd.clone(),
        limit,
        cache: parse_cache_paths(rig, name, setting)?,
    })
}

/// The paths that a gate keeps, each of which must be below the tree.
fn parse_cache_paths(
    rig: &RigLayout,
    name: &str,
    setting: &GateSetting,
) -> Result<Vec<String>, SettingsError> {
    let inside = |text: &str| {
        let mut parts = Path::new(text).components().peekable();
        parts.peek().is_some()
            && parts.all(|part| matches!(part, Component::Normal(part) if part != ".git"))
    };
    match setting.cache.iter().find(|text| !inside(text)) {
        None => Ok(setting.cache.clone()),
        Some(text) => Err(SettingsError::CachePath {
            path: rig.settings(),
            key: format!("merge_queue.gates.{name}.cache"),
            text: text.clone(),
        }),
    }
}

/// The branch that a rig's work is merged into: of the settings, else the rig's default branch, else
/// `main`.
pub fn target_branch_of(town: &Town, rig: &RigLayout) -> String {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct RigConfig {
        default_branch: Option<String>,
    }
    let settings = RigSettings::load(town, rig).unwrap_or_default();
    let config = || {
        read_json::<RigConfig>(&rig.config())
            .ok()
            .flatten()?
            .default_branch
    };
    settings
        .merge_queue
        .target_branch
        .or_else(config)
        .unwrap_or_else(|| "main".to_owned())
}

/// How many polecats of a rig may be at work at once.
pub fn max_polecats_of(town: &Town, rig: &RigLayout) -> usize {
    RigSettings::load(town, rig)
        .unwrap_or_default()
        .max_polecats()
}

/// The theme and the own list of names of a rig.
pub fn namepool_of(town: &Town, rig: &RigLayout) -> (String, Vec<String>) {
    let pool = RigSettings::load(town, rig).unwrap_or_default().namepool;
    (pool.style, pool.names)
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>, SettingsError> {
    let bytes = file::read_file_if_exists(path).map_err(|source| SettingsError::Io {
        path: path.to_owned(),
        source,
    })?;
    bytes
        .map(|bytes| serde_json::from_slice(&bytes))
        .transpose()
        .map_err(|source| SettingsError::Invalid {
            path: path.to_owned(),
            source,
        })
}
