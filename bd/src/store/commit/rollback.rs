//! Detects lines that left the issues because git rolled the file back: `git reset --hard`,
//! `checkout`, `stash`, `revert`.
//!
//! This module owns `rollback.jsonl` (the lines that left, undecided). A line that this clone kept
//! is in the issues or in `rollback.jsonl`, or the line found contains all of it. A bead that was
//! removed here does not return. Nothing is revived silently.
//!
//! Steps:
//! 1. Every writer of the issues keeps them (`issues_file`).
//! 2. The next command that finds other issues compares them (`compare_with_kept`): each line that
//!    left goes to `rollback.jsonl` beside the line found. Then the issues found are kept.
//! 3. `bd restore --lost` merges both by field with the current line; `--discard` forgets them.
//!
//! Only the lines, our own history and the archive decide. git's history is never read, so a change
//! that another clone took back is reported like a rollback, unless the synced history has it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::differ::{self, IssuesDifference, LinesById};
use super::issues_file::{is_kept, keep_compared, keep_found};
use super::recorded::{RecordedChanges, StatesBegin};
use crate::bead::lines;
use crate::bead::record::{self, RecordFields};
use crate::bead::{Bead, Comment, Dep, RawJson, Stamp};
use crate::merge::{self, collision};
use crate::store::disk::paths::StorePaths;
use crate::store::disk::{files, ignore};
use crate::store::index::ISSUES;
use crate::store::log::archive::Archive;
use crate::store::log::history;
use crate::store::log::journal::line_hash;
use crate::store::view::source::{OpenFiles, StoreRead};
use crate::store::{Author, Store, StoreError};
use kit::sys::{Clock, file};

/// The maximum number of ids in a message.
const MAX_NAMED_IDS: usize = 5;

/// Returns true if the issues that were read may differ from the kept ones. A command that writes
/// also starts to keep them.
pub(crate) fn is_due(source: &OpenFiles, writes: bool) -> bool {
    let key = source.read_key(ISSUES);
    match fs::metadata(source.paths.kept()) {
        Ok(kept) => !is_kept(key, &kept),
        Err(_) => writes && key.exists == 1,
    }
}

/// Compares the issues with the kept ones, under the writers' lock, and then keeps them. Returns a
/// message about the lines that left, once.
pub(crate) fn compare_with_kept(read: &StoreRead) -> Result<Option<String>, StoreError> {
    let source = &read.source;
    let paths = &source.paths;
    let key = source.read_key(ISSUES);
    // One side of an unfinished merge proves nothing.
    if read
        .index
        .notes()
        .into_iter()
        .any(|note| note.conflict && note.file == ISSUES)
    {
        return Ok(None);
    }
    if !paths.kept().exists() {
        ignore::exclude_local_files(paths.dir());
        keep_found(paths, key)?;
        return Ok(None);
    }
    let differ = IssuesDifference::from_kept(read)?;
    if differ.is_none || source.is_folded() {
        keep_compared(paths, key)?;
        return Ok(None);
    }
    let comparison = RollbackComparison::from_difference(differ, paths)?;
    let mut left = comparison.find_rolled_back(read)?;
    let mut all = UndecidedLines::parse(paths)?;
    left.retain(|change| {
        comparison.is_earlier_state(&change.id)
            || !all.open.iter().any(|known| change.undoes(known))
    });
    let mut names: Vec<&str> = left.iter().map(|change| change.id.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let notice = (!names.is_empty()).then(|| {
        format!(
            "{} was rolled back: changes to {} are no longer in it (`git reflog` shows what git did)\n  bd restore --lost     bring the changes back\n  bd restore --discard  accept the older state",
            paths.issues().display(),
            format_some(&names)
        )
    });
    let known = all.open.len();
    for change in left {
        if !all.open[..known].contains(&change) {
            all.open.push(change);
        }
    }
    if known > 0 {
        let text = source.issues_text();
        all.drop_decided(&text.map_err(|error| StoreError::io("read", paths.issues(), error))?);
    }
    all.write(paths)?;
    keep_found(paths, key)?;
    Ok(notice)
}

/// Formats the first names of a list and the number of the others.
pub fn format_some<T: AsRef<str>>(names: &[T]) -> String {
    let first: Vec<&str> = names
        .iter()
        .take(MAX_NAMED_IDS)
        .map(AsRef::as_ref)
        .collect();
    match names.len().saturating_sub(MAX_NAMED_IDS) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The differing lines of the kept issues and the issues found, by id.
struct RollbackComparison {
    kept: LinesById,
    found: LinesById,
    /// The last lines from outside under the ids of the lines found.
    outside: LinesById,
    /// The recorded changes of the beads found.
    changes: RecordedChanges,
}

impl RollbackComparison {
    fn from_difference(
        IssuesDifference { kept, found, .. }: IssuesDifference,
        paths: &StorePaths,
    ) -> Result<Self, StoreError> {
        let outside = if file::open_regular_file(&paths.found())
            .is_ok_and(|from| file::is_at(&from, &paths.kept()))
        {
            kept.clone()
        } else {
            differ::lines_of(&paths.found(), |id| found.contains_key(id))?
        };
        Ok(Self {
            changes: RecordedChanges::read(paths, found.keys())?,
            kept,
            found,
            outside,
        })
    }

    /// Returns the lines that left, and the beads that were removed here and are back.
    fn find_rolled_back(&self, read: &StoreRead) -> Result<Vec<RolledBack>, StoreError> {
        let mut wanted: Vec<(Bead, Vec<u8>)> = self
            .kept
            .values()
            .filter_map(|line| {
                let bead = record::parse_bead(line).ok()?;
                self.wanted(&bead, line).map(|wanted| (bead, wanted))
            })
            .collect();
        wanted.retain(|(bead, _)| {
            let row = read.index.find(&collision::compute_new_id(bead));
            let moved = row.and_then(|row| read.source.line(read.index.row(row)?).ok());
            moved.is_none_or(|moved| parse_same_bead(&moved, bead).is_none())
        });
        let removed: Vec<_> = self
            .found
            .iter()
            .filter(|(id, line)| !self.kept.contains_key(*id) && self.is_removed(id, line))
            .collect();
        let is_gone = |bead: &Bead| !self.found.contains_key(&bead.id);
        let archive = if removed.is_empty() && !wanted.iter().any(|(bead, _)| is_gone(bead)) {
            Archive::default()
        } else {
            Archive::read(read.source.paths.dir())?
        };
        wanted.retain(|(bead, _)| !is_gone(bead) || !has_all_of(&archive, bead));
        let left = wanted.iter().filter_map(|(bead, line)| {
            let found = self.found.get(&bead.id).map(Vec::as_slice);
            RolledBack::from_lines(&bead.id, Some(line), found)
        });
        let returned = removed.into_iter().filter_map(|(id, line)| {
            let is_archived = self.changes.last_verb(id) == Some(history::ARCHIVE);
            let stays_removed = !is_archived || archive.has(id);
            stays_removed.then(|| RolledBack::from_lines(id, None, Some(line)))?
        });
        Ok(left.chain(returned).collect())
    }

    /// Returns true if the line found is a recorded earlier state of the kept one.
    fn is_earlier_state(&self, id: &str) -> bool {
        self.kept
            .get(id)
            .zip(self.found.get(id))
            .is_some_and(|(kept, found)| {
                self.changes.compare_states(id, kept, found) == Some(Ordering::Greater)
            })
    }

    /// Returns true if a line found is an earlier state of a bead that was removed here.
    fn is_removed(&self, id: &str, found: &[u8]) -> bool {
        let Some(removed) = self.changes.last_removed(id) else {
            return false;
        };
        self.changes.has_state(id, found)
            || self.outside.get(id).is_some_and(|line| line == found)
            || record::parse_bead(found).is_ok_and(|bead| bead.updated_at < removed)
    }

    /// Returns the line that a kept bead should have, if the line found does not contain all of it.
    fn wanted(&self, kept: &Bead, line: &[u8]) -> Option<Vec<u8>> {
        let Some((found_line, found)) = self
            .found
            .get(&kept.id)
            .and_then(|found| Some((found, parse_same_bead(found, kept)?)))
        else {
            return Some(line.to_vec());
        };
        // Not every change updates `updated_at`.
        match self.changes.compare_states(&kept.id, line, found_line) {
            Some(Ordering::Less) => return None,
            Some(_) => return Some(line.to_vec()),
            None => {}
        }
        let outside = self.outside.get(&kept.id);
        if outside == Some(found_line) {
            return Some(line.to_vec());
        }
        let is_older = found.updated_at < kept.updated_at;
        let base = self.find_base((kept, line), &found);
        if is_older && base.is_none() {
            return Some(line.to_vec());
        }
        let may_be_older = found.updated_at <= kept.updated_at;
        let base = if may_be_older && self.has_unknown_states(kept, line) {
            base.map(|base| self.without_lost_members(base, &found))
        } else {
            base
        };
        let mut ours = kept.clone();
        let mut theirs = found.clone();
        if kept.updated_at == found.updated_at {
            // Equal times mean that git merged the line back or that it was edited by hand.
            let last = if base.is_some() {
                &mut theirs
            } else {
                &mut ours
            };
            last.updated_at = Stamp::from(jiff::Timestamp::MAX);
        }
        let mut merged = merge::merge_beads(base.as_ref(), Some(&ours), Some(&theirs)).bead?;
        merged.updated_at.clone_from(&found.updated_at);
        if record::serialize_bead(&merged) == record::serialize_bead(&found) {
            // An older line never has all of a later one.
            return is_older.then(|| line.to_vec());
        }
        merged.updated_at = kept.updated_at.clone().max(merged.updated_at);
        let merged = record::serialize_bead(&merged);
        let is_all_ours = merged == record::serialize_bead(kept);
        Some(if is_all_ours { line.to_vec() } else { merged })
    }

    /// Returns the earlier state of a kept bead from which the line found was made: the state with
    /// the fewest differences, of several the oldest.
    fn find_base(&self, kept: (&Bead, &[u8]), found: &Bead) -> Option<Bead> {
        let (bead, line) = kept;
        let mut states = self.changes.states_until(bead, line).states;
        if let Some(outside) = self.outside.get(&bead.id)
            && let Ok(state) = record::parse_bead(outside)
        {
            // Our changes were made after the bead came from outside, unless it came back then.
            let at = if outside == line { states.len() } else { 0 };
            states.insert(at, state);
        }
        states.retain(|state| state.updated_at <= found.updated_at);
        let base = states
            .iter()
            .min_by_key(|state| count_differences(state, found));
        base.cloned()
    }

    /// Returns true if a kept bead had states that are known from nowhere: those that the merge of a
    /// sync made.
    fn has_unknown_states(&self, kept: &Bead, line: &[u8]) -> bool {
        match self.changes.states_until(kept, line).begin {
            StatesBegin::Creation => false,
            StatesBegin::Line(hash) => self
                .outside
                .get(&kept.id)
                .is_none_or(|outside| line_hash(outside) != hash),
        }
    }

    /// Returns a base without the labels, waiters, edges and comments that the bead found lacks
    /// although history has only their addition: git took them, no one removed them. Their changes
    /// leave `updated_at` unchanged, and the merges of a sync are not recorded as states, so that
    /// such a base may be later than the bead found.
    fn without_lost_members(&self, mut base: Bead, found: &Bead) -> Bead {
        let changes = &self.changes;
        let id = &found.id;
        base.labels.retain(|label| {
            found.labels.contains(label)
                || !changes.has_added(id, "labels", |other: &String| other == label)
        });
        base.waiters.retain(|waiter| {
            found.waiters.contains(waiter)
                || !changes.has_added(id, "waiters", |other: &String| other == waiter)
        });
        base.dependencies.retain(|edge| {
            let is_same = |other: &Dep| {
                (&other.depends_on_id, &other.kind) == (&edge.depends_on_id, &edge.kind)
            };
            found.dependencies.iter().any(is_same)
                || !changes.has_added(id, "dependencies", is_same)
        });
        base.comments.retain(|comment| {
            // Times have whole seconds, in which an author may write several comments.
            let is_same = |other: &Comment| {
                (&other.author, &other.created_at) == (&comment.author, &comment.created_at)
                    && (other.text.trim() == comment.text.trim() || other.id == comment.id)
            };
            found.comments.iter().any(is_same) || !changes.has_added(id, "comments", is_same)
        });
        base
    }
}

/// Counts the fields in which two states of a bead differ.
fn count_differences(a: &Bead, b: &Bead) -> usize {
    let fields = RecordFields::from_bead(a).difference(&RecordFields::from_bead(b));
    fields.0.keys().filter(|name| *name != "updated_at").count()
}

/// Parses the bead of a line, if it is the same bead as `kept`.
fn parse_same_bead(line: &[u8], kept: &Bead) -> Option<Bead> {
    let bead = record::parse_bead(line).ok();
    bead.filter(|bead| collision::is_same_bead(bead, kept))
}

/// Returns true if the archive has all of a bead.
fn has_all_of(archive: &Archive, kept: &Bead) -> bool {
    archive.get(&kept.id).is_some_and(|archived| {
        collision::is_same_bead(&archived, kept) && archived.updated_at >= kept.updated_at
    })
}

/// A line that left the issues because of a rollback.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RolledBack {
    pub id: String,
    /// The line as it should be; `None` for a removed bead that is back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<RawJson>,
    /// The line that was found in its place.
    found: Option<RawJson>,
}

impl PartialEq for RolledBack {
    fn eq(&self, other: &Self) -> bool {
        self.texts() == other.texts()
    }
}

/// The changes that restore a line.
#[derive(Debug, Default)]
struct RestorePlan {
    /// The lines to write.
    lines: Vec<Vec<u8>>,
    /// True if the bead must be removed again.
    removes: bool,
    /// Fields that were edited after the rollback and stay.
    edited: BTreeSet<String>,
}

impl RolledBack {
    fn from_lines(id: &str, kept: Option<&[u8]>, found: Option<&[u8]>) -> Option<Self> {
        let raw = |line: &[u8]| RawValue::from_string(record::decode_line(line).into_owned()).ok();
        Some(Self {
            id: id.to_owned(),
            kept: match kept {
                Some(kept) => Some(raw(kept)?),
                None => None,
            },
            // An unreadable line counts as missing.
            found: found.and_then(raw),
        })
    }

    /// The line as it should be, and the line that was found.
    fn texts(&self) -> [Option<&[u8]>; 2] {
        [&self.kept, &self.found].map(|raw| raw.as_ref().map(|raw| raw.get().as_bytes()))
    }

    /// Returns true if this line left because git took an earlier rollback back: the line found has
    /// all that the earlier rollback took.
    fn undoes(&self, earlier: &Self) -> bool {
        let [left, now] = self.texts();
        self.id == earlier.id && left == earlier.texts()[1] && !earlier.plan_restore(now).is_open()
    }

    fn plan_restore(&self, now: Option<&[u8]>) -> RestorePlan {
        let mut plan = RestorePlan::default();
        let [kept, found] = self.texts();
        let Some(kept) = kept else {
            // A bead that was changed since is still wanted.
            plan.removes = now.is_some() && now == found;
            return plan;
        };
        if now == Some(kept) {
            return plan;
        }
        if now == found || now.is_none() {
            plan.lines.push(kept.to_vec());
            return plan;
        }
        let parsed = |line: Option<&[u8]>| record::parse_bead(line?).ok();
        let (Some(ours), base, Some(now)) = (parsed(Some(kept)), parsed(found), parsed(now)) else {
            return plan;
        };
        // The bead was deleted since, or is in use again.
        if now.is_tombstone() || ours.is_tombstone() {
            if ours.is_tombstone() && !now.is_tombstone() {
                plan.edited.insert("status".to_owned());
            }
            return plan;
        }
        let merged = merge::merge_beads(base.as_ref(), Some(&ours), Some(&now));
        let beads = merged
            .moved
            .map(|moved| moved.bead)
            .into_iter()
            .chain(merged.bead.map(|bead| *bead))
            // Another time alone is no change to restore.
            .filter(|bead| {
                let updated_at = now.updated_at.clone();
                let timeless = Bead {
                    updated_at,
                    ..bead.clone()
                };
                timeless != now
            });
        plan.lines
            .extend(beads.map(|bead| record::serialize_bead(&bead)));
        // A later edit of a rolled-back field wins.
        if !plan.lines.is_empty() {
            plan.edited
                .extend(merged.lost.into_iter().map(|lost| lost.field));
        }
        plan
    }
}

impl RestorePlan {
    /// Returns true if the restoration would do something.
    fn is_open(&self) -> bool {
        self.removes || !self.lines.is_empty() || !self.edited.is_empty()
    }
}

/// Rollbacks of a bead that followed each other without a change in between, oldest first. Never
/// empty, except while the undone ones are dropped.
struct RollbackChain {
    changes: Vec<RolledBack>,
}

/// Joins the rollbacks of each bead that begin where another one ended.
fn join_chains(changes: Vec<RolledBack>) -> Vec<RollbackChain> {
    let mut chains: Vec<RollbackChain> = Vec::new();
    let mut last_chains: BTreeMap<String, usize> = BTreeMap::new();
    for change in changes {
        let last = last_chains.get(&change.id).map(|at| &mut chains[*at]);
        match last.filter(|chain| chain.is_continued_by(&change)) {
            Some(chain) => chain.changes.push(change),
            None => {
                last_chains.insert(change.id.clone(), chains.len());
                chains.push(RollbackChain {
                    changes: vec![change],
                });
            }
        }
    }
    chains
}

impl RollbackChain {
    fn id(&self) -> &str {
        &self.changes[0].id
    }

    fn is_continued_by(&self, change: &RolledBack) -> bool {
        let last = self.changes.last().map(|last| last.texts()[1]);
        last.flatten().is_some() && last == Some(change.texts()[0])
    }

    /// Drops the rollbacks from the one on that git has taken back exactly.
    fn drop_undone(&mut self, now: Option<&[u8]>) {
        let undone = self
            .changes
            .iter()
            .position(|change| now.is_some() && change.texts()[0] == now);
        self.changes.truncate(undone.unwrap_or(self.changes.len()));
    }

    /// Returns one rollback from the first line kept to the last line found, so that a field that
    /// went there and back is no difference.
    fn joined(&self) -> RolledBack {
        let mut joined = self.changes[0].clone();
        joined
            .found
            .clone_from(&self.changes[self.changes.len() - 1].found);
        joined
    }
}

/// The rolled-back lines that wait for a decision.
struct UndecidedLines {
    open: Vec<RolledBack>,
    /// Unreadable lines, with their numbers.
    damaged: Vec<(usize, Vec<u8>)>,
}

impl UndecidedLines {
    /// Reads the rolled-back lines that were not discarded and that `issues` lacks.
    fn read(paths: &StorePaths, issues: &[u8]) -> Result<Self, StoreError> {
        let mut all = Self::parse(paths)?;
        all.drop_decided(issues);
        Ok(all)
    }

    /// Reads the rolled-back lines that were not discarded.
    fn parse(paths: &StorePaths) -> Result<Self, StoreError> {
        let text = files::read_or_empty(&paths.rollback())?;
        let mut found = Self {
            open: Vec::new(),
            damaged: Vec::new(),
        };
        for (number, span) in lines::iter_line_spans(&text, 0) {
            let line = &text[span];
            match serde_json::from_slice::<RolledBack>(line) {
                Ok(change) => found.open.push(change),
                Err(_) => found.damaged.push((number, line.to_vec())),
            }
        }
        Ok(found)
    }

    /// Drops the lines that `issues` has.
    fn drop_decided(&mut self, issues: &[u8]) {
        // Usually there are none, and the issues may be large.
        if self.open.is_empty() {
            return;
        }
        let now: BTreeMap<String, &[u8]> = merge::lines_by_id(issues).collect();
        let mut chains = join_chains(std::mem::take(&mut self.open));
        for chain in &mut chains {
            let now = now.get(chain.id()).copied();
            chain.drop_undone(now);
            if chain.changes.is_empty() || !chain.joined().plan_restore(now).is_open() {
                chain.changes.clear();
            }
        }
        self.open = chains.into_iter().flat_map(|chain| chain.changes).collect();
    }

    fn write(&self, paths: &StorePaths) -> Result<(), StoreError> {
        if self.open.is_empty() && self.damaged.is_empty() {
            return files::remove_store_file(&paths.rollback());
        }
        let open = self
            .open
            .iter()
            .filter_map(|change| serde_json::to_vec(change).ok());
        let damaged = self.damaged.iter().map(|(_, line)| line.clone());
        let mut text = Vec::new();
        for line in open.chain(damaged) {
            text.extend(line);
            text.push(b'\n');
        }
        files::replace_store_file(&paths.rollback(), &text)
    }

    /// Returns all lines, or fails if one of them is unreadable.
    fn readable(self, paths: &StorePaths) -> Result<Vec<RolledBack>, StoreError> {
        match self.damaged.first() {
            None => Ok(self.open),
            Some((line, _)) => Err(StoreError::DamagedRollback {
                path: paths.rollback(),
                line: *line,
            }),
        }
    }
}

impl Store {
    /// Returns true if rolled-back lines may wait for a decision. Only checks if their file exists.
    pub fn may_have_rolled_back(&self) -> bool {
        self.paths.rollback().exists()
    }

    /// Returns the rolled-back lines that wait for a decision.
    pub fn rolled_back(&self) -> Result<Vec<RolledBack>, StoreError> {
        // Opening the snapshot may detect a rollback.
        self.snapshot()?;
        if !self.may_have_rolled_back() {
            return Ok(Vec::new());
        }
        UndecidedLines::read(&self.paths, &self.durable_lines()?)?.readable(&self.paths)
    }

    /// Returns the rolled-back lines that `issues` lacks.
    pub(crate) fn rolled_back_in(&self, issues: &[u8]) -> Result<Vec<RolledBack>, StoreError> {
        UndecidedLines::read(&self.paths, issues)?.readable(&self.paths)
    }

    /// Returns the issues as they last came from outside.
    pub(crate) fn found_lines(&self) -> Result<Vec<u8>, StoreError> {
        files::read_or_empty(&self.paths.found())
    }

    /// Restores the rolled-back lines of these beads, or of all. Returns their ids with the fields
    /// that were edited since and stay.
    pub fn restore_rolled_back(
        &self,
        author: &Author,
        clock: &Clock,
        ids: Option<&BTreeSet<String>>,
    ) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
        let wanted = self.rolled_back()?;
        let done = self.transact(author, clock, |tx| {
            let mut done: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for change in join_chains(wanted)
                .iter()
                .map(RollbackChain::joined)
                .filter(|change| ids.is_none_or(|ids| ids.contains(&change.id)))
            {
                let now = tx.line(&change.id)?.map(|line| line.bytes.into_owned());
                let plan = change.plan_restore(now.as_deref());
                for line in plan.lines {
                    tx.put_line(&line)?;
                }
                if plan.removes {
                    tx.erase(&change.id)?;
                }
                // These lines stay unchanged.
                done.entry(change.id.clone())
                    .or_default()
                    .extend(plan.edited);
            }
            tx.describe("restore", "");
            Ok(done)
        })?;
        self.discard_rolled_back(ids)?;
        Ok(done)
    }

    /// Forgets the rolled-back lines of these beads, or of all.
    pub fn discard_rolled_back(
        &self,
        ids: Option<&BTreeSet<String>>,
    ) -> Result<Vec<RolledBack>, StoreError> {
        let lines = self.durable_lines()?;
        let _guard = self.hold_writers()?;
        let mut all = UndecidedLines::read(&self.paths, &lines)?;
        let (gone, stays) = all
            .open
            .into_iter()
            .partition(|change| ids.is_none_or(|ids| ids.contains(&change.id)));
        all.open = stays;
        all.write(&self.paths)?;
        Ok(gone)
    }
}
