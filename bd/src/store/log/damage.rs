//! Extracts the readable parts of damaged lines inside the journal, and formats notices about them.
//! A torn end is cut off instead.
//!
//! The checksum of a damaged line is wrong, so the line as a whole does not count. The ids of the
//! changed beads can usually still be read. A record in the line that matches the hash beside it is
//! as it was acknowledged.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::bead::Stamp;
use crate::merge;
use crate::store::StoreError;
use crate::store::disk::files;
use crate::store::log::journal::line_hash;

/// The text before the id of a changed bead, and the beginning of its record.
const ID_MARKS: [&[u8]; 3] = [
    br#""store":"issues","id":""#,
    br#""store":"wisps","id":""#,
    br#""line":{"id":""#,
];

/// Returns the ids of beads that are visible in a damaged line.
pub(crate) fn find_visible_ids(line: &[u8]) -> BTreeSet<String> {
    ID_MARKS
        .iter()
        .flat_map(|key| find_after_key(line, key))
        .filter_map(|rest| {
            let end = memchr::memchr(b'"', rest)?;
            let id = std::str::from_utf8(&rest[..end]).ok()?;
            (!id.is_empty() && id.len() < 200).then(|| id.to_owned())
        })
        .collect()
}

/// Returns true if a damaged line changed a bead to the line with this hash.
pub(crate) fn has_line_hash(line: &[u8], hash: &str) -> bool {
    let key = [br#""after":""#, hash.as_bytes(), b"\""].concat();
    memchr::memmem::find(line, &key).is_some()
}

/// A record in a damaged line that is as it was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SoundRecord {
    pub id: String,
    /// The hash of the line before the change, if it is readable.
    pub before: Option<String>,
    pub record: String,
}

/// Returns the durable records in a damaged line that match their hashes.
pub(crate) fn sound_records(line: &[u8]) -> Vec<SoundRecord> {
    #[derive(Deserialize)]
    struct Start<'a> {
        id: &'a str,
        before: Option<&'a str>,
        after: Option<&'a str>,
    }
    let starts = find_after_key(line, br#"{"store":"issues","#);
    let found = starts.filter_map(|rest| {
        // The text before the old fields, which may contain anything.
        let end = memchr::memmem::find(rest, br#","old":"#)?;
        let start_text = [b"{", &rest[..end], b"}"].concat();
        let start: Start<'_> = serde_json::from_slice(&start_text).ok()?;
        let record = find_after_key(&rest[end..], br#""line":"#).next()?;
        let record = serde_json::Deserializer::from_slice(record)
            .into_iter::<&RawValue>()
            .next()?
            .ok()?
            .get();
        let is_sound = start.after == Some(line_hash(record.as_bytes()).as_str())
            && merge::id_of_line(record.as_bytes()).as_deref() == Some(start.id);
        is_sound.then(|| SoundRecord {
            id: start.id.to_owned(),
            before: start.before.map(str::to_owned),
            record: record.to_owned(),
        })
    });
    found.collect()
}

/// Returns the text after each occurrence of a key.
fn find_after_key<'a>(text: &'a [u8], key: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    memchr::memmem::find_iter(text, key).map(move |at| &text[at + key.len()..])
}

/// The file names in `damaged/` of a torn end of the journal, and of lines inside it that may have
/// been acknowledged.
pub(crate) const UNFINISHED: &str = "journal.jsonl";
pub(crate) const ACKNOWLEDGED: &str = "acknowledged.jsonl";

/// Formats the warning for readers of a journal with damaged lines; `None` if there are none.
pub(crate) fn describe_damage(count: usize, journal: &Path) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{}: {}; the next change sets them aside, and `bd doctor` says what they held",
            journal.display(),
            format_count(count, "line inside is damaged", "lines inside are damaged")
        )
    })
}

/// Formats the notice that damaged lines inside a journal were set aside.
pub(crate) fn format_set_aside_notice<'a>(
    lines: impl Iterator<Item = &'a [u8]>,
    count: usize,
    journal: &Path,
    kept: &Path,
) -> String {
    let ids: BTreeSet<String> = lines.flat_map(find_visible_ids).collect();
    let shown: Vec<&str> = ids.iter().map(String::as_str).collect();
    let what = if shown.is_empty() {
        "which beads it changed cannot be read".to_owned()
    } else {
        format!("what it did to {} is not in the beads", shown.join(", "))
    };
    format!(
        "{}: {}, kept in {}; {what} (fix: bd doctor)",
        journal.display(),
        format_count(count, "damaged line inside", "damaged lines inside"),
        kept.display()
    )
}

fn format_count(count: usize, singular: &str, plural: &str) -> String {
    format!("{count} {}", if count == 1 { singular } else { plural })
}

/// Formats the notice that a torn end of the journal was set aside.
pub(crate) fn format_torn_notice(kept: &Path) -> String {
    format!(
        "the journal ended in an unfinished write that was never acknowledged; its bytes are kept in {}",
        kept.display()
    )
}

/// Writes bytes to a new file in `damaged/`.
pub(crate) fn keep_damaged_bytes(
    folder: &Path,
    name: &str,
    bytes: &[u8],
    now: &Stamp,
) -> Result<PathBuf, StoreError> {
    files::create_store_folder(folder)?;
    let time = now.instant().strftime("%Y%m%dT%H%M%S").to_string();
    let path = (0..10_000)
        .map(|number| folder.join(format!("{time}-{number}-{name}")))
        .find(|path| !path.exists())
        .unwrap_or_else(|| folder.join(name));
    files::replace_store_file(&path, &[bytes, b"\n"].concat())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> (String, String) {
        let record = r#"{"id":"a-1","title":"\"id\":\"no\""}"#.to_owned();
        let hash = line_hash(record.as_bytes());
        let line = format!(
            r#"{{"id":"t1","at":"x","changes":[{{"store":"issues","id":"a-1","before":"00ff","after":"{hash}","old":{{"title":"line"}},"line":{record}}},{{"store":"wisps","id":"a-2","old":null,"line":null}}],"crc":"00000000"}}"#
        );
        (line, record)
    }

    #[test]
    fn a_damaged_line_reveals_its_beads_and_their_intact_records() {
        let (line, record) = whole();
        let line = line.as_bytes();
        let names: Vec<String> = find_visible_ids(line).into_iter().collect();
        assert_eq!(names, ["a-1", "a-2"]);
        let sound = sound_records(line);
        assert_eq!(sound.len(), 1);
        assert_eq!(sound[0].before.as_deref(), Some("00ff"));
        assert_eq!(sound[0].record, record);
        assert!(has_line_hash(line, &line_hash(record.as_bytes())) && !has_line_hash(line, "00ff"));
    }

    #[test]
    fn a_record_with_one_changed_byte_is_not_intact() {
        let (line, record) = whole();
        let start = line.find(&record).unwrap();
        for at in start..start + record.len() {
            let mut bad = line.clone().into_bytes();
            bad[at] ^= 1;
            assert!(sound_records(&bad).is_empty(), "byte {at}");
        }
    }
}
