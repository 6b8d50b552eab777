//! Making convoys, adding to them, closing them by hand.

use bd::bead::{Bead, Dep, DepKind, Kind, Stamp, Status};
use bd::change;
use bd::store::{Snapshot, Tx};
use serde::{Deserialize, Serialize};

use super::error::{ConvoyError, find_convoy};
use super::integration::{self, Integration, IntegrationError};
use crate::host::LiveTown;
use crate::record;
use crate::town::beads::{UnknownBead, external_ref};
use crate::town::event::{ConvoyBeads, Event, event};

/// A convoy to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewConvoy {
    /// Its title.
    pub title: String,
    /// The beads it tracks.
    pub beads: Vec<String>,
    /// Who owns it and hears when it lands.
    pub owner: Option<String>,
    /// Who else hears when it lands.
    pub notify: Vec<String>,
    /// Whether its work goes to branches of its own and lands as one commit a rig.
    pub integration: bool,
    /// The epic whose children it tracks: closed with them once the convoy lands.
    pub epic: Option<String>,
    /// The text before the address lines; a count of the beads where empty.
    pub about: String,
}

/// A convoy that was made or added to.
#[derive(Debug, Clone, Serialize)]
pub struct ConvoyChange {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The beads that were added now.
    pub added: Vec<String>,
    /// Whether it had landed and is open again.
    pub reopened: bool,
}

/// Makes a convoy. Every bead must exist; if one does not, nothing is made.
pub fn create_convoy(town: &LiveTown, new: &NewConvoy) -> anyhow::Result<ConvoyChange> {
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

/// A new convoy, not yet written.
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
    let added = add_tracks_edges(&mut convoy, beads, &now, tx.actor());
    let created = ConvoyChange {
        id,
        title: convoy.title.clone(),
        added,
        reopened: false,
    };
    Ok((convoy, created))
}

/// Makes the convoy that a single slung bead gets, so that its way is visible. Nobody is mailed about it.
pub fn create_automatic_convoy(town: &LiveTown, bead: &Bead) -> anyhow::Result<String> {
    create_convoy(town, &build_automatic_convoy(bead)).map(|created| created.id)
}

/// The convoy that a single slung bead gets.
pub fn build_automatic_convoy(bead: &Bead) -> NewConvoy {
    NewConvoy {
        title: bd::bead::validate::fit_to_title(&format!("Work: {}", bead.title)),
        beads: vec![bead.id.clone()],
        about: format!("Auto-created convoy tracking {}", bead.id),
        ..NewConvoy::default()
    }
}

/// Adds beads to a convoy; one that has landed is open again.
pub fn add_beads(town: &LiveTown, id: &str, beads: &[String]) -> anyhow::Result<ConvoyChange> {
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

/// Whether beads may be added: not while it is being closed after its landing.
pub(super) fn check_can_grow(convoy: &Bead) -> Result<(), IntegrationError> {
    let closing = integration::read_integration(convoy).is_some_and(|own| own.closing);
    if closing && convoy.is_open() {
        let convoy = convoy.id.clone();
        return Err(IntegrationError::Closing { convoy });
    }
    Ok(())
}

/// A convoy that tracks more beads, not yet written.
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

/// Closes a convoy by hand; with open work only when forced. Closing a closed one changes nothing.
pub fn close_convoy(town: &LiveTown, id: &str, reason: &str, force: bool) -> anyhow::Result<bool> {
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
        let branches = integration::read_integration(&convoy).map(|own| own.unlanded_branches());
        let branches = branches.unwrap_or_default();
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

/// The given beads, each of which must exist somewhere in the town.
pub(super) fn check_beads_exist(town: &LiveTown, ids: &[String]) -> anyhow::Result<Vec<String>> {
    let stores = town.read_stores()?;
    for id in ids {
        if stores.get(id).is_none_or(Bead::is_tombstone) {
            return Err(UnknownBead { id: id.clone() }.into());
        }
    }
    Ok(ids.to_vec())
}

/// An id that no bead has yet.
pub(super) fn fresh_id(town: &LiveTown, beads: &Snapshot) -> String {
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

/// Adds `tracks` edges for beads that are not tracked yet, and says which those were.
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
