//! History: the changes of durable beads, one event per transaction.
//!
//! A fold appends to `events.local.jsonl`, which only this clone writes and git does not track. Our
//! own commit moves it to `events/<clone>/YYYY-MM.jsonl`. So every file has one writer, and git has
//! nothing to merge.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::value::RawValue;

use xxhash_rust::xxh3::xxh3_64;

use crate::bead::Stamp;
use crate::bead::lines;
use crate::bead::record::RecordFields;
use crate::merge::{self, FileMerge, OverruledValue};
use crate::store::disk::paths::StorePaths;
use crate::store::disk::{clone_id, files};
use crate::store::log::event::{BeadChange, Event};
use crate::store::log::journal::{self, hash_text, line_hash};
use crate::store::log::sealed;
use crate::store::{Store, StoreError};
use kit::sys::Clock;
use kit::sys::file::{self, AppendedText};
use kit::sys::lock;

/// The verb of a merge's event.
pub(crate) const MERGE: &str = "merge";

/// The verb of a move to the archive.
pub(crate) const ARCHIVE: &str = "archive";

/// The time that a merge of files waits for writers, because git waits for the merge.
const MERGE_PATIENCE: Duration = Duration::from_secs(2);

/// A bead that another program changed in the file while our change to it was not folded.
#[derive(Debug, Clone)]
pub(crate) struct MergedBead {
    pub id: String,
    pub lost: Vec<OverruledValue>,
    /// The hashes of the bead's line in the file and of the merged line; `None` if there is no
    /// line.
    pub from: Option<u64>,
    pub to: Option<u64>,
}

/// Appends events, without repeating any, and syncs them.
pub(crate) fn append_history(paths: &StorePaths, events: &[Event]) -> Result<(), StoreError> {
    match begin_history_append(paths, events, false)? {
        Some(appended) => sync_history(&paths.local_events(), &appended),
        None => Ok(()),
    }
}

/// Appends events, without repeating any. They count once they are synced. `perhaps_there` is true
/// if an interrupted fold may have written some of them.
pub(crate) fn begin_history_append(
    paths: &StorePaths,
    events: &[Event],
    perhaps_there: bool,
) -> Result<Option<AppendedText>, StoreError> {
    if events.is_empty() {
        return Ok(None);
    }
    let path = paths.local_events();
    let failed = |source| StoreError::io("write", &path, source);
    let tail = read_tail(&path).map_err(failed)?;
    let known: HashSet<String> = if perhaps_there || can_contain(&tail, events) {
        read_file(&path)?
            .into_iter()
            .map(|event| event.id)
            .collect()
    } else {
        HashSet::new()
    };
    let new = || events.iter().filter(|event| !known.contains(&event.id));
    if new().next().is_none() {
        // The fold that wrote them may have been interrupted before its sync.
        let synced = file::open_append(&path, file::SHARED).and_then(|file| file.sync_data());
        return synced.map(|()| None).map_err(failed);
    }
    let write = |file: &mut fs::File| {
        // Small events are written with one system call.
        let mut out = io::BufWriter::new(file);
        out.write_all(missing_line_end(&tail))?;
        for event in new() {
            sealed::write_sealed(&mut out, event)?;
        }
        out.flush()
    };
    AppendedText::write_with(&path, file::SHARED, write)
        .map(Some)
        .map_err(|error| failed(error.source))
}

/// Syncs the appended bytes of a file.
pub(crate) fn sync_history(path: &Path, appended: &AppendedText) -> Result<(), StoreError> {
    appended
        .sync()
        .map_err(|error| StoreError::io("write", path, error.source))
}

/// Appends whole lines and syncs them. An unfinished line of an earlier append remains a separate
/// line.
pub(crate) fn append_synced(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    let failed = |source| StoreError::io("write", path, source);
    let all = [missing_line_end(&read_tail(path).map_err(failed)?), text].concat();
    let appended =
        AppendedText::write(path, &all, file::SHARED).map_err(|error| failed(error.source))?;
    sync_history(path, &appended)
}

/// The number of bytes read from the end of a file.
const TAIL_SIZE: u64 = 1 << 16;

/// Reads the end of a file; empty if the file does not exist.
fn read_tail(path: &Path) -> io::Result<Vec<u8>> {
    let file = match file::open_regular_file(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    let from = length.saturating_sub(TAIL_SIZE);
    let mut tail = vec![0; usize::try_from(length - from).map_err(io::Error::other)?];
    file.read_exact_at(&mut tail, from)?;
    Ok(tail)
}

/// Returns the newline that must precede the next line if an earlier append was interrupted.
fn missing_line_end(tail: &[u8]) -> &'static [u8] {
    match tail.last() {
        None | Some(b'\n') => b"",
        Some(_) => b"\n",
    }
}

/// Returns true if a file with this end may contain some of these events. They are appended
/// together, so the last line would be one of them.
fn can_contain(tail: &[u8], events: &[Event]) -> bool {
    let Some(lines) = tail.strip_suffix(b"\n") else {
        return !tail.is_empty();
    };
    let last = lines
        .rsplit(|byte| *byte == b'\n')
        .next()
        .and_then(journal::open_sealed::<Event>);
    last.is_none_or(|last| events.iter().any(|event| event.id == last.id))
}

impl Store {
    /// Records the values that lost conflicts in a merge of two texts.
    pub fn record_merge(
        &self,
        merge: &FileMerge,
        ours: &[u8],
        clock: &Clock,
    ) -> Result<(), StoreError> {
        let merged = group_losses_by_bead(&merge.lost, [ours, &merge.text]);
        if merged.is_empty() {
            return Ok(());
        }
        let _guard = lock::acquire_lock(&self.paths.lock(), MERGE_PATIENCE)?;
        let event = build_merge_event(&merged, &Stamp::from(clock.now()));
        append_history(&self.paths, event.as_slice())
    }
}

/// Groups overruled values by bead, with the hashes of the bead's line in our text and in the
/// result.
pub(crate) fn group_losses_by_bead(
    lost: &[OverruledValue],
    [ours, out]: [&[u8]; 2],
) -> Vec<MergedBead> {
    let mut beads: BTreeMap<&str, Vec<OverruledValue>> = BTreeMap::new();
    for overruled in lost {
        beads
            .entry(&overruled.id)
            .or_default()
            .push(overruled.clone());
    }
    let hashes = |text| -> HashMap<String, u64> {
        merge::lines_by_id(text)
            .filter(|(id, _)| beads.contains_key(id.as_str()))
            .map(|(id, line)| (id, xxh3_64(line)))
            .collect()
    };
    let from = hashes(ours);
    let to = hashes(out);
    beads
        .into_iter()
        .map(|(id, lost)| MergedBead {
            id: id.to_owned(),
            lost,
            from: from.get(id).copied(),
            to: to.get(id).copied(),
        })
        .collect()
}

/// Groups overruled values by field. Several values of one field, comments or edges, become a list.
fn group_losses_by_field(lost: &[OverruledValue]) -> Option<RecordFields> {
    let mut fields: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for overruled in lost {
        fields
            .entry(&overruled.field)
            .or_default()
            .push(&overruled.value);
    }
    let mut found = RecordFields::default();
    for (field, values) in fields {
        let text = match values.as_slice() {
            [value] => (*value).to_owned(),
            several => format!("[{}]", several.join(",")),
        };
        // Overruled values come from JSON, so they are valid JSON.
        if let Ok(raw) = RawValue::from_string(text) {
            found.push(field, Some(&raw));
        }
    }
    (!found.0.is_empty()).then_some(found)
}

/// Builds the event of beads that were merged with an external change.
pub(crate) fn build_merge_event(merged: &[MergedBead], now: &Stamp) -> Option<Event> {
    if merged.is_empty() {
        return None;
    }
    let changes: Vec<BeadChange> = merged
        .iter()
        .map(|merged| BeadChange {
            id: merged.id.clone(),
            before: merged.from.map(hash_text),
            after: merged.to.map(hash_text),
            old: Some(RecordFields::default()),
            new: Some(RecordFields::default()),
            lost: group_losses_by_field(&merged.lost),
            ..BeadChange::default()
        })
        .collect();
    let text = serde_json::to_vec(&changes).ok()?;
    let id = line_hash(&[now.as_str().as_bytes(), &text].concat());
    Some(Event {
        id: id.chars().take(12).collect(),
        at: now.to_string(),
        actor: "git".to_owned(),
        verb: MERGE.to_owned(),
        changes,
        ..Event::default()
    })
}

/// Reads all events of the files and the journal, oldest first.
pub(crate) fn read_all_events(paths: &StorePaths) -> Result<Vec<Event>, StoreError> {
    read_events(paths, |_| true)
}

/// Reads the events of some beads, oldest first. The other lines of the files are not parsed.
pub(crate) fn read_events_of(
    paths: &StorePaths,
    ids: &BTreeSet<&str>,
) -> Result<Vec<Event>, StoreError> {
    const ID_KEY: &[u8] = b"\"id\":";
    let names: HashSet<Vec<u8>> = ids
        .iter()
        .filter_map(|id| serde_json::to_vec(id).ok())
        .collect();
    let mut events = read_events(paths, |line| {
        memchr::memmem::find_iter(line, ID_KEY).any(|at| {
            let value = &line[at + ID_KEY.len()..];
            let end = memchr::memchr_iter(b'"', value).nth(1).unwrap_or_default();
            // A quote in an id is escaped.
            value[..end].ends_with(b"\\") || names.contains(value.get(..=end).unwrap_or(value))
        })
    })?;
    events.retain(|event| {
        event
            .changes
            .iter()
            .any(|change| ids.contains(change.id.as_str()))
    });
    Ok(events)
}

fn read_events(
    paths: &StorePaths,
    is_wanted: impl Fn(&[u8]) -> bool,
) -> Result<Vec<Event>, StoreError> {
    // The journal is read first, so that events which a fold moves in the meantime are read twice
    // and not missed.
    let journal = journal::decode_journal(&files::read_or_empty(&paths.journal())?);
    let mut events = Vec::new();
    for path in list_history_files(paths) {
        let text = files::read_or_empty(&path)?;
        let lines = lines::iter_line_spans(&text, 0).map(|(_, span)| &text[span]);
        events.extend(
            lines
                .filter(|line| is_wanted(line))
                .filter_map(Event::parse),
        );
    }
    events.extend(journal.entries.into_iter().filter_map(Event::for_history));
    let mut seen = HashSet::new();
    events.retain(|event| seen.insert(event.id.clone()));
    // The sort is stable, so events of one clone at the same instant keep their order.
    events.sort_by_cached_key(|event| Stamp::parse(&event.at).instant());
    Ok(events)
}

/// Returns true if any event of a bead is recorded.
pub(crate) fn has_history(paths: &StorePaths, id: &str) -> bool {
    read_events_of(paths, &BTreeSet::from([id])).is_ok_and(|events| !events.is_empty())
}

/// Lists the files of history: those in git by name, then the local one.
pub(crate) fn list_history_files(paths: &StorePaths) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for clone in list_file_names(&paths.events()) {
        found.extend(list_months(&clone));
    }
    found.push(paths.local_events());
    found
}

/// Lists the files of one clone, oldest first.
fn list_months(folder: &Path) -> Vec<PathBuf> {
    let mut found = list_file_names(folder);
    found.retain(|path| path.extension().is_some_and(|kind| kind == "jsonl"));
    found
}

fn list_file_names(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    // A link is not part of history: it may lead to any file, and history is shared.
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// Reads the intact events of one file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<Event>, StoreError> {
    let text = files::read_or_empty(path)?;
    Ok(lines::iter_line_spans(&text, 0)
        .filter_map(|(_, span)| journal::open_sealed(&text[span]))
        .collect())
}

impl Store {
    /// Returns all events of history, oldest first, including those still in the journal. Large
    /// values are not filled in.
    pub fn events(&self) -> Result<Vec<Event>, StoreError> {
        read_all_events(&self.paths)
    }

    /// Returns the events of one bead, oldest first.
    pub fn events_of(&self, id: &str) -> Result<Vec<Event>, StoreError> {
        let mut events = self.events()?;
        events.retain(|event| event.changes.iter().any(|change| change.id == id));
        self.fill_in_events(&mut events)?;
        Ok(events)
    }

    /// Fills in the whole values of large fields in events.
    pub fn fill_in_events(&self, events: &mut [Event]) -> Result<(), StoreError> {
        self.fill_in_values(events.iter_mut().flat_map(|event| {
            let id = event.id.as_str();
            event.changes.iter_mut().map(move |change| (id, change))
        }))
    }

    /// Returns the events of other clones, keyed by their ids, each with the clone's id.
    pub fn made_elsewhere(&self) -> Result<HashMap<String, String>, StoreError> {
        let own_clone = clone_id::find_clone_id(self.paths.dir());
        let mut found = HashMap::new();
        for folder in list_file_names(&self.paths.events()) {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            if own_clone.as_deref() == Some(&*name) {
                continue;
            }
            for path in list_months(&folder) {
                found.extend(
                    read_file(&path)?
                        .into_iter()
                        .map(|event| (event.id, name.clone().into_owned())),
                );
            }
        }
        Ok(found)
    }
}
