//! Beads that went back, where a commit of this repository still has them: the one that the store was last brought
//! together with, and the one that people work on; and beads of an archive that is gone, which history has whole.
//!
//! Own history knows what was done in this clone. What others did, and beads that nobody here ever changed, only these
//! commits have; so `bd restore --lost` takes them from there first, byte by byte, before it does lost changes again.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use super::guard::{self, Back};
use super::place::Place;
use super::side::{Side, gone_back};
use super::{SyncError, unite};
use crate::bead::record;
use crate::config::Config;
use crate::git::Git;
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
    /// Where it is newer: the branch of the beads, or `HEAD`.
    pub source: String,
    /// Whether it is gone here.
    pub is_gone: bool,
    /// Its line there; `None` where only the archive has it.
    pub line: Option<Vec<u8>>,
}

/// The lines that these beads have where they are newer.
pub fn lines(behind: &BTreeMap<String, Behind>) -> BTreeMap<String, Vec<u8>> {
    let lines = behind.values();
    let lines = lines.filter_map(|one| Some((one.id.clone(), one.line.clone()?)));
    lines.collect()
}

/// What a commit has of the store's files.
struct State {
    source: String,
    issues: Vec<u8>,
    archive: Files,
}

/// The beads that went back, by their ids.
pub fn behind(store: &Store, config: &Config) -> Result<BTreeMap<String, Behind>, SyncError> {
    let states = states(store, config)?;
    if states.is_empty() {
        return Ok(BTreeMap::new());
    }
    let own = Own {
        issues: store.durable_lines()?,
        archive: store.archive_files()?,
    };
    Ok(forward(store, &states, own, &|_| true)?.1)
}

/// Brings the beads that went back, and are asked for, to where the commits have them.
pub fn bring(
    store: &Store,
    config: &Config,
    clock: &Clock,
    random: &Random,
    is_asked: &dyn Fn(&Behind) -> bool,
) -> Result<BTreeMap<String, Behind>, SyncError> {
    let states = states(store, config)?;
    let brought = RefCell::new(BTreeMap::new());
    store.exchange(clock, random, |own| {
        let (own, found) = forward(store, &states, own.clone(), is_asked)?;
        let back = found.keys().cloned().collect();
        brought.replace(found);
        Ok::<_, SyncError>(United {
            issues: own.issues,
            archive: own.archive,
            back,
            ..United::default()
        })
    })?;
    Ok(brought.into_inner())
}

/// The store with what went back as the states have it, each after the one before.
fn forward(
    store: &Store,
    states: &[State],
    own: Own,
    is_asked: &dyn Fn(&Behind) -> bool,
) -> Result<(Own, BTreeMap<String, Behind>), StoreError> {
    let mut own = own;
    let mut found: BTreeMap<String, Behind> = BTreeMap::new();
    for state in states {
        let behind = |id: &str, is_gone, line| Behind {
            id: id.to_owned(),
            source: state.source.clone(),
            is_gone,
            line,
        };
        let gone = gone_back(store, &state.issues, &state.archive, &own)?;
        let mut archived = gone.archived;
        archived.retain(|id| is_asked(&behind(id, true, None)));
        if !archived.is_empty() {
            let missing = unite::only(&state.archive, &archived);
            // Both are sound lines, so that this cannot fail but by what is damaged in them.
            if let Ok(all) = unite::archives(&own.archive, &missing, &own.issues) {
                own.archive = all;
                found.extend(archived.into_iter().map(|id| {
                    let one = behind(&id, true, None);
                    (id, one)
                }));
            }
        }
        let mut back: Vec<Back> = gone.issues;
        back.retain(|back| is_asked(&behind(&back.id, back.is_gone, Some(back.line.clone()))));
        if !back.is_empty() {
            own.issues = guard::bring_back(&own.issues, &back);
        }
        for Back { id, line, is_gone } in back {
            let one = behind(&id, is_gone, Some(line));
            found.insert(id, one);
        }
    }
    Ok((own, found))
}

/// What the commits have: the one the store was last brought together with, and the newest that people worked on
/// whose issues are sound.
fn states(store: &Store, config: &Config) -> Result<Vec<State>, SyncError> {
    let dir = store.dir();
    let name = store.issues_file().file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let mut states = Vec::new();
    let at = |place: &Place, commit: &str, source: String| -> Result<State, SyncError> {
        let side = Side::below(place, &name, commit)?;
        Ok(State {
            source,
            issues: side
                .issues_text(place)?
                .map_or(Vec::new(), |text| text.to_vec()),
            archive: side.archive_texts(place)?,
        })
    };
    if let (Some(base), Ok(place)) = (store.base(), Place::of(dir, config))
        && !base.commit.is_empty()
        && let Some(commit) = place.git.resolve(&base.commit)?
    {
        states.push(at(&place, &commit, base.branch)?);
    }
    if let Some(place) = work(dir)?
        && let Some(commit) = sound(&place, &name)?
    {
        states.push(at(&place, &commit, "HEAD".to_owned())?);
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
    }))
}

/// The place of the store's files in the commits that people work on.
fn work(dir: &Path) -> Result<Option<Place>, SyncError> {
    if GitPlace::of(dir).root.is_none() {
        return Ok(None);
    }
    let git = Git::at(dir);
    let prefix = git.prefix()?;
    let branch = String::new();
    Ok(git.resolve("HEAD")?.map(|_| Place {
        git,
        prefix,
        branch,
    }))
}

/// How many commits back one is looked for whose issues can all be read.
const COMMITS: usize = 50;

/// The newest commit whose issues can all be read: a damaged line may show no id. Where the newest of all has no
/// issues, they are not kept there any more.
fn sound(place: &Place, name: &str) -> Result<Option<String>, SyncError> {
    let path = format!("{}{name}", place.prefix);
    let is_sound = |commit: &str| -> Result<Option<bool>, SyncError> {
        let text = place.git.file_at(commit, &path)?;
        Ok(text.map(|text| store::lines::read(text).damaged.is_empty()))
    };
    match is_sound("HEAD")? {
        None => return Ok(None),
        Some(true) => return Ok(Some("HEAD".to_owned())),
        Some(false) => {}
    }
    let (count, path) = (COMMITS.to_string(), format!(":(top,literal){path}"));
    let log = ["log", "--format=%H", "-n", &count, "HEAD", "--", &path];
    for commit in place.git.plumbing(log).text()?.lines() {
        if is_sound(commit)? == Some(true) {
            return Ok(Some(commit.to_owned()));
        }
    }
    Ok(None)
}
