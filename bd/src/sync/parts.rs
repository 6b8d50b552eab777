//! Large files of the branch in several parts, because hosts refuse large files.
//!
//! `issues.jsonl` with more than [`PART_BYTES`] is committed as `issues.jsonl`,
//! `issues.part2.jsonl` and so on. The content of a file is that of its parts in their order. In
//! the store the file is whole.

use std::collections::BTreeMap;

use super::place::SyncPlace;
use crate::git::{GitError, TreeEntries, TreeEntry};

/// The maximum size of a part.
const PART_BYTES: usize = 40_000_000;

/// The text between the name of a file and the number of a part.
const PART_MARK: &str = ".part";

/// The extension of all files in parts.
const EXTENSION: &str = ".jsonl";

/// A file of the branch with all its parts, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BranchFile(BTreeMap<usize, TreeEntry>);

/// The files of one folder of the branch by name.
pub(super) type BranchFiles = BTreeMap<String, BranchFile>;

impl BranchFile {
    /// Adds a part that was found in a commit.
    pub(super) fn add(&mut self, number: usize, entry: TreeEntry) {
        self.0.insert(number, entry);
    }

    /// Writes a file to the repository.
    pub(super) fn write(place: &SyncPlace, content: &[u8]) -> Result<Self, GitError> {
        let mut file = Self::default();
        for (part, number) in split_content(content, PART_BYTES).into_iter().zip(1..) {
            let id = place.git.write_blob(part)?;
            let entry = TreeEntry {
                mode: "100644".to_owned(),
                id,
                size: part.len() as u64,
            };
            file.add(number, entry);
        }
        Ok(file)
    }

    /// The size of the whole file in bytes.
    pub(super) fn size(&self) -> u64 {
        self.0.values().map(|entry| entry.size).sum()
    }

    /// Reads the whole file.
    pub(super) fn read(&self, place: &SyncPlace) -> Result<Vec<u8>, GitError> {
        let mut content = Vec::new();
        for entry in self.0.values() {
            content.append(&mut place.git.blob(&entry.id)?);
        }
        Ok(content)
    }

    /// Adds the parts to the files of a commit.
    pub(super) fn insert_into(&self, entries: &mut TreeEntries, path: &str) {
        for (number, entry) in &self.0 {
            entries.insert(name_part(path, *number), entry.clone());
        }
    }
}

/// Returns the name of a part. The first part has the name of the file.
fn name_part(name: &str, number: usize) -> String {
    match name.strip_suffix(EXTENSION) {
        Some(stem) if number > 1 => format!("{stem}{PART_MARK}{number}{EXTENSION}"),
        _ => name.to_owned(),
    }
}

/// Returns the name of the file to which a part belongs, and the number of the part.
pub(super) fn parse_part_name(name: &str) -> (String, usize) {
    let parsed = name
        .strip_suffix(EXTENSION)
        .and_then(|stem| stem.rsplit_once(PART_MARK))
        .and_then(|(stem, number)| Some((format!("{stem}{EXTENSION}"), number.parse().ok()?)));
    parsed.unwrap_or_else(|| (name.to_owned(), 1))
}

/// Splits a text into parts, at line ends if no line is longer than a part. An empty text is one
/// part.
fn split_content(mut text: &[u8], part_bytes: usize) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while text.len() > part_bytes {
        let line_end = memchr::memrchr(b'\n', &text[..part_bytes]);
        let (part, rest) = text.split_at(line_end.map_or(part_bytes, |end| end + 1));
        parts.push(part);
        text = rest;
    }
    parts.push(text);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_at_line_ends_and_long_lines_anywhere() {
        let split = |text: &'static str| -> Vec<&str> {
            let parts = split_content(text.as_bytes(), 4).into_iter();
            parts
                .map(|part| std::str::from_utf8(part).unwrap())
                .collect()
        };
        assert_eq!(split(""), [""]);
        assert_eq!(split("a\nb\n"), ["a\nb\n"]);
        assert_eq!(split("a\nb\nc\n"), ["a\nb\n", "c\n"]);
        assert_eq!(split("a\nlonger\nbc"), ["a\n", "long", "er\n", "bc"]);
    }

    #[test]
    fn the_names_of_parts_lead_back_to_their_file() {
        assert_eq!(name_part("2026.jsonl", 1), "2026.jsonl");
        assert_eq!(name_part("a/2026.jsonl", 12), "a/2026.part12.jsonl");
        for (name, number) in [("a/2026.jsonl", 1), ("a/2026.jsonl", 12)] {
            let part = name_part(name, number);
            assert_eq!(parse_part_name(&part), (name.to_owned(), number));
        }
        assert_eq!(
            parse_part_name("x.party.jsonl"),
            ("x.party.jsonl".to_owned(), 1)
        );
    }
}
