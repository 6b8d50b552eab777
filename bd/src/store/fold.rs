//! Folds the journal into the files: what is acknowledged moves to where git and people see it.
//!
//! Steps, under the lock: damaged lines are copied to `damaged/`; each changed file is written whole beside
//! the old one, synced and renamed over it, unless an id would vanish that nobody deleted or the file was
//! changed by someone else since it was read; a fresh journal is renamed over the old one. A crash between
//! any two steps leaves a journal that the next writer folds again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::identity::Identity;
use super::journal::{self, Home};
use super::paths::Paths;
use super::snapshot::{Snapshot, Source};
use super::{StoreError, mark};
use crate::bead::Stamp;
use crate::sys::file;

/// What is to be folded.
pub(super) struct Fold<'a> {
    pub paths: &'a Paths,
    pub snapshot: &'a Snapshot,
    /// Which files have changes.
    pub homes: BTreeSet<u8>,
    /// Ids that were removed on purpose.
    pub removed: &'a BTreeSet<String>,
    /// Now, for the names of files that keep damaged lines.
    pub now: &'a Stamp,
}

/// The number of a home in [`Fold::homes`].
pub(super) fn home_number(home: Home) -> u8 {
    match home {
        Home::Issues => 0,
        Home::Wisps => 1,
    }
}

/// How a fold ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Folded {
    /// All is in the files.
    Done,
    /// Someone else changed a file meanwhile; read again.
    Overtaken,
}

impl Fold<'_> {
    /// Runs the steps; messages for people go to `notices`.
    pub(super) fn run(&self, notices: &mut Vec<String>) -> Result<Folded, StoreError> {
        self.keep_torn(notices)?;
        for home in [Home::Issues, Home::Wisps] {
            if !self.homes.contains(&home_number(home)) {
                continue;
            }
            let (path, source) = self.file(home);
            self.keep_damaged(&path, source, notices)?;
            let content = self.content(home)?;
            if Identity::of(&path) != source.identity {
                return Ok(Folded::Overtaken);
            }
            file::replace(&path, &content, 0o644)
                .map_err(|error| StoreError::io("write", &path, error))?;
        }
        let journal = self.paths.journal();
        journal::fresh(&journal).map_err(|error| StoreError::io("write", &journal, error))?;
        mark::touch(self.paths);
        Ok(Folded::Done)
    }

    fn file(&self, home: Home) -> (PathBuf, &Source) {
        match home {
            Home::Issues => (self.paths.issues().to_owned(), &self.snapshot.issues),
            Home::Wisps => (self.paths.wisps(), &self.snapshot.wisps),
        }
    }

    /// The new content of a file: its beads by id, then records of other kinds.
    fn content(&self, home: Home) -> Result<Vec<u8>, StoreError> {
        let (path, source) = self.file(home);
        let mut content = Vec::with_capacity(source.text.len() + 4096);
        for row in self.snapshot.rows.values().filter(|row| row.home == home) {
            content.extend_from_slice(self.snapshot.raw(row));
            content.push(b'\n');
        }
        for span in &source.foreign {
            content.extend_from_slice(&source.text[span.clone()]);
            content.push(b'\n');
        }
        self.refuse_to_shrink(home, &path, source)?;
        Ok(content)
    }

    /// No id that was in the file may be missing from what replaces it, unless it was removed on purpose.
    fn refuse_to_shrink(&self, home: Home, path: &Path, source: &Source) -> Result<(), StoreError> {
        let lost: Vec<String> = source
            .ids
            .iter()
            .filter(|id| {
                let row = self.snapshot.rows.get(*id);
                !row.is_some_and(|row| row.home == home) && !self.removed.contains(*id)
            })
            .cloned()
            .collect();
        if lost.is_empty() {
            return Ok(());
        }
        Err(StoreError::WouldLose {
            path: path.to_owned(),
            ids: lost,
        })
    }

    fn keep_torn(&self, notices: &mut Vec<String>) -> Result<(), StoreError> {
        if self.snapshot.torn.is_empty() {
            return Ok(());
        }
        let kept = self.keep("journal.jsonl", &self.snapshot.torn.join(&b'\n'))?;
        notices.push(format!(
            "the journal ended in an unfinished write, which nobody was told had succeeded; its bytes are kept in {}",
            kept.display()
        ));
        Ok(())
    }

    fn keep_damaged(
        &self,
        path: &Path,
        source: &Source,
        notices: &mut Vec<String>,
    ) -> Result<(), StoreError> {
        if source.damaged.is_empty() {
            return Ok(());
        }
        let pieces: Vec<&[u8]> = source
            .damaged
            .iter()
            .map(|damage| &source.text[damage.span.clone()])
            .collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kept = self.keep(&name, &pieces.join(&b'\n'))?;
        for damage in &source.damaged {
            notices.push(format!(
                "{}, line {}: {}; the line was moved to {}",
                path.display(),
                damage.line,
                damage.reason,
                kept.display()
            ));
        }
        Ok(())
    }

    /// Writes bytes to a new file in `damaged/`.
    fn keep(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, StoreError> {
        let folder = self.paths.damaged();
        file::make_folder(&folder, 0o755)
            .map_err(|error| StoreError::io("create", &folder, error))?;
        let time = self.now.instant().strftime("%Y%m%dT%H%M%S").to_string();
        let path = (0..10_000)
            .map(|number| folder.join(format!("{time}-{number}-{name}")))
            .find(|path| !path.exists())
            .unwrap_or_else(|| folder.join(name));
        let line = [bytes, b"\n"].concat();
        file::replace(&path, &line, 0o644)
            .map_err(|error| StoreError::io("write", &path, error))?;
        Ok(path)
    }
}
