//! Reads what happened to a plugin so far: its last run, and the events that it has not handled.

use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};

use super::gate::{GateHistory, PluginGate, STARTUP};
use super::memory::{PluginMemory, PluginState};
use super::{Plugin, run};
use crate::host::daemon;
use crate::town::TownLayout;
use crate::town::event::{EventReader, StoredEvent};
use crate::town::lock::Lock;

/// The age up to which events count for a plugin that has handled none.
const MAX_EVENT_AGE: SignedDuration = SignedDuration::from_hours(24);

/// The number of events without a match after which the position is remembered, so that no pass
/// reads them again.
const REMEMBERED_DISTANCE: u64 = 256 * 1024;

/// The history of a plugin, with the events to hand to a run.
#[derive(Debug, Clone, Default)]
pub struct PluginHistory {
    pub gate: GateHistory,
    /// The events, oldest first.
    pub events: Vec<StoredEvent>,
    /// The position after the last read event.
    pub position: Option<u64>,
    /// The start of gtd, if the plugin has not handled it.
    pub startup: Option<Timestamp>,
}

/// Reads the history of a plugin. Remembers the position in a long file of events that has nothing
/// for the plugin.
pub fn read_history(
    layout: &TownLayout,
    town: &Snapshot,
    memory: &PluginMemory,
    plugin: &Plugin,
    now: Timestamp,
) -> PluginHistory {
    let state = find_state(layout, memory, plugin);
    let recorded = run::find_last_run(town, plugin);
    // A time in the future comes from another clock, and must not close a gate for long.
    let last = [recorded, state.started]
        .into_iter()
        .flatten()
        .filter(|at| *at <= now)
        .max();
    let mut history = PluginHistory {
        gate: GateHistory {
            last,
            since: plugin.changed_at.min(now),
            checked: state.checked.filter(|at| *at <= now),
            events: Vec::new(),
        },
        ..PluginHistory::default()
    };
    let gate = PluginGate::from_spec(&plugin.file.gate);
    if matches!(gate, PluginGate::Event(_)) {
        // Without events, an unreadable file is like an empty one. The doctor reports it.
        add_events(layout, &state, plugin, &gate, now, &mut history).ok();
    }
    history
}

/// Returns the state of a plugin. A run without a process was cut off.
fn find_state(layout: &TownLayout, memory: &PluginMemory, plugin: &Plugin) -> PluginState {
    let key = plugin.key();
    match memory.plugins.get(&key) {
        Some(state) if state.unfinished.is_some() && Lock::is_free(&layout.plugin_lock(&key)) => {
            state.after_cut_off()
        }
        Some(state) => state.clone(),
        None => PluginState::default(),
    }
}

fn add_events(
    layout: &TownLayout,
    state: &PluginState,
    plugin: &Plugin,
    gate: &PluginGate,
    now: Timestamp,
    history: &mut PluginHistory,
) -> std::io::Result<()> {
    let known = state.events;
    let mut reader = match known {
        Some(position) => EventReader::at(layout, position)?,
        None => {
            let oldest = now.checked_sub(MAX_EVENT_AGE).unwrap_or(now);
            // Events have whole seconds.
            let since = Timestamp::from_second(history.gate.since.as_second());
            EventReader::since(layout, since.unwrap_or(oldest).max(oldest))?
        }
    };
    let begin = reader.position();
    history.events = reader.read_new()?;
    history
        .events
        .retain(|stored| gate.waits_for(&stored.event.kind) && !is_own(plugin, stored));
    history.position = Some(reader.position());
    let is_long = reader.position().saturating_sub(begin) > REMEMBERED_DISTANCE;
    if history.events.is_empty() && (is_long || known.is_none()) {
        let position = history.position;
        let remembered = PluginMemory::change(layout, |memory| {
            memory.plugins.entry(plugin.key()).or_default().events = position;
        });
        // A position that is not remembered is found again.
        remembered.ok();
    }
    if gate.waits_for(STARTUP) {
        let handled = state.startup.unwrap_or(history.gate.since);
        history.startup = daemon::read_start_time(layout).filter(|start| *start > handled);
    }
    let startup = history.startup.map(|_| STARTUP.to_owned());
    history.gate.events = history
        .events
        .iter()
        .map(|stored| stored.event.kind.clone())
        .chain(startup)
        .collect();
    Ok(())
}

/// Returns true for an event about a run of the plugin itself, which would start the next one.
fn is_own(plugin: &Plugin, stored: &StoredEvent) -> bool {
    let payload = &stored.event.payload;
    match stored.event.kind.as_str() {
        "plugin_run" => payload
            .get("plugin")
            .is_some_and(|key| *key == plugin.key()),
        "patrol" => payload
            .get("do")
            .is_some_and(|action| action["action"] == "run_plugin"),
        _ => false,
    }
}
