//! Revives deleted beads.
//!
//! The tombstone has the texts, labels and comments, with the changes of other clones. The deletion
//! removed the previous status, the edges from and to the bead, and its mentions in other beads.
//! History has them, as far as this clone has the history: a deletion that git merged in may be
//! recorded only in the clone that made it.

use super::{ChangeError, add_dep, load_live_bead};
use crate::bead::record::RecordFields;
use crate::bead::{Bead, Dep, Stamp, Status};
use crate::store::Tx;
use crate::store::event::{BeadChange, Event};

#[derive(Debug)]
pub struct RevivedBead {
    /// The revived bead.
    pub bead: Bead,
    /// The tombstone before the revival.
    pub tombstone: Bead,
    /// True if history has the deletion, and with it the removed status, edges and mentions.
    pub is_known: bool,
    /// Edges that could not be restored, each with the reason.
    pub left_out: Vec<String>,
}

/// Revives deleted beads. `history` has all events, oldest first. Fails if a bead is not deleted.
pub fn revive_beads(
    tx: &mut Tx<'_>,
    ids: &[String],
    history: &[Event],
) -> Result<Vec<RevivedBead>, ChangeError> {
    let mut revived = Vec::new();
    for id in ids {
        revived.push(revive_tombstone(tx, id)?);
    }
    // Restores the edges to the beads first, so that the cycle check sees them when it adds the
    // edges from the beads.
    for outgoing in [false, true] {
        for restored in &mut revived {
            let id = restored.bead.id.clone();
            let mut edges = find_removed_edges(&id, history);
            edges.splice(
                0..0,
                restored
                    .tombstone
                    .dependencies
                    .iter()
                    .map(|edge| (id.clone(), edge.clone())),
            );
            edges.retain(|(holder, _)| (*holder == id) == outgoing);
            for (holder, edge) in edges {
                let result = tx.attempt(|tx| restore_edge(tx, &holder, &edge));
                if let Err(error) = result {
                    let edge = format!("{holder} → {}: {error}", edge.depends_on_id);
                    if !restored.left_out.contains(&edge) {
                        restored.left_out.push(edge);
                    }
                }
            }
        }
    }
    for restored in &revived {
        let id = &restored.bead.id;
        for change in find_deletions(id, history)
            .flat_map(|event| &event.changes)
            .filter(|change| change.id != *id)
        {
            restore_mentions(tx, &change.id, id)?;
        }
    }
    for restored in &mut revived {
        restore_status(tx, restored, history)?;
    }
    tx.describe("restore", "");
    Ok(revived)
}

/// Turns a tombstone into an open bead without edges.
fn revive_tombstone(tx: &mut Tx<'_>, id: &str) -> Result<RevivedBead, ChangeError> {
    let tombstone = tx
        .get(id)
        .filter(|bead| bead.is_tombstone())
        .cloned()
        .ok_or_else(|| ChangeError::NotFound(id.to_owned()))?;
    let mut bead = tombstone.clone();
    bead.status = Status::Open;
    bead.closed_at = None;
    bead.deleted_at = None;
    bead.deleted_by.clear();
    bead.delete_reason.clear();
    bead.original_type.clear();
    bead.dependencies.clear();
    tx.put_updated(bead.clone())?;
    Ok(RevivedBead {
        bead,
        tombstone,
        is_known: false,
        left_out: Vec::new(),
    })
}

/// Restores the status that the bead had before its deletion.
fn restore_status(
    tx: &mut Tx<'_>,
    revived: &mut RevivedBead,
    history: &[Event],
) -> Result<(), ChangeError> {
    let RevivedBead {
        bead,
        tombstone,
        is_known,
        ..
    } = revived;
    let at = tombstone.deleted_at.as_ref().map(Stamp::as_str);
    *is_known = find_deletions(&bead.id, history)
        .filter_map(|event| {
            find_change(event, &bead.id)?
                .new
                .as_ref()?
                .plain_text("deleted_at")
        })
        .any(|deleted| Some(deleted.as_str()) == at);
    *bead = load_live_bead(tx, &bead.id)?;
    (bead.status, bead.closed_at) = find_previous_status(tombstone, history);
    tx.put(bead.clone())?;
    Ok(())
}

/// Returns the deletions of a bead since it was last live. There are several if clones deleted the
/// bead independently.
fn find_deletions<'a>(id: &str, history: &'a [Event]) -> impl Iterator<Item = &'a Event> + use<'a> {
    let id = id.to_owned();
    history
        .iter()
        .rev()
        .filter_map(move |event| Some((event, find_change(event, &id)?)))
        .take_while(|(_, change)| {
            // The event that revived the bead, or created it.
            let revives = is_tombstone(change.old.as_ref()) && !is_tombstone(change.new.as_ref());
            !revives && change.old.is_some()
        })
        .filter(|(_, change)| is_tombstone(change.new.as_ref()))
        .map(|(event, _)| event)
}

fn is_tombstone(side: Option<&RecordFields>) -> bool {
    let status = side.and_then(|side| side.plain_text("status"));
    status.as_deref() == Some(Status::Tombstone.as_str())
}

fn find_change<'a>(event: &'a Event, id: &str) -> Option<&'a BeadChange> {
    event.changes.iter().find(|change| change.id == id)
}

/// Returns the status of a bead before its deletion and its closing time, from the latest event
/// that has them. A hooked bead becomes open, because a hook is more than a record.
fn find_previous_status(tombstone: &Bead, history: &[Event]) -> (Status, Option<Stamp>) {
    let Some(fields) = history
        .iter()
        .rev()
        .find_map(|event| find_change(event, &tombstone.id)?.status_before_deletion(tombstone))
    else {
        return (Status::Open, None);
    };
    let status = fields
        .plain_text("status")
        .map_or(Status::Open, |word| Status::from(word.as_str()));
    match status {
        Status::Hooked => (Status::Open, None),
        Status::Closed => {
            let at = fields.plain_text("closed_at").map(|at| Stamp::parse(&at));
            (
                status,
                Some(at.unwrap_or_else(|| tombstone.updated_at.clone())),
            )
        }
        status => (status, None),
    }
}

/// Returns the edges that the deletions of a bead removed, with their holders: the bead's own
/// edges, and the edges of others to it.
fn find_removed_edges(id: &str, history: &[Event]) -> Vec<(String, Dep)> {
    let mut found = Vec::new();
    for change in find_deletions(id, history).flat_map(|event| &event.changes) {
        let recorded: Option<Vec<Dep>> = change
            .old
            .as_ref()
            .and_then(|old| serde_json::from_str(old.raw_text("dependencies")?).ok());
        for edge in recorded.into_iter().flatten() {
            if change.id == *id || edge.depends_on_id == *id {
                found.push((change.id.clone(), edge));
            }
        }
    }
    found
}

/// Adds an edge with its original author and time.
fn restore_edge(tx: &mut Tx<'_>, from: &str, edge: &Dep) -> Result<(), ChangeError> {
    if add_dep(tx, from, &edge.depends_on_id, edge.kind.clone())? {
        let mut holder = load_live_bead(tx, from)?;
        let added_edge = holder
            .dependencies
            .iter_mut()
            .find(|own| own.depends_on_id == edge.depends_on_id);
        if let Some(added_edge) = added_edge {
            added_edge.clone_from(edge);
        }
        tx.put(holder)?;
    }
    Ok(())
}

/// Replaces the deletion note in the texts of a bead by the id.
fn restore_mentions(tx: &mut Tx<'_>, holder: &str, id: &str) -> Result<(), ChangeError> {
    let Some(mut bead) = tx.get_live(holder).cloned() else {
        return Ok(());
    };
    let note = super::delete::format_deletion_note(id);
    let mut has_changed = false;
    for text in super::delete::mutable_texts(&mut bead) {
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
