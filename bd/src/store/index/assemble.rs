//! Assembles the sections of an index after its header, which has keys and checksums.
//!
//! The header names the boot of the machine in which the index was written. An index is never
//! synced, so after a loss of power the data after an intact header may be missing. An index from
//! an earlier boot is used only if its checksum matches, and then gets the current boot. If the
//! system does not identify its boots, every index is checked completely.

use zerocopy::{FromBytes, FromZeros, IntoBytes};

use super::layout::{BeadCounts, IndexHeader, IndexLists, IndexRow, IndexSection, MAGIC, PARTS};
use super::{Index, IndexBytes, IndexKeys};
use kit::sys::boot;

/// Writes the keys and the checksum into a header.
fn put_keys(header: &mut IndexHeader, keys: &IndexKeys) {
    header.magic = MAGIC;
    header.issues = keys.issues;
    header.wisps = keys.wisps;
    header.built_at = keys.built_at;
    header.outside = keys.outside;
    header.boot = split_boot_id(boot::boot_id().unwrap_or_default());
    header.checksum = xxhash_rust::xxh3::xxh3_64(header.as_bytes().get(16..).unwrap_or_default());
}

fn split_boot_id(id: u128) -> [u64; 2] {
    let low = id & u128::from(u64::MAX);
    [id >> 64, low].map(|half| u64::try_from(half).unwrap_or(u64::MAX))
}

/// Returns the hash of everything after the header.
fn body_hash(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes.get(size_of::<IndexHeader>()..).unwrap_or_default())
}

/// Concatenates the sections of an index after the header.
pub(super) fn assemble_index(keys: &IndexKeys, parts: &[&[u8]; PARTS]) -> Vec<u64> {
    let start = size_of::<IndexHeader>().div_ceil(8);
    let length: usize = parts.iter().map(|part| part.len().div_ceil(8)).sum();
    let mut words = Vec::with_capacity(start + length);
    words.resize(start, 0);
    let mut header = IndexHeader::new_zeroed();
    for (slot, part) in header.parts.iter_mut().zip(parts) {
        *slot = append_section(&mut words, part);
    }
    put_keys(&mut header, keys);
    put_header(&mut words, &header);
    words
}

/// Appends a section, and returns its start and its length.
fn append_section(words: &mut Vec<u64>, part: &[u8]) -> [u64; 2] {
    let at = words.len() as u64 * 8;
    let (whole, rest) = part.as_chunks();
    words.extend(whole.iter().map(|bytes| u64::from_ne_bytes(*bytes)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u64::from_ne_bytes(last));
    }
    [at, part.len() as u64]
}

fn put_header(words: &mut [u64], header: &IndexHeader) {
    let bytes = header.as_bytes();
    words.as_mut_bytes()[..bytes.len()].copy_from_slice(bytes);
}

impl Index {
    /// Returns true if the index was written since the machine booted.
    pub(crate) fn is_of_this_start(&self) -> bool {
        boot::boot_id().is_some_and(|id| self.header.boot == split_boot_id(id))
    }

    /// Returns true if the checksum matches. For an index that may not have reached the disk before
    /// the machine stopped.
    pub(super) fn is_whole(&self) -> bool {
        self.header.body == body_hash(self.bytes())
    }

    /// Sets the marks of the rows, and adds the counts and lists, which are the last sections.
    pub(super) fn complete(
        self,
        keys: &IndexKeys,
        marks: &[u32],
        lists: &IndexLists,
        counts: BeadCounts,
    ) -> Option<Self> {
        let Self {
            bytes: IndexBytes::Owned(mut words),
            mut header,
            parts,
        } = self
        else {
            return None;
        };
        let bytes = &mut words.as_mut_bytes()[parts[IndexSection::Rows as usize].clone()];
        let rows = <[IndexRow]>::mut_from_bytes(bytes).ok()?;
        for (row, mark) in rows.iter_mut().zip(marks) {
            row.flags |= mark;
        }
        header.counts = counts;
        let numbers = lists.dotted.len() + lists.spawning.len();
        let room = lists.open.as_bytes().len() + numbers * size_of::<u32>();
        words.reserve_exact(room / 8 + 3);
        for (part, bytes) in [
            (IndexSection::Open, lists.open.as_bytes()),
            (IndexSection::Dotted, lists.dotted.as_bytes()),
            (IndexSection::Spawning, lists.spawning.as_bytes()),
        ] {
            header.parts[part as usize] = append_section(&mut words, bytes);
        }
        header.body = body_hash(words.as_bytes());
        put_keys(&mut header, keys);
        put_header(&mut words, &header);
        Self::from_words(words)
    }

    /// Returns the bytes before the rows, with other keys.
    pub(crate) fn header_with(&self, keys: &IndexKeys) -> Vec<u8> {
        let mut header = self.header;
        put_keys(&mut header, keys);
        header.as_bytes().to_vec()
    }

    /// Returns the same index with other keys; only for an index in memory.
    pub(crate) fn with_keys(self, keys: &IndexKeys) -> Option<Self> {
        let IndexBytes::Owned(mut words) = self.bytes else {
            return None;
        };
        let mut header = self.header;
        put_keys(&mut header, keys);
        put_header(&mut words, &header);
        Self::from_words(words)
    }

    /// Returns the bytes before the rows, with the index's keys.
    pub(crate) fn header(&self) -> &[u8] {
        &self.bytes()[..size_of::<IndexHeader>()]
    }
}

/// Changes the bytes of an index as if it had been written before the machine booted.
#[cfg(test)]
pub(crate) fn put_in_earlier_start(bytes: &mut [u8]) {
    let at = std::mem::offset_of!(IndexHeader, boot);
    bytes[at] ^= 0xff;
    super::seal_index(bytes);
}
