//! Reads a rig's settings: `settings/config.json`, with `config.json` as a fallback. Files of
//! existing towns are accepted unchanged. A missing file or key means the default.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::time::Duration;

use kit::json::strip_byte_order_mark;
use kit::sys::foreign;
use kit::ui::escape;
use serde::Deserialize;
use serde_json::Value;

use super::SettingsLayers;
use super::{LandingRoute, MergeStrategy, SettingPlace, SettingsError};
use crate::town::{Rig, RigLayout};

/// The settings of a rig for the flows.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct RigSettings {
    pub merge_queue: MergeQueueSettings,
    pub sandbox: SandboxSettings,
    pub desk: DeskSettings,
    /// The maximum number of polecats.
    pub max_polecats: Option<usize>,
    /// The colours of its sessions. Kept as JSON, so that an invalid value does not make the other
    /// settings unreadable.
    pub theme: Value,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct MergeQueueSettings {
    /// Turns the queue on. Missing means yes.
    pub enabled: Option<bool>,
    /// The branch to merge into. Missing means the repository's default branch.
    pub target_branch: Option<String>,
    /// The name pattern of a convoy's own branches, with `{epic}`, `{prefix}` and `{user}`.
    pub integration_branch_template: Option<String>,
    /// Runs `test_command`. Missing means yes.
    pub run_tests: Option<bool>,
    /// The first gate, which prepares the tree for the others.
    pub setup_command: Option<String>,
    pub typecheck_command: Option<String>,
    pub lint_command: Option<String>,
    pub build_command: Option<String>,
    pub test_command: Option<String>,
    /// Merges work without a user. Missing means yes.
    pub auto_merge: Option<bool>,
    /// Makes each request wait for a user's release. Missing means no.
    pub require_review: Option<bool>,
    pub gates: BTreeMap<String, GateSetting>,
    /// The settings of batches. Kept as JSON, because existing towns have other keys here.
    pub batch: Value,
    /// The number of stacks that the search for a failing request checks side by side. Missing
    /// means one after the other.
    pub parallel: Option<usize>,
    /// Removes merged branches. Missing means yes.
    pub delete_merged_branches: Option<bool>,
    /// The way in which work is put on its target, one of [`MergeStrategy`]. Kept as text, so that
    /// an invalid name does not make the other settings unreadable.
    pub strategy: Option<String>,
    /// The route of work to its target, one of [`LandingRoute`]. Kept as text like `strategy`.
    pub merge_strategy: Option<String>,
    /// The kind of forge for pull requests. Missing means that of the remote's host.
    pub vcs_provider: Option<String>,
    /// The program that talks to the forge. Missing means the usual one of its kind.
    pub forge_program: Option<String>,
    /// The time after which a request of priority 0 goes before all younger ones, such as `6h`.
    pub max_wait: Option<String>,
    /// The time between two looks at an open pull request, such as `1m`.
    pub poll_interval: Option<String>,
    /// Gives repair tasks to workers automatically. Missing means yes.
    pub auto_repair: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SandboxSettings {
    /// The mode of the jail, one of [`super::JailMode`]. Kept as text, so that an invalid name does
    /// not make the other settings unreadable. Missing means off.
    pub jail: Option<String>,
    /// The network in the jail: `full`, `none`, or hosts. Missing means that of the machine.
    pub jail_network: Option<String>,
    /// The folders outside the tree that jailed commands read.
    pub caches: Option<Vec<String>>,
    /// The variables that jailed commands have in addition.
    pub jail_pass: Option<Vec<String>>,
    /// Leaves the repository's own texts for agents out of sandboxes. Missing means no.
    pub hide_agent_files: Option<bool>,
    /// Leaves the repository's own hooks, settings and MCP servers of agent programs out of
    /// sandboxes. Missing means yes.
    pub hide_executed_files: Option<bool>,
}

/// The preparation of a work tree before anyone works in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DeskSettings {
    /// The command that installs dependencies, and whatever else the work needs.
    pub setup: Option<String>,
    /// The files whose content decides if the setup runs again. Empty for the usual lock files.
    pub setup_files: Vec<String>,
    /// The command that must succeed before an agent starts.
    pub check: Option<String>,
    /// The command that runs before a work tree is removed.
    pub teardown: Option<String>,
}

impl DeskSettings {
    /// Reads the settings of a rig from its layers.
    pub fn from_layers(layers: &SettingsLayers) -> Self {
        let command = |name: &str| layers.text(name).filter(|line| !line.trim().is_empty());
        Self {
            setup: command("desk.setup"),
            setup_files: layers.list("desk.setup_files"),
            check: command("desk.check"),
            teardown: command("desk.teardown"),
        }
    }

    /// Returns true if no command prepares a work tree.
    pub fn is_without_commands(&self) -> bool {
        self.setup.is_none() && self.check.is_none()
    }
}

/// A gate as written in the settings.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct GateSetting {
    /// The owner's command line, run by `sh -c`.
    pub cmd: String,
    /// A duration such as `10m`.
    pub timeout: Option<String>,
    /// Ignored files and folders below the tree that are kept between runs.
    pub cache: Vec<String>,
    /// The number of further runs after a failure. Missing means none.
    pub retry: u32,
    /// Runs the gate beside others of its kind.
    pub parallel: bool,
}

/// The source of polecats' names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Namepool {
    /// The name of a theme. None for the one by the rig's name.
    pub style: Option<String>,
    /// The rig's own list, which replaces the theme.
    pub names: Vec<String>,
}

/// A gate that is ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    pub name: String,
    pub command: String,
    pub limit: Duration,
    /// Ignored files and folders below the tree that are kept between runs: relative, without `..`.
    pub cache: Vec<String>,
    /// The number of further runs after a failure.
    pub retry: u32,
    /// True if the gate may run beside others of its kind.
    pub parallel: bool,
}

impl RigSettings {
    /// Reads the settings of a rig from all layers.
    pub fn load(rig: &Rig) -> Result<Self, SettingsError> {
        Self::from_layers(&SettingsLayers::load(rig.town(), Some(rig))?, rig)
    }

    /// Builds the settings from layers that were read. Fails if a limit, a gate or another safety
    /// rule is wrong.
    pub fn from_layers(layers: &SettingsLayers, rig: &RigLayout) -> Result<Self, SettingsError> {
        layers.check_guards(Some(rig))?;
        Self::parse(layers, rig)
    }

    pub(super) fn parse(layers: &SettingsLayers, rig: &RigLayout) -> Result<Self, SettingsError> {
        serde_json::from_value(layers.merged()).map_err(|source| SettingsError::Invalid {
            path: rig.settings(),
            cause: source,
        })
    }

    /// Returns the merge strategy. [`super::check_guards`] refuses an unknown name before each
    /// merge.
    pub fn strategy(&self) -> MergeStrategy {
        let name = self.merge_queue.strategy.as_deref();
        name.and_then(MergeStrategy::parse).unwrap_or_default()
    }

    /// Returns the route of work to its target. None if the rig has not chosen one: work is pushed
    /// to its target, unless that is protected.
    pub fn landing_route(&self) -> Option<LandingRoute> {
        let name = self.merge_queue.merge_strategy.as_deref();
        name.and_then(LandingRoute::parse)
    }

    /// Returns the time between two looks at an open pull request.
    pub fn poll_interval(&self) -> Duration {
        let text = self.merge_queue.poll_interval.as_deref();
        let interval = text.and_then(super::parse_setting_duration);
        interval.unwrap_or(POLL_INTERVAL)
    }

    /// Returns the time after which a request of priority 0 goes before all younger ones. Zero
    /// means never.
    pub fn max_wait(&self) -> Duration {
        let text = self.merge_queue.max_wait.as_deref();
        let wait = text.and_then(super::parse_setting_duration);
        wait.unwrap_or(MAX_WAIT)
    }

    /// Returns true if repair tasks go to workers automatically.
    pub fn is_auto_repair(&self) -> bool {
        self.merge_queue.auto_repair.unwrap_or(true)
    }

    /// Returns the maximum number of working polecats of a rig.
    pub fn max_polecats(&self) -> usize {
        self.max_polecats.unwrap_or(10)
    }

    /// Returns why each request waits for a user before its merge, if it does.
    pub fn review_reason(&self) -> Option<&'static str> {
        self.merge_queue.review_reason()
    }

    /// Returns the gates in groups that share one checked out tree. Each named gate has its own
    /// group, the `*_command` gates share one, and `setup_command` or else the setup of the desk
    /// comes first in each. It runs once per tree.
    pub fn gates(&self, rig: &RigLayout) -> Result<Vec<Vec<Gate>>, SettingsError> {
        let queue = &self.merge_queue;
        let own_setup = build_command_gate(SETUP_GATE, queue.setup_command.as_ref());
        let setup = own_setup
            .clone()
            .or_else(|| build_command_gate(SETUP_GATE, self.desk.setup.as_ref()));
        let prepend_setup = |gates: Vec<Gate>| setup.iter().cloned().chain(gates).collect();
        let mut groups: Vec<Vec<Gate>> = Vec::new();
        for (name, setting) in &queue.gates {
            groups.push(prepend_setup(vec![build_named_gate(rig, name, setting)?]));
        }
        let run_tests = queue.run_tests != Some(false);
        let commands: Vec<Gate> = [
            ("typecheck_command", queue.typecheck_command.as_ref()),
            ("lint_command", queue.lint_command.as_ref()),
            ("build_command", queue.build_command.as_ref()),
            (
                "test_command",
                queue.test_command.as_ref().filter(|_| run_tests),
            ),
        ]
        .into_iter()
        .filter_map(|(name, line)| build_command_gate(name, line))
        .collect();
        // The setup of the desk alone checks no work.
        if !commands.is_empty() || (groups.is_empty() && own_setup.is_some()) {
            groups.push(prepend_setup(commands));
        }
        groups.retain(|group| !group.is_empty());
        Ok(groups)
    }
}

impl MergeQueueSettings {
    /// Returns why each request waits for a user before its merge, if it does.
    pub fn review_reason(&self) -> Option<&'static str> {
        if self.require_review == Some(true) {
            return Some("merge_queue.require_review is true: review it");
        }
        let is_off = self.auto_merge == Some(false);
        is_off.then_some("merge_queue.auto_merge is false: review it")
    }

    /// Returns how many requests one run of the gates may check together. `max_batch_size` is the
    /// name in existing towns.
    pub fn batch_limit(&self) -> usize {
        let limit = ["max", "max_batch_size"]
            .iter()
            .find_map(|key| self.batch.get(*key)?.as_u64());
        limit
            .and_then(|limit| usize::try_from(limit).ok())
            .unwrap_or(8)
            .max(1)
    }
}

/// The default time after which a request of priority 0 goes before all younger ones.
const MAX_WAIT: Duration = Duration::from_secs(6 * 3600);

/// The default time between two looks at an open pull request.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// The default time limit of a gate.
const GATE_TIMEOUT: Duration = Duration::from_secs(1800);

/// Builds a gate from a `*_command` setting.
/// Returns the command that changes the command line of a gate.
pub fn command_to_set_gate(gate: &str, rig: &str) -> String {
    let is_short = COMMAND_GATES.contains(&gate);
    let key = if is_short {
        format!("merge_queue.{gate}")
    } else {
        format!("merge_queue.gates.{gate}.cmd")
    };
    format!("gt config set {key} \"<command>\" --rig {rig}")
}

/// Returns the command that names another agent in a setting of a rig, or of the town.
pub fn command_to_name_agent(rig: Option<&str>, key: &str) -> String {
    let place = rig.map_or_else(|| "--town".to_owned(), |rig| format!("--rig {rig}"));
    let key = escape::quote_for_shell(&escape::escape_line(key));
    format!("gt config set {place} {key} NAME")
}

/// The gate that makes a tree ready for the others.
pub const SETUP_GATE: &str = "setup_command";

/// The gates with a setting of their own.
const COMMAND_GATES: [&str; 5] = [
    SETUP_GATE,
    "typecheck_command",
    "lint_command",
    "build_command",
    "test_command",
];

fn build_command_gate(name: &str, line: Option<&String>) -> Option<Gate> {
    let line = line.filter(|line| !line.trim().is_empty())?;
    Some(Gate {
        name: name.to_owned(),
        command: line.clone(),
        limit: GATE_TIMEOUT,
        cache: Vec::new(),
        retry: 0,
        parallel: false,
    })
}

fn build_named_gate(
    rig: &RigLayout,
    name: &str,
    setting: &GateSetting,
) -> Result<Gate, SettingsError> {
    let limit = match setting.timeout.as_deref() {
        None => GATE_TIMEOUT,
        Some(text) => {
            super::parse_setting_duration(text).ok_or_else(|| SettingsError::BadValue {
                place: SettingPlace::in_file(&rig.settings()),
                key: format!("merge_queue.gates.{name}.timeout"),
                text: text.to_owned(),
                expected: "a duration such as 30s or 10m".to_owned(),
            })?
        }
    };
    Ok(Gate {
        name: name.to_owned(),
        command: setting.cmd.clone(),
        limit,
        cache: parse_cache_paths(rig, name, setting)?,
        retry: setting.retry,
        parallel: setting.parallel,
    })
}

/// Returns the cached paths of a gate. Each must be below the tree.
fn parse_cache_paths(
    rig: &RigLayout,
    name: &str,
    setting: &GateSetting,
) -> Result<Vec<String>, SettingsError> {
    match setting.cache.iter().find(|text| !is_inside_clone(text)) {
        None => Ok(setting.cache.clone()),
        Some(text) => Err(SettingsError::CachePath {
            place: SettingPlace::in_file(&rig.settings()),
            key: format!("merge_queue.gates.{name}.cache"),
            text: text.clone(),
        }),
    }
}

/// Returns true for a relative path that stays in the clone and out of its git folder.
fn is_inside_clone(text: &str) -> bool {
    let mut parts = Path::new(text).components().peekable();
    parts.peek().is_some()
        && parts.all(|part| matches!(part, Component::Normal(part) if part != ".git"))
}

/// Returns the branch that a rig's work is merged into: from the settings, otherwise the rig's
/// default branch, otherwise `main`.
pub fn target_branch_of(rig: &Rig) -> Result<String, SettingsError> {
    #[derive(Deserialize)]
    struct RigConfig {
        default_branch: Option<String>,
    }
    let layers = SettingsLayers::load_for_town(rig.town())?.with_rig(rig, None)?;
    if let Value::String(branch) = layers.checked_value("merge_queue.target_branch")? {
        return Ok(branch);
    }
    let config = read_json::<RigConfig>(&rig.config())?;
    let branch = config.and_then(|config| config.default_branch);
    Ok(branch.unwrap_or_else(|| "main".to_owned()))
}

/// Returns the theme and the own list of names of a rig.
pub fn namepool_of(rig: &Rig) -> Result<Namepool, SettingsError> {
    let layers = SettingsLayers::load(rig.town(), Some(rig))?;
    Ok(Namepool {
        style: layers.text("namepool.style"),
        names: layers.list("namepool.names"),
    })
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>, SettingsError> {
    let bytes = foreign::read_small_file(path).map_err(|source| SettingsError::Io {
        path: path.to_owned(),
        source,
    })?;
    bytes
        .map(|bytes| serde_json::from_slice(strip_byte_order_mark(&bytes)))
        .transpose()
        .map_err(|source| SettingsError::Invalid {
            path: path.to_owned(),
            cause: source,
        })
}
