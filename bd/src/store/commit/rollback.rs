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

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};

use git2::Oid;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_64;

use super::differ::{self, IssuesDifference, LinesById};
use super::issues_copy;
use super::issues_file::{accept_found, is_kept};
use crate::bead::lines;
use crate::bead::{Bead, RawJson, Stamp, record};
use crate::git::past::{FileHistory, HeadMovement};
use crate::merge::{self, collision};
use crate::store::disk::paths::StorePaths;
use crate::store::disk::{files, ignore};
use crate::store::index::ISSUES;
use crate::store::log::archive::Archive;
use crate::store::log::history;
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
        Ok(kept) => !is_kept(key, &kept) || issues_copy::is_overwritten(key, &kept, &source.paths),
        Err(_) => writes && key.exists == 1,
    }
}

/// Compares the issues with the kept ones, under the writers' lock, and then keeps them. Returns a
/// message about the lines that left, once.
pub(crate) fn compare_with_kept(read: &StoreRead) -> Result<Option<String>, StoreError> {
    let source = &read.source;
    let paths = &source.paths;
    let both = [paths.found(), paths.kept()];
    // One side of an unfinished merge proves nothing.
    let mut notes = read.index.notes().into_iter();
    if notes.any(|note| note.conflict && note.file == ISSUES) {
        return Ok(None);
    }
    if !both[1].exists() {
        ignore::exclude_local_files(paths.dir());
        return accept_found(read, &both).map(|()| None);
    }
    let is_overwritten = fs::metadata(&both[1])
        .is_ok_and(|kept| issues_copy::is_overwritten(source.read_key(ISSUES), &kept, paths));
    if is_overwritten && !issues_copy::rebuild_kept(paths)? {
        accept_found(read, &both)?;
        return Ok(Some(format!(
            "{} was overwritten by another program, and its earlier state is not known here (`git log -p` shows the committed ones)",
            paths.issues().display()
        )));
    }
    let differ = IssuesDifference::from_kept(read)?;
    if differ.is_none || source.is_folded() {
        return accept_found(read, &both[1..]).map(|()| None);
    }
    let left = RollbackComparison::from_difference(differ, paths)?.find_rolled_back(read)?;
    let waits = paths.rollback().exists();
    let now = waits
        .then(|| source.issues_text())
        .transpose()
        .map_err(|error| StoreError::io("read", paths.issues(), error))?;
    let mut all = UndecidedLines::read(paths, &now.unwrap_or_default())?;
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
    all.write(paths)?;
    accept_found(read, &both)?;
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
    /// The git history; `None` outside git, and if git does not track the issues.
    past: Option<CommittedLines>,
}

/// The lines of the issues in git's history, relative to the time when the issues were kept.
struct CommittedLines {
    git: FileHistory,
    /// The commit of `HEAD` when the issues were kept, and the current one.
    heads: [Oid; 2],
    movement: HeadMovement,
    /// The lines in the common starting point: the commit of `HEAD` when the issues were kept, or
    /// the merge base if the history diverged.
    base: LinesById,
    /// The hashes of the lines in `HEAD`.
    now: HashSet<u64>,
    /// The hashes of the lines in each version since the kept issues, and in all earlier versions.
    since: OnceCell<Vec<HashSet<u64>>>,
    older: OnceCell<HashSet<u64>>,
    /// The hashes of the lines in commits that were created here since then, and in the reverts
    /// among them.
    local_hashes: OnceCell<[HashSet<u64>; 2]>,
}

impl CommittedLines {
    fn read(paths: &StorePaths, wanted: &LinesById) -> Option<Self> {
        let git = FileHistory::open(paths.issues())?;
        let kept = files::read_if_exists(&paths.kept_head()).ok()??;
        let before = git.commit(&String::from_utf8_lossy(&kept))?;
        let now = git.head()?;
        let movement = git.movement(before, now);
        let base = match movement {
            HeadMovement::Forward | HeadMovement::Back => Some(before),
            HeadMovement::Apart(base) => base,
        };
        let lines = git.text_at(now);
        let base = match base {
            Some(base) if base == now => lines.clone(),
            base => base.map(|base| git.text_at(base)).unwrap_or_default(),
        };
        if base.is_empty() && lines.is_empty() {
            return None;
        }
        let base = merge::lines_by_id(&base).filter(|(id, _)| wanted.contains_key(id));
        Some(Self {
            base: base.map(|(id, line)| (id, line.to_vec())).collect(),
            now: hash_lines(&lines),
            git,
            heads: [before, now],
            movement,
            since: OnceCell::new(),
            older: OnceCell::new(),
            local_hashes: OnceCell::new(),
        })
    }

    fn is_apart(&self) -> bool {
        matches!(self.movement, HeadMovement::Apart(_))
    }

    fn has_moved_on(&self) -> bool {
        self.movement == HeadMovement::Forward && self.heads[0] != self.heads[1]
    }

    fn is_at_head(&self, found: &[u8]) -> bool {
        self.now.contains(&xxh3_64(found))
    }

    fn is_base(&self, id: &str, line: &[u8]) -> bool {
        self.base.get(id).is_some_and(|base| base == line)
    }

    fn since(&self) -> &[HashSet<u64>] {
        self.since.get_or_init(|| {
            let [before, now] = self.heads;
            let versions = self.git.versions(now, Some(before));
            versions.iter().map(|text| hash_lines(text)).collect()
        })
    }

    /// Returns true if the line was committed after the issues were kept.
    fn is_committed_since(&self, line: &[u8]) -> bool {
        let hash = xxh3_64(line);
        self.has_moved_on() && self.since().iter().any(|version| version.contains(&hash))
    }

    /// Returns true if a later commit lacks the line.
    fn is_dropped_since(&self, line: &[u8]) -> bool {
        let hash = xxh3_64(line);
        self.has_moved_on() && self.since().iter().any(|version| !version.contains(&hash))
    }

    /// Returns true if an earlier commit had exactly this line.
    fn is_older(&self, found: &[u8]) -> bool {
        let older = self.older.get_or_init(|| {
            let versions = self.git.versions(self.heads[0], None);
            versions.iter().flat_map(|text| hash_lines(text)).collect()
        });
        older.contains(&xxh3_64(found)) || !self.is_at_head(found) && self.is_committed_since(found)
    }

    fn local_hashes(&self) -> &[HashSet<u64>; 2] {
        self.local_hashes.get_or_init(|| {
            let Some(commits) = self.git.own_commits_since(self.heads[0]) else {
                let since = self.since().iter().flatten().copied();
                return [since.collect(), HashSet::new()];
            };
            let mut hash_sets = [HashSet::new(), HashSet::new()];
            for (commit, is_revert) in commits {
                let lines = hash_lines(&self.git.text_at(commit));
                if is_revert {
                    hash_sets[1].extend(&lines);
                }
                hash_sets[0].extend(lines);
            }
            hash_sets
        })
    }

    /// Returns true if a commit that was created here introduced the line, or may have.
    fn is_own(&self, line: &[u8]) -> bool {
        self.local_hashes()[0].contains(&xxh3_64(line))
    }

    /// Returns true if a `git revert` here introduced the line.
    fn is_reverted(&self, line: &[u8]) -> bool {
        self.local_hashes()[1].contains(&xxh3_64(line))
    }
}

fn hash_lines(text: &[u8]) -> HashSet<u64> {
    let lines = merge::lines_by_id(text);
    lines.map(|(_, line)| xxh3_64(line)).collect()
}

/// The judgement on a kept line that differs from the line found.
enum LineJudgement {
    /// The line was changed on purpose.
    Intended,
    /// An older state replaced the line.
    RolledBack,
    /// Both sides may have changed the line since this common state.
    BothChanged(Option<Box<Bead>>),
}

impl RollbackComparison {
    fn from_difference(
        IssuesDifference { kept, found, .. }: IssuesDifference,
        paths: &StorePaths,
    ) -> Result<Self, StoreError> {
        // A missing line needs no history.
        let past = (!found.is_empty())
            .then(|| CommittedLines::read(paths, &found))
            .flatten();
        let has_base = |id| past.as_ref().is_some_and(|past| past.base.contains_key(id));
        let is_kept = |from: File| file::is_at(&from, &paths.kept());
        let outside = if found.keys().all(has_base) {
            LinesById::new()
        } else if file::open_regular_file(&paths.found()).is_ok_and(is_kept) {
            kept.clone()
        } else {
            differ::lines_of(&paths.found(), |id| found.contains_key(id))?
        };
        Ok(Self {
            kept,
            found,
            outside,
            past,
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
        let paths = &read.source.paths;
        let found = self.found.iter();
        let new = found.filter(|(id, line)| !self.kept.contains_key(*id) && self.is_old(id, line));
        let again: Vec<_> = new.collect();
        let is_gone = |bead: &Bead| !self.found.contains_key(&bead.id);
        let archive = if again.is_empty() && !wanted.iter().any(|(bead, _)| is_gone(bead)) {
            Archive::default()
        } else {
            Archive::read(paths.dir())?
        };
        wanted.retain(|(bead, _)| !is_gone(bead) || !has_all_of(&archive, bead));
        let mut left: Vec<_> = wanted
            .iter()
            .filter_map(|(bead, line)| {
                let found = self.found.get(&bead.id).map(Vec::as_slice);
                RolledBack::from_lines(&bead.id, Some(line), found)
            })
            .collect();
        if !again.is_empty() {
            let removals = find_removals(paths)?;
            let is_removed = |id: &str| match removals.get(id).map(String::as_str) {
                Some(history::ARCHIVE) => archive.has(id),
                other => other.is_some(),
            };
            let again = again.into_iter().filter(|(id, _)| is_removed(id));
            left.extend(
                again.filter_map(|(id, line)| RolledBack::from_lines(id, None, Some(line))),
            );
        }
        Ok(left)
    }

    /// Returns true if a line found that was not kept is an old one.
    fn is_old(&self, id: &str, found: &[u8]) -> bool {
        match &self.past {
            None => self.outside.get(id).is_some_and(|line| line == found),
            // Another clone created it again, or for the first time.
            Some(past) if past.is_at_head(found) => match past.movement {
                HeadMovement::Forward => {
                    past.is_base(id, found) && (!past.is_dropped_since(found) || past.is_own(found))
                }
                HeadMovement::Back => true,
                HeadMovement::Apart(_) => past.is_base(id, found),
            },
            Some(past) => past.is_base(id, found) || past.is_older(found),
        }
    }

    /// Returns the line that a kept bead should have, if the line found does not contain all of it.
    fn wanted(&self, kept: &Bead, line: &[u8]) -> Option<Vec<u8>> {
        let found = self.found.get(&kept.id);
        let Some(found) = found.and_then(|found| parse_same_bead(found, kept)) else {
            return Some(line.to_vec());
        };
        let base = match self.judge(kept, line, &found) {
            LineJudgement::Intended => return None,
            LineJudgement::RolledBack => return Some(line.to_vec()),
            LineJudgement::BothChanged(base) => base,
        };
        let (mut ours, mut theirs) = (kept.clone(), found.clone());
        if kept.updated_at == found.updated_at {
            // Equal times mean that git merged the line back or that it was edited by hand.
            let last = if base.is_some() {
                &mut theirs
            } else {
                &mut ours
            };
            last.updated_at = Stamp::from(jiff::Timestamp::MAX);
        }
        let mut merged = merge::merge_beads(base.as_deref(), Some(&ours), Some(&theirs)).bead?;
        merged.updated_at.clone_from(&found.updated_at);
        if record::serialize_bead(&merged) == record::serialize_bead(&found) {
            return None;
        }
        merged.updated_at = kept.updated_at.clone().max(merged.updated_at);
        let merged = record::serialize_bead(&merged);
        let is_all_ours = merged == record::serialize_bead(kept);
        Some(if is_all_ours { line.to_vec() } else { merged })
    }

    /// Judges a kept line. Not every change updates `updated_at`, so older lines are recognized by
    /// the commits that had them.
    fn judge(&self, kept: &Bead, line: &[u8], bead: &Bead) -> LineJudgement {
        let found = self.found.get(&kept.id).map_or(&[][..], Vec::as_slice);
        let is_newer = kept.updated_at > bead.updated_at;
        let outside = self.outside.get(&kept.id).map(Vec::as_slice);
        let outside_bead = || outside.and_then(|line| record::parse_bead(line).ok());
        let Some(past) = &self.past else {
            return if is_newer || outside == Some(found) {
                LineJudgement::RolledBack
            } else if outside == Some(line) {
                // This clone changed nothing in the line.
                LineJudgement::Intended
            } else {
                LineJudgement::BothChanged(outside_bead().map(Box::new))
            };
        };
        let is_at_head = past.is_at_head(found);
        if past.movement == HeadMovement::Back && is_at_head {
            return LineJudgement::RolledBack;
        }
        let is_committed = past.is_base(&kept.id, line) || past.is_committed_since(line);
        if is_committed && !past.is_apart() {
            let is_older = past.is_older(found);
            let is_meant = if is_at_head {
                !(is_older && past.is_own(found) || past.is_reverted(found))
            } else {
                !is_older
            };
            return if is_newer || !is_meant {
                LineJudgement::RolledBack
            } else {
                LineJudgement::Intended
            };
        }
        if past.is_base(&kept.id, found) || past.is_older(found) {
            return LineJudgement::RolledBack;
        }
        let base = past
            .base
            .get(&kept.id)
            .and_then(|line| record::parse_bead(line).ok());
        LineJudgement::BothChanged(base.or_else(outside_bead).map(Box::new))
    }
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

/// Returns the beads whose last event removed them, by a hard delete or to the archive, with its
/// verb.
fn find_removals(paths: &StorePaths) -> Result<BTreeMap<String, String>, StoreError> {
    let mut removals = BTreeMap::new();
    for event in history::read_all_events(paths)? {
        for change in event.changes {
            if change.after.is_none() {
                removals.insert(change.id, event.verb.clone());
            } else {
                removals.remove(&change.id);
            }
        }
    }
    Ok(removals)
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
            .filter(|bead| *bead != now);
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

/// The rolled-back lines that wait for a decision.
struct UndecidedLines {
    open: Vec<RolledBack>,
    /// Unreadable lines, with their numbers.
    damaged: Vec<(usize, Vec<u8>)>,
}

impl UndecidedLines {
    /// Reads the rolled-back lines that were not discarded and that `issues` lacks.
    fn read(paths: &StorePaths, issues: &[u8]) -> Result<Self, StoreError> {
        let text = files::read_or_empty(&paths.rollback())?;
        // Usually there are none, and the issues may be large.
        let issues = if text.is_empty() { &[] } else { issues };
        let now: BTreeMap<String, &[u8]> = merge::lines_by_id(issues).collect();
        let mut found = Self {
            open: Vec::new(),
            damaged: Vec::new(),
        };
        for (number, span) in lines::iter_line_spans(&text, 0) {
            let line = &text[span];
            let Ok(change) = serde_json::from_slice::<RolledBack>(line) else {
                found.damaged.push((number, line.to_vec()));
                continue;
            };
            let plan = change.plan_restore(now.get(&change.id).copied());
            if plan.removes || !plan.lines.is_empty() || !plan.edited.is_empty() {
                found.open.push(change);
            }
        }
        Ok(found)
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
            let is_meant = |change: &&RolledBack| ids.is_none_or(|ids| ids.contains(&change.id));
            for change in wanted.iter().filter(is_meant) {
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
        let _guard = self.lock()?;
        let mut all = UndecidedLines::read(&self.paths, &lines)?;
        let is_meant = |change: &RolledBack| ids.is_none_or(|ids| ids.contains(&change.id));
        let (gone, stays) = all.open.into_iter().partition(is_meant);
        all.open = stays;
        all.write(&self.paths)?;
        Ok(gone)
    }
}
