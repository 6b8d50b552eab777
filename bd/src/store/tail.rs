//! The journal as one reader has it open: what is behind the index is read, and kept as it was read.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};

use super::journal::{self, Journal};
use super::reindex::Behind;
use super::source::Source;
use super::{StoreError, overlay};
use crate::bead::Stamp;
use crate::sys::file;

/// How the journal was found.
#[derive(Debug, Default)]
pub(super) struct JournalState {
    /// Its length.
    pub size: u64,
    /// What of it is not in the index.
    pub behind: Behind,
    /// How far it is sound.
    pub sound: u64,
    /// What of it is not in the index, as it was read.
    text: Vec<u8>,
    /// Lines that are torn or damaged, and where they start in what is not in the index.
    pub torn: Vec<(usize, Vec<u8>)>,
    /// Whether the last line has no end: an unfinished write, of which nobody was told that it succeeded.
    pub is_unfinished: bool,
    /// Whether a fold was begun.
    pub was_folding: bool,
    /// The SHA-256 of the issues that it was about to put in place.
    pub mark: Option<String>,
    /// Beads that someone else changed in the file under it.
    pub merged: Vec<overlay::Merged>,
    /// Beads whose change before a later one is damaged.
    pub bridged: Vec<overlay::Bridge>,
    /// When its first entry was made.
    pub began: Option<Stamp>,
}

impl JournalState {
    /// How many damaged lines there are that may have been acknowledged.
    pub(super) fn damaged_inside(&self) -> usize {
        self.torn.len() - usize::from(self.is_unfinished && !self.torn.is_empty())
    }

    /// The bytes of all of them.
    pub(super) fn torn_bytes(&self) -> Vec<u8> {
        let lines: Vec<&[u8]> = self.torn.iter().map(|(_, line)| line.as_slice()).collect();
        lines.join(&b'\n')
    }
}

impl Source {
    /// Reads the journal behind what the index has.
    pub(super) fn tail(&mut self) -> Result<Journal, StoreError> {
        let Some(file) = &self.journal else {
            return Ok(Journal::default());
        };
        let path = self.paths.journal();
        let failed = |source| StoreError::io("read", &path, source);
        let size = file.metadata().map_err(failed)?.len();
        let covered = self.keys.journal.2.min(size);
        let mut text = vec![0; usize::try_from(size - covered).unwrap_or_default()];
        file.read_exact_at(&mut text, covered).map_err(failed)?;
        let journal = journal::decode(&text);
        self.state = JournalState {
            size,
            behind: Behind {
                bytes: size - covered,
                longest: journal.longest,
            },
            sound: covered + journal.sound as u64,
            torn: journal
                .torn
                .iter()
                .map(|span| (span.start, text[span.clone()].to_vec()))
                .collect(),
            is_unfinished: text.last().is_some_and(|last| *last != b'\n'),
            was_folding: journal.was_folding,
            mark: journal.mark.as_ref().map(|mark| mark.fold.clone()),
            merged: Vec::new(),
            bridged: Vec::new(),
            began: match (covered, journal.entries.first()) {
                (0, first) => first.map(|(_, entry)| Stamp::read(&entry.at)),
                _ => first_time(file),
            },
            text,
        };
        Ok(journal)
    }

    /// The whole journal, for a fold.
    pub(super) fn whole_journal(&self) -> Result<Vec<u8>, StoreError> {
        self.of_journal(0..self.state.size)
    }

    /// What the index does not have of the journal, as far as it is sound: the text that the overlay was made from.
    pub(super) fn behind(&self) -> &[u8] {
        let length = self.state.sound.saturating_sub(self.keys.journal.2);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.state.text.get(..length).unwrap_or_default()
    }

    /// Whether the journal still has that. An entry that could not be synced is cut off again, and then another may
    /// stand where it stood.
    pub(super) fn has_behind(&self) -> bool {
        let behind = self.of_journal(self.keys.journal.2..self.state.sound);
        behind.is_ok_and(|text| text == self.behind())
    }

    fn of_journal(&self, part: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let Some(file) = &self.journal else {
            return Ok(Vec::new());
        };
        let length = part.end.saturating_sub(part.start);
        let mut text = vec![0; usize::try_from(length).unwrap_or_default()];
        file.read_exact_at(&mut text, part.start)
            .map_err(|error| StoreError::io("read", &self.paths.journal(), error))?;
        Ok(text)
    }

    /// Whether the journal that was read is still the journal: a fold that ended meanwhile has replaced it.
    /// The open file keeps its inode from being given to another.
    pub(super) fn is_current(&self) -> bool {
        let path = self.paths.journal();
        match &self.journal {
            None => std::fs::metadata(path).is_err(),
            Some(journal) => file::is_at(journal, &path),
        }
    }

    /// The device and inode of the journal.
    pub(super) fn journal_place(&self) -> Result<(u64, u64), StoreError> {
        let meta = self.meta(self.journal.as_ref())?;
        Ok(meta.map_or((0, 0), |meta| (meta.dev(), meta.ino())))
    }
}

/// When the first entry of a journal was made.
fn first_time(journal: &File) -> Option<Stamp> {
    let mut start = [0; 160];
    let read = journal.read_at(&mut start, 0).ok()?;
    let text = String::from_utf8_lossy(&start[..read]).into_owned();
    let (_, rest) = text.split_once("\"at\":\"")?;
    Some(Stamp::read(rest.split_once('"')?.0))
}
