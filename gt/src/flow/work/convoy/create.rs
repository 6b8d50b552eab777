//! Creates convoys, adds beads to them, and closes them by hand.

use bd::bead::attempt::read_attempt;
use bd::bead::{Bead, Dep, DepKind, Kind, Stamp, Status};
use bd::change;
use bd::store::{Snapshot, Tx};
use serde::{Deserialize, Serialize};

use super::error::{ConvoyError, find_convoy};
use super::integration::{self, Integration, IntegrationError};
use crate::record;
use crate::record::merge_task::MERGE_LABEL;
use crate::town::Town;
use crate::town::beads::{UnknownBead, external_ref, strip_external};
use crate::town::event::{ConvoyBeads, Event, event};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewConvoy {
    pub title: String,
    pub beads: Vec<String>,
    /// The owner, who gets mail when the convoy lands.
    pub owner: Option<String>,
    /// Other addresses that get mail when the convoy lands.
    pub notify: Vec<String>,
    /// True if the work goes to branches of the convoy's own and lands as one commit per rig.
    pub integration: bool,
    /// The epic whose children the convoy tracks. Closed with them once the convoy has landed.
    pub epic: Option<String>,
    /// The convoy's own band in dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band_usd: Option<f64>,
    /// The text before the address lines. If empty, a count of the beads.
    pub about: String,
}

/// The result of creating a convoy or of adding beads to it.
#[derive(Debug, Clone, Serialize)]
pub struct ConvoyChange {
    pub id: String,
    pub title: String,
    /// The beads that this change added.
    pub added: Vec<String>,
    /// True if the convoy had landed and is open again.
    pub reopened: bool,
}

/// The result of taking beads out of a convoy.
#[derive(Debug, Clone, Serialize)]
pub struct RemovedBeads {
    pub id: String,
    pub title: String,
    pub removed: Vec<String>,
    /// The number of beads that the convoy still tracks.
    pub left: usize,
}

/// Creates a convoy. Fails without any write if one of the beads does not exist.
pub fn create_convoy(town: &Town, new: &NewConvoy) -> anyhow::Result<ConvoyChange> {
    anyhow::ensure!(!new.title.trim().is_empty(), ConvoyError::NoTitle);
    let beads = check_beads_exist(town, &new.beads)?;
    let store = town.open_town_store()?;
    let created = town.transact(&store, |tx| {
        let id = fresh_id(town, tx);
        let (convoy, created) = build_convoy(tx, id, new, &beads)?;
        tx.put(convoy)?;
        Ok(created)
    })?;
    town.record_event(&Event::ConvoyCreated(ConvoyBeads {
        convoy: created.id.clone(),
        beads: created.added.clone(),
        ..ConvoyBeads::default()
    }));
    Ok(created)
}

/// Builds a new convoy without writing it.
pub(super) fn build_convoy(
    tx: &Tx,
    id: String,
    new: &NewConvoy,
    beads: &[String],
) -> anyhow::Result<(Bead, ConvoyChange)> {
    let now = tx.now();
    let mut convoy = Bead {
        id: id.clone(),
        title: new.title.trim().to_owned(),
        description: format_description(new, beads.len()),
        issue_type: Kind::Convoy,
        labels: vec!["gt:convoy".to_owned()],
        created_at: now.clone(),
        updated_at: now.clone(),
        created_by: tx.actor().to_owned(),
        ..Bead::default()
    };
    if new.integration {
        integration::set_integration(&mut convoy, &Integration::default())?;
    }
    if let Some(epic) = &new.epic {
        convoy.set_metadata("epic", epic)?;
    }
    record::convoy::set_own_band(&mut convoy, new.band_usd)?;
    let added = add_tracks_edges(&mut convoy, beads, &now, tx.actor());
    let created = ConvoyChange {
        id,
        title: convoy.title.clone(),
        added,
        reopened: false,
    };
    Ok((convoy, created))
}

/// Builds the convoy of beads that are slung together, so that their progress is visible. It sends
/// no mail.
pub fn build_automatic_convoy(beads: &[&Bead]) -> NewConvoy {
    let ids: Vec<String> = beads.iter().map(|bead| bead.id.clone()).collect();
    let first = beads.first().map_or("", |bead| bead.title.as_str());
    let title = match ids.len() {
        0 | 1 => format!("Work: {first}"),
        count => format!("Work: {first} and {} more", count - 1),
    };
    NewConvoy {
        title: bd::bead::validate::fit_to_title(&title),
        about: format!("Auto-created convoy tracking {}", ids.join(", ")),
        beads: ids,
        ..NewConvoy::default()
    }
}

/// Adds beads to a convoy. A landed convoy is opened again.
pub fn add_beads(town: &Town, id: &str, beads: &[String]) -> anyhow::Result<ConvoyChange> {
    let beads = check_beads_exist(town, beads)?;
    let store = town.open_town_store()?;
    let created = town.transact(&store, |tx| {
        let (convoy, created) = extend_convoy(tx, id, &beads)?;
        tx.put(convoy)?;
        Ok(created)
    })?;
    town.record_event(&Event::ConvoyAdded(ConvoyBeads {
        convoy: created.id.clone(),
        beads: created.added.clone(),
        reopened: Some(created.reopened),
        decisions: None,
    }));
    Ok(created)
}

/// Checks that beads may be added. Refused while the convoy is being closed after its landing.
pub(super) fn check_can_grow(convoy: &Bead) -> Result<(), IntegrationError> {
    let closing =
        integration::read_integration(convoy).is_some_and(|integration| integration.closing);
    if closing && convoy.is_open() {
        let convoy = convoy.id.clone();
        return Err(IntegrationError::Closing { convoy });
    }
    Ok(())
}

/// Builds a convoy with more tracked beads without writing it.
pub(super) fn extend_convoy(
    tx: &Tx,
    id: &str,
    beads: &[String],
) -> anyhow::Result<(Bead, ConvoyChange)> {
    let now = tx.now();
    let mut convoy = find_convoy(tx, id)?;
    check_can_grow(&convoy)?;
    let added = add_tracks_edges(&mut convoy, beads, &now, tx.actor());
    let reopened = !convoy.is_open() && !added.is_empty();
    if reopened {
        change::mark_open(&mut convoy, Status::Open, &now);
    }
    convoy.updated_at = now;
    let created = ConvoyChange {
        id: id.to_owned(),
        title: convoy.title.clone(),
        added,
        reopened,
    };
    Ok((convoy, created))
}

/// Takes beads out of a convoy. A convoy with branches of its own keeps the beads that a worker has
/// begun.
pub fn remove_beads(town: &Town, id: &str, beads: &[String]) -> anyhow::Result<RemovedBeads> {
    let stores = town.read_stores()?;
    let store = town.open_town_store()?;
    let removed = town.transact(&store, |tx| {
        let mut convoy = find_convoy(tx, id)?;
        for bead in beads {
            check_can_leave(&convoy, bead, stores.get(bead))?;
        }
        convoy.dependencies.retain(|edge| {
            edge.kind != DepKind::Tracks
                || !beads
                    .iter()
                    .any(|bead| bead == strip_external(&edge.depends_on_id))
        });
        convoy.updated_at = tx.now();
        let removed = RemovedBeads {
            id: id.to_owned(),
            title: convoy.title.clone(),
            removed: beads.to_vec(),
            left: record::convoy::tracked_ids(&convoy)
                .filter(|id| {
                    !stores
                        .get(id)
                        .is_some_and(|bead| bead.has_label(MERGE_LABEL))
                })
                .count(),
        };
        tx.put(convoy)?;
        Ok(removed)
    })?;
    town.record_event(&event!(ConvoyReduced, convoy: id, beads: beads));
    Ok(removed)
}

fn check_can_leave(convoy: &Bead, id: &str, bead: Option<&Bead>) -> Result<(), ConvoyError> {
    let is_tracked = record::convoy::tracked_ids(convoy).any(|tracked| tracked == id);
    if !is_tracked {
        return Err(ConvoyError::NotTracked {
            convoy: convoy.id.clone(),
            bead: id.to_owned(),
        });
    }
    let is_begun = bead.is_some_and(|bead| bead.status != Status::Open || read_attempt(bead) > 0);
    if is_begun && integration::read_integration(convoy).is_some() {
        return Err(ConvoyError::Begun {
            convoy: convoy.id.clone(),
            bead: id.to_owned(),
        });
    }
    Ok(())
}

/// Closes a convoy by hand. Open work needs `force`. Returns false if the convoy was closed before.
pub fn close_convoy(town: &Town, id: &str, reason: &str, force: bool) -> anyhow::Result<bool> {
    let stores = town.read_stores()?;
    let store = town.open_town_store()?;
    let closed = town.transact(&store, |tx| {
        let mut convoy = find_convoy(tx, id)?;
        if !convoy.is_open() {
            return Ok(false);
        }
        let open: Vec<String> = record::convoy::tracked_ids(&convoy)
            .filter(|id| stores.get(id).is_none_or(Bead::is_open))
            .map(str::to_owned)
            .collect();
        anyhow::ensure!(
            force || open.is_empty(),
            ConvoyError::OpenWork {
                id: id.to_owned(),
                open
            }
        );
        let branches: Vec<String> = integration::read_integration(&convoy)
            .iter()
            .flat_map(integration::Integration::unlanded_branches)
            .collect();
        anyhow::ensure!(
            force || branches.is_empty(),
            ConvoyError::NotLanded {
                id: id.to_owned(),
                branches
            }
        );
        change::mark_closed(&mut convoy, reason, &tx.now());
        tx.put(convoy)?;
        Ok(true)
    })?;
    if closed {
        town.record_event(&event!(ConvoyClosed, convoy: id, reason: reason));
    }
    Ok(closed)
}

/// Checks that each bead exists in a store of the town and is no record of it. Returns the ids.
pub(super) fn check_beads_exist(town: &Town, ids: &[String]) -> anyhow::Result<Vec<String>> {
    let stores = town.read_stores()?;
    for id in ids {
        let bead = stores
            .get(id)
            .filter(|bead| !bead.is_tombstone())
            .ok_or_else(|| UnknownBead { id: id.clone() })?;
        // A wisp may be work, and is nothing that lasts.
        if bead.is_internal() && !bead.ephemeral {
            let kind = bead.issue_type.to_string();
            let id = id.clone();
            return Err(ConvoyError::Record { id, kind }.into());
        }
    }
    Ok(ids.to_vec())
}

/// Returns an id that no bead has yet.
pub(super) fn fresh_id(town: &Town, beads: &Snapshot) -> String {
    loop {
        let id = format!("hq-cv-{}", town.random.base32(5));
        if beads.get(&id).is_none() {
            return id;
        }
    }
}

fn format_description(new: &NewConvoy, count: usize) -> String {
    let mut text = match new.about.as_str() {
        "" => format!("Convoy tracking {count} issues"),
        about => about.to_owned(),
    };
    if let Some(owner) = &new.owner {
        text.push_str(&format!("\nOwner: {owner}"));
    }
    for address in &new.notify {
        text.push_str(&format!("\nNotify: {address}"));
    }
    text
}

/// Adds `tracks` edges for beads that are not tracked yet, and returns the added ids.
fn add_tracks_edges(convoy: &mut Bead, ids: &[String], now: &Stamp, by: &str) -> Vec<String> {
    let mut added = Vec::new();
    for id in ids {
        if record::convoy::tracked_ids(convoy).any(|tracked| tracked == id) {
            continue;
        }
        convoy.dependencies.push(Dep {
            issue_id: convoy.id.clone(),
            depends_on_id: external_ref(id),
            kind: DepKind::Tracks,
            created_at: now.clone(),
            created_by: by.to_owned(),
            ..Dep::default()
        });
        added.push(id.clone());
    }
    added
}
