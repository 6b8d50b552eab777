//! The journal: acknowledged changes that are not yet folded into the other files.
//!
//! One transaction is one line: who, when, and for each changed bead its whole new record, or `null` where
//! it was removed; at the end a checksum of all that stands before it. One append and one sync is the
//! acknowledgement. Applying an entry twice is the same as applying it once.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lines;
use crate::bead::{Raw, record};
use crate::sys::file;

/// Which file a bead lives in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Home {
    /// The durable beads.
    Issues,
    /// The wisps.
    Wisps,
}

/// One transaction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    /// Its id.
    pub tx: String,
    /// When it was made.
    pub at: String,
    /// Who made it.
    pub actor: String,
    /// In which agent session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// What changed.
    pub changes: Vec<Change>,
}

/// One changed bead.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Change {
    /// Where it lives.
    pub store: Home,
    /// Its id.
    pub id: String,
    /// Its new record; `None` where it is gone.
    pub line: Option<Raw>,
}

/// What stands before the checksum.
const SEAL: &[u8] = b",\"crc\":\"";

/// The entry as a line, sealed with its checksum.
pub fn encode(entry: &Entry) -> Vec<u8> {
    let mut line = record::compact(entry);
    // The closing brace comes back after the checksum.
    line.pop();
    let sum = crc32(&line);
    line.extend_from_slice(SEAL);
    line.extend_from_slice(format!("{sum:08x}\"}}\n").as_bytes());
    line
}

/// Reads a journal: its sound entries, and the places of lines that are torn or changed.
pub fn decode(text: &[u8]) -> (Vec<Entry>, Vec<Range<usize>>) {
    let (mut entries, mut torn) = (Vec::new(), Vec::new());
    for (_, span) in lines::spans(text, 0) {
        match open(&text[span.clone()]) {
            Some(entry) => entries.push(entry),
            None => torn.push(span),
        }
    }
    (entries, torn)
}

/// The entry of a line whose checksum is right.
fn open(line: &[u8]) -> Option<Entry> {
    let body_end = line.len().checked_sub(SEAL.len() + 10)?;
    let (body, seal) = line.split_at(body_end);
    let sum = format!("{:08x}\"}}", crc32(body));
    if seal != [SEAL, sum.as_bytes()].concat() {
        return None;
    }
    jsonl::read(line).ok()
}

/// Why a line was not appended.
#[derive(Debug)]
pub struct AppendFailed {
    /// What the system said.
    pub source: io::Error,
    /// Whether the journal is as it was before.
    pub undone: bool,
}

/// Appends one sealed line and syncs it. When that fails the journal is cut back to what it was; nothing
/// is tried again.
pub fn append(path: &Path, line: &[u8]) -> Result<(), AppendFailed> {
    let before = |source| AppendFailed {
        source,
        undone: true,
    };
    if !path.exists() {
        file::create(path, b"", 0o644).map_err(before)?;
    }
    let mut journal = file::open_append(path, 0o644).map_err(before)?;
    let length = journal.metadata().map_err(before)?.len();
    let write = |journal: &mut File| journal.write_all(line).and_then(|()| journal.sync_data());
    write(&mut journal).map_err(|source| AppendFailed {
        source,
        undone: journal
            .set_len(length)
            .and_then(|()| journal.sync_data())
            .is_ok(),
    })
}

/// Puts an empty journal in place by rename, so that a reader of the old one notices.
pub fn fresh(path: &Path) -> io::Result<()> {
    file::replace(path, b"", 0o644)
}

/// CRC-32 as in zip and PNG.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        let index = (sum ^ u32::from(*byte)) & 0xff;
        TABLE[index as usize] ^ (sum >> 8)
    })
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index: u32 = 0;
    while index < 256 {
        let mut value = index;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 {
                (value >> 1) ^ 0xedb8_8320
            } else {
                value >> 1
            };
            bit += 1;
        }
        table[index as usize] = value;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str) -> Entry {
        let line =
            serde_json::value::RawValue::from_string(format!("{{\"id\":\"{id}\",\"x\": 1.0}}"));
        Entry {
            tx: "t1".into(),
            at: "2026-01-01T00:00:00Z".into(),
            actor: "dana".into(),
            session: String::new(),
            changes: vec![Change {
                store: Home::Issues,
                id: id.into(),
                line: Some(line.unwrap()),
            }],
        }
    }

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn entries_come_back_with_the_bytes_of_their_records() {
        let text = [encode(&entry("a-1")), encode(&entry("a-2"))].concat();
        let (entries, torn) = decode(&text);
        assert!(torn.is_empty());
        let line = entries[1].changes[0].line.as_ref().unwrap();
        assert_eq!(line.get(), "{\"id\":\"a-2\",\"x\": 1.0}");
    }

    #[test]
    fn a_line_cut_anywhere_is_torn_and_the_ones_before_it_are_whole() {
        let (first, second) = (encode(&entry("a-1")), encode(&entry("a-2")));
        for cut in 1..second.len() - 1 {
            let text = [&first[..], &second[..cut]].concat();
            let (entries, torn) = decode(&text);
            assert_eq!((entries.len(), torn.len()), (1, 1), "cut at {cut}");
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let good = encode(&entry("a-1"));
        for at in 0..good.len() - 1 {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(decode(&bad).0.is_empty(), "byte {at}");
        }
    }

    #[test]
    fn a_failed_append_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let failed = append(&folder.path().join("none/journal.jsonl"), b"x\n").unwrap_err();
        assert!(failed.undone);
    }
}
