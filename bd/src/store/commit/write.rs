//! Writes the new content of a file beside it: lines that did not change are copied as bytes, in runs.

use std::collections::HashMap;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::store::Node;
use crate::store::commit::reindex;
use crate::store::index::Note;
use crate::store::index::{Content, IndexRow, LinePlace};
use crate::store::view::overlay::PendingBead;
use crate::store::view::source::{Source, code_of};
use crate::sys::file::Beside;

/// How much is copied at once.
const PIECE: usize = 256 << 10;

/// One line of the new content.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// The line of a row of the index.
    Row(u32, &'a IndexRow),
    /// A line that we have.
    Pending(u32, &'a PendingBead),
    /// A record of another kind.
    Foreign(&'a Note),
}

impl Piece<'_> {
    /// How long its line will be, with the line end.
    fn size(&self) -> u64 {
        let line = match self {
            Self::Row(_, row) => u64::from(row.length),
            Self::Pending(_, own) => own.raw.len() as u64,
            Self::Foreign(note) => u64::from(note.length),
        };
        line + 1
    }
}

/// What new content will be.
pub(crate) struct Layout {
    pub content: u64,
    pub places: Places,
}

/// Where the lines of new content are.
#[derive(Default)]
pub(crate) struct Places {
    /// Of rows of the index, by their numbers.
    rows: Vec<Option<LinePlace>>,
    own: HashMap<u32, LinePlace>,
    /// The records of other kinds, where they are now.
    pub foreign: Vec<Note>,
}

impl Places {
    /// The place of a bead.
    pub(crate) fn of(&self, node: Node) -> Option<LinePlace> {
        match node {
            Node::Row(at) => self.rows.get(at as usize).copied().flatten(),
            Node::Pending(at) => self.own.get(&at).copied(),
        }
    }
}

/// Where the lines of the pieces will be, one after the other.
pub(crate) fn lay_out(source: &Source, pieces: &[Piece<'_>]) -> io::Result<Layout> {
    let mut places = Places::default();
    let mut content = Content::default();
    let mut offset = 0;
    for (number, piece) in pieces.iter().enumerate() {
        let hash = match piece {
            Piece::Row(at, row) => {
                let place = LinePlace {
                    offset,
                    ..reindex::place(row)
                };
                // Rows come by their numbers.
                places.rows.resize(*at as usize, None);
                places.rows.push(Some(place));
                row.hash
            }
            Piece::Pending(at, line) => {
                let place = LinePlace {
                    file: code_of(line.home),
                    offset,
                    length: u32::try_from(line.raw.len()).unwrap_or(u32::MAX),
                    hash: line.hash,
                };
                places.own.insert(*at, place);
                line.hash
            }
            Piece::Foreign(note) => {
                let line = source.bytes_at(note.file, note.offset, note.length)?;
                places.foreign.push(Note {
                    line: number + 1,
                    offset,
                    ..(*note).clone()
                });
                xxh3_64(&line)
            }
        };
        content.add(offset, hash);
        offset += piece.size();
    }
    Ok(Layout {
        content: content.digest(),
        places,
    })
}

/// Writes the pieces to a file beside `path`, neither synced nor in place.
pub(crate) fn write(source: &Source, path: &Path, pieces: &[Piece<'_>]) -> io::Result<Beside> {
    let mut out = Out {
        source,
        file: BufWriter::with_capacity(PIECE, Beside::new(path, 0o644)?),
        run: None,
    };
    for piece in pieces {
        match piece {
            Piece::Row(_, row) => out.copy(row.file, row.offset, row.length)?,
            Piece::Foreign(note) => out.copy(note.file, note.offset, note.length)?,
            Piece::Pending(_, line) => {
                out.end_run()?;
                out.file.write_all(&line.raw)?;
                out.file.write_all(b"\n")?;
            }
        }
    }
    out.end_run()?;
    out.file.into_inner().map_err(IntoInnerError::into_error)
}

struct Out<'a> {
    source: &'a Source,
    file: BufWriter<Beside>,
    /// Lines in a row in one file: which, from, to.
    run: Option<(u8, u64, u64)>,
}

impl Out<'_> {
    /// Hands in a line of another file.
    fn copy(&mut self, code: u8, from: u64, length: u32) -> io::Result<()> {
        let to = from + u64::from(length);
        match &mut self.run {
            // Only a line end can be between two lines that are one byte apart.
            Some((file, _, end)) if *file == code && from == *end + 1 => *end = to,
            _ => {
                self.end_run()?;
                self.run = Some((code, from, to));
            }
        }
        Ok(())
    }

    fn end_run(&mut self) -> io::Result<()> {
        let Some((code, mut from, to)) = self.run.take() else {
            return Ok(());
        };
        let room = usize::try_from(to - from).unwrap_or(PIECE);
        let mut buffer = vec![0; PIECE.min(room)];
        while from < to {
            let want = buffer
                .len()
                .min(usize::try_from(to - from).unwrap_or(PIECE));
            self.source.read_at(code, &mut buffer[..want], from)?;
            self.file.write_all(&buffer[..want])?;
            from += want as u64;
        }
        self.file.write_all(b"\n")
    }
}
