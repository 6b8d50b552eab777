//! Finds damaged lines of the journal, in the file and set aside, whose changes are recorded
//! nowhere else.
//!
//! A later change of the same bead contains the whole bead, so nothing is missing then. A missing
//! change can be restored if the record in the damaged line matches its hash and the bead is still
//! in the state before that change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{CheckLevel, DoctorCheck};
use crate::bead::lines;
use crate::bead::record;
use crate::store::damage::{self, SoundRecord};
use crate::store::journal;
use crate::store::paths::StorePaths;
use crate::store::{Author, Store, StoreError};
use kit::sys::{Clock, file};
use kit::ui::counted;

struct DamagedJournalLine {
    /// The file that contains the line.
    path: PathBuf,
    /// True if the line was moved out of the journal.
    aside: bool,
    line: Vec<u8>,
    /// The beads that the line changed and whose resulting state is not in history.
    missing: BTreeSet<String>,
}

pub(super) fn check_journal(store: &Store) -> Result<DoctorCheck, StoreError> {
    let found = find_damaged(store)?;
    let inside = found
        .iter()
        .filter(|damaged_line| !damaged_line.aside)
        .count();
    let missing: Vec<&DamagedJournalLine> = found
        .iter()
        .filter(|damaged_line| damaged_line.is_missing())
        .collect();
    if inside == 0 && missing.is_empty() {
        return Ok(DoctorCheck::ok(
            "Journal",
            "every acknowledged change is readable",
        ));
    }
    let detail = missing
        .iter()
        .map(|damaged_line| damaged_line.describe_damage())
        .collect();
    let mut fix = String::from(
        "bd doctor --fix sets damaged lines aside and brings back what is whole in them",
    );
    if let Some(damaged_line) = missing.iter().find(|one| one.aside) {
        fix = format!(
            "{fix}; enter again what else {} held, then move that file out of {}",
            damaged_line.path.display(),
            damaged_line
                .path
                .parent()
                .unwrap_or(&damaged_line.path)
                .display()
        );
    }
    let (level, message) = if inside > 0 {
        (
            CheckLevel::Error,
            format!("{} inside it", counted(inside, "damaged line")),
        )
    } else {
        let message = "acknowledged changes exist only in damaged lines that were set aside";
        (CheckLevel::Warning, message.to_owned())
    };
    Ok(DoctorCheck::bad("Journal", level, message, detail, fix))
}

/// Restores the intact records of damaged lines that were set aside, and describes each repair.
pub(super) fn repair_journal(
    store: &Store,
    author: &Author,
    clock: &Clock,
) -> anyhow::Result<Vec<String>> {
    // Folding sets aside the damaged lines that are still in the journal.
    store.fold(clock)?;
    let found = find_damaged(store)?;
    let mut sound: Vec<SoundRecord> = Vec::new();
    for damaged_line in found.iter().filter(|one| one.aside) {
        sound.extend(
            damage::sound_records(&damaged_line.line)
                .into_iter()
                .filter(|sound| damaged_line.missing.contains(&sound.id)),
        );
    }
    if sound.is_empty() {
        return Ok(Vec::new());
    }
    let done = store.transact(author, clock, |tx| {
        let mut done = Vec::new();
        for sound in sound {
            let now = tx
                .get(&sound.id)
                .map(|bead| journal::line_hash(&record::serialize_bead(bead)));
            if now == sound.before
                && let Ok(bead) = record::parse_bead(sound.record.as_bytes())
            {
                tx.put(bead)?;
                done.push(sound.id);
            }
        }
        tx.describe("restore", "");
        Ok(done)
    })?;
    Ok(done
        .into_iter()
        .map(|id| format!("{id} is as a damaged line of the journal has it"))
        .collect())
}

/// Returns the damaged lines, oldest first.
fn find_damaged(store: &Store) -> Result<Vec<DamagedJournalLine>, StoreError> {
    let paths = StorePaths::for_folder(store.dir());
    let mut found = Vec::new();
    let mut aside: Vec<PathBuf> = std::fs::read_dir(paths.damaged())
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_acknowledged(path))
        .collect();
    aside.sort();
    for path in aside {
        let text = read_or_empty(&path)?;
        for (_, span) in lines::iter_line_spans(&text, 0) {
            found.push(DamagedJournalLine::new(&path, true, text[span].to_vec()));
        }
    }
    let path = paths.journal();
    let text = read_or_empty(&path)?;
    for span in journal::decode_journal(&text).torn {
        if text
            .get(span.end..)
            .is_some_and(|rest| rest.contains(&b'\n'))
        {
            found.push(DamagedJournalLine::new(&path, false, text[span].to_vec()));
        }
    }
    if found.is_empty() {
        return Ok(found);
    }
    let mut left: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for change in store.events()?.into_iter().flat_map(|event| event.changes) {
        left.entry(change.id).or_default().extend(change.after);
    }
    for damaged_line in &mut found {
        let line = std::mem::take(&mut damaged_line.line);
        damaged_line.missing.retain(|id| {
            let mut hashes = left.get(id).into_iter().flatten();
            !hashes.any(|hash| damage::has_line_hash(&line, hash))
        });
        damaged_line.line = line;
    }
    Ok(found)
}

fn is_acknowledged(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with(damage::ACKNOWLEDGED))
}

fn read_or_empty(path: &Path) -> Result<Vec<u8>, StoreError> {
    file::read_file_if_exists(path)
        .map(Option::unwrap_or_default)
        .map_err(|source| StoreError::io("read", path, source))
}

impl DamagedJournalLine {
    fn new(path: &Path, aside: bool, line: Vec<u8>) -> Self {
        Self {
            path: path.to_owned(),
            aside,
            missing: damage::find_visible_ids(&line),
            line,
        }
    }

    fn is_missing(&self) -> bool {
        !self.missing.is_empty() || damage::find_visible_ids(&self.line).is_empty()
    }

    fn describe_damage(&self) -> String {
        let path = self.path.display();
        if self.missing.is_empty() {
            return format!("{path}: a line that shows no bead");
        }
        let ids: Vec<&str> = self.missing.iter().map(String::as_str).collect();
        format!("{path}: what was done to {}", ids.join(", "))
    }
}
