//! The plugins of a town with their last runs and the next opening of their gates.

use bd::store::Snapshot;
use jiff::Timestamp;
use kit::ui::escape::escape_line;
use kit::ui::time::format_ago;
use serde::Serialize;

use crate::flow::townwide::dog::plugin::work_of_plugin;
use crate::flow::townwide::plugin::{load_plugins, read_gate, shipped};
use crate::record::dog;
use crate::record::plugin::gate::PluginGate;
use crate::record::plugin::history::read_history;
use crate::record::plugin::memory::PluginMemory;
use crate::record::plugin::run::{PluginResult, list_runs};
use crate::record::plugin::{
    BrokenPlugin, ExecutionKind, ExecutionSpec, GateSpec, Plugin, TrackingSpec, disabled_plugins,
};
use crate::town::config::SettingsLayers;
use crate::town::{Town, hold};

/// A plugin in a list.
#[derive(Debug, Clone, Serialize)]
pub struct PluginRow {
    pub name: String,
    pub description: String,
    /// `town` or `rig`.
    pub location: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate_type: Option<String>,
    /// The folder.
    pub path: String,
    pub enabled: bool,
    pub execution_type: ExecutionKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_result: Option<PluginResult>,
    /// The time at which the gate opens, or opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opens_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// The name that identifies the plugin in the whole town.
    #[serde(skip)]
    pub key: String,
    /// The gate in a few words.
    #[serde(skip)]
    pub gate: String,
}

/// A plugin with everything in its file.
#[derive(Debug, Clone, Serialize)]
pub struct PluginDetails {
    #[serde(flatten)]
    pub row: PluginRow,
    pub version: i64,
    pub gate: GateSpec,
    pub tracking: TrackingSpec,
    pub execution: ExecutionSpec,
    pub instructions: String,
    /// The time limit of a run, in seconds.
    pub timeout_seconds: u64,
    /// The severity of the escalation about a failed run, if there is one.
    #[serde(skip)]
    pub notifies: Option<&'static str>,
}

/// All plugins of a town.
#[derive(Debug, Clone, Default)]
pub struct PluginList {
    pub rows: Vec<PluginRow>,
    pub broken: Vec<BrokenPlugin>,
    /// The shipped plugins that the town does not have, with their descriptions.
    pub available: Vec<(String, String)>,
}

/// Reads all plugins, or those of one rig.
pub fn list_plugins(town: &Town, rig: Option<&str>) -> anyhow::Result<PluginList> {
    let shelf = load_plugins(town)?;
    let rows = shelf
        .plugins
        .iter()
        .filter(|plugin| rig.is_none() || plugin.rig.as_deref() == rig)
        .map(|plugin| read_row(town, plugin))
        .collect::<anyhow::Result<_>>()?;
    Ok(PluginList {
        rows,
        broken: shelf.broken,
        available: shipped::list_available(&town.layout),
    })
}

/// Reads one plugin.
pub fn read_details(town: &Town, plugin: &Plugin) -> anyhow::Result<PluginDetails> {
    let file = &plugin.file;
    let severity = plugin.severity().name();
    Ok(PluginDetails {
        row: read_row(town, plugin)?,
        version: file.version,
        gate: file.gate.clone(),
        tracking: file.tracking.clone(),
        execution: file.execution.clone(),
        instructions: file.instructions.clone(),
        timeout_seconds: plugin.timeout().as_secs(),
        notifies: file.execution.notify_on_failure.then_some(severity),
    })
}

/// A plugin whose last runs failed, and that escalates no failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingPlugin {
    pub key: String,
    /// The number of failed runs since the last other one, at most the number that is reported.
    pub failures: usize,
    /// The end of the last run.
    pub end: String,
}

/// The maximum number of failures that are counted.
const MAX_FAILURES: usize = 10;

impl FailingPlugin {
    pub fn describe(&self) -> String {
        let more = if self.failures == MAX_FAILURES {
            " or more"
        } else {
            ""
        };
        let key = &self.key;
        let failures = self.failures;
        let end = escape_line(&self.end);
        format!("plugin {key} failed {failures}{more} times in a row: {end}")
    }

    /// Returns the command that shows the runs.
    pub fn next_step(&self) -> String {
        format!("gt plugin history {}", self.key)
    }
}

/// Returns the enabled plugins that keep failing without an escalation.
pub fn find_failing_plugins(
    plugins: &[Plugin],
    beads: &Snapshot,
    settings: &SettingsLayers,
) -> Vec<FailingPlugin> {
    let disabled = disabled_plugins(settings);
    plugins
        .iter()
        .filter(|plugin| !plugin.file.execution.notify_on_failure && !plugin.is_disabled(&disabled))
        .filter_map(|plugin| {
            let runs = list_runs(beads, plugin, MAX_FAILURES);
            let failures = runs
                .iter()
                .take_while(|run| run.result == Some(PluginResult::Failure))
                .count();
            (failures > 1).then(|| FailingPlugin {
                key: plugin.key(),
                failures,
                end: runs[0].end().to_owned(),
            })
        })
        .collect()
}

/// Describes a plugin for `gt why`: its last run, the state of its gate, and what keeps it from
/// running.
pub fn explain_plugin(town: &Town, plugin: &Plugin) -> anyhow::Result<PluginExplanation> {
    let row = read_row(town, plugin)?;
    let key = &row.key;
    let gate = &row.gate;
    let now = town.clock.now();
    let last = match (row.last_run, row.last_result) {
        (None, _) => "never ran".to_owned(),
        (Some(at), None) => format!("began its last run {}", format_ago(now, at)),
        (Some(at), Some(result)) => {
            format!("ran last {}: {}", format_ago(now, at), result.word())
        }
    };
    let mut found = PluginExplanation {
        now: vec![format!("{key} ({gate}) {last}")],
        next_steps: Vec::new(),
    };
    if row.enabled {
        let gate = read_gate(town, plugin)?;
        let opens = match gate.opens_at {
            Some(at) if at > now => format!(", and opens {}", format_ago(now, at)),
            _ => String::new(),
        };
        found.now.push(format!("{}{opens}", gate.reason));
    } else {
        found.now.push("it is disabled".to_owned());
        found.next_steps.push(format!("gt plugin enable {key}"));
    }
    let rig = plugin.rig.as_ref().map(|rig| town.rig(rig));
    if let Some(hold) = hold::find_hold(rig.as_ref(), &town.layout) {
        found
            .now
            .push(format!("{}: no plugin is started", hold.reason));
        found.next_steps.push(hold.next);
    }
    let work = work_of_plugin(plugin);
    found.now.extend(
        dog::list_dogs(&town.layout)
            .iter()
            .filter(|dog| dog.work == work)
            .map(|dog| format!("dog {} is at work on it", dog.name)),
    );
    let beads = town.open_town_store()?.snapshot()?;
    let settings = SettingsLayers::load(town, None)?;
    let failing = find_failing_plugins(std::slice::from_ref(plugin), &beads, &settings);
    found
        .now
        .extend(failing.iter().map(FailingPlugin::describe));
    found.now.extend(row.problems);
    found.next_steps.push(format!("gt plugin history {key}"));
    Ok(found)
}

/// The state of a plugin and the commands that say or do more.
#[derive(Debug, Clone)]
pub struct PluginExplanation {
    pub now: Vec<String>,
    pub next_steps: Vec<String>,
}

fn read_row(town: &Town, plugin: &Plugin) -> anyhow::Result<PluginRow> {
    let now = town.clock.now();
    let beads = town.open_town_store()?.snapshot()?;
    let memory = PluginMemory::load(&town.layout);
    let disabled = disabled_plugins(&SettingsLayers::load(town, None)?);
    let gate = PluginGate::from_spec(&plugin.file.gate);
    let history = read_history(&town.layout, &beads, &memory, plugin, now).gate;
    let enabled = !plugin.is_disabled(&disabled);
    let kind = &plugin.file.gate.kind;
    let recorded = list_runs(&beads, plugin, 1).pop();
    // A run that has begun since has no result yet.
    Ok(PluginRow {
        name: plugin.name().to_owned(),
        description: plugin.file.description.clone(),
        location: if plugin.rig.is_some() { "rig" } else { "town" },
        rig_name: plugin.rig.clone(),
        gate_type: Some(kind.clone()).filter(|kind| !kind.is_empty()),
        path: plugin.folder.display().to_string(),
        enabled,
        execution_type: plugin.execution_kind(),
        last_run: history.last,
        last_result: recorded
            .filter(|run| {
                let at: Option<Timestamp> = run.created_at.parse().ok();
                at.zip(history.last).is_none_or(|(at, last)| at >= last)
            })
            .and_then(|run| run.result),
        opens_at: gate.opens_at(&history).filter(|_| enabled),
        problems: plugin.problems(),
        key: plugin.key(),
        gate: gate.describe(),
    })
}
