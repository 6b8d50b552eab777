//! Lines that end in a checksum, as journal and history have them, and the hashes of records.

use serde::{Deserialize, Serialize};

use crate::bead::record;

/// What stands before the checksum.
const SEAL: &[u8] = b",\"crc\":\"";

/// A record as a line, sealed with its checksum.
pub fn encode(record: &impl Serialize) -> Vec<u8> {
    let mut line = record::compact(record);
    // The closing brace comes back after the checksum.
    line.pop();
    let sum = crc32fast::hash(&line);
    line.extend_from_slice(SEAL);
    line.extend_from_slice(format!("{sum:08x}\"}}\n").as_bytes());
    line
}

/// The record of a line whose checksum is right.
pub(crate) fn open<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    let body_end = line.len().checked_sub(SEAL.len() + 10)?;
    let (body, seal) = line.split_at(body_end);
    let sum = seal.strip_prefix(SEAL)?.strip_suffix(b"\"}")?;
    if sum != format!("{:08x}", crc32fast::hash(body)).as_bytes() {
        return None;
    }
    serde_json::from_slice(line).ok()
}

/// The hash of a record's line, as entries and history have it.
pub fn line_hash(line: &[u8]) -> String {
    hash_text(xxhash_rust::xxh3::xxh3_64(line))
}

/// A hash as text.
pub(crate) fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}
