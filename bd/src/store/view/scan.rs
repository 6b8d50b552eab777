//! Finds beads by a text without reading all of them: the bytes of the file are searched, and only lines in
//! which the text may stand are read.

use std::io;

use crate::store::StoreError;
use crate::store::index::{ISSUES, WISPS, flag};
use crate::store::view::bead_ref::{BeadRef, Node};
use crate::store::view::snapshot::Snapshot;
use crate::sys::parallel::both;

/// How much is searched at once.
const PIECE: usize = 256 << 10;
/// From this size on two threads search.
const SPLIT: u64 = 4 << 20;
/// The longest text that is searched for in the bytes.
const LONGEST: usize = 256;
/// Letters from frequent to rare.
const FREQUENT: &[u8] = b" etaoinsrhldcumfpgwybvkxjqz";

impl Snapshot {
    /// The beads in whose record the text may stand, in any case of ASCII letters, by id.
    pub fn may_contain(&self, text: &str) -> Result<Vec<BeadRef<'_>>, StoreError> {
        let needle = plain_run(text);
        if needle.len() < 2 {
            return Ok(self.bead_refs().collect());
        }
        // Lines that the search of the bytes may not see: with escapes.
        let rows = (0..).zip(self.index.rows());
        let rows = rows.filter(|(_, row)| row.flags & flag::ESCAPES != 0);
        let mut rows: Vec<u32> = rows.map(|(at, _)| at).collect();
        for code in [ISSUES, WISPS] {
            let found = self
                .places(code, &needle)
                .map_err(|error| StoreError::io("read", &self.source.path(code), error))?;
            rows.extend(self.rows_at(code, &found));
        }
        rows.sort_unstable();
        rows.dedup();
        let rows = rows
            .into_iter()
            .filter(|row| !self.hidden.contains(row))
            .map(Node::Row);
        let own = self.over.values().flatten().copied().map(Node::Pending);
        let mut heads: Vec<BeadRef<'_>> =
            rows.chain(own).map(|node| self.bead_ref_at(node)).collect();
        if !self.over.is_empty() {
            heads.sort_by(|a, b| a.id().cmp(b.id()));
        }
        Ok(heads)
    }

    /// Where in a file the text stands, once a line at least.
    fn places(&self, code: u8, needle: &[u8]) -> io::Result<Vec<u64>> {
        let size = self.source.key(code).map_or(0, |key| key.size);
        let part = |from, to| self.places_in(code, needle, from, to);
        if size < SPLIT {
            return part(0, size);
        }
        // The second part begins a little before the first one ends, so that nothing falls between.
        let middle = size / 2;
        let overlap = needle.len() as u64;
        let second = || part(middle.saturating_sub(overlap), size);
        let (second, first) = both(second, || part(0, middle));
        let mut found = first?;
        found.extend(second?);
        Ok(found)
    }

    fn places_in(&self, code: u8, needle: &[u8], from: u64, to: u64) -> io::Result<Vec<u64>> {
        let mut buffer = vec![0; PIECE];
        let mut found = Vec::new();
        let mut start = from;
        let search = Search::new(needle);
        while start < to {
            let want = PIECE.min(usize::try_from(to - start).unwrap_or(PIECE));
            self.source.read_at(code, &mut buffer[..want], start)?;
            let piece = &buffer[..want];
            let mut at = 0;
            while let Some(hit) = search.find(&piece[at..]) {
                found.push(start + (at + hit) as u64);
                // One hit a line is enough.
                let line_end = memchr::memchr(b'\n', &piece[at + hit..]);
                at = line_end.map_or(want, |end| at + hit + end);
            }
            if start + want as u64 == to {
                break;
            }
            start += (want - needle.len()) as u64;
        }
        Ok(found)
    }

    /// The rows in whose lines the places are.
    fn rows_at(&self, code: u8, places: &[u64]) -> Vec<u32> {
        if places.is_empty() {
            return Vec::new();
        }
        let mut lines: Vec<(u64, u32)> = (0..self.index.len())
            .filter_map(|at| Some((at, self.index.row(at)?)))
            .filter(|(_, row)| row.file == code)
            .map(|(at, row)| (row.offset, at))
            .collect();
        if !lines.is_sorted() {
            lines.sort_unstable();
        }
        places
            .iter()
            .filter_map(|place| {
                let after = lines.partition_point(|(offset, _)| offset <= place);
                lines.get(after.checked_sub(1)?).map(|(_, row)| *row)
            })
            .collect()
    }
}

/// The longest part of a text that stands in a record as it is, in lower case.
fn plain_run(text: &str) -> Vec<u8> {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b' ' | b'.' | b',' | b'-' | b'_' | b':' | b'/')
    };
    let mut best: &[u8] = &[];
    for run in text.as_bytes().split(|byte| !plain(*byte)) {
        // A slash may be escaped; on either side of it is enough.
        for run in run.split(|byte| *byte == b'/') {
            if run.len() > best.len() {
                best = run;
            }
        }
    }
    // A part of it is enough to choose by.
    best[..best.len().min(LONGEST)].to_ascii_lowercase()
}

/// Searches for a text in any case by its rarest letter.
struct Search<'a> {
    needle: &'a [u8],
    rarest: usize,
}

impl<'a> Search<'a> {
    fn new(needle: &'a [u8]) -> Self {
        let rank = |byte: u8| {
            let at = FREQUENT.iter().position(|letter| *letter == byte);
            at.unwrap_or(FREQUENT.len())
        };
        let rarest = (0..needle.len()).max_by_key(|at| rank(needle[*at]));
        Self {
            needle,
            rarest: rarest.unwrap_or_default(),
        }
    }

    fn find(&self, text: &[u8]) -> Option<usize> {
        let letter = *self.needle.get(self.rarest)?;
        memchr::memchr2_iter(letter, letter.to_ascii_uppercase(), text)
            .filter_map(|at| at.checked_sub(self.rarest))
            .find(|start| {
                text.get(*start..*start + self.needle.len())
                    .is_some_and(|there| there.eq_ignore_ascii_case(self.needle))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_finds_any_case_and_the_first_place() {
        let search = Search::new(b"fix me");
        assert_eq!(search.find(b"a FIX ME, fix me"), Some(2));
        assert_eq!(search.find(b"fix m"), None);
        assert_eq!(search.find(b""), None);
    }

    #[test]
    fn what_may_be_escaped_is_not_searched_for() {
        assert_eq!(plain_run("Say \"Hello World\""), b"hello world");
        assert_eq!(plain_run("a<b"), b"a");
        assert_eq!(plain_run(&"x".repeat(2 * PIECE)).len(), LONGEST);
        assert_eq!(plain_run("x/path/y"), b"path");
        assert_eq!(plain_run("\u{e9}\u{e8}"), b"");
    }
}
