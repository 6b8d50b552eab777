//! Finds beads by text without parsing all of them: searches the bytes of the file, and parses only
//! the lines that may contain the text.

use std::io;

use crate::store::StoreError;
use crate::store::index::{ISSUES, WISPS, flag};
use crate::store::view::bead_ref::{BeadNode, BeadRef};
use crate::store::view::snapshot::Snapshot;

/// The number of bytes searched at once.
const SCAN_SIZE: usize = 256 << 10;
/// The maximum length of the byte pattern.
const MAX_PATTERN: usize = 256;

impl Snapshot {
    /// Returns the beads whose record may contain the text, ignoring the case of ASCII letters,
    /// sorted by id.
    pub fn find_text_candidates(&self, text: &str) -> Result<Vec<BeadRef<'_>>, StoreError> {
        let needle = longest_plain_run(text);
        if needle.len() < 2 {
            return Ok(self.bead_refs().collect());
        }
        // Lines with escapes, which the search of the bytes may miss.
        let mut rows: Vec<u32> = (0..)
            .zip(self.index.rows())
            .filter(|(_, row)| row.flags & flag::ESCAPES != 0)
            .map(|(at, _)| at)
            .collect();
        for code in [ISSUES, WISPS] {
            let found = self
                .find_places(code, &needle)
                .map_err(|error| StoreError::io("read", &self.source.path(code), error))?;
            rows.extend(self.rows_at(code, &found));
        }
        rows.sort_unstable();
        rows.dedup();
        let rows = rows
            .into_iter()
            .filter(|row| !self.hidden.contains(row))
            .map(BeadNode::Row);
        let pending = self.over.values().flatten().copied().map(BeadNode::Pending);
        let mut heads: Vec<BeadRef<'_>> = rows
            .chain(pending)
            .map(|node| self.bead_ref_at(node))
            .collect();
        if !self.over.is_empty() {
            heads.sort_by(|a, b| a.id().cmp(b.id()));
        }
        Ok(heads)
    }

    /// Returns places of the text in a file, at least one per matching line.
    fn find_places(&self, code: u8, needle: &[u8]) -> io::Result<Vec<u64>> {
        let size = self.source.key(code).map_or(0, |key| key.size);
        let finder = memchr::memmem::Finder::new(needle);
        let mut buffer = vec![0; SCAN_SIZE];
        let mut found = Vec::new();
        let mut start = 0;
        while start < size {
            let want = SCAN_SIZE.min(usize::try_from(size - start).unwrap_or(SCAN_SIZE));
            let piece = &mut buffer[..want];
            self.source.read_at(code, piece, start)?;
            piece.make_ascii_lowercase();
            let mut at = 0;
            while let Some(hit) = finder.find(&piece[at..]) {
                found.push(start + (at + hit) as u64);
                // One hit per line is enough.
                let line_end = memchr::memchr(b'\n', &piece[at + hit..]);
                at = line_end.map_or(want, |end| at + hit + end);
            }
            if start + want as u64 == size {
                break;
            }
            // The next piece overlaps the end of this one, so that no hit is missed.
            start += (want - needle.len()) as u64;
        }
        Ok(found)
    }

    /// Returns the rows whose lines contain the places.
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

/// Returns the longest part of a text that occurs unescaped in a record, in lower case.
fn longest_plain_run(text: &str) -> Vec<u8> {
    // A slash may be escaped.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" .,-_:".contains(&byte);
    let mut best: &[u8] = &[];
    for run in text.as_bytes().split(|byte| !plain(*byte)) {
        if run.len() > best.len() {
            best = run;
        }
    }
    // A part of it suffices as a pattern.
    best[..best.len().min(MAX_PATTERN)].to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_may_be_escaped_is_not_searched_in_raw_bytes() {
        assert_eq!(longest_plain_run("Say \"Hello World\""), b"hello world");
        assert_eq!(longest_plain_run("a<b"), b"a");
        assert_eq!(
            longest_plain_run(&"x".repeat(2 * SCAN_SIZE)).len(),
            MAX_PATTERN
        );
        assert_eq!(longest_plain_run("x/path/y"), b"path");
        assert_eq!(longest_plain_run("\u{e9}\u{e8}"), b"");
    }
}
