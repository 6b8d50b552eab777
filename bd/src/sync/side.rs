//! The shared files of a store as a commit has them.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::place::Place;
use super::tips::Tips;
use super::unite::{self, Told};
use super::{Request, SyncError};
use crate::git::{Entries, TreeEntry};
use crate::store::Store;
use crate::store::share::{Files, Own, United, is_history, is_year};

/// The shared files in one commit, read when they are asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Side {
    /// The issues; `None` where the commit has none.
    pub issues: Option<TreeEntry>,
    /// The archive by year.
    pub archive: Entries,
    /// History by the names below `events/`.
    pub events: Entries,
    /// Everything else, by whole path.
    pub other: Entries,
    text: OnceCell<Rc<Vec<u8>>>,
}

impl Side {
    /// Looks at a commit.
    pub(super) fn at(place: &Place, issues: &str, commit: &str) -> Result<Self, SyncError> {
        Ok(Self::of(place, issues, place.git.entries(commit)?))
    }

    fn of(place: &Place, issues: &str, entries: Entries) -> Self {
        let mut side = Self::default();
        for (path, entry) in entries {
            let is_file = entry.mode.starts_with("100");
            let inside = path.strip_prefix(&place.prefix).filter(|_| is_file);
            let year = inside.and_then(|name| name.strip_prefix("archive/"));
            let month = inside.and_then(|name| name.strip_prefix("events/"));
            if inside == Some(issues) {
                side.issues = Some(entry);
            } else if let Some(name) = year.filter(|name| is_year(name)) {
                side.archive.insert(name.to_owned(), entry);
            } else if let Some(name) = month.filter(|name| is_history(name)) {
                side.events.insert(name.to_owned(), entry);
            } else {
                side.other.insert(path, entry);
            }
        }
        side
    }

    /// The issues' text, where there is one.
    pub(super) fn issues_text(&self, place: &Place) -> Result<Option<Rc<Vec<u8>>>, SyncError> {
        let Some(entry) = &self.issues else {
            return Ok(None);
        };
        if let Some(text) = self.text.get() {
            return Ok(Some(Rc::clone(text)));
        }
        let text = Rc::new(place.git.blob(&entry.id)?);
        Ok(Some(Rc::clone(self.text.get_or_init(|| text))))
    }

    /// The archive's texts.
    pub(super) fn archive_texts(&self, place: &Place) -> Result<Files, SyncError> {
        let mut files = BTreeMap::new();
        for (name, entry) in &self.archive {
            files.insert(name.clone(), place.git.blob(&entry.id)?);
        }
        Ok(files)
    }
}

/// The commits' files.
#[derive(Debug, Default)]
pub(super) struct Sides {
    pub ours: Option<Rc<Side>>,
    pub theirs: Option<Rc<Side>>,
    pub base: Option<Rc<Side>>,
    pub fork: Option<Rc<Side>>,
}

impl Sides {
    /// Looks at the commits.
    pub(super) fn at(place: &Place, issues: &str, tips: &Tips) -> Result<Self, SyncError> {
        let mut known: BTreeMap<&str, Rc<Side>> = BTreeMap::new();
        let mut side = |commit: &'_ Option<String>| -> Result<Option<Rc<Side>>, SyncError> {
            let Some(commit) = tips.all().find(|own| Some(*own) == commit.as_deref()) else {
                return Ok(None);
            };
            if let Some(side) = known.get(commit) {
                return Ok(Some(Rc::clone(side)));
            }
            let side = Rc::new(Side::at(place, issues, commit)?);
            known.insert(commit, Rc::clone(&side));
            Ok(Some(side))
        };
        let sides = Self {
            ours: side(&tips.ours)?,
            theirs: side(&tips.theirs)?,
            base: side(&tips.base)?,
            fork: side(&tips.fork)?,
        };
        // Before anybody has to wait for us.
        let Self {
            ours,
            theirs,
            base,
            fork,
        } = &sides;
        let fork = fork.as_ref().filter(|_| theirs.is_some());
        for side in [ours, theirs, base].into_iter().flatten().chain(fork) {
            side.issues_text(place)?;
        }
        Ok(sides)
    }

    /// What comes of the store's own side and these.
    pub(super) fn unite(
        &self,
        request: &Request<'_>,
        place: &Place,
        tips: &Tips,
        own: Own,
        told: &mut Told,
    ) -> Result<United, SyncError> {
        let mut own = own;
        if let Some(ours) = self.ours.as_ref().filter(|_| tips.base != tips.ours) {
            own = unite::take(request.store, place, self.base.as_deref(), own, ours, told)?;
        }
        if let Some(theirs) = &self.theirs {
            own = unite::take(
                request.store,
                place,
                self.fork.as_deref(),
                own,
                theirs,
                told,
            )?;
        }
        for side in [&self.ours, &self.theirs].into_iter().flatten() {
            own = with_archive(place, side, own)?;
        }
        Ok(United {
            issues: own.issues,
            archive: own.archive,
            events: self.history(request.store, place)?,
            lost: told.lost.clone(),
        })
    }

    /// The files of history that the store has not, or not all of.
    fn history(&self, store: &Store, place: &Place) -> Result<Files, SyncError> {
        let here = store.history_files();
        let mut files = Files::new();
        for (name, entry) in [&self.ours, &self.theirs]
            .into_iter()
            .flatten()
            .flat_map(|side| &side.events)
        {
            if here.get(name) == Some(&entry.size) {
                continue;
            }
            let text = match files.remove(name) {
                Some(text) => text,
                None => store.history_file(name)?,
            };
            let there = place.git.blob(&entry.id)?;
            files.insert(name.clone(), unite::history(text, there));
        }
        Ok(files)
    }
}

/// The store with the archive of a side as well: only lines that nobody has there any more are not to come back.
fn with_archive(place: &Place, side: &Side, own: Own) -> Result<Own, SyncError> {
    let is_same = |(name, entry): (&String, &TreeEntry)| {
        own.archive.get(name).map(|text| text.len() as u64) == Some(entry.size)
    };
    // Of the same length they are taken for the same.
    if side.archive.iter().all(is_same) {
        return Ok(own);
    }
    let archive = unite::archives(&own.archive, &side.archive_texts(place)?, &own.issues)?;
    Ok(Own { archive, ..own })
}
