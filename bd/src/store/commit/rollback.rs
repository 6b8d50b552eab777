//! Lines that left the issues because someone took the file back: `git reset --hard`, `checkout`, `stash`, `revert`.
//!
//! Owns `issues.kept` (the issues as this clone last wrote or accepted them), `issues.found` (as they last came from
//! outside) and `rollback.jsonl` (what left, undecided). What must always hold: a line that this clone kept is in the
//! issues, or in `rollback.jsonl`, or what is found holds all of it; nothing is revived silently.
//!
//! Steps: every writer of the issues keeps them under a second name (`Kept`): a link, since git replaces files; a copy
//! while they are small, since whoever writes in place would change both. The next command that finds other issues
//! compares them (`compare`): each line that left goes to `rollback.jsonl` beside the line found; then what is found
//! is kept. `bd restore --lost` merges both by field with what is there then, `--discard` forgets them.

use crate::store::disk::identity::FileKey;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::bead::lines;
use crate::bead::{Bead, Raw, Stamp, record};
use crate::git::Git;
use crate::merge::{self, collision};
use crate::store::disk::paths::Paths;
use crate::store::disk::{files, ignore};
use crate::store::index::ISSUES;
use crate::store::log::archive::Archive;
use crate::store::view::source::Source;
use crate::store::{Author, Store, StoreError, Tx};
use crate::sys::file::{Beside, Placed};
use crate::sys::{Clock, file};

/// Up to this size the kept issues are a copy.
const COPIED: u64 = 1 << 20;
/// How many places of `HEAD` are looked at for the kept issues.
const VISITS: &str = "20";
/// How many ids a message names.
const NAMED: usize = 5;

/// The issues under a second name, not yet in its place.
pub(crate) struct Kept {
    name: tempfile::TempPath,
    place: PathBuf,
}

impl Kept {
    /// Takes what is in a file that holds the issues, or is about to.
    pub(in crate::store) fn of(from: &Path, place: &Path) -> io::Result<Self> {
        let from = fs::canonicalize(from)?;
        let folder = place.parent().unwrap_or(place);
        let meta = fs::metadata(&from)?;
        let copy = |name: &Path| {
            fs::copy(&from, name)?;
            fs::File::options()
                .append(true)
                .open(name)?
                .set_modified(meta.modified()?)
        };
        let name = tempfile::Builder::new()
            .prefix(".tmp-")
            .make_in(folder, |name| {
                // Not every file system has links.
                if meta.len() <= COPIED || fs::hard_link(&from, name).is_err() {
                    return copy(name);
                }
                Ok(())
            })?;
        Ok(Self {
            name: name.into_temp_path(),
            place: place.to_owned(),
        })
    }

    /// Puts it in its place.
    pub(in crate::store) fn put(self) -> io::Result<()> {
        // Between two names of one file a rename does nothing.
        let inode = |path: &Path| fs::metadata(path).map(|meta| meta.ino()).ok();
        if inode(&self.name) == inode(&self.place) {
            return self.name.close();
        }
        self.name.persist(&self.place).map_err(|error| error.error)
    }
}

/// Puts issues that we wrote in their place, and keeps them.
pub(crate) fn place(issues: Beside, paths: &Paths) -> io::Result<Placed> {
    let kept = Kept::of(issues.path(), &paths.kept());
    let mut placed = issues.put(paths.issues())?;
    if kept.and_then(Kept::put).is_err() {
        // Older ones would make these look like someone else's.
        file::remove(&paths.kept())?;
    }
    // A second name changes the time of the first.
    let inode = |meta: &Metadata| (meta.dev(), meta.ino());
    let now = fs::metadata(paths.issues());
    if let Some(now) = now.ok().filter(|now| inode(now) == inode(&placed.there)) {
        placed.there = now;
    }
    Ok(placed)
}

/// Begins to keep issues that were just read from a commit.
pub(crate) fn begin(paths: &Paths) -> Result<(), StoreError> {
    keep_as(paths, &[paths.found(), paths.kept()])
}

/// Keeps the issues as they were found.
fn accept(source: &Source, places: &[PathBuf]) -> Result<(), StoreError> {
    keep_as(&source.paths, places)?;
    source.renew_linked();
    Ok(())
}

fn keep_as(paths: &Paths, places: &[PathBuf]) -> Result<(), StoreError> {
    for place in places {
        let kept = match Kept::of(paths.issues(), place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => file::remove(place),
            kept => kept.and_then(Kept::put),
        };
        kept.map_err(|error| StoreError::io("write", place, error))?;
    }
    Ok(())
}

/// Whether the issues that were read may be others than those that were kept. Who writes to a store begins to keep them.
pub(crate) fn is_due(source: &Source, writes: bool) -> bool {
    let key = source.read_key(ISSUES);
    match fs::metadata(source.paths.kept()) {
        Ok(kept) => !is_kept(key, &kept),
        Err(_) => writes && key.exists == 1,
    }
}

fn is_kept(key: &FileKey, kept: &Metadata) -> bool {
    let own = (kept.len(), kept.mtime(), kept.mtime_nsec());
    key.exists == 1 && (key.size, key.modified_s, key.modified_ns) == own
}

/// Compares the issues with those that were kept, under the writers' lock: says what left them, once, and keeps them.
pub(crate) fn compare(source: &Source) -> Result<Option<String>, StoreError> {
    let paths = &source.paths;
    let found = files::read(paths.issues())?;
    let kept = files::read_if_there(&paths.kept())?;
    // One side of an unfinished merge says nothing.
    if found
        .split(|byte| *byte == b'\n')
        .any(lines::is_conflict_marker)
    {
        return Ok(None);
    }
    let both = [paths.found(), paths.kept()];
    let Some(kept) = kept else {
        ignore::hide(paths.dir());
        return accept(source, &both).map(|()| None);
    };
    if kept == found || source.is_folded() {
        return accept(source, &both[1..]).map(|()| None);
    }
    let base = files::read(&paths.found())?;
    let left = Sides::of([&base, &kept, &found], paths).left()?;
    let mut all = undecided(paths, &found)?;
    let names: BTreeSet<&str> = left.iter().map(|one| one.id.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let said = (!names.is_empty()).then(|| {
        format!(
            "{} was rolled back: changes to {} are no longer in it; `bd restore --lost` brings them back, `bd restore --discard` accepts the older state (what git did before is in `git reflog`)",
            paths.issues().display(),
            some(&names)
        )
    });
    let news = left.into_iter().filter(|one| !all.contains(one));
    let news: Vec<RolledBack> = news.collect();
    all.extend(news);
    write(paths, &all)?;
    accept(source, &both)?;
    Ok(said)
}

/// The first names of a list, and how many there are more.
pub(crate) fn some<T: AsRef<str>>(names: &[T]) -> String {
    let first: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The lines of the issues by id: as they last came from outside, as they were kept, and as they are found.
struct Sides<'a> {
    base: BTreeMap<String, &'a [u8]>,
    kept: BTreeMap<String, &'a [u8]>,
    found: BTreeMap<String, &'a [u8]>,
    text: &'a [u8],
    paths: &'a Paths,
    moved: OnceCell<Moved>,
}

/// How `HEAD` came to be where it is since a commit had the kept issues.
#[derive(Default)]
struct Moved {
    /// Whether it is beside where it was.
    is_apart: bool,
    is_revert: bool,
    /// Whether the kept issues are committed.
    is_committed: bool,
    /// What the commit that both came from has.
    lines: BTreeMap<String, Vec<u8>>,
}

impl Moved {
    /// Outside git it did not.
    fn read(paths: &Paths, kept: &[u8]) -> Option<Self> {
        let git = Git::at(paths.dir());
        let visits = ["log", "-g", "--format=%H %gs", "-n", VISITS, "HEAD"];
        let visits = git.plumbing(visits).text().ok()?;
        let visits: Vec<(&str, &str)> = visits
            .lines()
            .filter_map(|line| line.split_once(' '))
            .collect();
        let path = format!("./{}", paths.issues().file_name()?.to_string_lossy());
        let text = |commit: &str| git.file_at(commit, &path).ok().flatten();
        let has_it = |(commit, _): &(&str, &str)| text(commit).as_deref() == Some(kept);
        let committed = visits.iter().position(has_it);
        let (before, _) = visits.get(committed.unwrap_or(1))?;
        let base = git.merge_base(before, "HEAD").ok()??;
        let issues = text(&base).unwrap_or_default();
        let since = visits.iter().take(committed.unwrap_or(1));
        Some(Self {
            is_committed: committed.is_some(),
            is_apart: base != *before && base != visits.first()?.0,
            is_revert: since
                .into_iter()
                .any(|(_, subject)| subject.starts_with("revert")),
            lines: merge::rows(&issues)
                .map(|(id, line)| (id, line.to_vec()))
                .collect(),
        })
    }
}

impl<'a> Sides<'a> {
    fn of([base, kept, found]: [&'a [u8]; 3], paths: &'a Paths) -> Self {
        let rows = |text| merge::rows(text).collect();
        Self {
            base: rows(base),
            kept: rows(kept),
            found: rows(found),
            text: kept,
            paths,
            moved: OnceCell::new(),
        }
    }

    fn left(&self) -> Result<Vec<RolledBack>, StoreError> {
        let mut archive = None;
        let mut left = Vec::new();
        for (id, line) in &self.kept {
            let found = self.found.get(id).copied();
            if found == Some(*line) {
                continue;
            }
            let bead = record::parse(line).ok();
            let Some(wanted) = bead.and_then(|bead| self.wanted(&bead, line)) else {
                continue;
            };
            if found.is_none() && archive.is_none() {
                archive = Some(Archive::read(self.paths.dir())?);
            }
            if found.is_some() || !archive.as_ref().is_some_and(|archive| archive.has(id)) {
                left.extend(RolledBack::of(id, &wanted, found));
            }
        }
        Ok(left)
    }

    /// The line that a kept bead should have, where what is found does not hold all of it.
    fn wanted(&self, kept: &Bead, line: &[u8]) -> Option<Vec<u8>> {
        let parsed = |side: &BTreeMap<String, &[u8]>, id: &str| record::parse(side.get(id)?).ok();
        let is_kept = |found: &Bead| collision::is_same_bead(found, kept);
        if parsed(&self.found, &collision::new_id(kept)).is_some_and(|moved| is_kept(&moved)) {
            return None;
        }
        let Some(found) = parsed(&self.found, &kept.id).filter(is_kept) else {
            return Some(line.to_vec());
        };
        let moved = self
            .moved
            .get_or_init(|| Moved::read(self.paths, self.text).unwrap_or_default());
        let from = moved.lines.get(&kept.id).map(Vec::as_slice);
        let order = kept.updated_at.cmp(&found.updated_at);
        // Who went on from there edited it, and meant it so.
        if from == Some(line) && order != Ordering::Greater {
            return moved.is_revert.then(|| line.to_vec());
        }
        let found_line = self.found.get(&kept.id).copied();
        // Not every change gives a bead another time: of what was never committed only the commit is left.
        let is_reset = !moved.is_committed && from == found_line && order == Ordering::Equal;
        if is_reset || !moved.is_apart && order == Ordering::Greater {
            return Some(line.to_vec());
        }
        let from = from.and_then(|from| record::parse(from).ok());
        let outside = parsed(&self.base, &kept.id);
        let base = if moved.is_committed {
            from.or(outside)
        } else {
            outside.or(from)
        };
        let (mut ours, mut theirs) = (kept.clone(), found.clone());
        if order == Ordering::Equal {
            // Of the same time is what git merged back, or what someone edited by hand.
            let last = if base.is_some() {
                &mut theirs
            } else {
                &mut ours
            };
            last.updated_at = Stamp::from(jiff::Timestamp::MAX);
        }
        let mut merged = merge::beads(base.as_ref(), Some(&ours), Some(&theirs)).bead?;
        merged.updated_at.clone_from(&found.updated_at);
        let merged_line = record::line(&merged);
        if merged_line == record::line(&found) {
            return None;
        }
        merged.updated_at = kept.updated_at.clone().max(merged.updated_at);
        let is_all_ours = record::line(&merged) == record::line(kept);
        Some(if is_all_ours {
            line.to_vec()
        } else {
            record::line(&merged)
        })
    }
}

/// A line that left the issues.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RolledBack {
    /// The bead.
    pub id: String,
    /// The line as it should be.
    kept: Raw,
    /// The line that was found in its place.
    found: Option<Raw>,
}

impl PartialEq for RolledBack {
    fn eq(&self, other: &Self) -> bool {
        let texts = |one: &Self| {
            (
                one.kept.get().to_owned(),
                one.found.as_ref().map(|raw| raw.get().to_owned()),
            )
        };
        texts(self) == texts(other)
    }
}

/// What brings a line back.
#[derive(Debug, Default)]
struct Plan {
    /// The lines to be written.
    lines: Vec<Vec<u8>>,
    /// Fields that were edited since, and stay.
    edited: BTreeSet<String>,
}

impl RolledBack {
    fn of(id: &str, kept: &[u8], found: Option<&[u8]>) -> Option<Self> {
        let raw = |line: &[u8]| RawValue::from_string(record::text(line).into_owned()).ok();
        Some(Self {
            id: id.to_owned(),
            kept: raw(kept)?,
            // What cannot be read is as good as none.
            found: found.and_then(raw),
        })
    }

    fn plan(&self, now: Option<&[u8]>) -> Plan {
        let kept = self.kept.get().as_bytes();
        let found = self.found.as_ref().map(|raw| raw.get().as_bytes());
        if now == Some(kept) {
            return Plan::default();
        }
        if now == found {
            return Plan {
                lines: vec![kept.to_vec()],
                ..Plan::default()
            };
        }
        let parsed = |line: Option<&[u8]>| record::parse(line?).ok();
        let (Some(ours), base, Some(now)) = (parsed(Some(kept)), parsed(found), parsed(now)) else {
            let lines = if now.is_none() {
                vec![kept.to_vec()]
            } else {
                Vec::new()
            };
            return Plan {
                lines,
                ..Plan::default()
            };
        };
        // Somebody deleted it since, or works with it again.
        if now.is_tombstone() || ours.is_tombstone() {
            let edited = ours.is_tombstone() && !now.is_tombstone();
            return Plan {
                edited: edited.then(|| "status".to_owned()).into_iter().collect(),
                ..Plan::default()
            };
        }
        let merged = merge::beads(base.as_ref(), Some(&ours), Some(&now));
        let beads = merged.moved.map(|moved| moved.bead).into_iter();
        let beads = beads
            .chain(merged.bead.map(|bead| *bead))
            .filter(|bead| *bead != now);
        let lines: Vec<Vec<u8>> = beads.map(|bead| record::line(&bead)).collect();
        // A later edit of all that left decides, too.
        let lost = merged.lost.into_iter().filter(|_| !lines.is_empty());
        Plan {
            edited: lost.map(|lost| lost.field).collect(),
            lines,
        }
    }
}

/// The lines that left the issues, were not discarded, and are not in this text of them.
fn undecided(paths: &Paths, issues: &[u8]) -> Result<Vec<RolledBack>, StoreError> {
    let text = files::read(&paths.rollback())?;
    let now: BTreeMap<String, &[u8]> = merge::rows(issues).collect();
    let all =
        lines::spans(&text, 0).filter_map(|(_, span)| serde_json::from_slice(&text[span]).ok());
    let is_open = |one: &RolledBack| {
        let plan = one.plan(now.get(&one.id).copied());
        !plan.lines.is_empty() || !plan.edited.is_empty()
    };
    Ok(all.filter(is_open).collect())
}

fn write(paths: &Paths, all: &[RolledBack]) -> Result<(), StoreError> {
    if all.is_empty() {
        return files::remove(&paths.rollback());
    }
    let line = |one| [serde_json::to_vec(one).unwrap_or_default(), b"\n".to_vec()].concat();
    let text: Vec<u8> = all.iter().flat_map(line).collect();
    files::replace(&paths.rollback(), &text)
}

impl Store {
    /// The lines that a rollback took, and nobody decided about.
    pub fn rolled_back(&self) -> Result<Vec<RolledBack>, StoreError> {
        // It may find some.
        self.snapshot()?;
        if !self.paths.rollback().exists() {
            return Ok(Vec::new());
        }
        undecided(&self.paths, &self.durable_lines()?)
    }

    /// Those of them that are not in this text of the issues.
    pub(crate) fn rolled_back_in(&self, issues: &[u8]) -> Result<Vec<RolledBack>, StoreError> {
        undecided(&self.paths, issues)
    }

    /// The issues as they last came from outside.
    pub(crate) fn found_lines(&self) -> Result<Vec<u8>, StoreError> {
        files::read(&self.paths.found())
    }

    /// Brings back what a rollback took of these beads, or of all; gives their ids, with the fields that were edited since.
    pub fn restore_rolled_back(
        &self,
        author: &Author,
        clock: &Clock,
        ids: Option<&BTreeSet<String>>,
    ) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
        let wanted = self.rolled_back()?;
        let done = self.transact(author, clock, |tx| {
            let mut done: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for one in wanted
                .iter()
                .filter(|one| ids.is_none_or(|ids| ids.contains(&one.id)))
            {
                done.entry(one.id.clone())
                    .or_default()
                    .extend(put_back(tx, one)?);
            }
            tx.describe("restore", "");
            Ok(done)
        })?;
        self.discard_rolled_back(ids)?;
        Ok(done)
    }

    /// Forgets what a rollback took of these beads, or of all.
    pub fn discard_rolled_back(
        &self,
        ids: Option<&BTreeSet<String>>,
    ) -> Result<Vec<RolledBack>, StoreError> {
        let lines = self.durable_lines()?;
        let _guard = self.lock()?;
        let all = undecided(&self.paths, &lines)?.into_iter();
        let (gone, stays): (_, Vec<RolledBack>) =
            all.partition(|one| ids.is_none_or(|ids| ids.contains(&one.id)));
        write(&self.paths, &stays)?;
        Ok(gone)
    }
}

/// Brings one line back; gives the fields that stay as they are.
fn put_back(tx: &mut Tx<'_>, one: &RolledBack) -> Result<BTreeSet<String>, StoreError> {
    let now = tx.line(&one.id)?.map(|line| line.bytes.into_owned());
    let plan = one.plan(now.as_deref());
    for line in plan.lines {
        tx.put_line(&line)?;
    }
    Ok(plan.edited)
}
