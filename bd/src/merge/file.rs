//! Merges whole files.
//!
//! Steps:
//! 1. Parse the three texts into tables ([`super::table`]).
//! 2. Merge lines with the same id within one text.
//! 3. Move beads that were created independently under one id.
//! 4. Merge the ids of all three texts in order ([`super::walk`]).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::collision;
use super::report::{ArchiveLookup, FileMerge, MergeError, MergeNote, MergeSide};
use super::table::{MergeRow, MergeTable};
use super::walk::MergeTables;
use crate::bead::Bead;
use crate::bead::lines;

/// The maximum number of rounds of moves, because a new id may be taken too.
const MAX_ROUNDS: usize = 8;

/// Merges two changed versions of the file `base`.
pub fn merge_files(
    base: &[u8],
    left: &[u8],
    right: &[u8],
    archive: ArchiveLookup<'_>,
) -> Result<FileMerge, MergeError> {
    let read =
        |text, which| MergeTable::parse(text).map_err(|line| MergeError::Marker { which, line });
    let mut base = read(base, MergeSide::Base)?;
    let mut left = read(left, MergeSide::Left)?;
    let mut right = read(right, MergeSide::Right)?;
    let mut merge = FileMerge::default();
    base.deduplicate(None, &mut FileMerge::default());
    left.deduplicate(Some(&base), &mut merge);
    right.deduplicate(Some(&base), &mut merge);
    for _ in 0..MAX_ROUNDS {
        if !move_collisions(&mut base, &mut left, &mut right, &mut merge) {
            break;
        }
    }
    let tables = MergeTables {
        has_new_damage: [has_new_damage(&base, &left), has_new_damage(&base, &right)],
        base,
        left,
        right,
        archive,
    };
    tables.merge_into(&mut merge);
    merge.lost.sort();
    merge.lost.dedup();
    merge.notes.sort();
    merge.notes.dedup();
    Ok(merge)
}

/// Moves beads whose id belongs to another bead. Returns true if any bead moved. Beads that an
/// earlier merge moved on the other side go first, because that may free the id.
fn move_collisions(
    base: &mut MergeTable<'_>,
    left: &mut MergeTable<'_>,
    right: &mut MergeTable<'_>,
    merge: &mut FileMerge,
) -> bool {
    let [mut of_left, mut of_right] = [
        find_moved_elsewhere(left, right),
        find_moved_elsewhere(right, left),
    ];
    if of_left.is_empty() && of_right.is_empty() {
        of_left = find_latecomers(base, left, right);
        of_right = find_latecomers(base, right, left);
        let moves = of_left.iter().chain(&of_right);
        merge.notes.extend(moves.map(|(from, to)| MergeNote::Moved {
            from: from.clone(),
            to: to.clone(),
        }));
    }
    if of_left.is_empty() && of_right.is_empty() {
        return false;
    }
    let of_base = of_left
        .iter()
        .chain(&of_right)
        .filter(|(id, to)| {
            let bead = base.find(id).and_then(MergeRow::bead);
            bead.is_some_and(|bead| collision::compute_new_id(bead) == **to)
        })
        .map(|(id, to)| (id.clone(), to.clone()))
        .collect();
    base.rename(&of_base);
    base.deduplicate(None, &mut FileMerge::default());
    left.rename(&of_left);
    left.deduplicate(Some(base), merge);
    right.rename(&of_right);
    right.deduplicate(Some(base), merge);
    true
}

/// Returns the beads of one side that an earlier merge moved on the other side, with their new ids.
fn find_moved_elsewhere(
    own_side: &MergeTable<'_>,
    other_side: &MergeTable<'_>,
) -> BTreeMap<String, String> {
    let mut moves = BTreeMap::new();
    for (bead, there) in find_differing_beads(own_side, other_side) {
        let to = collision::compute_new_id(bead);
        let moved = other_side.find(&to).and_then(MergeRow::bead);
        let stays = there.is_some_and(|there| collision::is_same_bead(there, bead));
        if !stays && moved.is_some_and(|moved| collision::is_same_bead(moved, bead)) {
            moves.insert(bead.id.clone(), to);
        }
    }
    moves
}

/// Returns the beads of one side whose id belongs to an earlier bead, with their new ids. An id in
/// the base is one bead, regardless of later changes of its record, such as an import that rewrote
/// the creation time.
fn find_latecomers(
    base: &MergeTable<'_>,
    own_side: &MergeTable<'_>,
    other_side: &MergeTable<'_>,
) -> BTreeMap<String, String> {
    let mut moves = BTreeMap::new();
    for (bead, there) in find_differing_beads(own_side, other_side) {
        let before = base.find(&bead.id).and_then(MergeRow::bead);
        let is_later = there.is_some_and(|there| {
            !collision::is_same_bead(there, bead)
                && !collision::is_of_base(before, there, bead)
                && collision::compare_identity(there, bead) == Ordering::Less
        });
        if is_later {
            moves.insert(bead.id.clone(), collision::compute_new_id(bead));
        }
    }
    moves
}

/// Returns the beads of one side whose lines the other side lacks, with the other side's beads
/// under the same ids.
fn find_differing_beads<'t>(
    own_side: &'t MergeTable<'_>,
    other_side: &'t MergeTable<'_>,
) -> impl Iterator<Item = (&'t Bead, Option<&'t Bead>)> {
    own_side.rows.iter().filter_map(|row| {
        let there = other_side.find(&row.id);
        if there.is_some_and(|there| there.raw == row.raw) {
            return None;
        }
        Some((row.bead()?, there.and_then(MergeRow::bead)))
    })
}

/// Returns true if a side has a damaged line without an id that the base lacks.
fn has_new_damage(base: &MergeTable<'_>, side: &MergeTable<'_>) -> bool {
    side.loose
        .iter()
        .any(|line| !base.loose.contains(line) && !lines::is_foreign(line))
}
