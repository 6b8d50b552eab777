//! Unites the store with the two ends of its branch.
//!
//! Issues are merged by field against their common base. Without a base, the beads of either side
//! are kept. A bead leaves the archive only by returning to the issues. History only grows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::SyncError;
use super::SyncRequest;
use super::place::SyncPlace;
use super::side::{CommitSide, CommitSides};
use super::tips::SyncTips;
use crate::bead::lines;
use crate::bead::{Bead, Stamp, record};
use crate::git;
use crate::merge::{self, MergeNote, OverruledValue};
use crate::store::exchange::{StoreFiles, StoreSide, UnitedStore};
use crate::store::{Event, Store};
use crate::store::{archive, journal};

/// The report of the merges.
#[derive(Debug, Clone, Default)]
pub(super) struct MergeReport {
    pub lost: Vec<OverruledValue>,
    pub notes: Vec<MergeNote>,
}

impl CommitSides {
    /// Unites the store's own side with the commits.
    pub(super) fn unite(
        &self,
        request: &SyncRequest<'_>,
        place: &SyncPlace,
        tips: &SyncTips,
        initial: StoreSide,
        report: &mut MergeReport,
    ) -> Result<UnitedStore, SyncError> {
        let mut united = initial;
        if let Some(ours) = self.ours.as_ref().filter(|_| tips.base != tips.ours) {
            united = take_other_side(
                request.store,
                place,
                self.base.as_deref(),
                united,
                ours,
                report,
            )?;
        }
        if let Some(theirs) = &self.theirs {
            united = take_other_side(
                request.store,
                place,
                self.fork.as_deref(),
                united,
                theirs,
                report,
            )?;
        }
        for side in [&self.ours, &self.theirs].into_iter().flatten() {
            united = with_archive(place, side, united)?;
        }
        Ok(UnitedStore {
            issues: united.issues,
            archive: united.archive,
            events: self.history(request.store, place)?,
            lost: report.lost.clone(),
        })
    }

    /// Returns the history files that the store lacks, completely or in part.
    fn history(&self, store: &Store, place: &SyncPlace) -> Result<StoreFiles, SyncError> {
        let here = store.history_files();
        let mut files = StoreFiles::new();
        for (name, file) in [&self.ours, &self.theirs]
            .into_iter()
            .flatten()
            .flat_map(|side| &side.events)
        {
            if here.get(name) == Some(&file.size()) {
                continue;
            }
            let text = match files.remove(name) {
                Some(text) => text,
                None => store.history_file(name)?,
            };
            let there = file.read(place)?;
            files.insert(name.clone(), unite_history(text, there));
        }
        Ok(files)
    }
}

/// Returns the store's side with the archive of another side added. Only lines that were removed
/// everywhere must not return.
fn with_archive(
    place: &SyncPlace,
    side: &CommitSide,
    current: StoreSide,
) -> Result<StoreSide, SyncError> {
    // Equal lengths are taken as equal content.
    if side.archive.iter().all(|(name, file)| {
        current.archive.get(name).map(|text| text.len() as u64) == Some(file.size())
    }) {
        return Ok(current);
    }
    let archive = unite_archives(
        &current.archive,
        &side.archive_texts(place)?,
        &current.issues,
    )?;
    Ok(StoreSide { archive, ..current })
}

/// Merges another side's changes since `base` into our own.
pub(super) fn take_other_side(
    store: &Store,
    place: &SyncPlace,
    base: Option<&CommitSide>,
    current: StoreSide,
    other: &CommitSide,
    report: &mut MergeReport,
) -> Result<StoreSide, SyncError> {
    let is_same_archive = base.is_some_and(|base| {
        base.archive == other.archive
            && other
                .archive
                .keys()
                .all(|name| current.archive.contains_key(name))
    });
    let theirs = if is_same_archive {
        StoreFiles::new()
    } else {
        other.archive_texts(place)?
    };
    let is_same = base.is_some_and(|base| base.issues == other.issues);
    let mut issues = current.issues;
    // A side without the file has no statement about its beads.
    if let (false, Some(mut right)) = (is_same, other.issues_text(place)?) {
        let before = match base {
            Some(base) => base.issues_text(place)?.unwrap_or_default(),
            None => Rc::new(presume_base(&store.found_lines()?, &issues, &right)),
        };
        let archived = ArchiveLines::from_files([&current.archive, &theirs]);
        if let Some(base) = base {
            let vanished =
                find_vanished(place, base, [&before, &issues, &right], other, &archived)?;
            if !vanished.is_empty() {
                // A deletion that another program forgot stays, without a message.
                let ids: Vec<String> = vanished
                    .iter()
                    .filter(|(_, line)| is_alive(line))
                    .map(|(id, _)| id.clone())
                    .collect();
                if !ids.is_empty() {
                    let commit = describe_last_change(store, place, other);
                    report.notes.push(MergeNote::Vanished { ids, commit });
                }
                Rc::make_mut(&mut right).push(b'\n');
                for line in vanished.values() {
                    Rc::make_mut(&mut right).extend_from_slice(line);
                    Rc::make_mut(&mut right).push(b'\n');
                }
            }
        }
        let merged = merge::merge_files(&before, &issues, &right, &|id| archived.get(id))?;
        issues = merged.text;
        report.lost.extend(merged.lost);
        report.notes.extend(merged.notes);
    }
    let archive = if is_same_archive || theirs == current.archive {
        current.archive
    } else {
        unite_archives(&current.archive, &theirs, &issues)?
    };
    Ok(StoreSide { issues, archive })
}

/// Returns the lines of the base that a commit lacks although its side neither deleted nor archived
/// their beads, by id: the file was emptied, cut, or written by a program that knew fewer beads.
fn find_vanished(
    place: &SyncPlace,
    base: &CommitSide,
    [before, ours, theirs]: [&[u8]; 3],
    other: &CommitSide,
    archived: &ArchiveLines<'_>,
) -> Result<BTreeMap<String, Vec<u8>>, SyncError> {
    let [ours, there] = [ours, theirs].map(ArchiveLines::from_text);
    let mut vanished: BTreeMap<String, Vec<u8>> = merge::lines_by_id(before)
        .filter(|(id, _)| ours.0.contains_key(id) && !there.0.contains_key(id))
        .filter(|(id, _)| archived.get(id).is_none())
        .map(|(id, line)| (id, line.to_vec()))
        .collect();
    if vanished.is_empty() {
        return Ok(vanished);
    }
    for (name, file) in &other.events {
        let known = base.events.get(name);
        if known == Some(file) {
            continue;
        }
        let text = file.read(place)?;
        // History only grows. An old removal says nothing about a bead that the base has.
        let old = known.map(|old| old.read(place)).transpose()?;
        let old = old.filter(|old| text.starts_with(old));
        let new = &text[old.map_or(0, |old| old.len())..];
        for (_, span) in lines::iter_line_spans(new, 0) {
            for change in Event::parse(&new[span])
                .map(|event| event.changes)
                .into_iter()
                .flatten()
            {
                if change.after.is_none() {
                    vanished.remove(&change.id);
                }
            }
        }
    }
    Ok(vanished)
}

/// Describes the last commit of a side that changed the issues.
fn describe_last_change(store: &Store, place: &SyncPlace, other: &CommitSide) -> String {
    let path = format!("{}{}", place.prefix, store.issues_name());
    let mut call = place.git.plumbing(["log", "-1", "--format=%h by %an"]);
    if let Some(folders) = git::find_git_folders(store.dir()) {
        call = call.cwd(&folders.root);
    }
    match call.args([other.commit.as_str(), "--", &path]).text() {
        Ok(described) if !described.is_empty() => described,
        _ => other.commit.clone(),
    }
}

/// Builds a base for sides whose common base is unknown: the state of the store before any change
/// in this clone, if the other side is not older. Leaves out sets, and beads that only the other
/// side lacks, so that nothing counts as removed.
fn presume_base(found: &[u8], ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let our_beads = ArchiveLines::from_text(ours);
    let their_beads = ArchiveLines::from_text(theirs);
    let mut text = Vec::new();
    for (id, line) in merge::lines_by_id(found) {
        let (Some(theirs), Ok(mut bead)) = (their_beads.0.get(&id), record::parse_bead(line))
        else {
            continue;
        };
        if record::parse_bead(theirs).is_ok_and(|theirs| theirs.updated_at < bead.updated_at) {
            continue;
        }
        if our_beads.0.contains_key(&id) {
            bead.labels.clear();
            bead.dependencies.clear();
            bead.comments.clear();
            text.extend_from_slice(&record::serialize_bead(&bead));
        } else {
            text.extend_from_slice(line);
        }
        text.push(b'\n');
    }
    text
}

/// The lines of several archives by id. The first archive with an id counts.
struct ArchiveLines<'a>(HashMap<String, &'a [u8]>);

impl<'a> ArchiveLines<'a> {
    fn from_files(sides: [&'a StoreFiles; 2]) -> Self {
        let mut found = HashMap::new();
        for text in sides.into_iter().flat_map(BTreeMap::values) {
            for (id, line) in merge::lines_by_id(text) {
                found.entry(id).or_insert(line);
            }
        }
        Self(found)
    }

    fn from_text(text: &'a [u8]) -> Self {
        Self(merge::lines_by_id(text).collect())
    }

    fn get(&self, id: &str) -> Option<Bead> {
        record::parse_bead(self.0.get(id)?).ok()
    }
}

fn is_alive(line: &[u8]) -> bool {
    record::parse_bead(line).is_ok_and(|bead| !bead.is_tombstone())
}

/// Unites two archives. Leaves out beads that are among the issues.
pub(super) fn unite_archives(
    ours: &StoreFiles,
    theirs: &StoreFiles,
    issues: &[u8],
) -> Result<StoreFiles, SyncError> {
    let whole = |files: &StoreFiles| files.values().flatten().copied().collect::<Vec<u8>>();
    let merged = merge::merge_files(&[], &whole(ours), &whole(theirs), &|_| None)?;
    let all = ArchiveLines::from_files([ours, theirs]);
    let alive: HashSet<String> = merge::lines_by_id(issues)
        .filter(|(id, line)| all.0.contains_key(id) && is_alive(line))
        .map(|(id, _)| id)
        .collect();
    let mut files: StoreFiles = ours
        .keys()
        .chain(theirs.keys())
        .cloned()
        .map(|name| (name, Vec::new()))
        .collect();
    for (_, span) in lines::iter_line_spans(&merged.text, 0) {
        let line = &merged.text[span];
        let (name, is_alive) = match record::parse_bead(line) {
            Ok(bead) => (archive::year_file_name(&bead), alive.contains(&bead.id)),
            // An unreadable line stays in the last file.
            Err(_) => (files.keys().next_back().cloned().unwrap_or_default(), false),
        };
        if !is_alive {
            let file = files.entry(name).or_default();
            file.extend_from_slice(line);
            file.push(b'\n');
        }
    }
    Ok(files)
}

/// Unites two versions of a history file. Usually one of them only has less of it.
pub(super) fn unite_history(first: Vec<u8>, second: Vec<u8>) -> Vec<u8> {
    if first.starts_with(&second) {
        return first;
    }
    if second.starts_with(&first) {
        return second;
    }
    let mut by_id: HashMap<String, (jiff::Timestamp, &[u8])> = HashMap::new();
    for text in [&first, &second] {
        for (_, span) in lines::iter_line_spans(text, 0) {
            let line = &text[span];
            let event = Event::parse(line);
            let id = event
                .as_ref()
                .map_or_else(|| journal::line_hash(line), |event| event.id.clone());
            let found = (
                event
                    .map(|event| Stamp::parse(&event.at).instant())
                    .unwrap_or_default(),
                line,
            );
            let known = by_id.entry(id).or_insert(found);
            *known = found.min(*known);
        }
    }
    // Sorted by time and content, so that both sides give the same result.
    let mut all: Vec<(jiff::Timestamp, &[u8])> = by_id.into_values().collect();
    all.sort();
    let mut text = Vec::with_capacity(first.len() + second.len());
    for (_, line) in all {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}

/// Returns the number of beads that differ between two texts of issues.
pub(super) fn count_changed(before: &[u8], after: &[u8]) -> usize {
    if before == after {
        return 0;
    }
    let by_id = |text| -> HashMap<String, &[u8]> { ArchiveLines::from_text(text).0 };
    let before = by_id(before);
    let after = by_id(after);
    let gone = before.keys().filter(|id| !after.contains_key(*id)).count();
    after
        .iter()
        .filter(|(id, line)| before.get(*id) != Some(*line))
        .count()
        + gone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, at: &str) -> Vec<u8> {
        let event = Event {
            id: id.to_owned(),
            at: at.to_owned(),
            ..Event::default()
        };
        journal::encode_sealed(&event)
    }

    #[test]
    fn history_merges_to_the_same_text_in_either_order() {
        let (one, two) = (
            line("1", "2026-01-01T00:00:00Z"),
            line("2", "2026-01-02T00:00:00Z"),
        );
        let three = line("3", "2026-01-03T00:00:00Z");
        let longer = [one.clone(), two.clone()].concat();
        assert_eq!(unite_history(one.clone(), longer.clone()), longer);
        let apart = [one.clone(), three.clone()].concat();
        let both = [one, two, three].concat();
        assert_eq!(unite_history(longer.clone(), apart.clone()), both);
        assert_eq!(unite_history(apart, longer), both);
    }

    #[test]
    fn a_bead_leaves_the_archive_only_if_it_is_in_the_issues() {
        let line = |id: &str| {
            format!("{{\"id\":\"{id}\",\"title\":\"t\",\"status\":\"closed\",\"created_at\":\"2025-01-01T00:00:00Z\",\"updated_at\":\"2025-01-02T00:00:00Z\",\"closed_at\":\"2025-01-02T00:00:00Z\"}}\n")
                .into_bytes()
        };
        let files = |ids: &[&str]| -> StoreFiles {
            let text = ids.iter().flat_map(|id| line(id)).collect();
            [("2025.jsonl".to_owned(), text)].into()
        };
        let merged =
            unite_archives(&files(&["a-1"]), &files(&["a-2", "a-3"]), &line("a-3")).unwrap();
        assert_eq!(merged, files(&["a-1", "a-2"]));
        let merged = unite_archives(&StoreFiles::new(), &files(&["a-2"]), b"").unwrap();
        assert_eq!(merged, files(&["a-2"]));
    }

    #[test]
    fn differing_beads_are_counted() {
        assert_eq!(count_changed(b"{\"id\":\"a\"}\n", b"{\"id\":\"a\"}\n"), 0);
        assert_eq!(
            count_changed(
                b"{\"id\":\"a\"}\n{\"id\":\"b\"}\n",
                b"{\"id\":\"b\",\"title\":\"x\"}\n"
            ),
            2
        );
    }
}
