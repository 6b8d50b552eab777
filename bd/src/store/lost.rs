//! Acknowledged changes that have left the file: someone took `issues.jsonl` back to an older state, by
//! `git reset --hard`, `git checkout` or `git stash`.
//!
//! Nothing is revived silently: the next command says what left, and `bd restore --lost` brings it back.

use std::collections::{BTreeMap, BTreeSet};

use super::history;
use super::index::{ISSUES, Index, JOURNALED};
use super::journal::hash_text;
use super::paths::Paths;
use crate::store::event::Event;
use crate::sys::file;

/// How many ids a message names.
const NAMED: usize = 5;

/// What is to be told of a file that was changed from outside: which beads went back to a state that they
/// had before a change of ours.
///
/// Without an index from before, every bead of history is looked at. What was told once is not told again.
pub(super) fn notice(before: Option<&Index>, now: &Index, paths: &Paths) -> Option<String> {
    let changed = before.map(|before| changed_ids(before, now));
    if changed.as_ref().is_some_and(BTreeSet::is_empty) {
        return None;
    }
    let events = history::local(paths).ok()?;
    let lost = lost(&events, |id| {
        if changed
            .as_ref()
            .is_some_and(|changed| !changed.contains(id))
        {
            return Asked::No;
        }
        let row = now.find(id).and_then(|at| now.row(at));
        row.map_or(Asked::Gone, |row| Asked::Is(hash_text(row.hash)))
    });
    if !is_news(&lost, paths) {
        return None;
    }
    let mut names: Vec<&str> = lost.keys().map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    Some(format!(
        "{} went back to an older state: changes to {}{more} are no longer in it; `bd restore --lost` brings them back",
        paths.issues().display(),
        names.join(", ")
    ))
}

/// Whether this was not told before; remembers that it is told now.
fn is_news(lost: &BTreeMap<String, Vec<&Event>>, paths: &Paths) -> bool {
    let path = paths.told();
    if lost.is_empty() {
        // Should it be lost again, it is told again.
        file::remove(&path).ok();
        return false;
    }
    let ids = lost.values().flatten().map(|event| event.id.as_str());
    let text = ids.collect::<Vec<_>>().join("\n");
    if file::read(&path).ok().flatten().as_deref() == Some(text.as_bytes()) {
        return false;
    }
    // Where it cannot be remembered it is told again.
    file::replace_relaxed(&path, text.as_bytes(), 0o644).ok();
    true
}

/// A bead's line now.
pub(super) enum Asked {
    /// It is not asked about.
    No,
    /// It has none.
    Gone,
    /// Its hash.
    Is(String),
}

/// The beads whose line in the file is an older one, or none: for each the events that it lacks, oldest
/// first. `line` gives the hash of a bead's line now, for the beads that are asked about.
pub(super) fn lost(
    events: &[Event],
    line: impl Fn(&str) -> Asked,
) -> BTreeMap<String, Vec<&Event>> {
    let mut by_bead: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
    // What went to the archive is not lost.
    for event in events.iter().filter(|event| event.verb != "archive") {
        for change in &event.changes {
            by_bead.entry(&change.id).or_default().push(event);
        }
    }
    let mut lost = BTreeMap::new();
    for (id, events) in by_bead {
        let now = match line(id) {
            Asked::No => continue,
            Asked::Gone => None,
            Asked::Is(hash) => Some(hash),
        };
        let states = || {
            let changes = events.iter().flat_map(|event| &event.changes);
            changes.filter(|change| change.id == id)
        };
        let hashed = states().any(|change| change.before.is_some() || change.after.is_some());
        // The last change that led to the line there is.
        let reached = states().collect::<Vec<_>>();
        let at = reached.iter().rposition(|change| change.after == now);
        let missing = match at {
            Some(at) => &events[at + 1..],
            None if reached.first().is_some_and(|first| first.before == now) => &events[..],
            None => continue,
        };
        if hashed && !missing.is_empty() {
            lost.insert(id.to_owned(), missing.to_vec());
        }
    }
    lost
}

/// The durable beads that are gone or have another line now.
fn changed_ids(before: &Index, now: &Index) -> BTreeSet<String> {
    let mut changed = BTreeSet::new();
    // Both are by id.
    let mut next = 0;
    for at in 0..before.len() {
        let id = before.id_bytes(at);
        while next < now.len() && now.id_bytes(next) < id {
            next += 1;
        }
        let Some(row) = before.row(at) else {
            continue;
        };
        let there = now.row(next).filter(|_| now.id_bytes(next) == id);
        let is_same = there.is_some_and(|there| there.hash == row.hash);
        if row.file & !JOURNALED == ISSUES && !is_same {
            changed.insert(before.id(at).to_owned());
        }
    }
    changed
}
