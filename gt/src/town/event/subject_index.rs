//! Finds the events about a subject without reading the whole file of events.
//!
//! `.runtime/events.index` has one record per block of the file: a Bloom filter of the words of the
//! lines that begin in the block. A block is immutable once all its lines have ended, so a record
//! never changes: the command that fills a block writes its record, `gt why` writes the missing
//! ones, and two processes that write the same record write the same bytes. A
//! missing or damaged record hides nothing, because its block is read. If the file of events was
//! replaced or cut, the index is started again.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use kit::sys::file;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::line::{EventLine, is_about, split_words};
use crate::town::TownLayout;

/// The size of a block of the file of events. Tests have more blocks in less text.
const BLOCK_SIZE: u64 = if cfg!(test) { 4 } else { 256 } * 1024;
/// The size of a record: the checksum of the rest, the hash of the end of the block, the filter.
const RECORD_SIZE: usize = 4096;
const HEAD_SIZE: usize = 16;
const FILTER_BITS: u64 = ((RECORD_SIZE - HEAD_SIZE) * 8) as u64;
/// The number of bits that a word sets.
const BITS_PER_WORD: u64 = 4;
/// The number of records that are read at once.
const RECORDS_READ: usize = 64;
/// The number of bytes at the end of a block that identify it.
const BLOCK_END: u64 = 1024;
/// The maximum number of records that a command writes while it records an event.
const RECORDS_PER_EVENT: usize = 4;

/// Returns the events that name `what`, oldest first: as the value of a payload key, as a word of
/// one, inside a list of one, or as the actor.
pub fn read_events_about(layout: &TownLayout, what: &str) -> io::Result<Vec<EventLine>> {
    let wanted: Vec<usize> = split_words(what).flat_map(list_bits).collect();
    read_selected_lines(
        layout,
        |record| record.has_all(&wanted),
        |line| parse_if_about(line, what),
    )
}

/// Returns the events that have one of these words as the value of a payload key, oldest first.
pub fn read_events_with(
    layout: &TownLayout,
    key: &str,
    words: &BTreeSet<&str>,
) -> io::Result<Vec<EventLine>> {
    let wanted: Vec<Vec<usize>> = words
        .iter()
        .map(|word| split_words(word).flat_map(list_bits).collect())
        .collect();
    read_selected_lines(
        layout,
        |record| wanted.iter().any(|bits| record.has_all(bits)),
        |line| {
            let event: EventLine = serde_json::from_slice(line).ok()?;
            let word = event.payload.get(key)?.as_str()?;
            words.contains(word).then_some(event)
        },
    )
}

/// Reads the blocks whose record may have the wanted words, and parses the wanted lines.
fn read_selected_lines(
    layout: &TownLayout,
    may_have_lines: impl Fn(&FilterRecord) -> bool,
    parse_if_wanted: impl Fn(&[u8]) -> Option<EventLine>,
) -> io::Result<Vec<EventLine>> {
    let Some(events) = file::open_file_if_exists(&layout.events())? else {
        return Ok(Vec::new());
    };
    let length = events.metadata()?.len();
    // Without an index all blocks are read. A file without a full block needs none.
    let mut index = if length < BLOCK_SIZE {
        None
    } else {
        SubjectIndex::open(layout, &events).ok()
    };
    let mut found = Vec::new();
    for block in 0..length.div_ceil(BLOCK_SIZE) {
        let record = index.as_mut().and_then(|index| index.read_record(block));
        let is_recorded = record.is_some();
        if record.is_some_and(|record| !may_have_lines(&record)) {
            continue;
        }
        let lines = read_block(&events, block)?;
        // Another process may append to the last block after it was read.
        let was_full = (block + 1) * BLOCK_SIZE <= length;
        if let Some(index) = index.as_ref().filter(|_| was_full && !is_recorded) {
            index.add_record(&events, block, &lines).ok();
        }
        found.extend(
            lines
                .split(|byte| *byte == b'\n')
                .filter_map(&parse_if_wanted),
        );
    }
    Ok(found)
}

/// Writes the records of the blocks that the last event filled, if it filled one. `appended` is the
/// length of the event.
pub(super) fn note_appended(layout: &TownLayout, events: &File, appended: usize) -> io::Result<()> {
    let full = events.metadata()?.len() / BLOCK_SIZE;
    let length_before = events.metadata()?.len().saturating_sub(appended as u64);
    if full == length_before / BLOCK_SIZE {
        return Ok(());
    }
    let index = SubjectIndex::open(layout, events)?;
    for block in (index.count_records()?..full).take(RECORDS_PER_EVENT) {
        index.add_record(events, block, &read_block(events, block)?)?;
    }
    Ok(())
}

fn parse_if_about(line: &[u8], what: &str) -> Option<EventLine> {
    // A line with an escape may have the name in another spelling.
    let may_name = line.contains(&b'\\') || String::from_utf8_lossy(line).contains(what);
    if !may_name {
        return None;
    }
    let event: EventLine = serde_json::from_slice(line).ok()?;
    is_about(&event, what).then_some(event)
}

/// Reads the lines that begin in a block, including the unfinished one at the end of the file.
fn read_block(events: &File, block: u64) -> io::Result<Vec<u8>> {
    // The byte before the block shows whether the block begins with a line.
    let start = (block * BLOCK_SIZE).saturating_sub(1);
    let mut end = (block + 1) * BLOCK_SIZE;
    let mut bytes = read_range(events, start, end)?;
    let is_at_end = (bytes.len() as u64) < end - start;
    if block > 0 {
        let Some(before) = bytes.iter().position(|byte| *byte == b'\n') else {
            return Ok(Vec::new());
        };
        bytes.drain(..=before);
    }
    let mut wanted = BLOCK_END;
    while !is_at_end && !is_ended(&bytes) {
        let mut next = read_range(events, end, end + wanted)?;
        if next.is_empty() {
            break;
        }
        end += next.len() as u64;
        wanted *= 2;
        let line_end = next.iter().position(|byte| *byte == b'\n');
        next.truncate(line_end.map_or(next.len(), |line_end| line_end + 1));
        bytes.append(&mut next);
    }
    Ok(bytes)
}

/// Returns true if the last line has its line end.
fn is_ended(lines: &[u8]) -> bool {
    lines.last().is_none_or(|last| *last == b'\n')
}

/// Reads a part of a file; less at its end.
fn read_range(file: &File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(end - start).map_err(io::Error::other)?;
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], start + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The file of the index, checked against the file of events.
#[derive(Debug)]
struct SubjectIndex {
    file: File,
    /// Records that were read at once.
    records: Vec<u8>,
    /// The block of the first one.
    first_block: u64,
}

impl SubjectIndex {
    /// Opens or creates the index. An index of another file of events is emptied.
    fn open(layout: &TownLayout, events: &File) -> io::Result<Self> {
        file::create_folder(&layout.runtime(), 0o755)?;
        let mut index = Self {
            file: file::open_for_update(&layout.event_index(), 0o600)?,
            records: Vec::new(),
            first_block: 0,
        };
        for block in [index.count_records()?.saturating_sub(1), 0] {
            let record = index.read_record(block);
            let block_end = hash_block_end(events, block)?;
            if record.is_some_and(|record| record.block_end != block_end) {
                index.file.set_len(0)?;
                index.records.clear();
                break;
            }
        }
        Ok(index)
    }

    fn count_records(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len() / RECORD_SIZE as u64)
    }

    /// Returns the record of a block. None if it is missing or damaged.
    fn read_record(&mut self, block: u64) -> Option<FilterRecord> {
        let count = (self.records.len() / RECORD_SIZE) as u64;
        if !(self.first_block..self.first_block + count).contains(&block) {
            let start = block * RECORD_SIZE as u64;
            let end = start + (RECORDS_READ * RECORD_SIZE) as u64;
            self.records = read_range(&self.file, start, end).ok()?;
            self.first_block = block;
        }
        let start = usize::try_from(block - self.first_block).ok()? * RECORD_SIZE;
        FilterRecord::parse(self.records.get(start..start + RECORD_SIZE)?)
    }

    /// Writes the record of a block with these lines, if the block is full and its lines have
    /// ended.
    fn add_record(&self, events: &File, block: u64, lines: &[u8]) -> io::Result<()> {
        if events.metadata()?.len() < (block + 1) * BLOCK_SIZE || !is_ended(lines) {
            return Ok(());
        }
        let mut record = FilterRecord {
            block_end: hash_block_end(events, block)?,
            filter: vec![0; RECORD_SIZE - HEAD_SIZE],
        };
        for line in lines.split(|byte| *byte == b'\n') {
            record.add_words_of_line(line);
        }
        self.file
            .write_all_at(&record.to_bytes(), block * RECORD_SIZE as u64)
    }
}

/// Returns the hash of the last bytes of a block, which tells it from the block of another file.
fn hash_block_end(events: &File, block: u64) -> io::Result<u64> {
    let end = (block + 1) * BLOCK_SIZE;
    Ok(xxh3_64(&read_range(events, end - BLOCK_END, end)?))
}

#[derive(Debug)]
struct FilterRecord {
    block_end: u64,
    filter: Vec<u8>,
}

impl FilterRecord {
    /// None if the record is damaged.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (checksum, rest) = bytes.split_first_chunk()?;
        let (block_end, filter) = rest.split_first_chunk()?;
        let is_whole = bytes.len() == RECORD_SIZE && u64::from_le_bytes(*checksum) == xxh3_64(rest);
        is_whole.then(|| Self {
            block_end: u64::from_le_bytes(*block_end),
            filter: filter.to_vec(),
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let rest = [&self.block_end.to_le_bytes(), self.filter.as_slice()].concat();
        [&xxh3_64(&rest).to_le_bytes(), rest.as_slice()].concat()
    }

    fn has_all(&self, bits: &[usize]) -> bool {
        bits.iter()
            .all(|bit| self.filter[bit / 8] & (1 << (bit % 8)) != 0)
    }

    /// Adds the words of a line: at least those by which [`is_about`] finds its event.
    fn add_words_of_line(&mut self, line: &[u8]) {
        if !line.contains(&b'\\') {
            // The strings are between quotes, which separate words.
            self.add_words(&String::from_utf8_lossy(line));
        } else if let Ok(event) = serde_json::from_slice::<EventLine>(line) {
            self.add_words(&event.actor);
            for value in event.payload.values() {
                self.add_words_of_value(value);
            }
        }
    }

    fn add_words_of_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_words(text),
            Value::Array(values) => {
                for value in values {
                    self.add_words_of_value(value);
                }
            }
            Value::Object(map) => {
                for value in map.values() {
                    self.add_words_of_value(value);
                }
            }
            _ => {}
        }
    }

    fn add_words(&mut self, text: &str) {
        for word in split_words(text) {
            let last_part = word.rsplit('/').next().filter(|part| *part != word);
            for bit in std::iter::once(word).chain(last_part).flat_map(list_bits) {
                self.filter[bit / 8] |= 1 << (bit % 8);
            }
        }
    }
}

/// Returns the bits of a word in a filter.
fn list_bits(word: &str) -> impl Iterator<Item = usize> + use<> {
    let hash = xxh3_64(word.as_bytes());
    let base = hash >> 32;
    let step = hash & u64::from(u32::MAX);
    (0..BITS_PER_WORD).map(move |number| ((base + number * step) % FILTER_BITS) as usize)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::super::log::read_events;
    use super::super::{EventReader, NewestEvents};
    use super::*;

    /// A log of some blocks, piece by piece, as several writers append it.
    fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
        const NAMES: &[&str] = &["web-1", "web-12", "web/polecats/nux", "nux", "a b", "ä", ""];
        let event = (select(NAMES), select(NAMES), 0..500_usize).prop_map(
            |(actor, name, size)| {
                let filler = "word ".repeat(size / 5);
                let payload = serde_json::json!({
                    "saw": format!("{name}, that: `{actor}`\n{filler}"), "list": [[name], {"to": actor}], "n": size,
                });
                let payload = if size % 3 == 0 { serde_json::json!({ "bead": name, "x": filler }) } else { payload };
                let ts = format!("2026-01-01T00:00:{:02}Z", size % 60);
                let line = serde_json::json!({ "ts": ts, "type": "sling", "actor": actor, "payload": payload, "new": 1 });
                format!("{line}\n").into_bytes()
            },
        );
        let foreign = select(vec![
            "{\"ts\":\"t\",\"type\":\"x\",\"payload\":{\"bead\":\"web\\u002d1\"}}\n",
            "{\"ts\":\"t\",\"type\":\"x\",\"actor\":\"web\\/polecats\\/nux\"}\n",
            "{\"ts\":\"t\",\"type\":\"x\",\"payload\":{\"to\":\"b/nux\\u00a0(web-1)\"}}\r\n",
            "not json web-1\n",
            "{\"ts\":\"t\",\"type\":\"sling\",\"actor\":\"web-1\"",
            "\n",
            "\n\n",
            "{}\n",
        ]);
        let foreign = foreign.prop_map(|text| text.as_bytes().to_vec());
        let invalid =
            Just(b"{\"ts\":\"t\",\"type\":\"x\",\"actor\":\"nux\",\"new\":\"\xff\"}\n".to_vec());
        let giant = (1..3_usize).prop_map(|blocks| {
            let filler = "x".repeat(blocks * 3000);
            format!("{{\"ts\":\"t\",\"type\":\"x\",\"actor\":\"nux\",\"payload\":{{\"x\":\"{filler}\"}}}}\n").into_bytes()
        });
        let piece = prop_oneof![60 => event, 8 => foreign, 1 => invalid, 1 => giant];
        prop::collection::vec(piece, 1..200)
    }

    fn append(layout: &TownLayout, bytes: &[u8]) -> File {
        let mut events = file::open_append(&layout.events(), 0o600).unwrap();
        events.write_all(bytes).unwrap();
        events
    }

    fn check_against_full_scan(layout: &TownLayout) {
        let all = read_events(layout).unwrap();
        for what in [
            "web-1",
            "web-12",
            "nux",
            "web/polecats/nux",
            "a b",
            "ä",
            "",
            "none",
        ] {
            let about = all.iter().filter(|event| is_about(event, what));
            let expected: Vec<EventLine> = about.cloned().collect();
            assert_eq!(read_events_about(layout, what).unwrap(), expected, "{what}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

        #[test]
        fn events_are_found_by_subject_and_backwards_as_a_full_scan_finds_them(
            pieces in pieces(), cut in 0..4_usize, damaged in any::<prop::sample::Index>(), notes in any::<u64>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let layout = TownLayout::new(folder.path());
            for (number, piece) in pieces.iter().enumerate() {
                let events = append(&layout, piece);
                // Writers of other programs note nothing.
                if notes >> (number % 64) & 1 == 1 {
                    note_appended(&layout, &events, piece.len()).unwrap();
                }
                if number % 50 == 25 {
                    check_against_full_scan(&layout);
                }
            }
            check_against_full_scan(&layout);
            let mut all = read_events(&layout).unwrap();
            let newest = NewestEvents::new(&layout).unwrap();
            let backwards: Vec<EventLine> = newest.collect::<Result<_, _>>().unwrap();
            all.reverse();
            prop_assert!(backwards == all);

            let (mut last, mut forwards) = (EventReader::new(&layout), EventReader::new(&layout));
            let whole = forwards.read_new().unwrap();
            prop_assert!(last.read_last(0, None, |_| true).unwrap() == whole);
            let rest = whole.len().saturating_sub(7);
            prop_assert!(last.read_last(7, None, |_| true).unwrap() == whole[rest..]);
            append(&layout, b"}\n{\"ts\":\"t\",\"type\":\"late\"}\n");
            prop_assert!(last.read_new().unwrap() == forwards.read_new().unwrap());
            check_against_full_scan(&layout);

            // A damaged record, then a log that was cut, then one that was replaced.
            let mut index = std::fs::read(layout.event_index()).unwrap_or_else(|_| Vec::new());
            if !index.is_empty() {
                let at = damaged.index(index.len());
                index[at] ^= 0xff;
                std::fs::write(layout.event_index(), index).unwrap();
                check_against_full_scan(&layout);
            }
            let text = std::fs::read(layout.events()).unwrap();
            std::fs::write(layout.events(), &text[text.len() / 4 * cut..]).unwrap();
            check_against_full_scan(&layout);
        }
    }

    #[test]
    fn events_are_found_while_another_process_appends() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let filler = "w ".repeat(16);
        let write = |number: usize| {
            let name = if number.is_multiple_of(7) {
                "web-1"
            } else {
                "web-2"
            };
            let line = format!(
                "{{\"ts\":\"{number}\",\"type\":\"sling\",\"payload\":{{\"bead\":\"{name}\",\"x\":\"{filler}\"}}}}\n"
            );
            let (begin, end) = line.split_at(line.len() / 2);
            append(&layout, begin.as_bytes());
            let events = append(&layout, end.as_bytes());
            note_appended(&layout, &events, end.len()).unwrap();
        };
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (0..1000).for_each(write));
            let mut found = 0;
            while !writer.is_finished() {
                let events = read_events_about(&layout, "web-1").unwrap();
                let numbers = events.iter().map(|event| event.ts.parse().unwrap());
                let expected: Vec<usize> = (0..events.len()).map(|number| number * 7).collect();
                assert_eq!(numbers.collect::<Vec<usize>>(), expected);
                assert!(events.len() >= found);
                found = events.len();
            }
        });
        assert_eq!(read_events_about(&layout, "web-1").unwrap().len(), 143);
        check_against_full_scan(&layout);
    }

    #[test]
    fn a_block_that_does_not_name_the_subject_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let filler = "w ".repeat(16);
        for number in 0..1000 {
            let line = format!(
                "{{\"ts\":\"t\",\"type\":\"sling\",\"payload\":{{\"bead\":\"web-{number}\",\"x\":\"{filler}\"}}}}\n"
            );
            let events = append(&layout, line.as_bytes());
            note_appended(&layout, &events, line.len()).unwrap();
        }
        let events = file::open_regular_file(&layout.events()).unwrap();
        let mut index = SubjectIndex::open(&layout, &events).unwrap();
        let blocks = events.metadata().unwrap().len() / BLOCK_SIZE;
        assert_eq!(index.count_records().unwrap(), blocks);
        let bits: Vec<usize> = list_bits("web-500").collect();
        let named = (0..blocks).filter(|block| index.read_record(*block).unwrap().has_all(&bits));
        assert_eq!(named.count(), 1);
    }
}
