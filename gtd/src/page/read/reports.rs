//! Reads the board, the costs and the settings.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use bd::bead::Status;
use bd::store::{BeadRef, TimeField};
use clap::ValueEnum;
use gt::flow::agent::seance::usage::RequestCache;
use gt::host::LiveTown;
use gt::town::config::SettingsLayers;
use gt::view::bundle::mask_value;
use gt::view::costs::{self, CostGroup};
use gt::view::settings::list_settings;
use serde::Serialize;
use serde_json::{Value, json};

use crate::run::lock_mutex;

/// Today's costs by group, the object of `gt costs --today --by GROUP --json`. They are kept for a
/// while, because transcripts are long.
#[derive(Debug, Default)]
pub(in crate::page) struct CostsCache {
    last: Mutex<CostsReadings>,
}

#[derive(Debug, Default)]
struct CostsReadings {
    /// Each with the time until which it is kept.
    groups: BTreeMap<String, (Instant, Value)>,
    requests: RequestCache,
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
}

/// A column of a rig's board.
#[derive(Debug, Serialize)]
struct BoardColumn {
    name: &'static str,
    /// The number of its beads, also of those that are not shown.
    total: usize,
    beads: Vec<BoardBead>,
}

/// A bead on the board.
#[derive(Debug, Serialize)]
struct BoardBead {
    id: String,
    title: String,
    status: String,
    priority: i64,
    assignee: String,
}

/// The number of shown beads of a column, and of the column of closed beads.
const MAX_COLUMN_BEADS: usize = 100;
const MAX_CLOSED_BEADS: usize = 20;

/// Reads the work beads of each rig by columns, the last closed ones among them.
pub(in crate::page) fn read_board(town: &LiveTown) -> anyhow::Result<Value> {
    let stores = town.read_stores()?;
    let mut rigs = BTreeMap::new();
    for (rig, beads) in &stores.rigs {
        let (mut left, mut closed): (Vec<BeadRef>, Vec<BeadRef>) = beads
            .bead_refs()
            .filter(|bead| !bead.is_internal() && !bead.is_ephemeral() && !bead.is_tombstone())
            .partition(BeadRef::is_open);
        left.sort_by_key(BeadRef::priority);
        closed.sort_by_cached_key(|bead| Reverse(bead.time(TimeField::Closed)));
        let (at_work, left): (Vec<BeadRef>, Vec<BeadRef>) = left
            .into_iter()
            .partition(|bead| matches!(bead.status(), Status::Hooked | Status::InProgress));
        let (blocked, open): (Vec<BeadRef>, Vec<BeadRef>) = left.into_iter().partition(|found| {
            found.status() == Status::Blocked
                || found.is_blocked()
                || found.has_external_edge()
                    && found
                        .bead()
                        .is_some_and(|bead| !stores.external_blockers(bead).is_empty())
        });
        let columns = [
            build_column("Open", &open, MAX_COLUMN_BEADS),
            build_column("Blocked", &blocked, MAX_COLUMN_BEADS),
            build_column("In progress", &at_work, MAX_COLUMN_BEADS),
            build_column("Done", &closed, MAX_CLOSED_BEADS),
        ];
        rigs.insert(rig.clone(), columns);
    }
    Ok(serde_json::to_value(rigs)?)
}

fn build_column(name: &'static str, all: &[BeadRef], limit: usize) -> BoardColumn {
    let shown = all.iter().take(limit).filter_map(BeadRef::bead);
    BoardColumn {
        name,
        total: all.len(),
        beads: shown
            .map(|bead| BoardBead {
                id: bead.id.clone(),
                title: bead.title.clone(),
                status: bead.status.to_string(),
                priority: bead.priority,
                assignee: bead.assignee.clone(),
            })
            .collect(),
    }
}

/// Reads the settings of the town and of each rig, with their secrets masked.
pub(in crate::page) fn read_settings(town: &LiveTown) -> anyhow::Result<Value> {
    let mut all = serde_json::Map::new();
    all.insert(
        String::new(),
        list_masked(&SettingsLayers::load(town, None)?),
    );
    for rig in town.list_rigs()? {
        let layers = SettingsLayers::load(town, Some(&rig))?;
        all.insert(rig.name().to_owned(), list_masked(&layers));
    }
    Ok(json!(all))
}

/// Lists the settings with a value. The name of a setting decides, too, whether its value is
/// secret.
fn list_masked(layers: &SettingsLayers) -> Value {
    let mut rows = Vec::new();
    for row in list_settings(layers) {
        if row.value.is_null() {
            continue;
        }
        let mut named = json!({ row.key.clone(): row.value });
        mask_value(&mut named);
        rows.push(json!({
            "key": row.key,
            "value": named[&row.key],
            "origin": row.origin,
            "meaning": row.meaning,
        }));
    }
    Value::Array(rows)
}
