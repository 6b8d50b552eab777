//! Sums up a day: one event `plugin_report` with the runs of the plugins that have `digest = true`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use bd::store::Snapshot;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use kit::ui::counted;

use super::load_plugins;
use crate::record::plugin::Plugin;
use crate::record::plugin::memory::PluginMemory;
use crate::record::plugin::run::{self, PluginResult, PluginRun};
use crate::town::Town;
use crate::town::event::event;

/// The number of runs of one plugin that are counted.
const MAX_COUNTED_RUNS: usize = 500;

/// Returns the first day before today whose runs are not reported, and the time of the next
/// midnight if today has runs to report. If no day was reported, only the last day with runs
/// counts.
pub fn find_due_report(
    town: &Snapshot,
    plugins: &[Plugin],
    memory: &PluginMemory,
    now: Timestamp,
    zone: &TimeZone,
) -> (Option<Date>, Option<Timestamp>) {
    let find_day = |at: Timestamp| at.to_zoned(zone.clone()).date();
    let today = find_day(now);
    let days: BTreeSet<Date> = plugins
        .iter()
        .filter(|plugin| plugin.file.tracking.digest)
        .flat_map(|plugin| run::list_run_times(town, plugin))
        .map(find_day)
        .collect();
    let due = match memory.reported {
        Some(last) => days.range((Bound::Excluded(last), Bound::Unbounded)).next(),
        None => days.range(..today).next_back(),
    };
    let tomorrow = days
        .contains(&today)
        .then(|| today.checked_add(1.day()).ok());
    let midnight = tomorrow
        .flatten()
        .and_then(|day| day.to_zoned(zone.clone()).ok());
    (
        due.copied().filter(|day| *day < today),
        midnight.map(|at| at.timestamp()),
    )
}

/// Reports the runs of a day. Returns the lines of the report, or None if the day was reported
/// before.
pub fn report_day(town: &Town, day: Date, zone: &TimeZone) -> anyhow::Result<Option<Vec<String>>> {
    let is_new = PluginMemory::change(&town.layout, |memory| {
        let is_new = memory.reported.is_none_or(|reported| reported < day);
        if is_new {
            memory.reported = Some(day);
        }
        is_new
    })?;
    if !is_new {
        return Ok(None);
    }
    let beads = town.open_town_store()?.snapshot()?;
    let mut lines = Vec::new();
    for plugin in load_plugins(town)?.plugins {
        if plugin.file.tracking.digest {
            let runs = runs_of(&beads, &plugin, day, zone);
            if !runs.is_empty() {
                lines.push(describe_runs(&plugin, &runs));
            }
        }
    }
    if lines.is_empty() {
        return Ok(None);
    }
    town.record_event(&event!(PluginReport, date: day.to_string(), lines: lines));
    Ok(Some(lines))
}

fn runs_of(town: &Snapshot, plugin: &Plugin, day: Date, zone: &TimeZone) -> Vec<PluginRun> {
    run::list_runs(town, plugin, MAX_COUNTED_RUNS)
        .into_iter()
        .filter(|run| {
            let at: Option<Timestamp> = run.created_at.parse().ok();
            at.is_some_and(|at| at.to_zoned(zone.clone()).date() == day)
        })
        .collect()
}

fn describe_runs(plugin: &Plugin, runs: &[PluginRun]) -> String {
    let mut by_result: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        let word = match run.result {
            Some(PluginResult::Failure) => "failed",
            Some(PluginResult::Skipped) => "skipped",
            _ => continue,
        };
        *by_result.entry(word).or_default() += 1;
    }
    let mut text = format!("{}: {}", plugin.key(), counted(runs.len(), "run"));
    for (word, count) in by_result {
        text.push_str(&format!(", {count} {word}"));
    }
    text
}
