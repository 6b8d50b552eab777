//! Merges three tables, id by id.
//!
//! A line that is the same on both sides is copied unparsed. A bead whose result equals an input
//! keeps that input's bytes. A damaged line is kept, and a side with a damaged line has not removed
//! the bead of that line. Records of other kinds come after the beads.
//!
//! A side that archived a bead counts as having the archived version. If the other side adds
//! nothing to it, the bead stays in the archive. If the other side adds something, or restored the
//! bead, the bead is in the file.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::record::MergeFields;
use super::report::{ArchiveLookup, FileMerge, MergeNote};
use super::table::{MergeRow, MergeTable};
use super::{collision, merge_beads};
use crate::bead::{Bead, record};

/// The three sides, ready to be merged.
pub(super) struct MergeTables<'a, 'f> {
    pub base: MergeTable<'a>,
    pub left: MergeTable<'a>,
    pub right: MergeTable<'a>,
    /// True for left and right if they have damaged lines that may be any bead.
    pub has_new_damage: [bool; 2],
    pub archive: ArchiveLookup<'f>,
}

/// The rows of one id.
#[derive(Clone, Copy)]
struct IdGroup<'t, 'a> {
    id: &'t str,
    base: Option<&'t MergeRow<'a>>,
    left: Option<&'t MergeRow<'a>>,
    right: Option<&'t MergeRow<'a>>,
}

impl<'a> MergeTables<'a, '_> {
    pub(super) fn merge_into(&self, merge: &mut FileMerge) {
        let capacity = self.left.rows.iter().map(|row| row.raw.len() + 1).sum();
        let mut text: Vec<u8> = Vec::with_capacity(capacity);
        let mut moved: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let [mut b, mut l, mut r] =
            [&self.base, &self.left, &self.right].map(|table| table.rows.iter().peekable());
        loop {
            let heads = [b.peek(), l.peek(), r.peek()];
            let Some(id) = heads.into_iter().flatten().map(|row| row.id.as_ref()).min() else {
                break;
            };
            let group = IdGroup {
                id,
                base: b.next_if(|row| row.id == id),
                left: l.next_if(|row| row.id == id),
                right: r.next_if(|row| row.id == id),
            };
            self.merge_group(
                group,
                merge,
                &mut |line| push_line(&mut text, line),
                &mut moved,
            );
        }
        for line in moved.values() {
            push_line(&mut text, line);
        }
        let loose = [&self.base, &self.left, &self.right].map(|table| table.loose.as_slice());
        for line in merge_loose_lines(loose) {
            push_line(&mut text, line);
        }
        merge.text = text;
    }

    fn merge_group(
        &self,
        group: IdGroup<'_, 'a>,
        merge: &mut FileMerge,
        put: &mut dyn FnMut(&[u8]),
        moved: &mut BTreeMap<String, Vec<u8>>,
    ) {
        let aside = [&self.base, &self.left, &self.right];
        let no_damage = aside.iter().all(|table| table.damaged.is_empty());
        if no_damage
            && let (Some(l), Some(r)) = (group.left, group.right)
            && l.raw == r.raw
        {
            return put(&l.raw);
        }
        let rows = [group.base, group.left, group.right];
        let damage: [Vec<&[u8]>; 3] = std::array::from_fn(|at| {
            let own_bytes = rows[at]
                .filter(|row| row.bead().is_none())
                .map(|row| row.raw.as_ref());
            let others = aside[at].damaged.get(group.id).into_iter().flatten();
            own_bytes
                .into_iter()
                .chain(others.map(Cow::as_ref))
                .collect()
        });
        let sound = rows.map(|row| row.filter(|row| row.bead().is_some()));
        self.merge_sound_rows(group.id, sound, &damage, merge, put, moved);
        let mut damaged =
            merge_loose_lines([&damage[0], &damage[1], &damage[2]].map(Vec::as_slice));
        // The order in which they are parsed again.
        damaged.sort_unstable();
        for line in damaged {
            put(line);
        }
    }

    /// Merges the rows of one id that are beads.
    fn merge_sound_rows(
        &self,
        id: &str,
        rows: [Option<&MergeRow<'a>>; 3],
        damage: &[Vec<&[u8]>; 3],
        merge: &mut FileMerge,
        put: &mut dyn FnMut(&[u8]),
        moved: &mut BTreeMap<String, Vec<u8>>,
    ) {
        let [base, mut left, mut right] = rows;
        if left.is_none() && right.is_none() {
            return;
        }
        let mut spared = false;
        for (side, at) in [(&mut left, 0), (&mut right, 1)] {
            let fresh = damage[at + 1].iter().any(|line| !damage[0].contains(line));
            if side.is_none() && base.is_some() && (fresh || self.has_new_damage[at]) {
                // Damage is not a removal: this side counts as unchanged.
                *side = base;
                spared = true;
            }
        }
        if let Some(line) = find_one_sided_line(base, left, right) {
            if let Some(line) = line {
                put(line);
            }
            return note_spared(id, spared && line.is_some(), merge);
        }
        if let (Some(only_row), None) | (None, Some(only_row)) = (left, right)
            && self.keep_archived(id, base, only_row, merge, put)
        {
            return;
        }
        let bead = |row: Option<&'_ MergeRow<'a>>| row.and_then(MergeRow::bead).cloned();
        let [b, l, r] = [bead(base), bead(left), bead(right)];
        let result = merge_beads(b.as_ref(), l.as_ref(), r.as_ref());
        merge.lost.extend(result.lost);
        if result.kept {
            merge.notes.push(MergeNote::Kept { id: id.to_owned() });
        }
        if result.stays_deleted {
            merge.notes.push(MergeNote::Buried { id: id.to_owned() });
        }
        note_spared(id, spared && result.bead.is_some(), merge);
        if let Some(bead) = result.bead {
            put(&choose_bytes(&bead, base, left, right));
        }
        if let Some(other) = result.moved {
            merge.notes.push(MergeNote::Moved {
                from: other.from,
                to: other.bead.id.clone(),
            });
            moved.insert(other.bead.id.clone(), record::serialize_bead(&other.bead));
        }
    }

    /// Handles a bead that one side has and that may be in the archive. Returns true if the bead
    /// stays in the archive.
    fn keep_archived(
        &self,
        id: &str,
        base: Option<&MergeRow<'a>>,
        only_row: &MergeRow<'a>,
        merge: &mut FileMerge,
        put: &mut dyn FnMut(&[u8]),
    ) -> bool {
        let Some(bead) = only_row.bead() else {
            return false;
        };
        let archived = (self.archive)(id).filter(|kept| collision::is_same_bead(kept, bead));
        let Some(archived) = archived else {
            return false;
        };
        let kept = MergeFields::from_bead(&archived);
        if base.is_none() && kept == MergeFields::from_bead(bead) {
            // The bead was restored. A second copy does no harm, while this one could be the only
            // one.
            return false;
        }
        let result = merge_beads(base.and_then(MergeRow::bead), Some(&archived), Some(bead));
        merge.lost.extend(result.lost);
        let note = match result.bead {
            Some(result) if MergeFields::from_bead(&result) != kept => {
                put(&choose_bytes(&result, base, Some(only_row), None));
                MergeNote::Kept { id: id.to_owned() }
            }
            _ => MergeNote::Archived { id: id.to_owned() },
        };
        merge.notes.push(note);
        true
    }
}

fn note_spared(id: &str, spared: bool, merge: &mut FileMerge) {
    if spared {
        merge.notes.push(MergeNote::Spared { id: id.to_owned() });
    }
}

/// A line; `None` if there is none.
type OptionalLine<'t> = Option<&'t [u8]>;

/// Decides from the bytes alone: returns the line of the side that differs from the base, which is
/// `None` if that side removed it. Returns `None` if both sides differ.
fn find_one_sided_line<'t>(
    base: Option<&'t MergeRow<'_>>,
    left: Option<&'t MergeRow<'_>>,
    right: Option<&'t MergeRow<'_>>,
) -> Option<OptionalLine<'t>> {
    let [base, left, right] = [base, left, right].map(|row| row.map(|row| row.raw.as_ref()));
    if left == right || base.is_some() && left == base {
        return Some(right);
    }
    (base.is_some() && right == base).then_some(left)
}

/// Returns the line of a result: the bytes of an input with the same content, or the canonical
/// line.
fn choose_bytes<'t>(
    bead: &Bead,
    base: Option<&'t MergeRow<'_>>,
    left: Option<&'t MergeRow<'_>>,
    right: Option<&'t MergeRow<'_>>,
) -> Cow<'t, [u8]> {
    let fields = MergeFields::from_bead(bead);
    let raw = |row: Option<&'t MergeRow<'_>>| {
        row.filter(|row| {
            row.bead()
                .is_some_and(|row_bead| MergeFields::from_bead(row_bead) == fields)
        })
        .map(|row| row.raw.as_ref())
    };
    match (raw(left), raw(right)) {
        (Some(l), Some(r)) => match base.map(|base| base.raw.as_ref()) {
            Some(base) if base == l => Cow::Borrowed(r),
            Some(base) if base == r => Cow::Borrowed(l),
            _ => Cow::Borrowed(l.max(r)),
        },
        (Some(matching), None) | (None, Some(matching)) => Cow::Borrowed(matching),
        (None, None) => Cow::Owned(record::serialize_bead(bead)),
    }
}

/// Merges the lines that belong to no bead as a set. If one side changed nothing, the other side's
/// lines stay unchanged. Otherwise the lines of the base keep their order, followed by the new
/// ones, sorted.
fn merge_loose_lines<'t>([base, left, right]: [&[&'t [u8]]; 3]) -> Vec<&'t [u8]> {
    if left == right || left == base {
        return right.to_vec();
    }
    if right == base {
        return left.to_vec();
    }
    let [in_base, in_left, in_right] =
        [base, left, right].map(|list| list.iter().copied().collect::<BTreeSet<_>>());
    let mut seen = BTreeSet::new();
    let mut merged = base.to_vec();
    merged.retain(|line| in_left.contains(line) && in_right.contains(line) && seen.insert(*line));
    merged.extend(
        in_left
            .union(&in_right)
            .filter(|line| !in_base.contains(*line)),
    );
    merged
}

fn push_line(text: &mut Vec<u8>, line: &[u8]) {
    text.extend_from_slice(line);
    text.push(b'\n');
}
