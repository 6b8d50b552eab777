//! What the branch has and our own issues have no more: someone took the file back to an older state (`git
//! checkout`, `git reset --hard`), which is not to be told to everyone as a change.
//!
//! A bead went back where its record is older than the one in the common state, where history knows that it came from
//! something older than that, or where it is gone and nothing says that it was removed: no archive, no event.

use std::collections::{BTreeSet, HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use crate::bead::{Bead, record};
use crate::merge;
use crate::store::descent::Descent;
use crate::store::share::{Files, Own};
use crate::store::{StoreError, lines};

/// Where a bead's line should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Back {
    pub id: String,
    /// The line of the common state.
    pub line: Vec<u8>,
    /// Whether the bead is gone.
    pub is_gone: bool,
}

/// The beads of `base` that went back in `own`. `descent` is asked for only where there may be any.
pub(super) fn went_back(
    base: &[u8],
    own: &[u8],
    is_archived: impl Fn(&str) -> bool,
    descent: impl FnOnce(&BTreeSet<String>) -> Result<Descent, StoreError>,
) -> Result<Vec<Back>, StoreError> {
    if base == own {
        return Ok(Vec::new());
    }
    let now: HashMap<String, &[u8]> = merge::rows(own).collect();
    let mut changed = Vec::new();
    for (id, line) in merge::rows(base) {
        let there = now.get(&id).copied();
        if there != Some(line) && (there.is_some() || !is_archived(&id)) {
            changed.push((id, line, there));
        }
    }
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let descent = descent(&changed.iter().map(|(id, _, _)| id.clone()).collect())?;
    let back = changed
        .into_iter()
        .filter(|(id, line, there)| is_back(id, line, *there, &descent))
        .map(|(id, line, there)| Back {
            id,
            line: line.to_vec(),
            is_gone: there.is_none(),
        });
    Ok(back.collect())
}

/// Whether a bead with this line in the common state went back to what is there.
fn is_back(id: &str, line: &[u8], there: Option<&[u8]>, descent: &Descent) -> bool {
    let Ok(bead) = record::parse(line) else {
        return false;
    };
    let base = xxh3_64(line);
    let Some(there) = there else {
        return !descent.leads(id, base, None) && !descent.is_removed(id);
    };
    // Damage is for the merge to mend.
    let Ok(own) = record::parse(there) else {
        return false;
    };
    let now = xxh3_64(there);
    // A clock may be behind: what history says counts.
    let is_older = is_older(&own, &bead) && !descent.leads(id, base, Some(now));
    is_older || descent.branches_off(id, now, base)
}

/// The beads that the common state has in its archive, and the store neither there nor among its issues.
/// `descent` is asked for only where there may be any.
pub(super) fn left_archive(
    base: &Files,
    own: &Own,
    descent: impl FnOnce(&BTreeSet<String>) -> Result<Descent, StoreError>,
) -> Result<Vec<String>, StoreError> {
    if *base == own.archive {
        return Ok(Vec::new());
    }
    let ids = |text: &Vec<u8>| -> Vec<String> { merge::rows(text).map(|(id, _)| id).collect() };
    let texts = own.archive.values().chain([&own.issues]);
    let there: HashSet<String> = texts.flat_map(ids).collect();
    let mut gone: Vec<String> = base.values().flat_map(ids).collect();
    gone.retain(|id| !there.contains(id));
    if gone.is_empty() {
        return Ok(gone);
    }
    let descent = descent(&gone.iter().cloned().collect())?;
    // Whoever removed it after it was there meant it so.
    gone.retain(|id| !descent.is_removed(id) || descent.is_archived(id));
    Ok(gone)
}

fn is_older(own: &Bead, base: &Bead) -> bool {
    let is_same = own.created_at == base.created_at && own.created_by == base.created_by;
    is_same && own.updated_at < base.updated_at
}

/// Our own issues with these lines as they were.
pub(super) fn bring_back(own: &[u8], back: &[Back]) -> Vec<u8> {
    let ids: HashSet<&str> = back.iter().map(|back| back.id.as_str()).collect();
    let mut rows: Vec<(String, &[u8])> = Vec::new();
    let mut loose: Vec<&[u8]> = Vec::new();
    for (_, span) in lines::spans(own, 0) {
        let line = &own[span];
        match merge::id_of(line) {
            Some(id) if ids.contains(id.as_str()) => {}
            Some(id) => rows.push((id, line)),
            None => loose.push(line),
        }
    }
    rows.extend(back.iter().map(|back| (back.id.clone(), &back.line[..])));
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let mut text = Vec::with_capacity(own.len());
    for line in rows.into_iter().map(|(_, line)| line).chain(loose) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::record::Fields;
    use crate::store::event::Difference;
    use crate::store::{Event, journal};

    fn line(id: &str, title: &str, hour: u8) -> String {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"{title}\",\"created_at\":\"2026-01-01T00:00:00Z\",\"created_by\":\"a\",\"updated_at\":\"2026-01-01T{hour:02}:00:00Z\"}}"
        )
    }

    fn text(lines: &[String]) -> Vec<u8> {
        lines
            .iter()
            .flat_map(|line| format!("{line}\n").into_bytes())
            .collect()
    }

    fn event(before: Option<&str>, after: Option<&str>) -> Event {
        let hash = |line: &str| journal::line_hash(line.as_bytes());
        Event {
            id: "e".into(),
            at: "2026-01-01T00:00:00Z".into(),
            actor: String::new(),
            session: String::new(),
            verb: String::new(),
            undoes: String::new(),
            wisps: false,
            changes: vec![Difference {
                id: "a-1".into(),
                before: before.map(hash),
                beside: Vec::new(),
                after: after.map(hash),
                old: before.map(|_| Fields::default()),
                new: after.map(|_| Fields::default()),
                lost: None,
                includes: Vec::new(),
            }],
        }
    }

    fn back(base: &[u8], own: &[u8], events: &[Event]) -> Vec<String> {
        let descent = Descent::of(events);
        let found = went_back(base, own, |id| id == "a-9", |_| Ok(descent)).unwrap();
        found.into_iter().map(|back| back.id).collect()
    }

    #[test]
    fn what_is_older_or_gone_went_back_and_what_changed_did_not() {
        let base = text(&[
            line("a-1", "new", 9),
            line("a-2", "same", 1),
            line("a-9", "kept", 1),
        ]);
        let older = text(&[line("a-1", "old", 8), line("a-2", "same", 1)]);
        assert_eq!(back(&base, &older, &[]), ["a-1"]);
        let newer = text(&[
            line("a-1", "newer", 10),
            line("a-2", "same", 1),
            line("a-3", "x", 1),
        ]);
        assert_eq!(back(&base, &newer, &[]), [""; 0]);
        assert_eq!(back(&base, b"", &[]), ["a-1", "a-2"]);
    }

    #[test]
    fn a_removal_and_a_clock_that_is_behind_are_known_from_history() {
        let (new, old) = (line("a-1", "new", 9), line("a-1", "edited", 8));
        let base = text(std::slice::from_ref(&new));
        assert_eq!(back(&base, b"", &[event(Some(&new), None)]), [""; 0]);
        let own = text(std::slice::from_ref(&old));
        let step = line("a-1", "step", 9);
        let chain = [
            event(Some(&step), Some(&old)),
            event(Some(&new), Some(&step)),
        ];
        assert_eq!(back(&base, &own, &chain), [""; 0]);
        // The other way round it is a file that went back.
        assert_eq!(back(&base, &own, &[event(Some(&old), Some(&new))]), ["a-1"]);
    }

    #[test]
    fn a_deletion_that_went_back_is_found_and_so_is_what_was_changed_after_it_went_back() {
        let live = line("a-1", "live", 8);
        let dead = live.replace(
            '}',
            ",\"status\":\"tombstone\",\"deleted_at\":\"2026-01-01T09:00:00Z\"}",
        );
        let base = text(std::slice::from_ref(&dead));
        assert_eq!(back(&base, b"", &[]), ["a-1"]);
        let deletion = event(Some(&live), Some(&dead));
        let later = line("a-1", "changed after it went back", 12);
        let again = event(Some(&live), Some(&later));
        let own = text(std::slice::from_ref(&later));
        assert_eq!(back(&base, &own, &[deletion.clone(), again]), ["a-1"]);
        // Made to live again after it was deleted, or a line that nobody knows: a change.
        let revived = event(Some(&dead), Some(&later));
        assert_eq!(back(&base, &own, &[deletion.clone(), revived]), [""; 0]);
        assert_eq!(back(&base, &own, &[deletion]), [""; 0]);
    }

    #[test]
    fn a_bead_leaves_the_archive_for_the_issues_or_by_a_removal() {
        let files = |ids: &[&str]| -> Files {
            let lines: Vec<String> = ids.iter().map(|id| line(id, "t", 1)).collect();
            [("2025.jsonl".to_owned(), text(&lines))].into()
        };
        let own = Own {
            issues: text(&[line("a-2", "t", 2)]),
            archive: files(&["a-3"]),
        };
        let base = files(&["a-1", "a-2", "a-3"]);
        let gone =
            |events: Vec<Event>| left_archive(&base, &own, |_| Ok(Descent::of(&events))).unwrap();
        assert_eq!(gone(Vec::new()), ["a-1"]);
        let mut removal = event(Some("x"), None);
        assert_eq!(gone(vec![removal.clone()]), [""; 0]);
        removal.verb = "archive".to_owned();
        assert_eq!(gone(vec![removal]), ["a-1"]);
    }

    #[test]
    fn what_went_back_comes_back_in_its_place() {
        let base = text(&[line("a-1", "new", 9), line("a-2", "b", 9)]);
        let own = text(&[line("a-1", "old", 8), line("a-3", "c", 9)]);
        let found = went_back(&base, &own, |_| false, |_| Ok(Descent::default())).unwrap();
        let whole = text(&[
            line("a-1", "new", 9),
            line("a-2", "b", 9),
            line("a-3", "c", 9),
        ]);
        assert_eq!(bring_back(&own, &found), whole);
    }
}
