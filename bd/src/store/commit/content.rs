//! Writes the new content of a file beside it. Unchanged lines are copied as bytes, in runs.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::xxh3_64;

use crate::bead::hash::encode_hex;
use crate::store::BeadNode;
use crate::store::commit::reindex;
use crate::store::index::NonBeadLine;
use crate::store::index::{ContentHash, IndexRow, LineLocation};
use crate::store::view::overlay::PendingBead;
use crate::store::view::source::{OpenFiles, code_of};
use kit::sys::file::{self, ReplacementFile};

/// The number of bytes copied at once.
const COPY_SIZE: usize = 256 << 10;
/// The size from which another thread computes the hash.
const PARALLEL_SIZE: u64 = 512 << 10;

/// One line of the new content.
#[derive(Debug)]
pub(crate) enum ContentPiece<'a> {
    /// The line of a row of the index.
    Row(u32, &'a IndexRow),
    /// A line in memory.
    Pending(u32, &'a PendingBead),
    /// A record of another kind.
    Foreign(&'a NonBeadLine),
}

impl ContentPiece<'_> {
    /// The length of the line, including the newline.
    fn size(&self) -> u64 {
        let line = match self {
            Self::Row(_, row) => u64::from(row.length),
            Self::Pending(_, pending) => pending.raw.len() as u64,
            Self::Foreign(note) => u64::from(note.length),
        };
        line + 1
    }
}

/// The layout of new content.
pub(crate) struct ContentLayout {
    pub content: u64,
    pub locations: LineLocations,
    pub size: u64,
}

/// The locations of the lines in new content.
#[derive(Default)]
pub(crate) struct LineLocations {
    /// The locations of rows of the index, by row number.
    rows: Vec<Option<LineLocation>>,
    pending: HashMap<u32, LineLocation>,
    /// The records of other kinds, at their new locations.
    pub foreign: Vec<NonBeadLine>,
}

impl LineLocations {
    /// Returns the location of a bead.
    pub(crate) fn location_of(&self, node: BeadNode) -> Option<LineLocation> {
        match node {
            BeadNode::Row(at) => self.rows.get(at as usize).copied().flatten(),
            BeadNode::Pending(at) => self.pending.get(&at).copied(),
        }
    }
}

/// Computes the locations of the pieces' lines, one after the other.
pub(crate) fn lay_out(
    source: &OpenFiles,
    pieces: &[ContentPiece<'_>],
) -> io::Result<ContentLayout> {
    let mut locations = LineLocations::default();
    let mut content = ContentHash::default();
    let mut offset = 0;
    for (number, piece) in pieces.iter().enumerate() {
        let hash = match piece {
            ContentPiece::Row(at, row) => {
                let location = LineLocation {
                    offset,
                    ..reindex::line_location(row)
                };
                // Rows come in the order of their numbers.
                locations.rows.resize(*at as usize, None);
                locations.rows.push(Some(location));
                row.hash
            }
            ContentPiece::Pending(at, line) => {
                let location = LineLocation {
                    file: code_of(line.home),
                    offset,
                    length: u32::try_from(line.raw.len()).unwrap_or(u32::MAX),
                    hash: line.hash,
                };
                locations.pending.insert(*at, location);
                line.hash
            }
            ContentPiece::Foreign(note) => {
                let line = source.bytes_at(note.file, note.offset, note.length)?;
                locations.foreign.push(NonBeadLine {
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
    Ok(ContentLayout {
        content: content.digest(),
        locations,
        size: offset,
    })
}

/// Writes the pieces to a file beside `path`, neither synced nor in place, and returns the SHA-256
/// of the content.
pub(crate) fn write_pieces(
    source: &OpenFiles,
    path: &Path,
    pieces: &[ContentPiece<'_>],
    layout: &ContentLayout,
) -> io::Result<(ReplacementFile, String)> {
    std::thread::scope(|scope| {
        let mut out = PieceWriter {
            source,
            file: ReplacementFile::new(path, file::SHARED)?,
            hashing: HashWorker::begin(scope, layout.size),
            run: None,
            buffer: vec![0; COPY_SIZE],
            filled: 0,
        };
        for piece in pieces {
            out.piece(piece)?;
        }
        out.end_run()?;
        out.flush()?;
        let sha256 = out.hashing.end()?;
        Ok((out.file, encode_hex(&sha256.finalize())))
    })
}

/// Computes the SHA-256: in this thread, or for large content in another thread in parallel to the
/// writing.
enum HashWorker<'scope> {
    Here(Box<Sha256>),
    There {
        full: SyncSender<(Vec<u8>, usize)>,
        empty: Receiver<Vec<u8>>,
        thread: ScopedJoinHandle<'scope, Sha256>,
    },
}

impl<'scope> HashWorker<'scope> {
    fn begin(scope: &'scope Scope<'scope, '_>, size: u64) -> Self {
        let here = || Self::Here(Box::default());
        if size < PARALLEL_SIZE {
            return here();
        }
        let (full, work) = sync_channel::<(Vec<u8>, usize)>(1);
        let (done, empty) = sync_channel(2);
        let thread = Builder::new().spawn_scoped(scope, move || {
            let mut hash = Sha256::new();
            for (buffer, filled) in work {
                hash.update(&buffer[..filled]);
                // The writer may have finished and need no more buffers.
                done.try_send(buffer).ok();
            }
            hash
        });
        // If the system cannot start a thread, the hash is computed here.
        thread.map_or_else(
            |_| here(),
            |thread| Self::There {
                full,
                empty,
                thread,
            },
        )
    }

    /// Hashes the content of a buffer, and returns a buffer to fill.
    fn take(&mut self, buffer: Vec<u8>, filled: usize) -> io::Result<Vec<u8>> {
        match self {
            Self::Here(hash) => {
                hash.update(&buffer[..filled]);
                Ok(buffer)
            }
            Self::There { full, empty, .. } => {
                full.send((buffer, filled)).map_err(|_| worker_stopped())?;
                Ok(empty.try_recv().unwrap_or_else(|_| vec![0; COPY_SIZE]))
            }
        }
    }

    fn end(self) -> io::Result<Sha256> {
        match self {
            Self::Here(hash) => Ok(*hash),
            Self::There { full, thread, .. } => {
                drop(full);
                thread.join().map_err(|_| worker_stopped())
            }
        }
    }
}

fn worker_stopped() -> io::Error {
    io::Error::other("hashing stopped")
}

struct PieceWriter<'a, 'scope> {
    source: &'a OpenFiles,
    file: ReplacementFile,
    hashing: HashWorker<'scope>,
    /// Consecutive lines of one file: file code, start, end.
    run: Option<(u8, u64, u64)>,
    buffer: Vec<u8>,
    filled: usize,
}

impl PieceWriter<'_, '_> {
    fn piece(&mut self, piece: &ContentPiece<'_>) -> io::Result<()> {
        match piece {
            ContentPiece::Row(_, row) => {
                self.copy_line(row.file, row.offset, u64::from(row.length))
            }
            ContentPiece::Pending(_, line) => {
                self.end_run()?;
                self.push_bytes(&line.raw)?;
                self.push_bytes(b"\n")
            }
            ContentPiece::Foreign(note) => {
                self.copy_line(note.file, note.offset, u64::from(note.length))
            }
        }
    }

    /// Copies a line of another file.
    fn copy_line(&mut self, code: u8, from: u64, length: u64) -> io::Result<()> {
        match &mut self.run {
            // Only a newline fits between two lines that are one byte apart.
            Some((file, _, end)) if *file == code && from == *end + 1 => {
                *end = from + length;
            }
            _ => {
                self.end_run()?;
                self.run = Some((code, from, from + length));
            }
        }
        Ok(())
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
        self.push_bytes(b"\n")
    }

    fn push_bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
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
        self.file.write_all(&self.buffer[..self.filled])?;
        let buffer = std::mem::take(&mut self.buffer);
        self.buffer = self.hashing.take(buffer, self.filled)?;
        self.filled = 0;
        Ok(())
    }
}
