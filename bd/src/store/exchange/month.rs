//! Moves history from `events.local.jsonl` to `events/<clone>/YYYY-MM.jsonl`, by the month of each
//! event.
//!
//! Steps, under the writers' lock:
//! 1. Append the missing events to each month, and sync.
//! 2. Copy unreadable lines to `damaged/`.
//! 3. Replace the waiting file by an empty one.
//!
//! After a crash in between, an event is in both files. It counts once, by its id, and the next
//! move drops the second copy.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use crate::bead::Stamp;
use crate::bead::lines;
use crate::store::disk::files;
use crate::store::disk::paths::StorePaths;
use crate::store::log::{damage, history, journal};
use crate::store::{Event, StoreError};
use kit::sys::file;
use kit::ui::counted;

/// Moves the waiting events. Returns a notice if damaged lines were set aside.
pub(super) fn move_waiting_history(
    paths: &StorePaths,
    clone: &str,
    now: &Stamp,
) -> Result<Option<String>, StoreError> {
    let local = paths.local_events();
    let text = files::read_or_empty(&local)?;
    if text.is_empty() {
        return Ok(None);
    }
    let mut months: BTreeMap<String, Vec<(String, &[u8])>> = BTreeMap::new();
    let mut damaged: Vec<&[u8]> = Vec::new();
    for (_, span) in lines::iter_line_spans(&text, 0) {
        let line = &text[span];
        match journal::open_sealed::<Event>(line) {
            Some(event) => {
                let month = months.entry(month_of(&event.at)).or_default();
                month.push((event.id, line));
            }
            None => damaged.push(line),
        }
    }
    let folder = paths.events().join(clone);
    files::create_store_folder(&folder)?;
    for (month, events) in &months {
        append_events(&folder.join(format!("{month}.jsonl")), events)?;
    }
    for folder in [&folder, &paths.events(), paths.dir()] {
        file::sync_folder(folder).map_err(|error| StoreError::io("sync", folder, error))?;
    }
    let notice = if damaged.is_empty() {
        None
    } else {
        let kept = damage::keep_damaged_bytes(
            &paths.damaged(),
            "events.local.jsonl",
            &damaged.join(&b'\n'),
            now,
        )?;
        Some(format!(
            "{}: {} cannot be read; kept in {}",
            local.display(),
            counted(damaged.len(), "line"),
            kept.display()
        ))
    };
    files::replace_store_file(&local, b"")?;
    Ok(notice)
}

/// Appends the events that the file lacks.
fn append_events(path: &Path, events: &[(String, &[u8])]) -> Result<(), StoreError> {
    let mut known: HashSet<String> = history::read_file(path)?
        .into_iter()
        .map(|event| event.id)
        .collect();
    let mut text = Vec::new();
    for (id, line) in events {
        if known.insert(id.clone()) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
    }
    if text.is_empty() {
        return Ok(());
    }
    history::append_synced(path, &text)
}

fn month_of(at: &str) -> String {
    Stamp::parse(at).day().chars().take(7).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn event(id: &str, at: &str) -> Vec<u8> {
        journal::encode_sealed(&Event {
            id: id.to_owned(),
            at: at.to_owned(),
            actor: "a".to_owned(),
            ..Event::default()
        })
    }

    fn ids(paths: &StorePaths) -> Vec<String> {
        let all = history::read_all_events(paths).unwrap();
        all.into_iter().map(|event| event.id).collect()
    }

    /// A folder with one event in November and one in December, in UTC.
    fn waiting() -> (tempfile::TempDir, StorePaths) {
        let folder = tempfile::tempdir().unwrap();
        let paths = StorePaths::for_folder(folder.path());
        let text = [
            event("one", "2026-11-30T23:59:59Z"),
            event("two", "2026-11-30T23:59:59-01:00"),
        ]
        .concat();
        fs::write(paths.local_events(), text).unwrap();
        (folder, paths)
    }

    #[test]
    fn each_event_is_written_to_the_file_of_its_month() {
        let (_folder, paths) = waiting();
        let now = Stamp::parse("2026-12-02T00:00:00Z");
        move_waiting_history(&paths, "k", &now).unwrap();
        let read = |month: &str| {
            let path = paths.events().join(format!("k/{month}.jsonl"));
            history::read_file(&path).unwrap().len()
        };
        assert_eq!((read("2026-11"), read("2026-12")), (1, 1));
        assert_eq!(fs::read(paths.local_events()).unwrap(), b"");
        assert_eq!(ids(&paths), ["one", "two"]);
    }

    #[test]
    fn a_kill_between_any_two_steps_loses_or_duplicates_no_event() {
        let (_folder, paths) = waiting();
        let now = Stamp::parse("2026-12-02T00:00:00Z");
        let before = fs::read(paths.local_events()).unwrap();
        let november = paths.events().join("k/2026-11.jsonl");
        let december = paths.events().join("k/2026-12.jsonl");
        move_waiting_history(&paths, "k", &now).unwrap();
        let whole = fs::read(&november).unwrap();
        // In turn: no byte was written, a part of a line, one month, and both with the rest
        // pending.
        for (first, second) in [
            (&whole[..0], false),
            (&whole[..20], false),
            (&whole[..], false),
            (&whole[..], true),
        ] {
            fs::write(&november, first).unwrap();
            if !second {
                fs::remove_file(&december).ok();
            }
            fs::write(paths.local_events(), &before).unwrap();
            assert_eq!(ids(&paths), ["one", "two"]);
            move_waiting_history(&paths, "k", &now).unwrap();
            assert_eq!(ids(&paths), ["one", "two"]);
            let read = |path: &Path| history::read_file(path).unwrap().len();
            assert_eq!((read(&november), read(&december)), (1, 1));
        }
    }

    #[test]
    fn unreadable_events_are_kept() {
        let (_folder, paths) = waiting();
        let text = [fs::read(paths.local_events()).unwrap(), b"{\"half".to_vec()].concat();
        fs::write(paths.local_events(), text).unwrap();
        let now = Stamp::parse("2026-12-02T00:00:00Z");
        let notice = move_waiting_history(&paths, "k", &now).unwrap().unwrap();
        assert!(notice.contains("1 line cannot be read"), "{notice}");
        let kept = fs::read_dir(paths.damaged()).unwrap().next().unwrap();
        let kept = fs::read(kept.unwrap().path()).unwrap();
        assert_eq!(kept, b"{\"half\n");
        assert_eq!(ids(&paths), ["one", "two"]);
    }
}
