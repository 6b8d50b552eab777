//! The merge of whole files.
//!
//! Steps: read the three texts into tables ([`super::table`]); settle ids that stand twice in one of them; move
//! beads that were made apart under one id; go through the ids of all three in order ([`super::walk`]).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::field::Fields;
use super::table::{Row, Table};
use super::walk::Tables;
use super::{Lost, collision};
use crate::bead::Bead;
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
    /// One side brought an earlier state of a bead that is in the archive; it stays there.
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

/// Looks a bead up in the archive.
pub type Archive<'f> = &'f dyn Fn(&str) -> Option<Bead>;

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
