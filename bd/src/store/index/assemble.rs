//! Puts the sections of an index together behind their header, with its keys and checksums.
//!
//! The header says in which start of the machine it was written. An index is never synced: after a loss of power
//! there may be nothing behind a header that is whole. So one of an earlier start is only used if all of it is as
//! its header says, and then gets the present start. Where the system does not name its starts every index
//! is looked at in full.

use zerocopy::{FromBytes, FromZeros, IntoBytes};

use super::layout::Lists;
use super::layout::{Header, IndexRow, MAGIC, PARTS, Part};
use super::{Bytes, Index, Keys};
use crate::sys::boot;

/// Writes the keys and the checksum into a header.
fn put_keys(header: &mut Header, keys: &Keys) {
    header.magic = MAGIC;
    header.issues = keys.issues;
    header.wisps = keys.wisps;
    header.made = keys.made;
    header.outside = keys.outside;
    header.boot = halves(boot::id().unwrap_or_default());
    header.checksum = xxhash_rust::xxh3::xxh3_64(header.as_bytes().get(16..).unwrap_or_default());
}

fn halves(id: u128) -> [u64; 2] {
    let low = id & u128::from(u64::MAX);
    [id >> 64, low].map(|half| u64::try_from(half).unwrap_or_default())
}

/// The hash of all that is behind the header.
fn body_hash(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes.get(size_of::<Header>()..).unwrap_or_default())
}

/// The rows of an index in the making, where they are to stand: behind room for the header. They are most of it, and
/// need not be copied.
pub(super) struct Rows {
    words: Vec<u64>,
}

const HEADER_WORDS: usize = size_of::<Header>().div_ceil(8);
const ROW_WORDS: usize = size_of::<IndexRow>() / 8;

impl Rows {
    /// None yet, and room for so many with what belongs to them.
    pub(super) fn with_capacity(rows: usize) -> Self {
        let mut words = Vec::with_capacity(HEADER_WORDS + rows * ROW_WORDS * 2);
        words.resize(HEADER_WORDS, 0);
        Self { words }
    }

    pub(super) fn push(&mut self, row: IndexRow) {
        let words: [u64; ROW_WORDS] = zerocopy::transmute!(row);
        self.words.extend_from_slice(&words);
    }

    pub(super) fn all(&self) -> &[IndexRow] {
        <[IndexRow]>::ref_from_bytes(self.words[HEADER_WORDS..].as_bytes()).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        (self.words.len() - HEADER_WORDS) / ROW_WORDS
    }
}

/// Puts the sections that are not the rows behind these, and the header before them.
pub(super) fn assemble(keys: &Keys, rows: Rows, others: &[&[u8]; PARTS - 1]) -> Vec<u64> {
    let mut words = rows.words;
    let mut header = Header::new_zeroed();
    let row_bytes = (words.len() - HEADER_WORDS) * 8;
    header.parts[Part::Rows as usize] = [HEADER_WORDS as u64 * 8, row_bytes as u64];
    for (slot, part) in header.parts.iter_mut().skip(1).zip(others) {
        *slot = append(&mut words, part);
    }
    put_keys(&mut header, keys);
    put(&mut words, 0, header.as_bytes());
    words
}

/// Puts a section at the end; gives back where it starts, and how long it is.
fn append(words: &mut Vec<u64>, part: &[u8]) -> [u64; 2] {
    let at = words.len() as u64 * 8;
    words.resize(words.len() + part.len().div_ceil(8), 0);
    put(words, at, part);
    [at, part.len() as u64]
}

/// Copies bytes to a place that has room for them.
fn put(words: &mut [u64], at: u64, part: &[u8]) {
    let start = usize::try_from(at).unwrap_or_default();
    words.as_mut_bytes()[start..start + part.len()].copy_from_slice(part);
}

impl Index {
    /// Whether it was written since the machine was started.
    pub(in crate::store) fn is_of_this_start(&self) -> bool {
        boot::id().is_some_and(|id| self.header.boot == halves(id))
    }

    /// Whether all of it is there: of one that may not have reached the disk before the machine stopped.
    pub(super) fn is_whole(&self) -> bool {
        self.header.body == body_hash(self.bytes())
    }

    /// Sets the marks of the rows, and adds the counts and lists, which are the last sections.
    pub(super) fn complete(
        self,
        keys: &Keys,
        marks: &[u32],
        lists: &Lists,
        fill: impl FnOnce(&mut Header),
    ) -> Option<Self> {
        let Self {
            bytes: Bytes::Own(mut words),
            mut header,
            parts,
        } = self
        else {
            return None;
        };
        let rows = &mut words.as_mut_bytes()[parts[Part::Rows as usize].clone()];
        let rows = <[IndexRow]>::mut_from_bytes(rows).ok()?;
        for (row, mark) in rows.iter_mut().zip(marks) {
            row.flags |= mark;
        }
        fill(&mut header);
        let room = lists.open.as_bytes().len() + lists.waiting.as_bytes().len();
        let numbers = lists.escapes.len() + lists.dotted.len() + lists.spawning.len();
        words.reserve_exact((room + numbers * size_of::<u32>()) / 8 + 5);
        for (part, bytes) in [
            (Part::Open, lists.open.as_bytes()),
            (Part::Waiting, lists.waiting.as_bytes()),
            (Part::Escapes, lists.escapes.as_bytes()),
            (Part::Dotted, lists.dotted.as_bytes()),
            (Part::Spawning, lists.spawning.as_bytes()),
        ] {
            header.parts[part as usize] = append(&mut words, bytes);
        }
        header.body = body_hash(words.as_bytes());
        put_keys(&mut header, keys);
        put(&mut words, 0, header.as_bytes());
        Self::own(words)
    }

    /// The same index with other keys.
    pub(in crate::store) fn copy_with(&self, keys: &Keys) -> Option<Self> {
        let mut words = vec![0; self.bytes().len().div_ceil(8)];
        put(&mut words, 0, self.bytes());
        Self::own(words)?.keyed(keys)
    }

    /// The same index with other keys; only one in memory.
    pub(in crate::store) fn keyed(self, keys: &Keys) -> Option<Self> {
        let Bytes::Own(mut words) = self.bytes else {
            return None;
        };
        let mut header = self.header;
        put_keys(&mut header, keys);
        put(&mut words, 0, header.as_bytes());
        Self::own(words)
    }

    /// What is written of it before the rows, with its keys.
    pub(in crate::store) fn header(&self) -> &[u8] {
        &self.bytes()[..size_of::<Header>()]
    }
}

/// Makes the bytes of an index look as if they had been written before the machine was started.
#[cfg(test)]
pub(in crate::store) fn put_in_earlier_start(bytes: &mut [u8]) {
    let at = std::mem::offset_of!(Header, boot);
    bytes[at] ^= 0xff;
    super::seal(bytes);
}
