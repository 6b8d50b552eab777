//! Rules N1 and N2: runs the plugins of the town whose gates are open, and reports the runs of a
//! day. A town without plugins reads one folder per rig. Conditions are evaluated by the action, so
//! that no pass waits for them.

use std::collections::BTreeSet;

use bd::store::Snapshot;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use kit::sys::env::local_time_zone;
use kit::ui::time::format_ago;

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::townwide::dog::plugin::{DogChoice, dispatch_plugin, has_room, is_at_work};
use crate::flow::townwide::plugin;
use crate::flow::townwide::plugin::report;
use crate::host::LiveTown;
use crate::record::dog;
use crate::record::pause::TownPause;
use crate::record::plugin::gate::{GateHistory, PluginGate};
use crate::record::plugin::history::read_history;
use crate::record::plugin::memory::PluginMemory;
use crate::record::plugin::{ExecutionKind, Plugin, disabled_plugins, find_plugins};
use crate::record::town_view::TownView;
use crate::town::{Town, hold};

/// The facts about plugins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PluginFacts {
    /// The enabled plugins.
    pub plugins: Vec<GateFacts>,
    /// The day whose runs are to be reported.
    pub report: Option<Date>,
    /// The time at which the runs of today are to be reported.
    pub report_at: Option<Timestamp>,
}

/// The facts about one plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateFacts {
    pub key: String,
    pub rig: Option<String>,
    pub gate: PluginGate,
    pub history: GateHistory,
    /// False if a dog has the plugin, no dog is free for it, or nothing may be started.
    pub can_run: bool,
}

/// Reads the facts.
pub(super) fn facts(town: &Town, view: &TownView) -> PluginFacts {
    let rigs = view.stores.rigs.keys().map(String::as_str);
    let mut plugins = find_plugins(&town.layout, rigs).plugins;
    if plugins.is_empty() {
        return PluginFacts::default();
    }
    let beads = &view.stores.town;
    let memory = PluginMemory::load(&town.layout);
    let (due, midnight) =
        report::find_due_report(beads, &plugins, &memory, view.now, &local_time_zone());
    let disabled = disabled_plugins(view.settings.for_rig(None));
    plugins.retain(|plugin| !plugin.is_disabled(&disabled));
    let is_paused = TownPause::load(&town.layout).is_some()
        || view.stores.stopped.is_some()
        || view.settings.find_stop(None).is_some();
    let gates = plugins
        .iter()
        .map(|plugin| {
            let is_held = is_paused
                || plugin
                    .rig
                    .as_ref()
                    .is_some_and(|rig| view.stores.holds.contains_key(rig));
            read_gate(town, beads, &memory, plugin, (!is_held).then_some(view.now))
        })
        .collect();
    PluginFacts {
        plugins: gates,
        report: due,
        report_at: midnight,
    }
}

/// Reads the facts about one plugin. Its events, which may be many, are not read if it cannot run:
/// in a town or rig where nothing is started, without `now`.
fn read_gate(
    town: &Town,
    beads: &Snapshot,
    memory: &PluginMemory,
    plugin: &Plugin,
    now: Option<Timestamp>,
) -> GateFacts {
    let now = now.filter(|_| {
        plugin.execution_kind() == ExecutionKind::Script
            || !is_at_work(&dog::list_dogs(&town.layout), plugin) && has_room(town).unwrap_or(false)
    });
    GateFacts {
        key: plugin.key(),
        rig: plugin.rig.clone(),
        gate: PluginGate::from_spec(&plugin.file.gate),
        can_run: now.is_some(),
        history: now.map_or_else(GateHistory::default, |now| {
            read_history(&town.layout, beads, memory, plugin, now).gate
        }),
    }
}

impl GateFacts {
    /// Returns the time until the gate opens, zero if it is open. None if only an event opens it.
    fn time_until_open(&self, now: Timestamp) -> Option<SignedDuration> {
        let opens = self.gate.opens_at(&self.history).filter(|_| self.can_run)?;
        Some(opens.duration_since(now).max(SignedDuration::ZERO))
    }

    fn describe(&self, now: Timestamp) -> String {
        let key = &self.key;
        let gate = self.gate.describe();
        if !self.history.events.is_empty() {
            let kinds: BTreeSet<&str> = self.history.events.iter().map(String::as_str).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            return format!("{key} waits for {}", kinds.join(", "));
        }
        match self.history.last {
            Some(last) => format!("{key} ({gate}) ran {}", format_ago(now, last)),
            None => format!("{key} ({gate}) never ran"),
        }
    }
}

/// N1: a plugin runs when its gate is open. N2: the runs of yesterday are reported.
pub(super) fn decide(facts: &PluginFacts, now: Timestamp) -> Vec<Decision> {
    let runs = facts
        .plugins
        .iter()
        .filter(|plugin| {
            plugin
                .time_until_open(now)
                .is_some_and(|wait| wait.is_zero())
        })
        .map(|plugin| Decision {
            rule: rule::N1_RUN_PLUGIN,
            saw: plugin.describe(now),
            action: Action::RunPlugin {
                plugin: plugin.key.clone(),
                rig: plugin.rig.clone(),
            },
        });
    let report = facts.report.map(|day| Decision {
        rule: rule::N2_REPORT_PLUGINS,
        saw: format!("plugins ran on {day}"),
        action: Action::ReportPlugins {
            day: day.to_string(),
        },
    });
    runs.chain(report).collect()
}

/// Returns the time until a gate opens that is closed now. A gate that is open now counts with its
/// next opening, because a false condition ends no pass.
pub(super) fn due(facts: &PluginFacts, now: Timestamp) -> Option<SignedDuration> {
    let gates = facts.plugins.iter().filter_map(|plugin| {
        let wait = plugin.time_until_open(now)?;
        if wait.is_zero() {
            return plugin.gate.period();
        }
        Some(wait)
    });
    let midnight = facts.report_at.map(|at| at.duration_since(now));
    gates
        .chain(midnight)
        .filter(SignedDuration::is_positive)
        .min()
}

/// Runs a plugin if its gate is still open.
pub(super) fn run_plugin_action(town: &LiveTown, key: &str) -> anyhow::Result<Option<String>> {
    let shelf = plugin::load_plugins(town)?;
    let Some(found) = shelf.plugins.iter().find(|plugin| plugin.key() == key) else {
        return Ok(None);
    };
    // The town may have been stopped since the decision.
    if hold::find_hold(
        found.rig.as_ref().map(|rig| town.rig(rig)).as_ref(),
        &town.layout,
    )
    .is_some()
        || TownPause::load(&town.layout).is_some()
    {
        return Ok(None);
    }
    let Some(begun) = plugin::begin_if_open(town, found)? else {
        return Ok(None);
    };
    if found.execution_kind() == ExecutionKind::Script {
        let ran = plugin::run_script(town, found, &begun)?;
        return Ok(Some(format!("{}: {}", ran.result.word(), ran.end)));
    }
    let create = DogChoice {
        create: true,
        ..DogChoice::default()
    };
    let dispatched = dispatch_plugin(town, found, begun, &create)?;
    Ok(Some(format!("given to dog {}", dispatched.dog)))
}

/// Reports the runs of a day once.
pub(super) fn report_plugins_action(town: &Town, day: &str) -> anyhow::Result<Option<String>> {
    let lines = report::report_day(town, day.parse()?, &local_time_zone())?;
    Ok(lines.map(|lines| lines.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;
    use crate::town::event::event;
    use crate::town::hold::EmergencyStop;

    #[test]
    fn the_events_of_a_plugin_are_not_read_in_a_stopped_town() {
        let place = TestTown::new();
        let town = &place.town;
        let folder = town.layout.plugins().join("hear");
        std::fs::create_dir_all(&folder).unwrap();
        let text = "+++\nname = \"hear\"\n[gate]\ntype = \"event\"\non = \"rig_removed\"\n+++\n";
        std::fs::write(folder.join("plugin.md"), text).unwrap();
        std::fs::write(folder.join("run.sh"), "true\n").unwrap();
        let read = || {
            facts(town, &TownView::read(town).unwrap())
                .plugins
                .remove(0)
        };
        assert!(read().can_run);
        town.record_event(&event!(RigRemoved, rig: "web"));
        assert_eq!(read().history.events, ["rig_removed"]);
        EmergencyStop::start(town, "test").unwrap();
        let held = read();
        assert!(!held.can_run && held.history == GateHistory::default());
        EmergencyStop::end(&town.layout).unwrap();
        assert_eq!(read().history.events, ["rig_removed"]);
    }

    fn at(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    fn plugin(key: &str, gate: PluginGate, last: Option<i64>) -> GateFacts {
        GateFacts {
            key: key.to_owned(),
            rig: None,
            gate,
            history: GateHistory {
                last: last.map(at),
                since: at(0),
                ..GateHistory::default()
            },
            can_run: true,
        }
    }

    #[test]
    fn open_gates_run_and_the_next_opening_is_due() {
        let hour = || PluginGate::Cooldown(SignedDuration::from_hours(1));
        let condition = PluginGate::Condition {
            check: "true".to_owned(),
            interval: SignedDuration::from_mins(10),
        };
        let mut facts = PluginFacts {
            plugins: vec![
                plugin("fresh", hour(), None),
                plugin("ran", hour(), Some(70)),
                plugin("hand", PluginGate::Manual, None),
                plugin("event", PluginGate::Event(vec!["merged".to_owned()]), None),
            ],
            ..PluginFacts::default()
        };
        let saw = |facts: &PluginFacts, now| -> Vec<String> {
            let decided = decide(facts, at(now)).into_iter();
            decided.map(|one| one.saw).collect()
        };
        assert_eq!(saw(&facts, 100), ["fresh (cooldown 1h) never ran"]);
        assert_eq!(due(&facts, at(100)), Some(SignedDuration::from_mins(30)));
        facts.plugins[0].can_run = false;
        assert!(saw(&facts, 100).is_empty(), "no dog is free");
        facts.plugins[3].history.events.push("merged".to_owned());
        assert_eq!(saw(&facts, 100), ["event waits for merged"]);
        facts.plugins = vec![plugin("look", condition, None)];
        assert_eq!(saw(&facts, 100), ["look (condition) never ran"]);
        assert_eq!(
            due(&facts, at(100)),
            Some(SignedDuration::from_mins(10)),
            "a false condition is looked at again"
        );
        facts.report = Some(jiff::civil::date(2026, 1, 1));
        facts.report_at = Some(at(105));
        assert_eq!(saw(&facts, 100)[1], "plugins ran on 2026-01-01");
        assert_eq!(due(&facts, at(100)), Some(SignedDuration::from_mins(5)));
    }
}
