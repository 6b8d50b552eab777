//! The merge of whole files.
//!
//! Steps: read the three texts into tables ([`super::table`]); settle ids that stand twice in one of them; move
//! beads that were made apart under one id; go through the ids of all three in order ([`super::walk`]).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::collision;
use super::record::Fields;
use super::report::{Archive, Merge, MergeError, Note, Which};
use super::table::{MergeRow, Table};
use super::walk::Tables;
use crate::bead::Bead;
use crate::bead::lines;

/// How often beads are moved: a new id may be taken, too.
const ROUNDS: usize = 8;

/// Merges what two sides made of the file `base`.
pub fn files(
    base: &[u8],
    left: &[u8],
    right: &[u8],
    archive: Archive<'_>,
) -> Result<Merge, MergeError> {
    let read = |text, which| Table::read(text).map_err(|line| MergeError::Marker { which, line });
    let mut base = read(base, Which::Base)?;
    let mut left = read(left, Which::Left)?;
    let mut right = read(right, Which::Right)?;
    let mut merge = Merge::default();
    base.settle(None, &mut Vec::new(), &mut Vec::new());
    left.settle(Some(&base), &mut merge.notes, &mut merge.lost);
    right.settle(Some(&base), &mut merge.notes, &mut merge.lost);
    for _ in 0..ROUNDS {
        if !part(&mut base, &mut left, &mut right, &mut merge) {
            break;
        }
    }
    let tables = Tables {
        hurt: [is_hurt(&base, &left), is_hurt(&base, &right)],
        base,
        left,
        right,
        archive,
    };
    tables.run(&mut merge);
    merge.lost.sort();
    merge.lost.dedup();
    merge.notes.sort();
    merge.notes.dedup();
    Ok(merge)
}

/// Moves beads that have the id of another one; says whether there were any. Those that an earlier merge
/// moved on the other side go first: then the id may be free.
fn part(
    base: &mut Table<'_>,
    left: &mut Table<'_>,
    right: &mut Table<'_>,
    merge: &mut Merge,
) -> bool {
    let [mut of_left, mut of_right] = [moved_there(left, right), moved_there(right, left)];
    if of_left.is_empty() && of_right.is_empty() {
        of_left = latecomers(base, left, right);
        of_right = latecomers(base, right, left);
        let moves = of_left.iter().chain(&of_right);
        merge.notes.extend(moves.map(|(from, to)| Note::Moved {
            from: from.clone(),
            to: to.clone(),
        }));
    }
    if of_left.is_empty() && of_right.is_empty() {
        return false;
    }
    let of_base = |(id, to): &(&String, &String)| {
        let bead = base.find(id).and_then(MergeRow::bead);
        bead.is_some_and(|bead| collision::new_id(bead) == **to)
    };
    let of_base = of_left.iter().chain(&of_right).filter(of_base);
    let of_base = of_base.map(|(id, to)| (id.clone(), to.clone())).collect();
    base.rename(&of_base);
    base.settle(None, &mut Vec::new(), &mut Vec::new());
    left.rename(&of_left);
    left.settle(Some(base), &mut merge.notes, &mut merge.lost);
    right.rename(&of_right);
    right.settle(Some(base), &mut merge.notes, &mut merge.lost);
    true
}

/// The beads of one side that an earlier merge moved on the other side, with their new ids.
fn moved_there(own: &Table<'_>, other: &Table<'_>) -> BTreeMap<String, String> {
    let mut moves = BTreeMap::new();
    for (bead, there) in strangers(own, other) {
        let to = collision::new_id(bead);
        let moved = other.find(&to).and_then(MergeRow::bead);
        let stays = there.is_some_and(|there| collision::is_same_bead(there, bead));
        if !stays && moved.is_some_and(|moved| collision::is_same_bead(moved, bead)) {
            moves.insert(bead.id.clone(), to);
        }
    }
    moves
}

/// The beads of one side whose id another bead had first, with their new ids. Where one side only replaced a bead
/// that the other left as it was, there is nothing to move.
fn latecomers(base: &Table<'_>, own: &Table<'_>, other: &Table<'_>) -> BTreeMap<String, String> {
    let mut moves = BTreeMap::new();
    for (bead, there) in strangers(own, other) {
        let Some(there) = there.filter(|there| collision::order(there, bead) == Ordering::Less)
        else {
            continue;
        };
        let before = base.find(&bead.id).and_then(MergeRow::bead).map(Fields::of);
        let as_before = |side: &Bead| before.as_ref() == Some(&Fields::of(side));
        if !as_before(bead) && !as_before(there) {
            moves.insert(bead.id.clone(), collision::new_id(bead));
        }
    }
    moves
}

/// The beads of one side whose lines the other side has not, with what it has under their ids.
fn strangers<'t>(
    own: &'t Table<'_>,
    other: &'t Table<'_>,
) -> impl Iterator<Item = (&'t Bead, Option<&'t Bead>)> {
    own.rows.iter().filter_map(|row| {
        let there = other.find(&row.id);
        if there.is_some_and(|there| there.raw == row.raw) {
            return None;
        }
        Some((row.bead()?, there.and_then(MergeRow::bead)))
    })
}

/// Whether a side has a damaged line, without an id, that base has not.
fn is_hurt(base: &Table<'_>, side: &Table<'_>) -> bool {
    side.loose
        .iter()
        .any(|line| !base.loose.contains(line) && !lines::is_foreign(line))
}
