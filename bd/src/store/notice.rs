//! What is told, once, of a file that went back to an older state.

use std::collections::BTreeSet;

use super::archived::Archived;
use super::descent::Descent;
use super::history;
use super::index::{ISSUES, Index, JOURNALED, Row};
use super::lost::{Asked, lost, traces, traces_about};
use super::paths::Paths;
use super::source::Source;
use crate::bead::Status;
use crate::sys::file;

/// How many ids a message names.
const NAMED: usize = 5;

/// What is to be told of a file that was changed from outside: which beads went back to a state that they
/// had before a change of ours.
///
/// Without an index from before, every bead of history is looked at. What was told once is not told again.
pub(super) fn of(before: Option<&Index>, now: &Index, source: &Source) -> Option<String> {
    let paths = &source.paths;
    let changed = before.map(|before| changed_ids(before, now));
    if changed.as_ref().is_some_and(BTreeSet::is_empty) {
        return None;
    }
    let text = history::local(paths).ok()?;
    let traces = match &changed {
        Some(changed) => traces_about(&text, changed),
        None => traces(&text).map(|(_, trace)| trace).collect(),
    };
    let mut lost = lost(&traces, |id| {
        if changed
            .as_ref()
            .is_some_and(|changed| !changed.contains(id))
        {
            return Asked::No;
        }
        let row = now.find(id).and_then(|at| now.row(at));
        row.map_or(Asked::Gone, |row| Asked::Is {
            hash: row.hash,
            deleted: row.status == Status::Tombstone.code(),
        })
    });
    if !lost.is_empty() {
        // A fold tells history before it puts the issues in place.
        let journaled = source.journaled_now()?;
        lost.retain(|_, missing| {
            missing
                .at
                .retain(|at| !journaled.contains(traces[*at].id.as_ref()));
            !missing.at.is_empty()
        });
    }
    let mut others = by_others(changed.as_ref(), now, paths);
    others.retain(|id| !lost.contains_key(id));
    let ids = lost.values().flat_map(|lost| &lost.at);
    let ids = ids.map(|at| traces[*at].id.as_ref());
    let ids: Vec<&str> = ids.chain(others.iter().map(String::as_str)).collect();
    if !is_news(&ids, paths) {
        return None;
    }
    let names: BTreeSet<&str> = lost.keys().chain(&others).map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    Some(format!(
        "{} went back to an older state: changes to {} are no longer in it; `bd restore --lost` brings them back",
        paths.issues().display(),
        some(&names)
    ))
}

/// Of these beads, or of all that history knows, those that went back to before what others did.
fn by_others(changed: Option<&BTreeSet<String>>, now: &Index, paths: &Paths) -> BTreeSet<String> {
    // Without an index from before, only a clone that syncs has what others did.
    if changed.is_none() && !paths.base().exists() {
        return BTreeSet::new();
    }
    let Ok(descent) = Descent::read(paths, changed) else {
        return BTreeSet::new();
    };
    let archived = Archived::read(paths.dir()).unwrap_or_default();
    let is_empty = changed.is_some() && !now.rows().iter().any(is_issue);
    let mut ids = changed.cloned().unwrap_or_else(|| descent.ids());
    ids.retain(|id| match now.find(id).and_then(|at| now.row(at)) {
        Some(row) => descent.is_behind(id, row.hash),
        None => {
            let is_known = is_empty || descent.knows(id);
            is_known && !descent.is_removed(id) && !archived.has(id)
        }
    });
    ids
}

/// The first names of a list, and how many there are more.
pub(super) fn some<T: AsRef<str>>(names: &[T]) -> String {
    let first: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Whether these lost events were not told before; remembers that they are told now.
fn is_news(ids: &[&str], paths: &Paths) -> bool {
    let path = paths.told();
    if ids.is_empty() {
        // Should it be lost again, it is told again.
        file::remove(&path).ok();
        return false;
    }
    let text = ids.join("\n");
    if file::read(&path).ok().flatten().as_deref() == Some(text.as_bytes()) {
        return false;
    }
    // Where it cannot be remembered it is told again.
    file::replace_relaxed(&path, text.as_bytes(), 0o644).ok();
    true
}

/// The durable beads that are gone or have another line now.
fn changed_ids(before: &Index, now: &Index) -> BTreeSet<String> {
    let mut changed = BTreeSet::new();
    // Both are by id.
    let mut others = now.rows().iter().zip(now.ids().iter()).peekable();
    for ((at, row), id) in (0..).zip(before.rows()).zip(before.ids().iter()) {
        while others.next_if(|(_, other)| *other < id).is_some() {}
        let there = others.peek().filter(|(_, other)| *other == id);
        let is_same = there.is_some_and(|(there, _)| there.hash == row.hash);
        if is_issue(row) && !is_same {
            changed.insert(before.id(at).to_owned());
        }
    }
    changed
}

/// Whether a row is that of a durable bead.
fn is_issue(row: &Row) -> bool {
    row.file & !JOURNALED == ISSUES
}
