//! Folds the journal into the files: moves acknowledged changes to where git and users see them.
//!
//! A file that another program changed within the last two seconds is left alone. git writes a file
//! piece by piece, and the part that is not written yet must not be mistaken for a removal.
//!
//! Steps, under the lock:
//! 1. Copy torn and damaged lines to `damaged/`.
//! 2. Write the new wisps and rename them into place.
//! 3. Write the new issues beside the old ones, append a mark with their SHA-256 to the journal,
//!    append the events to history, and sync these three.
//! 4. Rename the new issues into place, unless an id would vanish without a removal or another
//!    program changed the file.
//! 5. Add the keys of the new files to the new index, which was written beside the old one in the
//!    meantime, and rename it into place.
//! 6. Rename a fresh journal over the old one.
//!
//! After a crash between any two steps, the hashes identify the folded entries, so that the next
//! writer folds the journal again, and the mark identifies the issues as ours.
//!
//! Unchanged lines are copied without being parsed.

use crate::store::disk::identity::{self, FileKey};
use std::collections::BTreeSet;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use crate::bead::Stamp;
use crate::store::commit::content::{ContentLayout, ContentPiece, lay_out, write_pieces};
use crate::store::commit::{issues_file, reindex, rollback};
use crate::store::disk::mark;
use crate::store::disk::paths::StorePaths;
use crate::store::index::NonBeadLine;
use crate::store::index::{ISSUES, Index, IndexKeys, WISPS};
use crate::store::log::damage::{self, keep_damaged_bytes};
use crate::store::log::event::BeadFile;
use crate::store::log::history::{self, MergedBead};
use crate::store::log::journal::{self, FoldMark};
use crate::store::view::snapshot::Snapshot;
use crate::store::view::source::{code_of, home_of};
use crate::store::{BeadNode, Event, Store, StoreError};
use kit::sys::clock;
use kit::sys::file::{self, AppendedText, DerivedFile, ReplacementFile};
use kit::sys::parallel::{drop_in_background, run_both};

/// The outcome of a fold.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FoldOutcome {
    /// All changes are in the files.
    Done,
    /// Another program changed a file in the meantime. The caller must read again.
    Overtaken,
    /// Another program may still be writing the issues. Nothing was done.
    Unsettled,
}

/// A fold in preparation.
pub(crate) struct Fold<'a> {
    pub snapshot: Snapshot,
    /// The current time, for the names of files that preserve damaged lines.
    pub now: &'a Stamp,
    /// Rewrite both files even without a change.
    pub all: bool,
    pub notices: &'a mut Vec<String>,
}

/// The files that a fold replaced.
struct ReplacedFiles {
    /// The index of the new files, complete except for the keys.
    index: Option<(Index, DerivedFile)>,
    keys: IndexKeys,
    events: Vec<Event>,
}

impl Fold<'_> {
    /// Runs all steps.
    pub(crate) fn run(mut self) -> Result<FoldOutcome, StoreError> {
        let source = &self.snapshot.source;
        if source.is_unsettled() {
            return Ok(FoldOutcome::Unsettled);
        }
        let paths = source.paths.clone();
        let entries = std::mem::take(&mut self.snapshot.source.state.journal.entries);
        let Some(replaced) = self.replace(entries)? else {
            return Ok(FoldOutcome::Overtaken);
        };
        let merged = &self.snapshot.source.state.merged;
        self.notices
            .extend(describe_overruled(merged, paths.issues()));
        let ReplacedFiles {
            index,
            keys,
            events,
        } = replaced;
        let snapshot = self.snapshot;
        // Frees the memory of a large write, and closes old files that no other process may have
        // open.
        drop_in_background((snapshot, events));
        finish_fold(&paths, index, &keys)
    }

    /// Replaces the changed files and appends to history; `None` if another program changed a file
    /// in the meantime.
    fn replace(&mut self, entries: Vec<Event>) -> Result<Option<ReplacedFiles>, StoreError> {
        let mut homes: BTreeSet<BeadFile> = BTreeSet::new();
        let mut removed: BTreeSet<(BeadFile, &str)> = BTreeSet::new();
        for change in entries.iter().flat_map(|entry| &entry.changes) {
            homes.insert(change.home());
            if change.line.is_none() {
                removed.insert((change.home(), &change.id));
            }
        }
        // A merge of several lines of one bead need not have an entry.
        if self.snapshot.source.state.has_versions {
            homes.insert(BeadFile::Issues);
        }
        if self.all {
            homes.extend([BeadFile::Issues, BeadFile::Wisps]);
        }
        self.check_no_bead_lost(&removed)?;
        self.keep_torn()?;
        for home in &homes {
            self.keep_damaged(*home)?;
        }
        let notes = self.snapshot.index.notes();
        let wisps =
            self.build_content(BeadFile::Wisps, homes.contains(&BeadFile::Wisps), &notes)?;
        let issues =
            self.build_content(BeadFile::Issues, homes.contains(&BeadFile::Issues), &notes)?;
        // The new content is already determined. If its index cannot be built here, the next reader
        // builds it.
        let index = || self.build_index(&issues, &wisps, &notes);
        let events = self.collect_events(entries);
        let (index, prepared) = run_both(index, || self.prepare(&events, &wisps, &issues));
        let Some((wisps_key, issues_file)) = prepared? else {
            return Ok(None);
        };
        let source = &self.snapshot.source;
        if source.is_overtaken(ISSUES) {
            return Ok(None);
        }
        let issues_key = self.put(issues_file, &issues, ISSUES)?;
        let keys = IndexKeys {
            issues: issues_key,
            wisps: wisps_key,
            built_at: identity::file_time_now(),
            outside: 0,
        };
        Ok(Some(ReplacedFiles {
            index,
            keys,
            events,
        }))
    }

    /// Collects the events for history: those of the journal, and those of merges.
    fn collect_events(&self, entries: Vec<Event>) -> Vec<Event> {
        let state = &self.snapshot.source.state;
        let mut events: Vec<Event> = entries
            .into_iter()
            .filter_map(Event::into_written)
            .collect();
        events.extend(history::build_merge_event(&state.merged, self.now));
        events
    }

    /// Builds the new content of a file.
    fn build_content<'b>(
        &'b self,
        home: BeadFile,
        is_dirty: bool,
        notes: &'b [NonBeadLine],
    ) -> Result<FileContent<'b>, StoreError> {
        if !is_dirty {
            return Ok(FileContent::Same);
        }
        let code = code_of(home);
        let snapshot = &self.snapshot;
        let mut pieces = Vec::new();
        for bead in snapshot.bead_refs() {
            match bead.node() {
                BeadNode::Row(at) => {
                    if let Some(row) = snapshot.index.row(at)
                        && home_of(row.file) == home
                    {
                        pieces.push(ContentPiece::Row(at, row));
                    }
                }
                BeadNode::Pending(at) => {
                    if let Some(pending) = snapshot.slots.get(at as usize)
                        && pending.home == home
                    {
                        pieces.push(ContentPiece::Pending(at, pending));
                    }
                }
            }
        }
        pieces.extend(
            notes
                .iter()
                .filter(|note| note.file == code && note.is_foreign() && note.length > 0)
                .map(ContentPiece::Foreign),
        );
        let layout = lay_out(&snapshot.source, &pieces)
            .map_err(|error| StoreError::io("read", &snapshot.source.path(code), error))?;
        Ok(FileContent::New { pieces, layout })
    }

    /// Writes new content beside the file, neither synced nor in place, and returns its SHA-256.
    fn write(
        &self,
        content: &FileContent<'_>,
        code: u8,
    ) -> Result<Option<(ReplacementFile, String)>, StoreError> {
        let FileContent::New { pieces, layout } = content else {
            return Ok(None);
        };
        let source = &self.snapshot.source;
        let path = source.path(code);
        let (file, sha256) = write_pieces(source, &path, pieces, layout)
            .map_err(|error| StoreError::io("write", &path, error))?;
        if let Some(time) = before_racy_window(clock::Clock::System.now()) {
            // If the time cannot be set, the next reader compares the content.
            file.set_modified(time.into()).ok();
        }
        Ok(Some((file, sha256)))
    }

    /// Makes durable what must precede the rename of the issues: the wisps in place, before the
    /// mark that lets the journal count as folded; then the new issues, the mark and the events.
    /// These three are written first and synced afterwards, so that the disk has one wait instead
    /// of three. Returns the key of the wisps and the new issues, or `None` if another program
    /// changed a file.
    fn prepare(
        &self,
        events: &[Event],
        wisps: &FileContent<'_>,
        issues: &FileContent<'_>,
    ) -> Result<Option<(FileKey, Option<ReplacementFile>)>, StoreError> {
        let source = &self.snapshot.source;
        let was_folding = source.state.journal.was_folding;
        let paths = &source.paths;
        let failed = |code: u8| move |error| StoreError::io("write", &source.path(code), error);
        let wisps_file = self.write(wisps, WISPS)?.map(|(file, _)| file);
        let issues_file = self.write(issues, ISSUES)?;
        if let Some(file) = &wisps_file {
            file.sync().map_err(failed(WISPS))?;
        }
        if source.is_overtaken(ISSUES) || source.is_overtaken(WISPS) {
            return Ok(None);
        }
        let wisps_key = self.put(wisps_file, wisps, WISPS)?;
        let journal = paths.journal();
        let mark = match &issues_file {
            None => None,
            Some((_, sha256)) => {
                let mark = FoldMark {
                    fold: sha256.clone(),
                };
                let (appended, _) = journal::begin_record_append(&journal, &mark)
                    .map_err(|error| StoreError::io("write", &journal, error.source))?;
                Some(appended.begin_writeback())
            }
        };
        let events = history::begin_history_append(paths, events, was_folding)?
            .map(AppendedText::begin_writeback);
        if let Some((file, _)) = &issues_file {
            file.sync().map_err(failed(ISSUES))?;
        }
        if let Some(mark) = &mark {
            history::sync_history(&journal, mark)?;
        }
        if let Some(events) = &events {
            history::sync_history(&paths.local_events(), events)?;
        }
        Ok(Some((wisps_key, issues_file.map(|(file, _)| file))))
    }

    fn put(
        &self,
        file: Option<ReplacementFile>,
        content: &FileContent<'_>,
        code: u8,
    ) -> Result<FileKey, StoreError> {
        let source = &self.snapshot.source;
        let path = source.path(code);
        let (Some(file), FileContent::New { layout, .. }) = (file, content) else {
            // The key of the file that was read, not of the file that may be there by now.
            return Ok(*source.read_key(code));
        };
        let placed = if code == ISSUES {
            issues_file::place_issues(file, &source.paths)
        } else {
            file.put(&path)
        }
        .map_err(|error| StoreError::io("write", &path, error))?;
        let written = identity::file_key(&placed.written);
        // A later write by another program must not match this key.
        Ok(FileKey {
            size: written.size,
            modified_s: written.modified_s,
            modified_ns: written.modified_ns,
            content: layout.content,
            ..identity::file_key(&placed.there)
        })
    }

    /// Builds the index of the new files, complete except for its keys, which exist only after the
    /// renames.
    fn build_index(
        &self,
        issues: &FileContent<'_>,
        wisps: &FileContent<'_>,
        notes: &[NonBeadLine],
    ) -> Option<(Index, DerivedFile)> {
        let snapshot = &self.snapshot;
        let content_of = |code: u8| if code == ISSUES { issues } else { wisps };
        let location_of = |home: BeadFile, node: BeadNode| match (content_of(code_of(home)), node) {
            (FileContent::New { layout, .. }, _) => layout.locations.location_of(node),
            (FileContent::Same, BeadNode::Row(at)) => {
                snapshot.index.row(at).map(reindex::line_location)
            }
            (FileContent::Same, BeadNode::Pending(_)) => None,
        };
        let mut notes = notes.to_vec();
        notes.retain(|note| matches!(content_of(note.file), FileContent::Same));
        for content in [issues, wisps] {
            if let FileContent::New { layout, .. } = content {
                notes.extend(layout.locations.foreign.iter().cloned());
            }
        }
        let index = reindex::build_index(snapshot, &IndexKeys::default(), &notes, location_of)?;
        let path = snapshot.source.paths.index();
        let file = DerivedFile::write(&path, index.bytes(), file::SHARED).ok()?;
        Some((index, file))
    }

    /// Fails if an id of a file would be missing from its replacement without a deliberate removal.
    fn check_no_bead_lost(&self, removed: &BTreeSet<(BeadFile, &str)>) -> Result<(), StoreError> {
        let snapshot = &self.snapshot;
        let mut lost = Vec::new();
        for row in &snapshot.hidden {
            let Some(home) = snapshot.index.row(*row).map(|row| home_of(row.file)) else {
                continue;
            };
            let id = snapshot.index.id(*row);
            let slot = snapshot.over.get(id).copied().flatten();
            let pending = slot.and_then(|slot| snapshot.slots.get(slot as usize));
            let is_there = pending.is_some_and(|own| own.home == home);
            if !is_there && !removed.contains(&(home, id)) {
                lost.push(id.to_owned());
            }
        }
        if lost.is_empty() {
            return Ok(());
        }
        Err(StoreError::WouldLose {
            path: snapshot.source.paths.issues().to_owned(),
            ids: lost,
        })
    }

    fn keep_torn(&mut self) -> Result<(), StoreError> {
        let source = &self.snapshot.source;
        let state = &source.state;
        if state.journal.torn.is_empty() {
            return Ok(());
        }
        let folder = source.paths.damaged();
        let torn = state.torn_bytes();
        let count = state.damaged_inside();
        let notice = if count == 0 {
            damage::format_torn_notice(&keep_damaged_bytes(
                &folder,
                damage::UNFINISHED,
                &torn,
                self.now,
            )?)
        } else {
            let kept = keep_damaged_bytes(&folder, damage::ACKNOWLEDGED, &torn, self.now)?;
            damage::format_set_aside_notice(state.torn(), count, &source.paths.journal(), &kept)
        };
        self.notices.push(notice);
        Ok(())
    }

    fn keep_damaged(&mut self, home: BeadFile) -> Result<(), StoreError> {
        let code = code_of(home);
        let source = &self.snapshot.source;
        let path = source.path(code);
        let notes = self.snapshot.index.notes();
        let damaged: Vec<(&NonBeadLine, &str)> = notes
            .iter()
            .filter(|note| note.file == code)
            .filter_map(|note| Some((note, note.reason.as_deref()?)))
            .collect();
        if damaged.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for (note, _) in &damaged {
            let line = source
                .bytes_at(code, note.offset, note.length)
                .map_err(|error| StoreError::io("read", &path, error))?;
            bytes.extend_from_slice(&line);
            bytes.push(b'\n');
        }
        bytes.pop();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kept = keep_damaged_bytes(&source.paths.damaged(), &name, &bytes, self.now)?;
        for (note, reason) in damaged {
            self.notices.push(format!(
                "{}, line {}: {reason}; the line was moved to {}",
                path.display(),
                note.line,
                kept.display()
            ));
        }
        Ok(())
    }
}

impl Store {
    /// Cuts a torn end off the journal after preserving its bytes. Returns false if the damage is
    /// not at the end, which requires a fold.
    pub(crate) fn cut_torn_end(
        &self,
        snapshot: &Snapshot,
        now: &Stamp,
    ) -> Result<bool, StoreError> {
        let state = &snapshot.source.state;
        if state.journal.torn.len() > 1 || state.damaged_inside() > 0 {
            return Ok(false);
        }
        let torn = state.torn_bytes();
        let kept = keep_damaged_bytes(&self.paths.damaged(), damage::UNFINISHED, &torn, now)?;
        let path = self.paths.journal();
        journal::cut_journal(&path, state.journal.sound as u64)
            .map_err(|error| StoreError::io("write", &path, error))?;
        self.reports.notice(damage::format_torn_notice(&kept));
        Ok(true)
    }
}

/// Describes the values that were overruled because another program had changed beads in the file.
fn describe_overruled(merged: &[MergedBead], issues: &Path) -> Option<String> {
    let beads: Vec<String> = merged
        .iter()
        .filter(|bead| !bead.lost.is_empty())
        .map(|bead| {
            let fields = bead.lost.iter().map(|lost| lost.field.as_str());
            let fields: BTreeSet<&str> = fields.collect();
            let fields: Vec<&str> = fields.into_iter().collect();
            format!("{} ({})", bead.id, fields.join(", "))
        })
        .collect();
    if beads.is_empty() {
        return None;
    }
    Some(format!(
        "{} was changed by something else, in what was changed here too: of {} one side gave way; `bd history ID` has both, `bd restore ID` brings back a deleted one",
        issues.display(),
        rollback::format_some(&beads)
    ))
}

/// Returns a modification time for a file that is written now: one before the racy window, so that
/// its index is trusted at once. Returns `None` if that falls into an earlier second, because git
/// compares seconds, and the file must not look older than git's last check of it.
fn before_racy_window(now: Timestamp) -> Option<Timestamp> {
    let time = now - SignedDuration::from_nanos(2 * identity::RACY_WINDOW);
    (time.as_second() == now.as_second()).then_some(time)
}

/// The new content of a file; `Same` if nothing changed.
enum FileContent<'a> {
    Same,
    New {
        pieces: Vec<ContentPiece<'a>>,
        layout: ContentLayout,
    },
}

/// Publishes the index of the new files, then removes the journal: without either, nothing would
/// identify these issues as ours. If the index cannot be put in place, the next reader builds it.
fn finish_fold(
    paths: &StorePaths,
    index: Option<(Index, DerivedFile)>,
    keys: &IndexKeys,
) -> Result<FoldOutcome, StoreError> {
    if let Some((index, file)) = index
        && let Some(index) = index.with_keys(keys)
    {
        file.put_with(index.header()).ok();
    }
    let journal = paths.journal();
    journal::replace_with_empty_journal(&journal)
        .map_err(|error| StoreError::io("write", &journal, error))?;
    mark::touch_mark(paths);
    Ok(FoldOutcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_before_the_racy_window_is_in_the_same_second() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let given = |now: &str| before_racy_window(at(now)).map(|time| time.to_string());
        let early = "2026-01-01T00:00:01.039Z";
        assert_eq!(given(early), None);
        let later = given("2026-01-01T00:00:01.040Z");
        assert_eq!(later.as_deref(), Some("2026-01-01T00:00:01Z"));
    }
}
