//! Finds a text in the whole town: beads of all stores, with convoys, merge requests and messages
//! among them, and agents.

use std::collections::BTreeSet;

use bd::bead::Bead;
use bd::query::BeadFilter;
use bd::query::filter::contains_ignore_case;
use bd::store::Snapshot;
use serde::Serialize;

use crate::flow::agent::recipient;
use crate::host::LiveTown;
use crate::record::{convoy, escalation, mail, merge_request};

/// The number of work beads that are returned per store.
const MAX_FOUND_BEADS: usize = 50;
/// The number of other beads that are searched per store: messages, requests, convoys, records.
const MOST_OTHERS: usize = 200;

/// The kind of a found thing, which names the page that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundKind {
    Agent,
    Bead,
    Convoy,
    Message,
    Request,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundItem {
    pub kind: FoundKind,
    /// The id, or the address of an agent.
    pub id: String,
    pub title: String,
    pub status: String,
    /// The rig. Empty for the town's.
    pub rig: String,
}

/// Returns the agents and beads that contain a text, ignoring case, at most 50 work beads
/// and 200 others of each store.
pub fn search_town(town: &LiveTown, text: &str) -> anyhow::Result<Vec<FoundItem>> {
    let text = text.trim();
    anyhow::ensure!(!text.is_empty(), "the text to find is empty");
    let stores = town.read_stores()?;
    let mut found = list_found_agents(town, text)?;
    for (rig, beads) in stores.rigs.iter().map(|(rig, beads)| (rig.as_str(), beads)) {
        found.extend(search_store(rig, beads, text)?);
    }
    found.extend(search_store("", &stores.town, text)?);
    Ok(found)
}

fn search_store(rig: &str, beads: &Snapshot, text: &str) -> anyhow::Result<Vec<FoundItem>> {
    let mut filter = BeadFilter {
        text: Some(text.to_owned()),
        no_internal: true,
        ..BeadFilter::default()
    };
    // Work comes first: newer messages and records must not push it out.
    let mut found = filter.search_first(beads, MAX_FOUND_BEADS)?;
    let known: BTreeSet<&str> = found.iter().map(|bead| bead.id.as_str()).collect();
    filter.no_internal = false;
    let mut others = filter.search_first(beads, MOST_OTHERS)?;
    others.retain(|bead| !known.contains(bead.id.as_str()));
    found.extend(others);
    Ok(found
        .into_iter()
        .filter_map(|bead| {
            Some(FoundItem {
                kind: kind_of(bead)?,
                id: bead.id.clone(),
                title: bead.title.clone(),
                status: bead.status.to_string(),
                rig: rig.to_owned(),
            })
        })
        .collect())
}

/// Returns the kind of a bead. None for a record that the town keeps for itself.
fn kind_of(bead: &Bead) -> Option<FoundKind> {
    Some(match bead {
        bead if convoy::is_convoy(bead) => FoundKind::Convoy,
        bead if merge_request::is_merge_request(bead) => FoundKind::Request,
        bead if mail::is_mail(bead) => FoundKind::Message,
        bead if bead.is_internal() && !bead.has_label(escalation::LABEL) => return None,
        _ => FoundKind::Bead,
    })
}

fn list_found_agents(town: &LiveTown, text: &str) -> anyhow::Result<Vec<FoundItem>> {
    Ok(recipient::list_agents(town)?
        .into_iter()
        .filter(|agent| contains_ignore_case(&agent.to_string(), text))
        .map(|agent| FoundItem {
            kind: FoundKind::Agent,
            id: agent.to_string(),
            title: String::new(),
            status: String::new(),
            rig: agent.rig().unwrap_or("").to_owned(),
        })
        .collect())
}
