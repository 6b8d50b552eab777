//! Reads careers: the object of `gt career --by GROUP --json`.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use clap::ValueEnum;
use gt::flow::agent::seance::usage::RequestCache;
use gt::host::LiveTown;
use gt::record::career::CareerGroup;
use gt::view::career::{CareerQuery, read_careers};
use gt::view::costs::rest_after_reading;
use serde_json::Value;

use crate::run::lock_mutex;

/// The careers by group, which are kept for a while, because transcripts are long.
#[derive(Debug, Default)]
pub(in crate::page) struct CareerCache {
    last: Mutex<CareerReadings>,
}

#[derive(Debug, Default)]
struct CareerReadings {
    /// Each with the time until which it is kept.
    groups: BTreeMap<&'static str, (Instant, Value)>,
    requests: RequestCache,
}

impl CareerCache {
    pub(in crate::page) fn read(&self, town: &LiveTown, group: &str) -> anyhow::Result<Value> {
        let by = CareerGroup::from_str(group, false).map_err(anyhow::Error::msg)?;
        let mut last = lock_mutex(&self.last);
        let begun = Instant::now();
        if let Some((until, value)) = last.groups.get(by.name())
            && begun < *until
        {
            return Ok(value.clone());
        }
        let query = CareerQuery::new(by, town.clock.now());
        let report = read_careers(town, &query, &mut last.requests)?;
        let value = serde_json::to_value(report)?;
        let until = Instant::now() + rest_after_reading(begun.elapsed());
        last.groups.insert(by.name(), (until, value.clone()));
        Ok(value)
    }
}
