//! Writes the new content of a file beside it: lines that did not change are copied as bytes, in runs.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::Xxh3;

use super::index::{JOURNALED, Place, Row};
use super::lines::Note;
use super::overlay::Own;
use super::source::Source;
use crate::sys::file::Beside;

/// How much is copied at once.
const PIECE: usize = 1 << 20;

/// One line of the new content.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// The line of a row of the index.
    Row(u32, &'a Row),
    /// A line that we have.
    Own(u32, &'a Own),
    /// A record of another kind.
    Foreign(&'a Note),
}

/// New content that is synced, but not yet in place.
pub(super) struct Written {
    pub file: Beside,
    pub sha256: String,
    pub content: u64,
    /// Where the lines of rows and of our own are.
    pub rows: HashMap<u32, Place>,
    pub own: HashMap<u32, Place>,
    /// The records of other kinds, where they are now.
    pub foreign: Vec<Note>,
}

/// Writes the pieces to a file beside `path` and syncs it.
pub(super) fn write(source: &Source, path: &Path, pieces: &[Piece<'_>]) -> io::Result<Written> {
    let mut out = Out {
        source,
        file: Beside::new(path, 0o644)?,
        sha256: Sha256::new(),
        content: Xxh3::new(),
        at: 0,
        run: None,
        buffer: vec![0; PIECE],
        filled: 0,
    };
    let mut rows = HashMap::with_capacity(pieces.len());
    let mut own = HashMap::new();
    let mut foreign = Vec::new();
    for (number, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Row(at, row) => {
                let offset = out.copy(row.file, row.offset, u64::from(row.length))?;
                let place = Place {
                    file: row.file & 1,
                    offset,
                    length: row.length,
                    hash: row.hash,
                };
                rows.insert(*at, place);
            }
            Piece::Own(at, line) => {
                let offset = out.line(&line.raw)?;
                let place = Place {
                    file: u8::from(line.home == super::journal::Home::Wisps),
                    offset,
                    length: u32::try_from(line.raw.len()).unwrap_or(u32::MAX),
                    hash: line.hash,
                };
                own.insert(*at, place);
            }
            Piece::Foreign(note) => {
                let offset = out.copy(note.file, note.offset, u64::from(note.length))?;
                foreign.push(Note {
                    line: number + 1,
                    offset,
                    ..(*note).clone()
                });
            }
        }
    }
    out.end_run()?;
    out.flush()?;
    out.file.sync()?;
    Ok(Written {
        sha256: format!("{:x}", Hex(&out.sha256.finalize())),
        content: out.content.digest(),
        file: out.file,
        rows,
        own,
        foreign,
    })
}

struct Hex<'a>(&'a [u8]);

impl std::fmt::LowerHex for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

struct Out<'a> {
    source: &'a Source,
    file: Beside,
    sha256: Sha256,
    content: Xxh3,
    /// How much was handed in.
    at: u64,
    /// Lines in a row in one file: which, from, to.
    run: Option<(u8, u64, u64)>,
    buffer: Vec<u8>,
    filled: usize,
}

impl Out<'_> {
    /// Hands in a line of another file; says where it will be.
    fn copy(&mut self, code: u8, from: u64, length: u64) -> io::Result<u64> {
        let place = self.at;
        let may_grow = code & JOURNALED == 0;
        match &mut self.run {
            // Only a line end can be between two lines that are one byte apart.
            Some((file, _, end)) if may_grow && *file == code && from == *end + 1 => {
                *end = from + length;
            }
            _ => {
                self.end_run()?;
                self.run = Some((code, from, from + length));
            }
        }
        self.at += length + 1;
        Ok(place)
    }

    /// Hands in a line that we have; says where it will be.
    fn line(&mut self, line: &[u8]) -> io::Result<u64> {
        self.end_run()?;
        let place = self.at;
        self.bytes(line)?;
        self.bytes(b"\n")?;
        self.at += line.len() as u64 + 1;
        Ok(place)
    }

    fn end_run(&mut self) -> io::Result<()> {
        let Some((code, mut from, to)) = self.run.take() else {
            return Ok(());
        };
        while from < to {
            if self.filled == self.buffer.len() {
                self.flush()?;
            }
            let room = &mut self.buffer[self.filled..];
            let want = room
                .len()
                .min(usize::try_from(to - from).unwrap_or(room.len()));
            self.source.read_at(code, &mut room[..want], from)?;
            self.filled += want;
            from += want as u64;
        }
        self.bytes(b"\n")
    }

    fn bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.filled == self.buffer.len() {
                self.flush()?;
            }
            let room = &mut self.buffer[self.filled..];
            let part = room.len().min(bytes.len());
            room[..part].copy_from_slice(&bytes[..part]);
            self.filled += part;
            bytes = &bytes[part..];
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let bytes = &self.buffer[..self.filled];
        self.sha256.update(bytes);
        self.content.update(bytes);
        self.file.write_all(bytes)?;
        self.filled = 0;
        Ok(())
    }
}
