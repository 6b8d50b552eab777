//! Merges two copies of the beads that were changed independently.
//!
//! This module owns the rules, as pure functions without files, clock or random source:
//! [`merge_beads`] for one id, [`merge_files`] for whole `issues.jsonl` texts. The git merge driver
//! and a change by another program, made while the journal has pending changes, both use it.
//!
//! The result depends only on the inputs. Left and right are interchangeable. Merging a result
//! again changes nothing. A field that only one side changed has that side's value. Every value
//! that loses a conflict is reported as [`OverruledValue`]. Sound inputs give a sound bead.
//!
//! The rules, in the order in which they are tried:
//!
//! 1. One side lacks the bead. If the other side did not change it, the bead goes. If the other
//!    side changed or created it, the bead stays, and a change that met a removal is reported. A
//!    side that archived the bead counts as having the archived version: the bead stays in the
//!    archive unless the other side adds something to it.
//! 2. Two beads were created independently under one id (`created_at`, `created_by` differ): the
//!    smaller one keeps the id, the other one moves (`collision`).
//! 3. The status group (`status`, `closed_at` and all deletion fields) is one value. In a conflict
//!    a deletion wins over an edit of any field, which is reported. The later of two deletions
//!    wins. Otherwise the record with the later `updated_at` wins (`status_group`).
//! 4. Labels, waiters, edges and comments merge as sets against the base (`set`); `metadata` merges
//!    key by key.
//! 5. Every other field, including unknown ones: if only one side changed it, that value wins. If
//!    both did, the record with the later `updated_at` wins, and in a tie the larger text
//!    (`field`).
//! 6. `updated_at` is the later one.

pub mod collision;
mod field;
mod file;
pub mod markers;
mod record;
mod report;
mod set;
mod status_group;
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

/// The outcome of merging one id.
#[derive(Debug, Clone, Default)]
pub struct BeadMerge {
    /// The bead that has the id now; `None` if the bead is gone.
    pub bead: Option<Box<Bead>>,
    /// Another bead that had the id and moved to a new one.
    pub moved: Option<Box<MovedBead>>,
    pub lost: Vec<OverruledValue>,
    /// True if one side removed the line, and it stays because the other side changed it.
    pub kept: bool,
    /// True if one side deleted the bead, and it stays deleted although the other side changed it.
    pub stays_deleted: bool,
}

/// Merges two versions of a bead. `base` is their common version, if there is one.
pub fn merge_beads(base: Option<&Bead>, left: Option<&Bead>, right: Option<&Bead>) -> BeadMerge {
    match (left, right) {
        (None, None) => BeadMerge::default(),
        (Some(only), None) | (None, Some(only)) => merge_one_sided(base, only),
        (Some(left), Some(right))
            if collision::is_of_base(base, left, right) || collision::is_same_bead(left, right) =>
        {
            merge_both(base, left, right)
        }
        (Some(left), Some(right)) => merge_distinct(left, right),
    }
}

/// Merges a bead that one side lacks.
fn merge_one_sided(base: Option<&Bead>, only: &Bead) -> BeadMerge {
    if base.is_some_and(|base| MergeFields::from_bead(base) == MergeFields::from_bead(only)) {
        return BeadMerge::default();
    }
    // Both sides deleted the bead, one of them without a tombstone. This is not reported.
    let both_deleted = only.is_tombstone() && base.is_some_and(|base| !base.is_tombstone());
    BeadMerge {
        bead: Some(Box::new(only.clone())),
        kept: base.is_some() && !both_deleted,
        ..BeadMerge::default()
    }
}

/// Merges two beads that were created independently under one id.
fn merge_distinct(left: &Bead, right: &Bead) -> BeadMerge {
    let left_moves = collision::compare_identity(left, right) == Ordering::Greater;
    let (stays, moves) = if left_moves {
        (right, left)
    } else {
        (left, right)
    };
    BeadMerge {
        bead: Some(Box::new(stays.clone())),
        moved: Some(Box::new(MovedBead {
            bead: collision::move_to_new_id(moves),
            from: moves.id.clone(),
            is_left: left_moves,
        })),
        ..BeadMerge::default()
    }
}

/// Merges one bead that both sides have.
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
    // The fields of two sound records always form a sound record.
    let bead = fields.to_bead().unwrap_or_else(|| newer.clone());
    lost.sort();
    let one_deleted = left.is_tombstone() != right.is_tombstone();
    let status_overruled = lost.iter().any(|lost| lost.field == "status");
    BeadMerge {
        stays_deleted: one_deleted && bead.is_tombstone() && status_overruled,
        bead: Some(Box::new(bead)),
        lost,
        ..BeadMerge::default()
    }
}
