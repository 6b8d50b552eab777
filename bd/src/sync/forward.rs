//! Beads that went back, where a commit of this repository still has them: the one that the store was last brought
//! together with, and the one that people work on; and beads of an archive that is gone, which history has whole.
//!
//! What a commit that people work on says is taken with care, for every change since makes another line: only what
//! is gone, what an earlier commit or history proves to be older, and, merged by field, what was changed again after it
//! went back.
//!
//! Own history knows what was done in this clone. What others did, and beads that nobody here ever changed, only these
//! commits have; so `bd restore --lost` takes them from there first, byte by byte, before it does lost changes again.

use std::collections::BTreeMap;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::committed::{self, Committed};
use super::guard::{self, Back};
use super::place::Place;
use super::side::{Side, gone_back};
use super::{SyncError, unite};
use crate::bead::record;
use crate::config::Config;
use crate::git::Git;
use crate::merge::{self, Lost, Met, Note};
use crate::store::archive::year_of;
use crate::store::find::GitPlace;
use crate::store::share::{Files, Own, United};
use crate::store::{self, Store, StoreError};
use crate::sys::{Clock, Random};

/// A bead that a commit has as it no longer is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// The bead.
    pub id: String,
    /// Where it is newer: the branch of the beads, a commit that people worked on, or history.
    pub source: String,
    /// How it differs.
    pub how: How,
    /// Its line as it should be; `None` where only the archive has it.
    pub line: Option<Vec<u8>>,
}

/// How a bead differs from what a commit has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It is gone here.
    Gone,
    /// It may be gone here: the newest commit has lines that cannot be read, and it is in an earlier one.
    PerhapsGone,
    /// It is older here.
    Older,
    /// It was taken back here and changed again.
    Apart,
}

/// What was brought.
#[derive(Debug, Default)]
pub struct Brought {
    /// The beads, by their ids.
    pub beads: BTreeMap<String, Behind>,
    /// What gave way where a bead had been changed apart.
    pub lost: Vec<Lost>,
    /// What else was decided then.
    pub notes: Vec<Note>,
}

/// The lines that these beads have where they are newer.
pub fn lines(behind: &BTreeMap<String, Behind>) -> BTreeMap<String, Vec<u8>> {
    let lines = behind.values();
    let lines = lines.filter_map(|one| Some((one.id.clone(), one.line.clone()?)));
    lines.collect()
}

/// What a commit has of the store's files, and how it is compared.
struct State {
    source: String,
    issues: Vec<u8>,
    archive: Files,
    rule: Rule,
}

/// How a state is compared with the store.
enum Rule {
    /// The store came from it.
    Common,
    /// People work on from it, in this file: git has what it came from.
    Work {
        place: Place,
        path: String,
        /// The issues of the common state: a bead that is as there did not go back.
        common: Vec<u8>,
    },
    /// The newest is damaged; this one says only what is gone.
    Earlier,
}

/// What comes of the store and a state.
#[derive(Default)]
struct Forward {
    own: Own,
    found: BTreeMap<String, Behind>,
    lost: Vec<Lost>,
    notes: Vec<Note>,
    met: Vec<Met>,
}

/// The beads that went back, by their ids.
pub fn behind(store: &Store, config: &Config) -> Result<BTreeMap<String, Behind>, SyncError> {
    let mut found = BTreeMap::new();
    let mut own = None;
    for state in states(store, config)? {
        let there = match own.take() {
            Some(own) => own,
            None => current(store)?,
        };
        let forward = forward(store, &state, there, &|_| true)?;
        found.extend(forward.found);
        own = Some(forward.own);
    }
    Ok(found)
}

/// Brings the beads that went back, and are asked for, to where the commits have them.
pub fn bring(
    store: &Store,
    config: &Config,
    clock: &Clock,
    random: &Random,
    is_asked: &dyn Fn(&Behind) -> bool,
) -> Result<Brought, SyncError> {
    let mut brought = Brought::default();
    for state in states(store, config)? {
        if forward(store, &state, current(store)?, is_asked)?
            .found
            .is_empty()
        {
            continue;
        }
        let mut told = Forward::default();
        // Each in its own exchange: what comes of it is what the next one is compared with, in history, too.
        store.exchange(clock, random, |own| {
            let done = forward(store, &state, own.clone(), is_asked)?;
            let taken = done.found.values().filter(|one| one.how != How::Apart);
            let united = United {
                issues: done.own.issues.clone(),
                archive: done.own.archive.clone(),
                lost: done.lost.clone(),
                met: done.met.clone(),
                back: taken.map(|one| one.id.clone()).collect(),
                ..United::default()
            };
            told = done;
            Ok::<_, SyncError>(united)
        })?;
        brought.beads.extend(told.found);
        brought.lost.extend(told.lost);
        brought.notes.extend(told.notes);
    }
    Ok(brought)
}

fn current(store: &Store) -> Result<Own, StoreError> {
    Ok(Own {
        issues: store.durable_lines()?,
        archive: store.archive_files()?,
    })
}

/// The store with what went back as a state has it.
fn forward(
    store: &Store,
    state: &State,
    own: Own,
    is_asked: &dyn Fn(&Behind) -> bool,
) -> Result<Forward, SyncError> {
    let behind = |id: &str, how, line| Behind {
        id: id.to_owned(),
        source: state.source.clone(),
        how,
        line,
    };
    let gone = gone_back(store, &state.issues, &state.archive, &own)?;
    let mut done = Forward {
        own,
        ..Forward::default()
    };
    let archived = gone.archived.into_iter();
    let archived: Vec<String> = archived
        .filter(|id| is_asked(&behind(id, How::Gone, None)))
        .collect();
    if !archived.is_empty() {
        let missing = unite::only(&state.archive, &archived);
        done.own.archive = unite::archives(&done.own.archive, &missing, &done.own.issues)?;
        let found = archived.into_iter();
        let found = found.map(|id| (id.clone(), behind(&id, How::Gone, None)));
        done.found.extend(found);
    }
    let mut back = gone.issues;
    let mut apart = Vec::new();
    match &state.rule {
        Rule::Common => {}
        Rule::Earlier => back.retain(|back| back.is_gone),
        Rule::Work {
            place,
            path,
            common,
        } => {
            back.retain(|back| back.is_gone);
            let texts = [&state.issues, &done.own.issues, common];
            let (older, others) = work(store, place, path, texts.map(Vec::as_slice))?;
            back.extend(older);
            apart = others;
        }
    }
    let how = |back: &Back| match (back.is_gone, &state.rule) {
        (true, Rule::Earlier) => How::PerhapsGone,
        (true, _) => How::Gone,
        (false, _) => How::Older,
    };
    back.retain(|back| is_asked(&behind(&back.id, how(back), Some(back.line.clone()))));
    if !back.is_empty() {
        done.own.issues = guard::bring_back(&done.own.issues, &back);
    }
    for one in back {
        let found = behind(&one.id, how(&one), Some(one.line.clone()));
        done.found.insert(one.id, found);
    }
    apart.retain(|fork| is_asked(&behind(&fork.id, How::Apart, Some(fork.theirs.clone()))));
    if !apart.is_empty() {
        done.bring_together(&apart, &state.source)?;
    }
    Ok(done)
}

/// A bead that was changed apart from what a commit has.
struct Fork {
    id: String,
    base: Vec<u8>,
    own: Vec<u8>,
    theirs: Vec<u8>,
}

impl Forward {
    /// Merges both lines of each bead, by field.
    fn bring_together(&mut self, forks: &[Fork], source: &str) -> Result<(), SyncError> {
        let text = |line: fn(&Fork) -> &[u8]| -> Vec<u8> {
            forks
                .iter()
                .flat_map(|fork| [line(fork), b"\n"].concat())
                .collect()
        };
        let [base, own, theirs] = [
            text(|fork| &fork.base),
            text(|fork| &fork.own),
            text(|fork| &fork.theirs),
        ];
        let merged = merge::files(&base, &own, &theirs, &|_| None)?;
        let mut back = Vec::new();
        for (id, line) in merge::rows(&merged.text) {
            let found = Behind {
                id: id.clone(),
                source: source.to_owned(),
                how: How::Apart,
                line: Some(line.to_vec()),
            };
            self.found.insert(id.clone(), found);
            back.push(Back {
                id,
                line: line.to_vec(),
                is_gone: false,
            });
        }
        self.own.issues = guard::bring_back(&self.own.issues, &back);
        self.lost.extend(merged.lost);
        self.notes.extend(merged.notes);
        self.met.extend(merged.met);
        Ok(())
    }
}

/// The beads that are older here than in the commit that people work on, and those that were changed apart from it:
/// only where that is certain, for whoever works on from it has other lines all the time.
fn work(
    store: &Store,
    place: &Place,
    path: &str,
    texts: [&[u8]; 3],
) -> Result<(Vec<Back>, Vec<Fork>), SyncError> {
    let [head, own, common]: [BTreeMap<String, &[u8]>; 3] =
        texts.map(|text| merge::rows(text).collect());
    let both = head.into_iter();
    let both = both.filter_map(|(id, line)| Some((own.get(&id).copied()?, id, line)));
    let mut differ: Vec<(&[u8], String, &[u8])> = both
        .filter(|(own, id, line)| own != line && common.get(id) != Some(own))
        .collect();
    let descent = store.descent(&differ.iter().map(|(_, id, _)| id.clone()).collect())?;
    differ.retain(|(own, id, line)| {
        let is_sound = record::parse(own).is_ok() && record::parse(line).is_ok();
        is_sound && !descent.leads(id, xxh3_64(line), Some(xxh3_64(own)))
    });
    let ids = differ.iter().map(|(_, id, _)| id.clone()).collect();
    let committed = Committed::read(place, path, &ids)?;
    let (mut older, mut apart) = (Vec::new(), Vec::new());
    for (own, id, line) in differ {
        let is_older = || descent.leads(&id, xxh3_64(own), Some(xxh3_64(line)));
        if committed.had(&id, own) || is_older() {
            let line = line.to_vec();
            let is_gone = false;
            older.push(Back { id, line, is_gone });
        } else if let Some(base) = committed.fork(&id, own, &descent) {
            apart.push(Fork {
                base: base.to_vec(),
                own: own.to_vec(),
                theirs: line.to_vec(),
                id,
            });
        }
    }
    Ok((older, apart))
}

/// What the commits have: the one the store was last brought together with, and the one that people work on; and what
/// history has of the archive.
fn states(store: &Store, config: &Config) -> Result<Vec<State>, SyncError> {
    let dir = store.dir();
    let name = store.issues_file().file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let mut states = Vec::new();
    let at = |place: &Place, commit: &str, source: String, rule| -> Result<State, SyncError> {
        let side = Side::below(place, &name, commit)?;
        let issues = side.issues_text(place)?;
        Ok(State {
            source,
            issues: issues.map_or(Vec::new(), |text| text.to_vec()),
            archive: side.archive_texts(place)?,
            rule,
        })
    };
    if let (Some(base), Ok(place)) = (store.base(), Place::of(dir, config))
        && !base.commit.is_empty()
        && let Some(commit) = place.git.resolve(&base.commit)?
    {
        states.push(at(&place, &commit, base.branch, Rule::Common)?);
    }
    if let Some(place) = worked_on(dir)? {
        let path = format!("{}{name}", place.prefix);
        match sound(&place, &path)? {
            Some(commit) if commit == "HEAD" => {
                let from = place.clone();
                let common = states
                    .first()
                    .map_or(Vec::new(), |base| base.issues.clone());
                let rule = Rule::Work {
                    place,
                    path,
                    common,
                };
                states.push(at(&from, "HEAD", commit, rule)?);
            }
            Some(commit) => {
                let source = format!("commit {}", commit.get(..12).unwrap_or(&commit));
                states.push(at(&place, &commit, source, Rule::Earlier)?);
            }
            None => {}
        }
    }
    states.extend(archived(store)?);
    Ok(states)
}

/// The archive as history knows it: what `bd compact` moved there may be in no commit yet.
fn archived(store: &Store) -> Result<Option<State>, StoreError> {
    let mut archive = Files::new();
    for line in store.archived_lines()?.into_values() {
        if let Ok(bead) = record::parse(&line) {
            let year = archive.entry(year_of(&bead)).or_default();
            year.extend_from_slice(&line);
            year.push(b'\n');
        }
    }
    Ok((!archive.is_empty()).then(|| State {
        source: "history".to_owned(),
        issues: Vec::new(),
        archive,
        rule: Rule::Common,
    }))
}

/// What git's folder has while a merge, a rebase or the like is not finished.
const UNFINISHED: [&str; 5] = [
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "rebase-merge",
    "rebase-apply",
];

/// The place of the store's files in the commits that people work on; none while git is in the middle of something.
fn worked_on(dir: &Path) -> Result<Option<Place>, SyncError> {
    let dir = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    if GitPlace::of(&dir).root.is_none() {
        return Ok(None);
    }
    let git = Git::at(&dir);
    let folder = git.plumbing(["rev-parse", "--absolute-git-dir"]).text()?;
    // Then the file has what comes in besides: HEAD says nothing of it.
    if UNFINISHED
        .iter()
        .any(|name| Path::new(&folder).join(name).exists())
    {
        return Ok(None);
    }
    let prefix = git.prefix()?;
    let branch = String::new();
    Ok(git.resolve("HEAD")?.map(|_| Place {
        git,
        prefix,
        branch,
    }))
}

/// The newest commit whose issues can all be read: a damaged line may show no id. Where the newest of all has no
/// issues, they are not kept there any more.
fn sound(place: &Place, path: &str) -> Result<Option<String>, SyncError> {
    let is_sound = |commit: &str| -> Result<Option<bool>, SyncError> {
        let text = place.git.file_at(commit, path)?;
        Ok(text.map(|text| store::lines::read(text).damaged.is_empty()))
    };
    match is_sound("HEAD")? {
        None => return Ok(None),
        Some(true) => return Ok(Some("HEAD".to_owned())),
        Some(false) => {}
    }
    for commit in committed::commits(place, path, true)? {
        if is_sound(&commit)? == Some(true) {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}
