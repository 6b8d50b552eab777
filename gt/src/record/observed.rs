//! Remembers what the changed files and the screen of a worker looked like, from one look to the
//! next, so that growth is distinguished from work: a log file that only gets longer, a spinner, a
//! counter.
//!
//! The record lies beside the index of the sandbox, `gt-observed.json`. It may be lost at any time:
//! then each change counts once more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bd::bead::hash::compute_short_hash;
use jiff::Timestamp;
use kit::sys::file;
use serde::{Deserialize, Serialize};

use crate::host::TYPED_PREFIX;
use crate::town::sandbox_git::find_sandbox_repository;

/// The number of bytes at the start and at the end of a file that are compared.
const START_SIZE: u64 = 64 * 1024;
const END_SIZE: u64 = 4 * 1024;

/// The number of lines of a screen that are remembered. Beyond it, all count once more.
const MAX_LINES: usize = 2000;

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct ObservedWork {
    files: BTreeMap<String, ObservedFile>,
    screen: Option<ObservedScreen>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<ObservedRefusal>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ObservedFile {
    /// The modification time when the file was last read.
    modified: Timestamp,
    /// The modification time of the last change that was more than growth.
    counted: Timestamp,
    length: u64,
    content: String,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct ObservedScreen {
    /// The hashes of the lines that it has shown.
    lines: BTreeSet<String>,
    /// The time of the last output that brought a new line.
    at: Option<Timestamp>,
}

/// A refusal of the API that a screen shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ObservedRefusal {
    kind: String,
    /// The time from which the screen shows a refusal of this kind.
    pub since: Timestamp,
    /// The hash of the words.
    words: String,
    /// The time from which the screen shows these words.
    pub worded: Timestamp,
}

/// Returns the first reading of a refusal of this kind since the worker's last work. `at` is the
/// time of the last output.
pub(crate) fn first_refusal(
    sandbox: &Path,
    kind: &str,
    words: &str,
    at: Timestamp,
    work: Timestamp,
) -> ObservedRefusal {
    let hash = compute_short_hash(words, 16);
    change_observed(sandbox, |observed| {
        let mut found = match observed.refusal.take() {
            Some(before) if before.kind == kind && before.since >= work => before,
            _ => ObservedRefusal {
                kind: kind.to_owned(),
                since: at,
                words: hash.clone(),
                worded: at,
            },
        };
        if found.words != hash {
            found.words = hash;
            found.worded = at;
        }
        observed.refusal = Some(found.clone());
        found
    })
}

/// Forgets the refusal, because the screen shows none.
pub(crate) fn forget_refusal(sandbox: &Path) {
    change_observed(sandbox, |observed| observed.refusal = None);
}

/// Returns the time of the last change to one of the files that did more than make it longer.
/// `changed` are the changed paths with their modification times.
pub(crate) fn last_real_change(
    sandbox: &Path,
    changed: &[(PathBuf, Timestamp)],
) -> Option<Timestamp> {
    change_observed(sandbox, |observed| {
        let before = std::mem::take(&mut observed.files);
        for (path, modified) in changed {
            let name = path.to_string_lossy().into_owned();
            let found = observe_file(&sandbox.join(path), *modified, before.get(&name));
            observed.files.insert(name, found);
        }
        observed.files.values().map(|one| one.counted).max()
    })
}

/// Returns the time of the last output that brought a line which the screen has not shown before: a
/// program may print the same lines without end. Numbers and signs, of which counters and spinners
/// are made, are no text, and messages that the town types are no output of the program. `at` is
/// the time of the last output.
pub(crate) fn last_new_text(
    sandbox: &Path,
    screen: &str,
    at: Option<Timestamp>,
) -> Option<Timestamp> {
    let lines = hash_lines(screen);
    change_observed(sandbox, |observed| {
        let is_first = observed.screen.is_none();
        let seen = observed.screen.get_or_insert_default();
        if seen.lines.len() > MAX_LINES {
            seen.lines.clear();
        }
        let before = seen.lines.len();
        seen.lines.extend(lines);
        if seen.lines.len() > before || is_first {
            seen.at = at;
        }
        seen.at
    })
}

fn change_observed<T>(sandbox: &Path, change: impl FnOnce(&mut ObservedWork) -> T) -> T {
    let path = git_folder_of(sandbox).map(|folder| folder.join("gt-observed.json"));
    let stored = path
        .as_deref()
        .and_then(|path| file::read_file_if_exists(path).ok()?);
    let mut observed: ObservedWork = stored
        .as_ref()
        .and_then(|bytes| serde_json::from_slice(bytes).ok())
        .unwrap_or_default();
    let result = change(&mut observed);
    if let (Some(path), Ok(text)) = (path, serde_json::to_vec(&observed))
        && stored.as_ref() != Some(&text)
    {
        // A failed record only makes the next change count once more.
        file::replace_file_relaxed(&path, &text, 0o600).ok();
    }
    result
}

/// Returns the folder of the town's repository for a sandbox, or git's folder for another worktree.
pub(crate) fn git_folder_of(sandbox: &Path) -> Option<PathBuf> {
    if let Some(folder) = find_sandbox_repository(sandbox) {
        return Some(folder);
    }
    let link = fs::read_to_string(sandbox.join(".git")).ok()?;
    let folder = Path::new(link.trim().strip_prefix("gitdir: ")?);
    Some(sandbox.join(folder))
}

fn observe_file(path: &Path, modified: Timestamp, before: Option<&ObservedFile>) -> ObservedFile {
    if let Some(before) = before.filter(|before| before.modified == modified) {
        return before.clone();
    }
    let length = fs::symlink_metadata(path).map_or(0, |meta| meta.len());
    let counted = match before {
        Some(before)
            if before.length < length
                && read_content(path, before.length).as_ref() == Some(&before.content) =>
        {
            before.counted
        }
        _ => modified,
    };
    ObservedFile {
        modified,
        counted,
        length,
        content: read_content(path, length).unwrap_or_default(),
    }
}

/// Hashes the first bytes of a file, and the last ones before `length`. None for what is no file.
fn read_content(path: &Path, length: u64) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut open = File::open(path).ok()?;
    let mut bytes = Vec::new();
    open.by_ref()
        .take(START_SIZE.min(length))
        .read_to_end(&mut bytes)
        .ok()?;
    open.seek(SeekFrom::Start(length.saturating_sub(END_SIZE)))
        .ok()?;
    open.take(END_SIZE.min(length))
        .read_to_end(&mut bytes)
        .ok()?;
    Some(compute_short_hash(bytes, 16))
}

/// Hashes the letters of each line of a screen.
fn hash_lines(screen: &str) -> Vec<String> {
    screen
        .lines()
        .filter(|line| !line.contains(TYPED_PREFIX))
        .map(|line| line.chars().filter(|c| c.is_alphabetic()).collect())
        .filter(|letters: &String| !letters.is_empty())
        .map(|letters| compute_short_hash(letters, 8))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_of_a_file_and_counters_on_a_screen_are_no_change() {
        let place = tempfile::tempdir().unwrap();
        let sandbox = place.path();
        fs::create_dir(sandbox.join("git")).unwrap();
        fs::write(sandbox.join(".git"), "gitdir: git\n").unwrap();
        let at = |second| Timestamp::from_second(second).unwrap();
        let write = |text: &str, second| {
            fs::write(sandbox.join("run.log"), text).unwrap();
            last_real_change(sandbox, &[(PathBuf::from("run.log"), at(second))])
        };
        assert_eq!(write("one\n", 1), Some(at(1)), "it is new");
        assert_eq!(write("one\ntwo\n", 2), Some(at(1)));
        assert_eq!(write("one\ntwo\nthree\n", 3), Some(at(1)));
        assert_eq!(write("one\n2\nthree\nfour\n", 4), Some(at(4)));
        assert_eq!(write("one\n", 5), Some(at(5)));
        let screen = |text: &str, second| last_new_text(sandbox, text, Some(at(second)));
        assert_eq!(screen("building\n⠋ 1 s", 1), Some(at(1)));
        assert_eq!(screen("building\n⠙ 2 s", 2), Some(at(1)));
        assert_eq!(screen("building 99 %\n⠙ 3 s", 3), Some(at(1)));
        assert_eq!(screen("building\nlinking\n⠙ 4 s", 4), Some(at(4)));
        assert_eq!(screen("linking\nbuilding\nlinking", 5), Some(at(4)));
        assert_eq!(screen("[from mayor/] how is it?\nlinking", 6), Some(at(4)));
        assert_eq!(screen("linking\ndone", 7), Some(at(7)));
    }

    #[test]
    fn a_refusal_is_dated_by_its_first_reading_since_the_last_work() {
        let place = tempfile::tempdir().unwrap();
        let sandbox = place.path();
        fs::create_dir(sandbox.join("git")).unwrap();
        fs::write(sandbox.join(".git"), "gitdir: git\n").unwrap();
        let at = |second| Timestamp::from_second(second).unwrap();
        let read = |words: &str, second, work| {
            let found = first_refusal(sandbox, "usage_limit", words, at(second), at(work));
            (found.since.as_second(), found.worded.as_second())
        };
        assert_eq!(read("resets 3am", 10, 5), (10, 10));
        assert_eq!(read("resets 3am", 20, 5), (10, 10));
        assert_eq!(read("resets 4am", 30, 5), (10, 30));
        assert_eq!(read("resets 4am", 40, 35), (40, 40), "it worked since");
        forget_refusal(sandbox);
        assert_eq!(read("resets 4am", 50, 35), (50, 50));
    }
}
