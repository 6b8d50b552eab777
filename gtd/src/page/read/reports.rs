//! Reads the board, the costs and the settings.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use clap::ValueEnum;
use gt::flow::agent::seance::usage::RequestCache;
use gt::host::LiveTown;
use gt::view::board;
use gt::view::costs::{self, CostGroup};
use gt::view::daily::{DailyChoice, MAX_DAYS, read_daily_numbers};
use gt::view::settings::{list_masked_settings, list_setting_forms};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::run::lock_mutex;

/// Today's costs by group, the object of `gt costs --today --by GROUP --json`, and the numbers of
/// the last days, the object of `gt costs --plot --json`. They are kept for a while, because
/// transcripts are long.
#[derive(Debug, Default)]
pub(in crate::page) struct CostsCache {
    last: Mutex<CostsReadings>,
}

#[derive(Debug, Default)]
struct CostsReadings {
    /// Each with the time until which it is kept.
    groups: BTreeMap<String, (Instant, Value)>,
    /// The numbers of the last days, in the same way.
    daily: BTreeMap<String, (Instant, Value)>,
    requests: RequestCache,
}

/// The choice of numbers of the last days.
#[derive(Debug, Default, Deserialize)]
pub(in crate::page) struct DailyQuery {
    days: Option<usize>,
    metric: Option<String>,
    by: Option<String>,
}

impl DailyQuery {
    fn choice(&self) -> anyhow::Result<DailyChoice> {
        let usual = DailyChoice::default();
        let metric = self.metric.as_deref().map(parse_choice).transpose()?;
        Ok(DailyChoice {
            days: self.days.unwrap_or(usual.days).clamp(1, MAX_DAYS),
            metric: metric.unwrap_or(usual.metric),
            by: self.by.as_deref().map(parse_choice).transpose()?,
        })
    }
}

fn parse_choice<T: ValueEnum>(name: &str) -> anyhow::Result<T> {
    T::from_str(name, false).map_err(anyhow::Error::msg)
}

impl CostsCache {
    pub(in crate::page) fn read(&self, town: &LiveTown, group: &str) -> anyhow::Result<Value> {
        let by = CostGroup::from_str(group, false).map_err(anyhow::Error::msg)?;
        let mut last = lock_mutex(&self.last);
        let begun = Instant::now();
        if let Some((until, value)) = last.groups.get(group)
            && begun < *until
        {
            return Ok(value.clone());
        }
        let report = costs::read_costs_of_today(town, by, &mut last.requests)?;
        let value = serde_json::to_value(report)?;
        let until = Instant::now() + costs::rest_after_reading(begun.elapsed());
        last.groups.insert(group.to_owned(), (until, value.clone()));
        Ok(value)
    }

    /// Reads the numbers of the last days.
    pub(in crate::page) fn read_daily(
        &self,
        town: &LiveTown,
        query: &DailyQuery,
    ) -> anyhow::Result<Value> {
        let choice = query.choice()?;
        let key = format!("{choice:?}");
        let mut last = lock_mutex(&self.last);
        let begun = Instant::now();
        last.daily.retain(|_, (until, _)| begun < *until);
        if let Some((_, value)) = last.daily.get(&key) {
            return Ok(value.clone());
        }
        let value = serde_json::to_value(read_daily_numbers(town, choice, &mut last.requests)?)?;
        let until = Instant::now() + costs::rest_after_reading(begun.elapsed());
        last.daily.insert(key, (until, value.clone()));
        Ok(value)
    }
}

/// Reads the work beads of each rig by columns.
pub(in crate::page) fn read_board(town: &LiveTown) -> anyhow::Result<Value> {
    Ok(serde_json::to_value(board::read_boards(town)?)?)
}

/// Reads the settings of the town with their forms, and the values of each rig. Secrets are masked.
pub(in crate::page) fn read_settings(town: &LiveTown) -> anyhow::Result<Value> {
    let mut all = serde_json::Map::new();
    all.insert(String::new(), json!(list_setting_forms(town, None)?));
    for rig in town.list_rigs()? {
        let rows = list_masked_settings(town, &rig)?;
        all.insert(rig.name().to_owned(), json!(rows));
    }
    Ok(json!(all))
}

/// Reads the settings of a rig with their forms. Secrets are masked.
pub(in crate::page) fn read_rig_settings(town: &LiveTown, rig: &str) -> anyhow::Result<Value> {
    Ok(json!(list_setting_forms(town, Some(&town.find_rig(rig)?))?))
}
