//! The file of one side of a merge: its lines by id.
//!
//! If a line is in canonical form, its id is taken from the first bytes. Only other lines, and
//! lines that differ between the sides, are parsed. After [`MergeTable::deduplicate`], ids are
//! sorted and unique, and every line of the file is a row, a damaged line under an id, or loose.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::record::MergeFields;
use super::report::{FileMerge, MergeNote};
use super::{collision, merge_beads};
use crate::bead::lines;
use crate::bead::{Bead, Dep, record};

#[derive(Debug)]
pub(super) struct MergeRow<'a> {
    pub id: Cow<'a, str>,
    pub raw: Cow<'a, [u8]>,
    bead: OnceCell<Option<Box<Bead>>>,
}

impl<'a> MergeRow<'a> {
    fn new(id: Cow<'a, str>, raw: &'a [u8]) -> Self {
        Self {
            id,
            raw: Cow::Borrowed(raw),
            bead: OnceCell::new(),
        }
    }

    /// Creates the row of a bead that is in no file.
    pub(super) fn from_bead(bead: Bead) -> Self {
        Self {
            id: Cow::Owned(bead.id.clone()),
            raw: Cow::Owned(record::serialize_bead(&bead)),
            bead: OnceCell::from(Some(Box::new(bead))),
        }
    }

    /// The bead; `None` if the line is damaged.
    pub(super) fn bead(&self) -> Option<&Bead> {
        self.bead
            .get_or_init(|| record::parse_bead(&self.raw).ok().map(Box::new))
            .as_deref()
    }
}

/// The lines of one side.
#[derive(Debug, Default)]
pub(super) struct MergeTable<'a> {
    pub rows: Vec<MergeRow<'a>>,
    /// Damaged lines whose id another line has too.
    pub damaged: BTreeMap<String, Vec<Cow<'a, [u8]>>>,
    /// Records of other kinds, and damaged lines without an id, in file order.
    pub loose: Vec<&'a [u8]>,
}

impl<'a> MergeTable<'a> {
    /// Parses a file. The error is the number of the first line with a conflict marker.
    pub(super) fn parse(text: &'a [u8]) -> Result<Self, usize> {
        let start = usize::from(text.starts_with(b"\xef\xbb\xbf")) * 3;
        let mut table = Self::default();
        for (number, span) in lines::iter_line_spans(text, start) {
            let line = &text[span];
            if lines::is_conflict_marker(line) {
                return Err(number);
            }
            if let Some(id) = record::first_id(line) {
                table.rows.push(MergeRow::new(Cow::Borrowed(id), line));
            } else if let Ok(bead) = record::parse_bead(line) {
                table.rows.push(MergeRow::new(Cow::Owned(bead.id), line));
            } else {
                table.loose.push(line);
            }
        }
        table.sort();
        Ok(table)
    }

    fn sort(&mut self) {
        if !self.rows.is_sorted_by(|a, b| a.id <= b.id) {
            self.rows.sort_by(|a, b| a.id.cmp(&b.id));
        }
    }

    pub(super) fn find(&self, id: &str) -> Option<&MergeRow<'a>> {
        let at = self.rows.binary_search_by(|row| row.id.as_ref().cmp(id));
        at.ok().map(|at| &self.rows[at])
    }

    /// Makes every id unique: records of one bead are merged; of several beads all but the first
    /// move to other ids; damaged lines are set aside.
    pub(super) fn deduplicate(&mut self, base: Option<&MergeTable<'_>>, merge: &mut FileMerge) {
        while self.rows.windows(2).any(|two| two[0].id == two[1].id) {
            let mut rows = std::mem::take(&mut self.rows).into_iter().peekable();
            while let Some(row) = rows.next() {
                let mut group = vec![row];
                while let Some(next) = rows.next_if(|next| next.id == group[0].id) {
                    group.push(next);
                }
                if group.len() == 1 {
                    self.rows.append(&mut group);
                } else {
                    self.deduplicate_group(group, base, merge);
                }
            }
            self.sort();
        }
    }

    fn deduplicate_group(
        &mut self,
        mut group: Vec<MergeRow<'a>>,
        base: Option<&MergeTable<'_>>,
        merge: &mut FileMerge,
    ) {
        let id = group[0].id.to_string();
        group.sort_by(|a, b| a.raw.cmp(&b.raw));
        group.dedup_by(|a, b| a.raw == b.raw);
        let (sound, hurt): (Vec<_>, Vec<_>) =
            group.into_iter().partition(|row| row.bead().is_some());
        let mut hurt = hurt.into_iter();
        if sound.is_empty() {
            // One damaged line stands for the id.
            self.rows.extend(hurt.next());
        }
        let aside: Vec<_> = hurt.map(|row| row.raw).collect();
        if !aside.is_empty() {
            self.damaged.entry(id.clone()).or_default().extend(aside);
        }
        let base = base.and_then(|base| base.find(&id)?.bead());
        let mut apart: Vec<MergeRow<'a>> = Vec::new();
        for row in sound {
            let Some(bead) = row.bead() else { continue };
            let Some(other) = apart.iter_mut().find(|other| {
                let other = other.bead();
                other.is_some_and(|other| collision::is_same_bead(other, bead))
            }) else {
                apart.push(row);
                continue;
            };
            let base = base.filter(|base| collision::is_same_bead(base, bead));
            let merged = merge_beads(base, other.bead(), Some(bead));
            merge.lost.extend(merged.lost);
            if let Some(bead) = merged.bead {
                let fields = MergeFields::from_bead(&bead);
                let stays = other
                    .bead()
                    .is_some_and(|kept| MergeFields::from_bead(kept) == fields);
                if !stays {
                    let as_new = row
                        .bead()
                        .is_some_and(|added| MergeFields::from_bead(added) == fields);
                    *other = if as_new {
                        row
                    } else {
                        MergeRow::from_bead(*bead)
                    };
                }
            }
        }
        apart.sort_by(|a, b| match (a.bead(), b.bead()) {
            (Some(a), Some(b)) => collision::compare_identity(a, b),
            _ => std::cmp::Ordering::Equal,
        });
        for (at, row) in apart.into_iter().enumerate() {
            match row.bead() {
                Some(bead) if at > 0 => {
                    let moved = collision::move_to_new_id(bead);
                    merge.notes.push(MergeNote::Moved {
                        from: id.clone(),
                        to: moved.id.clone(),
                    });
                    self.rows.push(MergeRow::from_bead(moved));
                }
                _ => self.rows.push(row),
            }
        }
    }

    /// Moves beads to other ids (old → new) and redirects the edges of this side.
    pub(super) fn rename(&mut self, moves: &BTreeMap<String, String>) {
        if moves.is_empty() {
            return;
        }
        for row in &mut self.rows {
            let leaves = moves.contains_key(row.id.as_ref());
            let points = memchr::memmem::find(&row.raw, b"depends_on_id").is_some();
            if !leaves && !points {
                continue;
            }
            let Some(bead) = row.bead() else { continue };
            let former = collision::former_id(bead);
            // An edge to the bead that now has the former id must not follow the bead that moves.
            let stays = |edge: &Dep| former.as_ref() == Some(&edge.depends_on_id);
            let turned = |edge: &Dep| moves.get(&edge.depends_on_id).filter(|_| !stays(edge));
            if !leaves && !bead.dependencies.iter().any(|edge| turned(edge).is_some()) {
                continue;
            }
            let mut bead = bead.clone();
            for edge in &mut bead.dependencies {
                if let Some(to) = turned(edge).cloned() {
                    edge.depends_on_id = to;
                }
            }
            if leaves {
                bead = collision::move_to_new_id(&bead);
            }
            *row = MergeRow::from_bead(bead);
        }
        self.sort();
    }
}

/// Returns the id of a line, if the line is a bead.
pub fn id_of_line(line: &[u8]) -> Option<String> {
    match record::first_id(line) {
        Some(id) => Some(id.to_owned()),
        None => record::parse_bead(line).ok().map(|bead| bead.id),
    }
}

/// Returns the lines of a text that are beads, each with its id.
pub fn lines_by_id(text: &[u8]) -> impl Iterator<Item = (String, &[u8])> {
    lines::iter_line_spans(text, 0)
        .map(|(_, span)| &text[span])
        .filter_map(|line| Some((id_of_line(line)?, line)))
}
