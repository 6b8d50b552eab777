//! The merge: two copies of the beads that were changed apart become one.
//!
//! Owns the rules, as pure functions without files, clock or chance: [`beads`] for one id, [`files`] for
//! whole `issues.jsonl` texts. The git merge driver and a change from outside under a journal both use it.
//!
//! What must always hold: the answer depends on the inputs alone; left and right may be swapped; merging a
//! result again changes nothing; a field that only one side changed has that side's value; whatever a true
//! conflict takes away is in [`Overruled`]; sound inputs give a sound bead.
//!
//! The rules, in the order in which they are tried:
//!
//! 1. A side without the bead: the other side as it was in base → gone; changed since, or new → it stays, and a
//!    change that met a removal is told. A side that moved it to the archive has it as it is there: merged with
//!    that, it stays in the archive unless the other side adds something to it.
//! 2. Two beads that were made apart under one id (`created_at`, `created_by` differ): the smaller of the two keeps
//!    the id, the other one moves (`collision`).
//! 3. Standing (`status`, `closed_at` and all of the deletion) is one value: in a conflict a deletion wins, over an
//!    edit of any field, which is told; of two deletions the later, else the record with the later `updated_at` (`standing`).
//! 4. Labels, waiters, edges and comments merge as sets against base (`set`); `metadata` key by key.
//! 5. Every other field, known to us or not: only one side changed it → that value. Both → the value of the
//!    record with the later `updated_at`; where that is equal, the larger text (`field`).
//! 6. `updated_at` is the later one.

pub mod collision;
mod field;
mod file;
pub mod markers;
mod record;
mod report;
mod set;
mod standing;
mod table;
mod walk;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use crate::bead::Bead;
use record::{BeadSides, MergeFields};

pub use collision::{MovedBead, former_id};
pub use file::merge_files;
pub use report::{ArchiveLookup, FileMerge, MergeError, MergeNote, MergeSide, OverruledValue};
pub use table::{id_of_line, lines_by_id};

/// What became of one id.
#[derive(Debug, Clone, Default)]
pub struct BeadMerge {
    /// The bead that has the id now; `None` where it is gone.
    pub bead: Option<Box<Bead>>,
    /// Another bead that had the id and moved to a new one.
    pub moved: Option<Box<MovedBead>>,
    /// What conflicts took away.
    pub lost: Vec<OverruledValue>,
    /// Whether one side removed the line and it stays because the other side changed it.
    pub kept: bool,
    /// Whether one side deleted it, which stays so though the other side changed it.
    pub buried: bool,
}

/// Merges what two sides made of one bead of `base`.
pub fn merge_beads(base: Option<&Bead>, left: Option<&Bead>, right: Option<&Bead>) -> BeadMerge {
    match (left, right) {
        (None, None) => BeadMerge::default(),
        (Some(only), None) | (None, Some(only)) => merge_one_sided(base, only),
        // An id that the base has is one bead, whatever became of its record.
        (Some(left), Some(right)) if base.is_some() || collision::is_same_bead(left, right) => {
            merge_both(base, left, right)
        }
        (Some(left), Some(right)) => merge_distinct(left, right),
    }
}

/// One side has no such line.
fn merge_one_sided(base: Option<&Bead>, only: &Bead) -> BeadMerge {
    if base.is_some_and(|base| MergeFields::from_bead(base) == MergeFields::from_bead(only)) {
        return BeadMerge::default();
    }
    // Two deletions, one with a tombstone and one without: nothing to tell.
    let both_deleted = only.is_tombstone() && base.is_some_and(|base| !base.is_tombstone());
    BeadMerge {
        bead: Some(Box::new(only.clone())),
        kept: base.is_some() && !both_deleted,
        ..BeadMerge::default()
    }
}

/// Two beads of one id that were not made together.
fn merge_distinct(left: &Bead, right: &Bead) -> BeadMerge {
    let (first, second) = match collision::compare_identity(left, right) {
        Ordering::Less | Ordering::Equal => (left, right),
        Ordering::Greater => (right, left),
    };
    BeadMerge {
        bead: Some(Box::new(first.clone())),
        moved: Some(Box::new(collision::move_to_new_id(
            second,
            second_side(left, first),
        ))),
        ..BeadMerge::default()
    }
}

/// The side of the bead that is not `first`.
fn second_side(left: &Bead, first: &Bead) -> collision::CollisionSide {
    if std::ptr::eq(left, first) {
        collision::CollisionSide::Right
    } else {
        collision::CollisionSide::Left
    }
}

/// One bead that both sides have.
fn merge_both(base: Option<&Bead>, left: &Bead, right: &Bead) -> BeadMerge {
    let sides = BeadSides {
        base: base.map(MergeFields::from_bead).unwrap_or_default(),
        left: MergeFields::from_bead(left),
        right: MergeFields::from_bead(right),
        newer: left.updated_at.cmp(&right.updated_at),
    };
    let mut lost = Vec::new();
    let fields = sides.merge(&mut |field, value| {
        lost.push(OverruledValue {
            id: left.id.clone(),
            field,
            value: value.unwrap_or_else(|| "null".to_owned()),
        });
    });
    let newer = if sides.newer == Ordering::Less {
        right
    } else {
        left
    };
    // Fields of two sound records make a sound record.
    let bead = fields.to_bead().unwrap_or_else(|| newer.clone());
    lost.sort();
    let one_deleted = left.is_tombstone() != right.is_tombstone();
    let gave_way = lost.iter().any(|lost| lost.field == "status");
    BeadMerge {
        buried: one_deleted && bead.is_tombstone() && gave_way,
        bead: Some(Box::new(bead)),
        lost,
        ..BeadMerge::default()
    }
}
