//! Sealed lines, which end in a checksum, for journal and history, and the hashes of records.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::bead::record;

/// The text before the checksum.
const CHECKSUM_MARK: &[u8] = b",\"crc\":\"";

/// The number of bytes of a line that are buffered before a write.
const BUFFER_SIZE: usize = 256 << 10;

/// Encodes a record as a line, sealed with its checksum.
pub fn encode_sealed(record: &impl Serialize) -> Vec<u8> {
    let mut line = Vec::new();
    // Writing into memory cannot fail.
    write_sealed(&mut line, record).ok();
    line
}

/// Writes a sealed line, in pieces if it is long, and returns its length.
pub(crate) fn write_sealed(out: &mut impl Write, record: &impl Serialize) -> io::Result<u64> {
    let mut line = SealedLineWriter {
        out,
        buffer: Vec::with_capacity(512),
        sum: crc32fast::Hasher::new(),
        written: 0,
    };
    record::serialize_compact_to(&mut line, record)?;
    // The closing brace is written after the checksum.
    line.buffer.pop();
    line.sum.update(&line.buffer);
    let sum = line.sum.finalize();
    line.buffer.extend_from_slice(CHECKSUM_MARK);
    line.buffer
        .extend_from_slice(format!("{sum:08x}\"}}\n").as_bytes());
    line.out.write_all(&line.buffer)?;
    Ok(line.written + line.buffer.len() as u64)
}

/// Writes one sealed line.
struct SealedLineWriter<'a, W> {
    out: &'a mut W,
    /// The end of the line, which is not written yet.
    buffer: Vec<u8>,
    sum: crc32fast::Hasher,
    written: u64,
}

impl<W: Write> Write for SealedLineWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > BUFFER_SIZE {
            // The last byte may be the closing brace.
            let last = self.buffer.pop();
            self.sum.update(&self.buffer);
            self.out.write_all(&self.buffer)?;
            self.written += self.buffer.len() as u64;
            self.buffer.clear();
            self.buffer.extend(last);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Parses the record of a line; `None` if its checksum is wrong.
pub(crate) fn open_sealed<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    let body_end = line.len().checked_sub(CHECKSUM_MARK.len() + 10)?;
    let (body, seal) = line.split_at(body_end);
    let sum = seal.strip_prefix(CHECKSUM_MARK)?.strip_suffix(b"\"}")?;
    if sum != format!("{:08x}", crc32fast::hash(body)).as_bytes() {
        return None;
    }
    serde_json::from_slice(line).ok()
}

/// Returns the hash of a record's line, as entries and history store it.
pub fn line_hash(line: &[u8]) -> String {
    hash_text(xxhash_rust::xxh3::xxh3_64(line))
}

pub(crate) fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_written_in_pieces_is_identical() {
        for length in [
            0,
            1,
            BUFFER_SIZE - 20,
            BUFFER_SIZE,
            BUFFER_SIZE + 1,
            3 * BUFFER_SIZE,
        ] {
            let record = vec!["x".repeat(length), "<y>".repeat(length / 100)];
            let record = serde_json::json!({ "a": record, "b": {} });
            let line = encode_sealed(&record);
            let mut body = record::serialize_compact(&record);
            body.pop();
            let sum = crc32fast::hash(&body);
            body.extend_from_slice(format!(",\"crc\":\"{sum:08x}\"}}\n").as_bytes());
            assert!(line == body, "{length}");
            let read: serde_json::Value = open_sealed(line.trim_ascii_end()).unwrap();
            assert_eq!(read["a"][0].as_str().unwrap().len(), length);
        }
    }
}
