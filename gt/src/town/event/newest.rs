//! Reads the events from the end of the file with bounded memory, so that a list of the last events
//! costs the same in an old town as in a new one.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use kit::sys::file;
use memchr::memmem::Finder;

use super::line::EventLine;
use crate::town::TownLayout;

/// The number of bytes that are read at once.
const CHUNK_SIZE: u64 = 64 * 1024;
/// The maximum difference between the order of the lines and the order of their times: clocks are
/// set back, and other machines have other clocks.
const MAX_DISORDER: SignedDuration = SignedDuration::from_hours(24);

/// The number of lines that are skipped before one is parsed for its time.
const MAX_SKIPPED: usize = 100;

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
            let end = memchr::memrchr(b'\n', &self.unread[..fresh]);
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
    kinds: Vec<Finder<'static>>,
    /// The number of lines that were skipped without parsing them since the last parsed one.
    skipped: usize,
}

impl NewestEvents {
    pub fn new(layout: &TownLayout) -> io::Result<Self> {
        Ok(Self {
            lines: LinesBackwards::open(&layout.events())?,
            since: None,
            kinds: Vec::new(),
            skipped: 0,
        })
    }

    /// Skips most events of other kinds without parsing them. Some of the returned events have other
    /// kinds.
    #[must_use]
    pub fn of_kinds(self, kinds: &[&str]) -> Self {
        let kinds = kinds.iter().map(|kind| {
            let quoted = format!("\"{kind}\"");
            Finder::new(quoted.as_bytes()).into_owned()
        });
        Self {
            kinds: kinds.collect(),
            ..self
        }
    }

    /// Returns true if a line is skipped. One of many skipped lines is parsed for its time.
    fn is_skipped(&mut self, line: &[u8]) -> bool {
        let is_wanted =
            self.kinds.is_empty() || self.kinds.iter().any(|kind| kind.find(line).is_some());
        self.skipped = if is_wanted || self.skipped == MAX_SKIPPED {
            0
        } else {
            self.skipped + 1
        };
        self.skipped > 0
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
            if self.is_skipped(&line) {
                continue;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_some_kinds_are_found_among_many_others_until_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let lines: Vec<String> = (1..=900)
            .map(|hour| {
                let at = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour);
                let kind = if hour % 300 == 0 { "rare" } else { "usual" };
                format!("{{\"ts\":\"{at}\",\"type\":\"{kind}\",\"payload\":{{\"n\":{hour}}}}}\n")
            })
            .collect();
        std::fs::write(layout.events(), lines.concat()).unwrap();
        let read = |since: i64| -> Vec<EventLine> {
            let since = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(since);
            let events = NewestEvents::new(&layout).unwrap();
            let events = events.since(Some(since)).of_kinds(&["rare"]);
            events.map(Result::unwrap).collect()
        };
        let rare = |since: i64| -> Vec<i64> {
            read(since)
                .into_iter()
                .filter(|event| event.kind == "rare")
                .filter_map(|event| event.payload["n"].as_i64())
                .collect()
        };
        assert_eq!(rare(0), [900, 600, 300]);
        assert_eq!(rare(500), [900, 600]);
        assert!(read(0).len() < 20);
    }
}
