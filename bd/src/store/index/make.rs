//! Reads whole files into an index. A line that the old index has is recognized by its hash and not
//! parsed.
//!
//! Files are read in pieces, so that a file that is truncated in the meantime gives an error and
//! not a crash. Large files are read by two threads.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use xxhash_rust::xxh3::xxh3_64;

use super::build::{IndexBuilder, LineLocation};
use super::content::{ContentHash, bom_length, read_whole_lines};
use super::runs::RowRuns;
use super::{BeadFacts, ISSUES, Index, IndexKeys};
use crate::bead::{lines, record};
use crate::store::index::NonBeadLine;
use kit::sys::parallel::run_both;

/// The size from which two threads read a file.
const PARALLEL_SIZE: u64 = 4 << 20;
/// The number of bytes read at once to find the end of a line.
const READ_SIZE: usize = 1 << 16;

/// One line of a file that holds a bead.
#[derive(Debug)]
pub(crate) struct ParsedLine {
    pub line: usize,
    pub location: LineLocation,
    pub what: IndexLine,
}

/// The content of a line.
#[derive(Debug)]
pub(crate) enum IndexLine {
    /// The unchanged bead of this row of the old index.
    Known(u32),
    /// A new or changed bead.
    New(Box<BeadFacts>),
}

/// The parsed content of one file.
#[derive(Debug, Default)]
pub(crate) struct ParsedFile {
    pub beads: Vec<ParsedLine>,
    pub notes: Vec<NonBeadLine>,
    pub content: u64,
}

impl ParsedLine {
    fn id<'a>(&'a self, old: Option<RowRuns<'a, u8>>) -> &'a [u8] {
        match &self.what {
            IndexLine::Known(row) => old.map_or(&[], |ids| ids.of_row(*row)),
            IndexLine::New(facts) => facts.id.as_bytes(),
        }
    }

    fn updated(&self, old: Option<&Index>) -> i64 {
        match &self.what {
            IndexLine::Known(row) => old
                .and_then(|old| old.row(*row))
                .map_or(super::NEVER, |row| row.updated),
            IndexLine::New(facts) => facts.row.updated,
        }
    }
}

pub(crate) fn parse_file(file: &File, code: u8, old: Option<&Index>) -> io::Result<ParsedFile> {
    let size = file.metadata()?.len();
    let middle = if size < PARALLEL_SIZE {
        size
    } else {
        line_start_from(file, size / 2, size)?
    };
    let part = |from, to| FileParser::new(code, old).read(file, from, to);
    let (mut first, second) = if middle == size {
        (part(0, size)?, None)
    } else {
        let (second, first) = run_both(|| part(middle, size), || part(0, middle));
        (first?, Some(second?))
    };
    if let Some(second) = second {
        first.content.add_all(second.content);
        let mut beads = second.made.beads;
        let mut notes = second.made.notes;
        for bead in &mut beads {
            bead.line += first.lines;
        }
        for note in &mut notes {
            note.line += first.lines;
        }
        first.made.beads.append(&mut beads);
        first.made.notes.append(&mut notes);
    }
    first.made.content = first.content.digest();
    Ok(first.made)
}

/// Returns the first position from `at` on where a line begins.
fn line_start_from(file: &File, at: u64, size: u64) -> io::Result<u64> {
    let mut buffer = vec![0; READ_SIZE];
    let mut at = at;
    while at < size {
        let want = buffer
            .len()
            .min(usize::try_from(size - at).unwrap_or(READ_SIZE));
        file.read_exact_at(&mut buffer[..want], at)?;
        if let Some(end) = memchr::memchr(b'\n', &buffer[..want]) {
            return Ok(at + end as u64 + 1);
        }
        at += want as u64;
    }
    Ok(size)
}

/// The parser of a part of a file.
struct FileParser<'a> {
    code: u8,
    old: Option<&'a Index>,
    by_hash: Option<HashMap<u64, u32>>,
    /// The row that the next line probably belongs to.
    guess: u32,
    lines: usize,
    content: ContentHash,
    made: ParsedFile,
}

impl<'a> FileParser<'a> {
    fn new(code: u8, old: Option<&'a Index>) -> Self {
        Self {
            code,
            old,
            by_hash: None,
            guess: 0,
            lines: 0,
            content: ContentHash::default(),
            made: ParsedFile::default(),
        }
    }

    fn read(mut self, file: &File, from: u64, to: u64) -> io::Result<Self> {
        read_whole_lines(file, from, to, |text, start| self.take_lines(text, start))?;
        Ok(self)
    }

    fn take_lines(&mut self, text: &[u8], start: u64) {
        let before = self.lines;
        let mut last = 1;
        let mut rest = 0;
        for (number, span) in lines::iter_line_spans(text, bom_length(text, start)) {
            (last, rest) = (number, span.end);
            self.take_line(
                &text[span.clone()],
                before + number,
                start + span.start as u64,
            );
        }
        self.lines += last - 1 + memchr::memchr_iter(b'\n', &text[rest..]).count();
    }

    fn take_line(&mut self, line: &[u8], number: usize, offset: u64) {
        let location = LineLocation {
            file: self.code,
            offset,
            length: u32::try_from(line.len()).unwrap_or(u32::MAX),
            hash: xxh3_64(line),
        };
        self.content.add(offset, location.hash);
        if let Some(row) = self.find_known_row(line, location.hash) {
            self.guess = row + 1;
            self.made.beads.push(ParsedLine {
                line: number,
                location,
                what: IndexLine::Known(row),
            });
            return;
        }
        match BeadFacts::parse(line) {
            Ok(facts) => self.made.beads.push(ParsedLine {
                line: number,
                location,
                what: IndexLine::New(Box::new(facts)),
            }),
            Err(error) => self.made.notes.push(super::note::describe_non_bead(
                line, &error, self.code, number, offset,
            )),
        }
    }

    /// Returns the row of the old index that has this line.
    fn find_known_row(&mut self, line: &[u8], hash: u64) -> Option<u32> {
        let old = self.old?;
        let has_line = |row: u32| {
            old.row(row)
                .is_some_and(|row| row.hash == hash && row.file == self.code)
        };
        if has_line(self.guess) {
            return Some(self.guess);
        }
        if let Some(id) = record::first_id(line) {
            return old.find(id).filter(|row| has_line(*row));
        }
        let code = self.code;
        let by_hash = self.by_hash.get_or_insert_with(|| {
            (0..)
                .zip(old.rows())
                .filter(|(_, row)| row.file == code)
                .map(|(at, row)| (row.hash, at))
                .collect()
        });
        by_hash.get(&hash).copied()
    }
}

/// Merges the beads of both files by id. If two durable lines have the same id, the later updated
/// one has the row, and the other is noted as a version of the bead. A wisp with the id of a
/// durable bead or of a later updated wisp is damage.
pub(crate) fn merge_parsed_files(
    files: [ParsedFile; 2],
    old: Option<&Index>,
) -> (Vec<ParsedLine>, Vec<NonBeadLine>) {
    let [issues, wisps] = files;
    let mut notes = issues.notes;
    let mut beads = issues.beads;
    let durable = beads.len();
    notes.extend(wisps.notes);
    beads.extend(wisps.beads);
    let ids = old.map(Index::ids);
    let sorted = beads
        .windows(2)
        .all(|pair| pair[0].id(ids) < pair[1].id(ids));
    if sorted {
        return (beads, notes);
    }
    let mut order: Vec<usize> = (0..beads.len()).collect();
    order.sort_by(|a, b| {
        let key = |at: usize| (beads[at].id(ids), at >= durable);
        key(*a)
            .cmp(&key(*b))
            .then_with(|| beads[*b].updated(old).cmp(&beads[*a].updated(old)))
            .then(a.cmp(b))
    });
    let mut last: Option<usize> = None;
    let mut kept = Vec::with_capacity(beads.len());
    for at in order {
        let id = beads[at].id(ids);
        if last.is_some_and(|last| beads[last].id(ids) == id) {
            // Durable beads come first, so that the other line is one of the issues, too.
            let is_version = beads[at].location.file == ISSUES;
            notes.push(NonBeadLine {
                file: beads[at].location.file,
                line: beads[at].line,
                offset: beads[at].location.offset,
                length: beads[at].location.length,
                reason: (!is_version)
                    .then(|| format!("a second record of {}", String::from_utf8_lossy(id))),
                conflict: false,
                is_version,
            });
            continue;
        }
        last = Some(at);
        kept.push(at);
    }
    notes.sort_by_key(|note| (note.file, note.line));
    let mut beads: Vec<Option<ParsedLine>> = beads.into_iter().map(Some).collect();
    let kept = kept.into_iter().filter_map(|at| beads[at].take()).collect();
    (kept, notes)
}

/// Builds the index of the beads in the files.
pub(crate) fn make_index(
    beads: &[ParsedLine],
    notes: &[NonBeadLine],
    old: Option<&Index>,
    keys: &IndexKeys,
) -> Option<Index> {
    let mut builder = IndexBuilder::over(old);
    for bead in beads {
        match &bead.what {
            IndexLine::Known(row) => builder.push_old(*row, bead.location),
            IndexLine::New(facts) => builder.push_new(facts, bead.location),
        }
    }
    builder.finish(keys, notes)
}
