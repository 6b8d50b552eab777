//! Bringing a deleted bead back.
//!
//! Its tombstone has its texts, labels and comments, with what other clones had changed in them. Where it stood, the
//! edges from and to it, and its name in the texts of others went with the deletion: these are in history, as
//! far as this clone has it. A deletion that git merged in may be known to the clone alone that made it.

use super::{ChangeError, add_dep, live};
use crate::bead::record::Fields;
use crate::bead::{Bead, Dep, Stamp, Status};
use crate::store::Tx;
use crate::store::event::{Difference, Event};

/// What came back.
#[derive(Debug)]
pub struct Revived {
    /// The bead as it is now.
    pub bead: Bead,
    /// The tombstone that it was.
    pub tombstone: Bead,
    /// Whether history has the deletion, and so what went with it.
    pub is_known: bool,
    /// Edges that could not come back, each with the reason.
    pub left_out: Vec<String>,
}

/// Brings back beads that were deleted; `history` has all events, oldest first. An error where one is not deleted.
pub fn revive(
    tx: &mut Tx<'_>,
    ids: &[String],
    history: &[Event],
) -> Result<Vec<Revived>, ChangeError> {
    let mut revived = Vec::new();
    for id in ids {
        revived.push(live_again(tx, id, history)?);
    }
    // Edges between them need both.
    for one in &mut revived {
        let id = &one.bead.id;
        let deletion = deletion_of(id, history);
        one.is_known = deletion.is_some();
        for change in deletion.iter().flat_map(|event| &event.changes) {
            for edge in went(change, id) {
                let result = tx.attempt(|tx| link(tx, &change.id, &edge));
                if let Err(error) = result {
                    let edge = format!("{} → {}: {error}", change.id, edge.depends_on_id);
                    one.left_out.push(edge);
                }
            }
            if change.id != *id {
                name_again(tx, &change.id, id)?;
            }
        }
    }
    for one in &mut revived {
        one.bead = live(tx, &one.bead.id)?;
    }
    tx.describe("restore", "");
    Ok(revived)
}

/// The bead of a tombstone, as it stood.
fn live_again(tx: &mut Tx<'_>, id: &str, history: &[Event]) -> Result<Revived, ChangeError> {
    let tombstone = tx.get(id).filter(|bead| bead.is_tombstone()).cloned();
    let tombstone = tombstone.ok_or_else(|| ChangeError::NotFound(id.to_owned()))?;
    let mut bead = tombstone.clone();
    (bead.status, bead.closed_at) = stood(&tombstone, history);
    bead.deleted_at = None;
    bead.deleted_by.clear();
    bead.delete_reason.clear();
    bead.original_type.clear();
    tx.put_updated(bead.clone())?;
    Ok(Revived {
        bead,
        tombstone,
        is_known: false,
        left_out: Vec::new(),
    })
}

fn deletion_of<'a>(id: &str, history: &'a [Event]) -> Option<&'a Event> {
    let mut events = history.iter().rev();
    events.find(|event| of(event, id).is_some_and(deletes))
}

fn of<'a>(event: &'a Event, id: &str) -> Option<&'a Difference> {
    event.changes.iter().find(|change| change.id == id)
}

fn deletes(change: &Difference) -> bool {
    let new = change.new.as_ref().and_then(|new| new.text("status"));
    new.as_deref() == Some(Status::Tombstone.as_str())
}

/// Where a bead stood before it was deleted, and when it was closed: as the last event has it that tells. A bead on
/// a hook is open, for a hook is more than a record.
fn stood(tombstone: &Bead, history: &[Event]) -> (Status, Option<Stamp>) {
    let changes = history.iter().rev();
    let mut told = changes.filter_map(|event| of(event, &tombstone.id)?.live_standing(tombstone));
    let Some(fields) = told.next() else {
        return (Status::Open, None);
    };
    let status = fields
        .text("status")
        .map_or(Status::Open, |word| Status::from(word.as_str()));
    match status {
        Status::Hooked => (Status::Open, None),
        Status::Closed => {
            let at = fields.text("closed_at").map(|at| Stamp::read(&at));
            (
                status,
                Some(at.unwrap_or_else(|| tombstone.updated_at.clone())),
            )
        }
        status => (status, None),
    }
}

/// The edges that a deletion took from a bead: all of the one that was deleted, and those to it of others.
fn went(change: &Difference, deleted: &str) -> Vec<Dep> {
    let edges = |side: &Option<Fields>| -> Vec<Dep> {
        let text = side.as_ref().and_then(|side| side.get("dependencies"));
        text.and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    };
    let mut edges = edges(&change.old);
    edges.retain(|edge| change.id == deleted || edge.depends_on_id == deleted);
    edges
}

/// Adds an edge as it was, with who made it and when.
fn link(tx: &mut Tx<'_>, from: &str, edge: &Dep) -> Result<(), ChangeError> {
    if add_dep(tx, from, &edge.depends_on_id, edge.kind.clone())? {
        let mut holder = live(tx, from)?;
        let mut edges = holder.dependencies.iter_mut();
        if let Some(own) = edges.find(|own| own.depends_on_id == edge.depends_on_id) {
            own.clone_from(edge);
        }
        tx.put(holder)?;
    }
    Ok(())
}

/// Puts the id back into the texts of a bead where the deletion had put a note in its place.
fn name_again(tx: &mut Tx<'_>, holder: &str, id: &str) -> Result<(), ChangeError> {
    let Some(mut bead) = tx.get_live(holder).cloned() else {
        return Ok(());
    };
    let note = super::delete::note(id);
    let mut has_changed = false;
    for text in super::delete::texts(&mut bead) {
        if text.contains(&note) {
            *text = text.replace(&note, id);
            has_changed = true;
        }
    }
    if has_changed {
        tx.put_updated(bead)?;
    }
    Ok(())
}
