//! The journal: acknowledged changes that are not folded into the other files yet.
//!
//! One transaction is one line, and that line is the event: author, time, and for each changed bead
//! its old fields, its complete new record (absent if the bead was removed) and the hashes of its
//! line before and after. The line ends in a checksum of all preceding bytes. One append and one
//! sync acknowledge the transaction. A fold mark names the content of the issues after all earlier
//! lines are folded.

use std::io;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bead::lines;
use crate::store::log::event::Event;
use crate::store::log::sealed;
pub use crate::store::log::sealed::{encode_sealed, line_hash};
pub(crate) use crate::store::log::sealed::{hash_text, open_sealed};
use kit::sys::file::{self, AppendError, AppendedText};

/// The mark at the end of a journal whose entries are being folded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldMark {
    /// The SHA-256 of the issues with all earlier entries.
    pub fold: String,
}

/// A parsed journal.
#[derive(Debug, Default)]
pub struct Journal {
    pub entries: Vec<Event>,
    /// The mark, if the last line is one.
    pub mark: Option<FoldMark>,
    /// True if there is a mark anywhere, because a fold was begun.
    pub was_folding: bool,
    /// The byte ranges of torn and damaged lines.
    pub torn: Vec<Range<usize>>,
    /// The length of the intact part from the start.
    pub sound: usize,
}

/// Parses a journal. A last line without its newline was never acknowledged.
pub fn decode_journal(text: &[u8]) -> Journal {
    let mut journal = Journal::default();
    for (_, span) in lines::iter_line_spans(text, 0) {
        let line = &text[span.clone()];
        let whole = text.get(span.end) == Some(&b'\n');
        if let (true, Some(entry)) = (whole, open_sealed::<Event>(line)) {
            journal.entries.push(entry);
            journal.mark = None;
        } else if let (true, Some(mark)) = (whole, open_sealed::<FoldMark>(line)) {
            journal.mark = Some(mark);
            journal.was_folding = true;
        } else {
            journal.torn.push(span);
            continue;
        }
        if journal.torn.is_empty() {
            journal.sound = span.end + 1;
        }
    }
    journal
}

/// Appends one record as a sealed line, syncs it, and returns the length of the line. If this
/// fails, the journal is cut back to its previous length, and nothing is retried.
pub fn append_record(path: &Path, record: &impl Serialize) -> Result<u64, AppendError> {
    let (appended, length) = begin_record_append(path, record)?;
    appended.sync().map(|()| length)
}

/// Appends one record as a sealed line, which counts once it is synced.
pub fn begin_record_append(
    path: &Path,
    record: &impl Serialize,
) -> Result<(AppendedText, u64), AppendError> {
    if !path.exists() {
        file::create_file(path, b"", file::SHARED).map_err(|source| AppendError {
            source,
            undone: true,
        })?;
    }
    let mut length = 0;
    let appended = AppendedText::write_with(path, file::SHARED, |file| {
        length = sealed::write_sealed(file, record)?;
        Ok(())
    })?;
    Ok((appended, length))
}

/// Cuts off a torn last line.
pub fn cut_journal(path: &Path, sound: u64) -> io::Result<()> {
    let journal = file::open_append(path, file::SHARED)?;
    journal.set_len(sound)?;
    journal.sync_data()
}

/// Renames an empty journal into place, so that a reader of the old one notices the change.
pub fn replace_with_empty_journal(path: &Path) -> io::Result<()> {
    // The file is empty, so there is nothing to sync. Its name is synced with the folder.
    file::ReplacementFile::new(path, file::SHARED)?
        .put(path)
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::log::event::{BeadChange, BeadFile};

    fn entry(id: &str) -> Event {
        let line =
            serde_json::value::RawValue::from_string(format!("{{\"id\":\"{id}\",\"x\": 1.0}}"));
        Event {
            id: "t1".into(),
            at: "2026-01-01T00:00:00Z".into(),
            actor: "dana".into(),
            changes: vec![BeadChange {
                store: Some(BeadFile::Issues),
                id: id.into(),
                line: Some(line.unwrap()),
                ..BeadChange::default()
            }],
            ..Event::default()
        }
    }

    #[test]
    fn entries_round_trip_with_the_exact_bytes_of_their_records() {
        let text = [encode_sealed(&entry("a-1")), encode_sealed(&entry("a-2"))].concat();
        let journal = decode_journal(&text);
        assert!(journal.torn.is_empty());
        assert_eq!(journal.sound, text.len());
        let line = journal.entries[1].changes[0].line.as_ref().unwrap();
        assert_eq!(line.get(), "{\"id\":\"a-2\",\"x\": 1.0}");
    }

    #[test]
    fn a_line_cut_anywhere_is_torn_and_earlier_lines_are_intact() {
        let (first, second) = (encode_sealed(&entry("a-1")), encode_sealed(&entry("a-2")));
        for cut in 1..second.len() {
            let text = [&first[..], &second[..cut]].concat();
            let journal = decode_journal(&text);
            assert_eq!(
                (journal.entries.len(), journal.torn.len(), journal.sound),
                (1, 1, first.len()),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn a_changed_byte_is_detected() {
        let good = encode_sealed(&entry("a-1"));
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(decode_journal(&bad).entries.is_empty(), "byte {at}");
        }
    }

    #[test]
    fn a_fold_mark_counts_only_as_the_last_line() {
        let mark = FoldMark {
            fold: "ab".repeat(32),
        };
        let text = [encode_sealed(&entry("a-1")), encode_sealed(&mark)].concat();
        assert_eq!(decode_journal(&text).mark, Some(mark));
        let more = [&text[..], &encode_sealed(&entry("a-2"))].concat();
        let journal = decode_journal(&more);
        assert!(journal.mark.is_none() && journal.was_folding);
    }

    #[test]
    fn a_failed_append_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let failed =
            append_record(&folder.path().join("none/journal.jsonl"), &entry("a-1")).unwrap_err();
        assert!(failed.undone);
    }
}
