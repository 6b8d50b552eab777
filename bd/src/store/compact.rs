//! Selects the beads that are old enough for the archive.
//!
//! A bead is archivable if it was closed before an instant, is durable, is not pinned, has no edge
//! from a remaining bead, and its parent, if any, is archived too. So children of remaining beads
//! keep their numbers, and every waiting bead waits as before.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::bead::{Bead, DepKind, Status};
use crate::store::log::archive;
use crate::store::view::bead_ref::TimeField;
use crate::store::view::snapshot::Snapshot;
use crate::store::{Author, Store, StoreError};
use kit::sys::Clock;

/// Returns the ids of the archivable beads, sorted.
pub fn find_archivable(snapshot: &Snapshot, before: Timestamp) -> Vec<String> {
    let closed = Status::Closed.code();
    let mut going: BTreeSet<&str> = snapshot
        .bead_refs()
        .filter(|bead| bead.status_code() == closed && !bead.is_ephemeral() && !bead.is_pinned())
        .filter(|bead| !bead.is_template())
        // Other projects look up the capabilities that this one provides.
        .filter(|bead| {
            !bead
                .labels()
                .iter()
                .any(|label| label.starts_with("provides:"))
        })
        .filter(|bead| bead.time(TimeField::Closed).is_some_and(|at| at < before))
        .map(|bead| bead.id())
        .collect();
    // A remaining bead keeps its edge targets and its children, which may keep more beads.
    loop {
        let held: Vec<&str> = going
            .iter()
            .copied()
            .filter(|id| !is_archivable(snapshot, id, &going))
            .collect();
        if held.is_empty() {
            return going.into_iter().map(str::to_owned).collect();
        }
        for id in held {
            going.remove(id);
        }
    }
}

fn is_archivable(snapshot: &Snapshot, id: &str, going: &BTreeSet<&str>) -> bool {
    let Some(bead) = snapshot.bead_ref(id) else {
        return false;
    };
    let parent = DepKind::ParentChild.code();
    let is_held_by_parent = bead
        .edges()
        .into_iter()
        .filter(|(kind, _)| *kind == parent)
        .any(|(_, parent)| snapshot.bead_ref(parent).is_some() && !going.contains(parent));
    let by_name = crate::bead::id::split_child(id)
        .is_some_and(|(parent, _)| snapshot.bead_ref(parent).is_some() && !going.contains(parent));
    !is_held_by_parent
        && !by_name
        && snapshot
            .live_holders(id)
            .all(|holder| going.contains(holder.id()))
}

impl Store {
    /// Moves closed beads to the archive, where they can still be found.
    pub fn compact(
        &self,
        author: &Author,
        clock: &Clock,
        before: Timestamp,
    ) -> anyhow::Result<Vec<Bead>> {
        self.transact(author, clock, |tx| {
            let moved = find_archivable(tx, before);
            let mut lines = Vec::new();
            for id in &moved {
                if let (Some(bead), Some(line)) = (tx.get(id).cloned(), tx.line(id)?) {
                    lines.push((bead, line.bytes.into_owned()));
                }
            }
            if !lines.is_empty() {
                archive::add_to_archive(self.dir(), &lines)?;
            }
            for id in &moved {
                tx.erase_archived(id)?;
            }
            tx.describe("archive", "");
            Ok(lines.into_iter().map(|(bead, _)| bead).collect())
        })
    }

    /// Restores beads from the archive.
    pub fn unarchive(
        &self,
        author: &Author,
        clock: &Clock,
        ids: &[String],
    ) -> anyhow::Result<Vec<Bead>> {
        let beads = self.transact(author, clock, |tx| {
            let mut beads = Vec::new();
            for id in ids {
                let bead = tx.archive().get(id);
                let bead = bead.ok_or_else(|| StoreError::NotArchived(id.clone()))?;
                // If the bead is deleted, or was never taken out, the archive still has it.
                if tx.get_live(id).is_none() {
                    tx.put(bead.clone())?;
                }
                beads.push(bead);
            }
            tx.describe("unarchive", "");
            Ok(beads)
        })?;
        let _guard = self.hold_writers()?;
        // Another process may have archived them again in between.
        let there = self.snapshot()?;
        let back: Vec<String> = ids
            .iter()
            .filter(|id| there.get_live(id).is_some())
            .cloned()
            .collect();
        archive::remove_from_archive(self.dir(), &back)?;
        Ok(beads)
    }
}
