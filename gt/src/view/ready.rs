//! The ready beads of the town and of all its rigs, by priority.
//!
//! A store that cannot be read is named with its error and hides no other store.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bd::bead::Bead;
use bd::graph::ready::{self, ReadyOrder, ReadyQuery};
use bd::store::Snapshot;
use jiff::Timestamp;
use serde::Serialize;

use crate::town::Town;

/// The ready beads of each store.
#[derive(Debug, Serialize)]
pub struct ReadyWork {
    /// The town first, then the rigs by name.
    pub sources: Vec<ReadySource>,
    pub summary: ReadySummary,
    pub town_root: PathBuf,
}

/// The ready beads of one store.
#[derive(Debug, Serialize)]
pub struct ReadySource {
    /// `town`, or the name of the rig.
    pub name: String,
    #[serde(rename = "issues")]
    pub beads: Vec<ReadyBead>,
    /// The reason why the store cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct ReadyBead {
    pub id: String,
    pub title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub status: String,
    pub priority: i64,
    #[serde(rename = "issue_type")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub assignee: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
}

/// The number of ready beads, in all and by store and priority.
#[derive(Debug, Default, Serialize)]
pub struct ReadySummary {
    pub total: usize,
    pub by_source: BTreeMap<String, usize>,
    pub p0_count: usize,
    pub p1_count: usize,
    pub p2_count: usize,
    pub p3_count: usize,
    pub p4_count: usize,
}

/// Reads the ready beads of the town and all rigs, or of one rig.
pub fn read_ready_work(town: &Town, rig: Option<&str>) -> anyhow::Result<ReadyWork> {
    let now = town.clock.now();
    let mut sources = Vec::new();
    if rig.is_none() {
        let beads = town
            .open_town_store()
            .and_then(|store| Ok(store.snapshot()?));
        sources.push(read_source("town", beads, now));
    }
    for rig in town.select_rigs(rig)? {
        let beads = rig.store().and_then(|store| Ok(store.snapshot()?));
        sources.push(read_source(rig.name(), beads, now));
    }
    let mut summary = ReadySummary::default();
    for source in &sources {
        summary.total += source.beads.len();
        summary
            .by_source
            .insert(source.name.clone(), source.beads.len());
        for bead in &source.beads {
            let count = match bead.priority {
                ..=0 => &mut summary.p0_count,
                1 => &mut summary.p1_count,
                2 => &mut summary.p2_count,
                3 => &mut summary.p3_count,
                4.. => &mut summary.p4_count,
            };
            *count += 1;
        }
    }
    Ok(ReadyWork {
        sources,
        summary,
        town_root: town.layout.root().to_owned(),
    })
}

fn read_source(name: &str, snapshot: anyhow::Result<Snapshot>, now: Timestamp) -> ReadySource {
    let name = name.to_owned();
    match snapshot {
        Ok(snapshot) => ReadySource {
            name,
            beads: list_ready_beads(&snapshot, now),
            error: None,
        },
        Err(error) => ReadySource {
            name,
            beads: Vec::new(),
            error: Some(format!("{error:#}")),
        },
    }
}

/// Lists the ready beads that are work: no convoy, and nothing that the town writes for itself.
fn list_ready_beads(snapshot: &Snapshot, now: Timestamp) -> Vec<ReadyBead> {
    let query = ReadyQuery {
        order: ReadyOrder::Priority,
        ..ReadyQuery::default()
    };
    let (beads, _) = ready::find_ready(snapshot, &query, now);
    beads.into_iter().map(ReadyBead::from_bead).collect()
}

impl ReadyBead {
    fn from_bead(bead: &Bead) -> Self {
        Self {
            id: bead.id.clone(),
            title: bead.title.clone(),
            description: bead.description.clone(),
            status: bead.status.to_string(),
            priority: bead.priority,
            kind: bead.issue_type.to_string(),
            assignee: bead.assignee.clone(),
            labels: bead.labels.clone(),
            created_at: bead.created_at.to_string(),
            updated_at: bead.updated_at.to_string(),
        }
    }
}
