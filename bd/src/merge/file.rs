//! The merge of whole files.
//!
//! Steps: read the three texts into tables; settle ids that stand twice in one of them; move beads that
//! were made apart under one id; go through the ids of all three in order, where a line that is the same on
//! both sides is taken as it is and all others are merged; put records of other kinds behind the beads.
//!
//! What must always hold: a bead whose result is what an input has keeps that input's bytes; a damaged line is
//! kept, and a side in which a line is damaged has not removed the bead that stood there.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::field::Fields;
use super::table::{Row, Table};
use super::{Lost, beads, collision};
use crate::bead::{Bead, record};
use crate::store::lines;

/// How often beads are moved: a new id may be taken, too.
const ROUNDS: usize = 8;

/// One of the three inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// What both sides started from.
    Base,
    /// Our side.
    Left,
    /// Their side.
    Right,
}

impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Base => "base",
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

/// Why files cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// An input is itself an unfinished merge.
    #[error("the {which} file has a git conflict marker in line {line}")]
    Marker {
        /// The input.
        which: Which,
        /// The first line with a marker.
        line: usize,
    },
}

/// Something a person should know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// One side removed the bead; it stays, since the other side changed it.
    Kept {
        /// The bead.
        id: String,
    },
    /// One side has a damaged line where the bead stood; it stays as the other side has it.
    Spared {
        /// The bead.
        id: String,
    },
    /// One side brought a bead that is in the archive; it stays there.
    Archived {
        /// The bead.
        id: String,
    },
    /// Two beads had this id; the later one has a new one.
    Moved {
        /// The id.
        from: String,
        /// The new id of the later bead.
        to: String,
    },
}

/// A merged file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merge {
    /// The whole text.
    pub text: Vec<u8>,
    /// What conflicts took away, by bead and field.
    pub lost: Vec<Lost>,
    /// What should be told.
    pub notes: Vec<Note>,
}

/// Merges what two sides made of the file `base`. `archived` says whether the archive holds an id.
pub fn files(
    base: &[u8],
    left: &[u8],
    right: &[u8],
    archived: &dyn Fn(&str) -> bool,
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
        archived,
    };
    tables.run(&mut merge);
    merge.lost.sort();
    merge.lost.dedup();
    merge.notes.sort();
    merge.notes.dedup();
    Ok(merge)
}

/// Moves beads that have the id of another one; says whether there were any.
fn part(
    base: &mut Table<'_>,
    left: &mut Table<'_>,
    right: &mut Table<'_>,
    merge: &mut Merge,
) -> bool {
    let mut moves: [BTreeMap<String, String>; 3] = Default::default();
    for l in &left.rows {
        let Some(r) = right.find(&l.id).filter(|r| r.raw != l.raw) else {
            continue;
        };
        let b = base.find(&l.id);
        if b.is_some_and(|b| b.raw == l.raw || b.raw == r.raw) {
            continue;
        }
        let (Some(l), Some(r)) = (l.bead(), r.bead()) else {
            continue;
        };
        let b = b.and_then(Row::bead);
        let unchanged = |side: &Bead| b.is_some_and(|b| Fields::of(b) == Fields::of(side));
        let order = collision::order(l, r);
        if order == Ordering::Equal || unchanged(l) || unchanged(r) {
            continue;
        }
        let (mover, side) = if order == Ordering::Less {
            (r, 2)
        } else {
            (l, 1)
        };
        let to = collision::new_id(mover);
        if b.is_some_and(|b| collision::is_same_bead(b, mover)) {
            moves[0].insert(l.id.clone(), to.clone());
        }
        merge.notes.push(Note::Moved {
            from: l.id.clone(),
            to: to.clone(),
        });
        moves[side].insert(l.id.clone(), to);
    }
    if moves[1].is_empty() && moves[2].is_empty() {
        return false;
    }
    base.rename(&moves[0]);
    base.settle(None, &mut Vec::new(), &mut Vec::new());
    left.rename(&moves[1]);
    left.settle(Some(base), &mut merge.notes, &mut merge.lost);
    right.rename(&moves[2]);
    right.settle(Some(base), &mut merge.notes, &mut merge.lost);
    true
}

/// Whether a side has a damaged line, without an id, that base has not.
fn is_hurt(base: &Table<'_>, side: &Table<'_>) -> bool {
    side.loose
        .iter()
        .any(|line| !base.loose.contains(line) && !lines::is_foreign(line))
}

/// The three sides, ready to be gone through.
struct Tables<'a, 'f> {
    base: Table<'a>,
    left: Table<'a>,
    right: Table<'a>,
    /// Whether left and right have damage that could have been any bead.
    hurt: [bool; 2],
    archived: &'f dyn Fn(&str) -> bool,
}

/// The rows of one id.
#[derive(Clone, Copy)]
struct Group<'t, 'a> {
    id: &'t str,
    base: Option<&'t Row<'a>>,
    left: Option<&'t Row<'a>>,
    right: Option<&'t Row<'a>>,
}

impl<'a> Tables<'a, '_> {
    fn run(&self, merge: &mut Merge) {
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
            let group = Group {
                id,
                base: b.next_if(|row| row.id == id),
                left: l.next_if(|row| row.id == id),
                right: r.next_if(|row| row.id == id),
            };
            self.group(group, merge, &mut |line| push(&mut text, line), &mut moved);
        }
        for line in moved.values() {
            push(&mut text, line);
        }
        let loose = [&self.base, &self.left, &self.right].map(|table| table.loose.as_slice());
        for line in set(loose) {
            push(&mut text, line);
        }
        merge.text = text;
    }

    fn group(
        &self,
        group: Group<'_, 'a>,
        merge: &mut Merge,
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
            let own = rows[at].filter(|row| row.bead().is_none());
            let own = own.map(|row| row.raw.as_ref());
            let others = aside[at].damaged.get(group.id).into_iter().flatten();
            own.into_iter().chain(others.map(Cow::as_ref)).collect()
        });
        let sound = rows.map(|row| row.filter(|row| row.bead().is_some()));
        self.sound(group.id, sound, &damage, merge, put, moved);
        for line in set([&damage[0], &damage[1], &damage[2]].map(Vec::as_slice)) {
            put(line);
        }
    }

    /// The rows of one id that are beads.
    fn sound(
        &self,
        id: &str,
        rows: [Option<&Row<'a>>; 3],
        damage: &[Vec<&[u8]>; 3],
        merge: &mut Merge,
        put: &mut dyn FnMut(&[u8]),
        moved: &mut BTreeMap<String, Vec<u8>>,
    ) {
        let [base, mut left, mut right] = rows;
        let mut spared = false;
        for (side, at) in [(&mut left, 0), (&mut right, 1)] {
            let fresh = damage[at + 1].iter().any(|line| !damage[0].contains(line));
            if side.is_none() && base.is_some() && (fresh || self.hurt[at]) {
                // Damage is no removal: this side is as base was.
                *side = base;
                spared = true;
            }
        }
        if left.is_none() && right.is_none() {
            return;
        }
        if let Some(line) = one_sided(base, left, right) {
            if let Some(line) = line {
                put(line);
            }
            return note_spared(id, spared && line.is_some(), merge);
        }
        if base.is_none() && (left.is_none() || right.is_none()) && (self.archived)(id) {
            merge.notes.push(Note::Archived { id: id.to_owned() });
            return;
        }
        let bead = |row: Option<&'_ Row<'a>>| row.and_then(Row::bead).cloned();
        let [b, l, r] = [bead(base), bead(left), bead(right)];
        let result = beads(b.as_ref(), l.as_ref(), r.as_ref());
        merge.lost.extend(result.lost);
        if result.kept {
            merge.notes.push(Note::Kept { id: id.to_owned() });
        }
        note_spared(id, spared && result.bead.is_some(), merge);
        if let Some(bead) = result.bead {
            put(&bytes(&bead, base, left, right));
        }
        if let Some(other) = result.moved {
            merge.notes.push(Note::Moved {
                from: other.from,
                to: other.bead.id.clone(),
            });
            moved.insert(other.bead.id.clone(), record::line(&other.bead));
        }
    }
}

fn note_spared(id: &str, spared: bool, merge: &mut Merge) {
    if spared {
        merge.notes.push(Note::Spared { id: id.to_owned() });
    }
}

/// A line; `None` where there is none.
type Line<'t> = Option<&'t [u8]>;

/// What the bytes alone tell: the line of the one side that differs from base, or `None` in it where that
/// side removed the line.
fn one_sided<'t>(
    base: Option<&'t Row<'_>>,
    left: Option<&'t Row<'_>>,
    right: Option<&'t Row<'_>>,
) -> Option<Line<'t>> {
    let raw = |row: Option<&'t Row<'_>>| row.map(|row| row.raw.as_ref());
    let [base, left, right] = [base, left, right].map(raw);
    if left == right || base.is_some() && left == base {
        return Some(right);
    }
    (base.is_some() && right == base).then_some(left)
}

/// The line of a result: the bytes of an input that says the same, else the canonical line.
fn bytes<'t>(
    bead: &Bead,
    base: Option<&'t Row<'_>>,
    left: Option<&'t Row<'_>>,
    right: Option<&'t Row<'_>>,
) -> Cow<'t, [u8]> {
    let fields = Fields::of(bead);
    let says = |row: &&Row<'_>| row.bead().is_some_and(|own| Fields::of(own) == fields);
    let raw = |row: Option<&'t Row<'_>>| row.filter(says).map(|row| row.raw.as_ref());
    match (raw(left), raw(right)) {
        (Some(l), Some(r)) => match base.map(|base| base.raw.as_ref()) {
            Some(base) if base == l => Cow::Borrowed(r),
            Some(base) if base == r => Cow::Borrowed(l),
            _ => Cow::Borrowed(l.max(r)),
        },
        (Some(one), None) | (None, Some(one)) => Cow::Borrowed(one),
        (None, None) => Cow::Owned(record::line(bead)),
    }
}

/// Lines that belong to no bead, merged as a set: as one side has them where the other changed nothing, else
/// those of base in its order, then new ones sorted.
fn set<'t>([base, left, right]: [&[&'t [u8]]; 3]) -> Vec<&'t [u8]> {
    if left == right || left == base {
        return right.to_vec();
    }
    if right == base {
        return left.to_vec();
    }
    let [in_base, in_left, in_right] =
        [base, left, right].map(|list| list.iter().copied().collect::<BTreeSet<_>>());
    let mut seen = BTreeSet::new();
    let stays = |line: &&&[u8]| in_left.contains(**line) && in_right.contains(**line);
    let kept = base.iter().filter(stays).copied();
    let kept = kept.filter(|line| seen.insert(*line)).collect::<Vec<_>>();
    let added = in_left
        .union(&in_right)
        .filter(|line| !in_base.contains(*line));
    kept.into_iter().chain(added.copied()).collect()
}

fn push(text: &mut Vec<u8>, line: &[u8]) {
    text.extend_from_slice(line);
    text.push(b'\n');
}
