//! Runs plugins of the town.
//!
//! A run never starts twice for one opening of a gate, and each run leaves one record. A failed
//! program is a result, not an error.
//!
//! 1. [`begin_if_open`], [`begin_by_hand`]: take the plugin's lock, read the gate again, evaluate a
//!    condition, and remember the start and the handled events.
//! 2. [`run_script`]: run the program in a process group of its own with a time limit (`script`). A
//!    plugin without a program goes to a dog ([`crate::flow::townwide::dog::plugin`]).
//! 3. [`finish_run`]: record the run, and escalate a failure once.
//!
//! [`shipped`] installs the plugins that come with Gas Town, [`report`] sums up a day.

pub mod report;
mod script;
pub mod shipped;

use jiff::Timestamp;
use kit::sys::ExecError;
use serde::Serialize;

pub use script::{PluginRunReport, run_script};

use crate::flow::townwide::escalate::{self, EscalationRequest};
use crate::host::{LiveTown, daemon};
use crate::record::escalation;
use crate::record::plugin::gate::PluginGate;
use crate::record::plugin::history::read_history;
use crate::record::plugin::memory::{PluginMemory, PluginState};
use crate::record::plugin::run::{self, NewPluginRun, PluginResult};
use crate::record::plugin::{DISABLED, Plugin, PluginShelf, disabled_plugins, find_plugins};
use crate::town::Town;
use crate::town::config::{self, SettingsLayer, SettingsLayers};
use crate::town::event::{EventReader, StoredEvent, event};
use crate::town::lock::Lock;

/// The time limit of a condition.
const CONDITION_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

/// A run that has begun.
#[derive(Debug)]
pub struct BegunRun {
    /// The reason of the run: the kind of the gate, or `manual`.
    pub trigger: String,
    pub started: Timestamp,
    /// The events that opened the gate.
    pub events: Vec<StoredEvent>,
    /// The state before the run.
    before: PluginState,
    _lock: Lock,
}

impl BegunRun {
    /// Forgets a run that could not begin after all, so that it is due again.
    pub fn cancel(self, town: &Town, plugin: &Plugin) -> anyhow::Result<()> {
        PluginMemory::change(&town.layout, |memory| {
            memory.plugins.insert(plugin.key(), self.before);
        })
    }
}

/// The state of a gate for a user.
#[derive(Debug, Clone, Serialize)]
pub struct GateReport {
    pub open: bool,
    /// The reason in a few words.
    pub reason: String,
    /// The time at which the gate opens, or opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opens_at: Option<Timestamp>,
}

/// The outcome of a run.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    pub result: PluginResult,
    /// How the run ended, in a few words.
    pub end: String,
    /// The time that the run took.
    pub seconds: f64,
    /// The end of the output.
    pub tail: String,
    /// The file with the whole output, relative to the town.
    pub log: Option<String>,
}

/// Reads all plugins of the town.
pub fn load_plugins(town: &Town) -> anyhow::Result<PluginShelf> {
    let rigs = town.list_rigs()?;
    Ok(find_plugins(
        &town.layout,
        rigs.iter().map(|rig| rig.name()),
    ))
}

/// Returns the plugin of a name. A plugin of the caller's rig goes before others of the name.
pub fn find_plugin(town: &Town, name: &str, rig: Option<&str>) -> anyhow::Result<Plugin> {
    let rig = rig.or(town.actor.rig());
    Ok(load_plugins(town)?.find(name, rig)?.clone())
}

/// Turns the automatic runs of a plugin on or off, in the setting `plugins.disabled`. Returns true
/// if that changed. A plugin that is gone can be turned on by the name in the setting.
pub fn set_enabled(town: &Town, name: &str, enabled: bool) -> anyhow::Result<bool> {
    // Two commands at once change one list.
    let lock = config::lock_settings(town)?;
    let mut disabled = disabled_plugins(&SettingsLayers::load(town, None)?);
    let key = match find_plugin(town, name, None) {
        Ok(plugin) => plugin.key(),
        Err(_) if enabled && disabled.contains(name) => name.to_owned(),
        Err(error) => return Err(error),
    };
    let bare = key.rsplit('/').next().unwrap_or(&key).to_owned();
    let changed = if enabled {
        // A bare name turns off the plugins of every rig.
        let was_bare = disabled.remove(&bare);
        if was_bare && key != bare {
            disabled.extend(
                load_plugins(town)?
                    .plugins
                    .into_iter()
                    .filter(|other| other.name() == bare && other.key() != key)
                    .map(|other| other.key()),
            );
        }
        disabled.remove(&key) | was_bare
    } else {
        !disabled.contains(&bare) && disabled.insert(key)
    };
    if changed {
        if enabled {
            forget_events(town, name)?;
        }
        let names = disabled.into_iter().collect::<Vec<_>>().join(",");
        config::change_locked_setting(
            &lock,
            town,
            None,
            SettingsLayer::Settings,
            DISABLED,
            (!names.is_empty()).then_some(names.as_str()),
        )?;
        daemon::wake_daemon(town);
    }
    Ok(changed)
}

/// Marks all events so far as handled. Those from before it was turned on start no run.
fn forget_events(town: &Town, name: &str) -> anyhow::Result<()> {
    let Ok(plugin) = find_plugin(town, name, None) else {
        return Ok(());
    };
    let end = EventReader::at(&town.layout, u64::MAX)?.position();
    let now = town.clock.now();
    PluginMemory::change(&town.layout, |memory| {
        let state = memory.plugins.entry(plugin.key()).or_default();
        state.events = Some(end);
        state.startup = Some(now);
    })
}

/// Reads the state of a plugin's gate.
pub fn read_gate(town: &Town, plugin: &Plugin) -> anyhow::Result<GateReport> {
    let now = town.clock.now();
    let memory = PluginMemory::load(&town.layout);
    let beads = town.open_town_store()?.snapshot()?;
    let history = read_history(&town.layout, &beads, &memory, plugin, now).gate;
    let gate = PluginGate::from_spec(&plugin.file.gate);
    let opens_at = gate.opens_at(&history);
    let reason = match (&gate, opens_at) {
        (PluginGate::Manual, _) => "it runs only by hand".to_owned(),
        (PluginGate::Closed(reason), _) => reason.clone(),
        (PluginGate::Condition { .. }, _) => "its condition decides".to_owned(),
        (_, Some(at)) if at <= now => format!("its gate ({}) is open", gate.describe()),
        (PluginGate::Event(_), _) => format!("no {} since its last run", gate.describe()),
        (_, _) => format!("its gate ({}) is closed", gate.describe()),
    };
    Ok(GateReport {
        open: opens_at.is_some_and(|at| at <= now),
        reason,
        opens_at,
    })
}

/// Begins a run if the plugin's gate is open. None if it is closed.
pub fn begin_if_open(town: &Town, plugin: &Plugin) -> anyhow::Result<Option<BegunRun>> {
    let lock = Lock::try_take(&town.layout.plugin_lock(&plugin.key()))?;
    let now = town.clock.now();
    settle_cut_off_run(town, plugin, &lock)?;
    let memory = PluginMemory::load(&town.layout);
    let beads = town.open_town_store()?.snapshot()?;
    let history = read_history(&town.layout, &beads, &memory, plugin, now);
    drop(beads);
    let gate = PluginGate::from_spec(&plugin.file.gate);
    if gate.opens_at(&history.gate).is_none_or(|at| at > now) {
        return Ok(None);
    }
    if let PluginGate::Condition { check, .. } = &gate {
        // Remembered first, so that an evaluation that kills its caller is not repeated at once.
        PluginMemory::change(&town.layout, |memory| {
            memory.plugins.entry(plugin.key()).or_default().checked = Some(now);
        })?;
        if !is_condition_true(town, plugin, check)? {
            return Ok(None);
        }
    }
    let started = town.clock.now();
    let before = PluginMemory::change(&town.layout, |memory| {
        let state = memory.plugins.entry(plugin.key()).or_default();
        let before = state.clone();
        state.begin(started);
        state.events = history.position.or(state.events);
        state.startup = history.startup.or(state.startup);
        before
    })?;
    Ok(Some(BegunRun {
        trigger: plugin.file.gate.kind.clone(),
        started,
        events: history.events,
        before,
        _lock: lock,
    }))
}

/// Restores the state before a run that was cut off with its process. The caller holds the
/// plugin's lock.
fn settle_cut_off_run(town: &Town, plugin: &Plugin, _lock: &Lock) -> anyhow::Result<()> {
    let key = plugin.key();
    let memory = PluginMemory::load(&town.layout);
    let state = memory.plugins.get(&key);
    if state.is_none_or(|state| state.unfinished.is_none()) {
        return Ok(());
    }
    PluginMemory::change(&town.layout, |memory| {
        let state = memory.plugins.entry(key).or_default();
        *state = state.after_cut_off();
    })
}

/// Remembers that a run needs no repetition: it is recorded, or a dog has it.
pub(crate) fn settle_run(town: &Town, plugin: &Plugin) -> anyhow::Result<()> {
    PluginMemory::change(&town.layout, |memory| {
        memory.plugins.entry(plugin.key()).or_default().finish();
    })
}

/// Begins a run that a user or an agent asked for, whatever the gate says.
pub fn begin_by_hand(town: &Town, plugin: &Plugin) -> anyhow::Result<BegunRun> {
    let lock = Lock::try_take(&town.layout.plugin_lock(&plugin.key()))
        .map_err(|error| anyhow::Error::new(error).context(format!("{} runs", plugin.key())))?;
    settle_cut_off_run(town, plugin, &lock)?;
    let started = town.clock.now();
    let before = PluginMemory::change(&town.layout, |memory| {
        let state = memory.plugins.entry(plugin.key()).or_default();
        let before = state.clone();
        state.begin(started);
        before
    })?;
    Ok(BegunRun {
        trigger: "manual".to_owned(),
        started,
        events: Vec::new(),
        before,
        _lock: lock,
    })
}

/// Evaluates the condition of a plugin: a command line from the plugin's own file. A condition that
/// hangs is false.
fn is_condition_true(town: &Town, plugin: &Plugin, check: &str) -> anyhow::Result<bool> {
    let run = script::prepare(town, plugin, "sh")
        .args(["-c", check])
        .limit(CONDITION_TIMEOUT)
        .run();
    match run {
        Ok(done) => Ok(done.is_success()),
        Err(ExecError::TimedOut { .. } | ExecError::Stopped { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Records a run, and escalates a failure if the plugin asks for that and no escalation about it is
/// open. Returns the id of the record.
pub fn finish_run(
    town: &LiveTown,
    plugin: &Plugin,
    trigger: &str,
    outcome: &RunOutcome,
) -> anyhow::Result<String> {
    let mut summary = vec![
        format!("trigger: {trigger}"),
        format!("end: {}", outcome.end),
        format!("duration: {:.1}s", outcome.seconds),
    ];
    summary.extend(outcome.log.iter().map(|log| format!("log: {log}")));
    let id = run::record_run(
        town,
        plugin,
        &NewPluginRun {
            result: outcome.result,
            summary,
            tail: outcome.tail.clone(),
        },
    )?;
    settle_run(town, plugin)?;
    town.record_event(&event!(PluginRun,
        plugin: plugin.key(), rig: plugin.rig, trigger: trigger, result: outcome.result.word(),
        reason: outcome.end, seconds: outcome.seconds, run: id,
    ));
    match outcome.result {
        PluginResult::Failure if plugin.file.execution.notify_on_failure => {
            notify_failure(town, plugin, outcome)?;
        }
        PluginResult::Success => close_escalations(town, plugin)?,
        _ => {}
    }
    Ok(id)
}

/// Closes the escalations about earlier failures of a plugin.
fn close_escalations(town: &LiveTown, plugin: &Plugin) -> anyhow::Result<()> {
    let source = format!("plugin:{}", plugin.key());
    let beads = town.open_town_store()?.snapshot()?;
    let about_it: Vec<String> = escalation::list_escalations(&beads, false)
        .into_iter()
        .filter(|escalation| escalation.source == source)
        .map(|escalation| escalation.id)
        .collect();
    drop(beads);
    for id in about_it {
        escalate::close_escalation(town, &id, "A later run was a success")?;
    }
    Ok(())
}

/// Escalates a failure. A failure while an escalation about the plugin is open says nothing new.
fn notify_failure(town: &LiveTown, plugin: &Plugin, outcome: &RunOutcome) -> anyhow::Result<()> {
    let source = format!("plugin:{}", plugin.key());
    let beads = town.open_town_store()?.snapshot()?;
    if escalation::list_escalations(&beads, false)
        .into_iter()
        .any(|escalation| escalation.source == source)
    {
        return Ok(());
    }
    drop(beads);
    let mut reason = outcome.tail.clone();
    if let Some(log) = &outcome.log {
        reason.push_str(&format!("\n\nThe whole output: {log}"));
    }
    escalate::send_escalation(
        town,
        &EscalationRequest {
            title: format!("The plugin {} failed: {}", plugin.key(), outcome.end),
            severity: plugin.severity(),
            category: "plugin".to_owned(),
            reason,
            source,
            ..EscalationRequest::default()
        },
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn plugins_that_are_disabled_at_once_are_all_disabled() {
        let place = TestTown::new();
        let names = ["a", "b", "c", "d"];
        for name in names {
            let folder = place.town.layout.plugins().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let text = format!("+++\nname = \"{name}\"\n+++\n");
            std::fs::write(folder.join("plugin.md"), text).unwrap();
        }
        std::thread::scope(|scope| {
            for name in names {
                let town = &place.town;
                scope.spawn(move || set_enabled(town, name, false).unwrap());
            }
        });
        let layers = SettingsLayers::load(&place.town, None).unwrap();
        let disabled = disabled_plugins(&layers);
        assert_eq!(disabled.into_iter().collect::<Vec<_>>(), names);
    }
}
