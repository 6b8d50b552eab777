//! Reads and writes JSONL files: one record per line.
//!
//! Every line of the file ends up as a bead, as a foreign record (another kind of record,
//! preserved), or as a damaged line with its number. Nothing is dropped. Blank lines and a byte
//! order mark are skipped. The length of a line is not limited.

use std::ops::Range;

use serde::de::DeserializeOwned;

use crate::bead::{Bead, record};
use kit::json::strip_byte_order_mark;
use kit::sys::parallel::run_both;

/// The parsed lines of one file.
#[derive(Debug, Default)]
pub struct ParsedLines {
    pub text: Vec<u8>,
    /// The beads with their byte range in the text and their line number. Boxed, because a bead is
    /// large and is moved often.
    pub beads: Vec<(Range<usize>, usize, Box<Bead>)>,
    pub foreign: Vec<Range<usize>>,
    /// The lines that could not be parsed.
    pub damaged: Vec<DamagedLine>,
    /// The number of the first line with a git conflict marker.
    pub conflict: Option<usize>,
}

/// A line that could not be parsed.
#[derive(Debug, Clone)]
pub struct DamagedLine {
    pub line: usize,
    /// The byte range in the text.
    pub span: Range<usize>,
    /// The reason why the line could not be parsed.
    pub reason: String,
}

/// The size from which two threads parse a text.
const PARALLEL_SIZE: usize = 1 << 20;

/// Parses the text of a file.
pub fn parse_lines(text: Vec<u8>) -> ParsedLines {
    let start = if text.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let half = (text.len() >= PARALLEL_SIZE).then_some(text.len() / 2);
    let middle = half.and_then(|half| Some(half + memchr::memchr(b'\n', &text[half..])? + 1));
    let mut lines = match middle {
        None => parse_part(&text, start),
        Some(middle) => {
            let (second, mut first) = run_both(
                || parse_part(&text, middle),
                || parse_part(&text[..middle], start),
            );
            first.append_part(second, memchr::memchr_iter(b'\n', &text[..middle]).count());
            first
        }
    };
    lines.text = text;
    lines
}

/// Parses from the byte `start`, where a line begins. The result does not contain the text.
fn parse_part(text: &[u8], start: usize) -> ParsedLines {
    let mut lines = ParsedLines::default();
    for (number, span) in iter_line_spans(text, start) {
        let line = &text[span.clone()];
        if is_conflict_marker(line) {
            lines.conflict.get_or_insert(number);
            lines.damaged.push(DamagedLine {
                line: number,
                span,
                reason: "git conflict marker".to_owned(),
            });
            continue;
        }
        match record::parse_bead(line) {
            Ok(bead) => lines.beads.push((span, number, Box::new(bead))),
            Err(error) if is_foreign(line) => {
                drop(error);
                lines.foreign.push(span);
            }
            Err(error) => lines.damaged.push(DamagedLine {
                line: number,
                span,
                reason: error.to_string(),
            }),
        }
    }
    lines
}

impl ParsedLines {
    /// Appends the lines that follow the first `before` lines of the same text.
    fn append_part(&mut self, more: Self, before: usize) {
        self.beads.extend(
            more.beads
                .into_iter()
                .map(|(span, number, bead)| (span, number + before, bead)),
        );
        self.foreign.extend(more.foreign);
        self.damaged
            .extend(more.damaged.into_iter().map(|damage| DamagedLine {
                line: damage.line + before,
                ..damage
            }));
        let conflict = more.conflict.map(|number| number + before);
        self.conflict = self.conflict.or(conflict);
    }
}

/// Iterates over the lines that are not blank, with their numbers. The ranges exclude the newline
/// and a carriage return before it.
pub fn iter_line_spans(text: &[u8], start: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut from = start;
    memchr::memchr_iter(b'\n', &text[start..])
        .map(move |at| at + start)
        .chain(std::iter::once(text.len()))
        .enumerate()
        .filter_map(move |(index, end)| {
            let span = from..end;
            from = end + 1;
            let line = text.get(span.clone())?;
            let kept = line.trim_ascii_end().len();
            let blank = line.trim_ascii().is_empty();
            (!blank).then(|| (index + 1, span.start..span.start + kept))
        })
}

/// Parses the lines of a small file of values. Comments and lines that cannot be parsed are left
/// out.
pub fn parse_values<T: DeserializeOwned>(text: &[u8]) -> Vec<T> {
    let text = strip_byte_order_mark(text);
    iter_line_spans(text, 0)
        .filter_map(|(_, span)| jsonl::read(&text[span]).ok())
        .collect()
}

/// Returns true if a line is a marker that git leaves in a file with conflicts.
pub fn is_conflict_marker(line: &[u8]) -> bool {
    [&b"<<<<<<<"[..], b"|||||||", b"=======", b">>>>>>>"]
        .iter()
        .any(|marker| line.starts_with(marker))
}

/// Returns true if a line is a valid record that declares a type other than an issue.
pub(crate) fn is_foreign(line: &[u8]) -> bool {
    let value: Result<serde_json::Value, _> = serde_json::from_slice(line);
    value.is_ok_and(|value| value["_type"].as_str().is_some_and(|kind| kind != "issue"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_bead_or_foreign_or_damaged() {
        let text = "\u{feff}{\"id\":\"a-1\"}\r\n\n  \n{broken\n{\"_type\":\"memory\",\"key\":\"k\"}\n{\"id\":\"a-2\"}";
        let lines = parse_lines(text.as_bytes().to_vec());
        let ids: Vec<_> = lines
            .beads
            .iter()
            .map(|(_, line, bead)| (*line, bead.id.as_str()))
            .collect();
        assert_eq!(ids, [(1, "a-1"), (6, "a-2")]);
        assert_eq!(lines.foreign.len(), 1);
        assert_eq!(lines.damaged[0].line, 4);
        assert_eq!(&lines.text[lines.beads[0].0.clone()], b"{\"id\":\"a-1\"}");
    }

    #[test]
    fn two_parts_are_read_as_one_text() {
        let line = |number: usize| match number % 1000 {
            7 => "{broken".to_owned(),
            8 => "{\"_type\":\"memory\"}".to_owned(),
            9 => String::new(),
            _ => format!("{{\"id\":\"a-{number}\",\"title\":\"{}\"}}", "x".repeat(90)),
        };
        let text: Vec<String> = (1..=12_000).map(line).collect();
        let text = text.join("\n");
        assert!(text.len() > PARALLEL_SIZE);
        let (whole, halves) = (
            parse_part(text.as_bytes(), 0),
            parse_lines(text.into_bytes()),
        );
        let beads = |lines: &ParsedLines| -> Vec<_> {
            let beads = lines.beads.iter();
            beads
                .map(|(span, number, bead)| (span.clone(), *number, bead.id.clone()))
                .collect()
        };
        assert_eq!(beads(&whole), beads(&halves));
        assert_eq!(whole.foreign, halves.foreign);
        let damaged = |lines: &ParsedLines| -> Vec<_> {
            lines
                .damaged
                .iter()
                .map(|it| (it.line, it.span.clone()))
                .collect()
        };
        assert_eq!(damaged(&whole), damaged(&halves));
        let last = halves.beads.last().map(|(_, number, _)| *number);
        assert_eq!(last, Some(12_000));
    }

    proptest::proptest! {
        #[test]
        fn every_byte_of_any_text_is_accounted_for(text in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
            let lines = parse_lines(text.clone());
            let start = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            let found = lines.beads.len() + lines.foreign.len() + lines.damaged.len();
            proptest::prop_assert_eq!(found, iter_line_spans(&text, start).count());
        }
    }

    #[test]
    fn conflict_markers_are_reported_by_line_number() {
        let lines = parse_lines(b"{\"id\":\"a-1\"}\n<<<<<<< HEAD\n=======\n>>>>>>> b\n".to_vec());
        assert_eq!(lines.conflict, Some(2));
    }

    #[test]
    fn a_bad_byte_in_a_title_does_not_hide_the_bead() {
        let lines = parse_lines(b"{\"id\":\"a-1\",\"title\":\"caf\xe9\"}\n".to_vec());
        assert_eq!(lines.beads[0].2.title, "caf\u{fffd}");
    }

    #[test]
    fn a_very_long_line_is_read() {
        let line = format!(
            "{{\"id\":\"a-1\",\"description\":\"{}\"}}\n",
            "x".repeat(3_000_000)
        );
        assert_eq!(
            parse_lines(line.into_bytes()).beads[0].2.description.len(),
            3_000_000
        );
    }
}
