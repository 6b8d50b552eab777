//! Reads the events from the end of the file with bounded memory, so that a list of the last events
//! costs the same in an old town as in a new one.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use kit::sys::file;

use super::line::EventLine;
use crate::town::TownLayout;

/// The number of bytes that are read at once.
const CHUNK_SIZE: u64 = 64 * 1024;
/// The maximum difference between the order of the lines and the order of their times: clocks are
/// set back, and other machines have other clocks.
const MAX_DISORDER: SignedDuration = SignedDuration::from_hours(24);

/// The lines of a file, the last one first, without their line ends. Lines that are appended in
/// the meantime are not included.
#[derive(Debug)]
pub(crate) struct LinesBackwards {
    file: Option<File>,
    /// The offset of `unread` in the file.
    start: u64,
    unread: Vec<u8>,
}

impl LinesBackwards {
    /// Opens a file. A missing file has no lines.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = file::open_file_if_exists(path)?;
        let start = match &file {
            Some(file) => file.metadata()?.len(),
            None => 0,
        };
        Ok(Self {
            file,
            start,
            unread: Vec::new(),
        })
    }

    /// Skips the part after the last line end, and returns the offset after that line end.
    pub(super) fn skip_unfinished(&mut self) -> io::Result<u64> {
        let end = self.start;
        let unfinished = self.read_line()?.map_or(0, |line| line.len());
        Ok(end.saturating_sub(unfinished as u64))
    }

    /// Returns the line before those returned so far. The part after the last line end is a line,
    /// too, and may be empty.
    fn read_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut searched = 0;
        loop {
            let fresh = self.unread.len() - searched;
            let end = self.unread[..fresh].iter().rposition(|byte| *byte == b'\n');
            if let Some(end) = end {
                let line = self.unread.split_off(end + 1);
                self.unread.truncate(end);
                return Ok(Some(line));
            }
            searched = self.unread.len();
            if self.start == 0 {
                // A file that begins with a line end has an empty first line.
                return Ok(self.file.take().map(|_| std::mem::take(&mut self.unread)));
            }
            self.read_before()?;
        }
    }

    /// Reads the bytes before `unread`: more at once if a line is long.
    fn read_before(&mut self) -> io::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let wanted = CHUNK_SIZE.max(self.unread.len() as u64).min(self.start);
        let start = self.start - wanted;
        let mut bytes = vec![0; usize::try_from(wanted).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut bytes, start)?;
        bytes.append(&mut self.unread);
        self.unread = bytes;
        self.start = start;
        Ok(())
    }
}

impl Iterator for LinesBackwards {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.read_line() {
            // Another process cut the file.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.file = None;
                None
            }
            read => read.transpose(),
        }
    }
}

/// The events of a town, the last one first. Skips unreadable lines.
#[derive(Debug)]
pub struct NewestEvents {
    lines: LinesBackwards,
    since: Option<Timestamp>,
}

impl NewestEvents {
    pub fn new(layout: &TownLayout) -> io::Result<Self> {
        Ok(Self {
            lines: LinesBackwards::open(&layout.events())?,
            since: None,
        })
    }

    /// Ends when all earlier events are older than `since`. Some of the returned events are older,
    /// too.
    #[must_use]
    pub fn since(self, since: Option<Timestamp>) -> Self {
        Self { since, ..self }
    }
}

impl Iterator for NewestEvents {
    type Item = io::Result<EventLine>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            let Ok(event) = serde_json::from_slice::<EventLine>(&line) else {
                continue;
            };
            if is_long_before(&event, self.since) {
                return None;
            }
            return Some(Ok(event));
        }
    }
}

/// Returns true if no event before this one is as new as `since`.
pub(super) fn is_long_before(event: &EventLine, since: Option<Timestamp>) -> bool {
    let at: Option<Timestamp> = event.ts.parse().ok();
    since
        .zip(at)
        .is_some_and(|(since, at)| since.duration_since(at) > MAX_DISORDER)
}
