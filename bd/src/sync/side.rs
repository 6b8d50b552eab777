//! The shared files of a store in a commit.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::place::SyncPlace;
use super::tips::SyncTips;

use super::SyncError;
use super::parts::{BranchFile, BranchFiles, parse_part_name};
use crate::git::TreeEntries;
use crate::store::exchange::{StoreFiles, is_archive_name, is_history_name};

/// The shared files in one commit, read on demand.
#[derive(Debug, Clone, Default)]
pub(super) struct CommitSide {
    pub commit: String,
    /// The issues; `None` if the commit has none.
    pub issues: Option<BranchFile>,
    pub archive: BranchFiles,
    /// The history files, by their names below `events/`.
    pub events: BranchFiles,
    /// All other files, by whole path.
    pub other: TreeEntries,
    text: OnceCell<Rc<Vec<u8>>>,
}

impl CommitSide {
    /// Lists the files of a commit.
    pub(super) fn from_commit(
        place: &SyncPlace,
        issues: &str,
        commit: &str,
    ) -> Result<Self, SyncError> {
        let mut side = Self {
            commit: commit.to_owned(),
            ..Self::default()
        };
        for (path, entry) in place.git.entries(commit)? {
            let is_file = entry.mode.starts_with("100");
            let (name, number) = path
                .strip_prefix(&place.prefix)
                .filter(|_| is_file)
                .map(parse_part_name)
                .unwrap_or_default();
            let year = name.strip_prefix("archive/");
            let month = name.strip_prefix("events/");
            let file = if name == issues {
                side.issues.get_or_insert_default()
            } else if let Some(name) = year.filter(|name| is_archive_name(name)) {
                side.archive.entry(name.to_owned()).or_default()
            } else if let Some(name) = month.filter(|name| is_history_name(name)) {
                side.events.entry(name.to_owned()).or_default()
            } else {
                side.other.insert(path, entry);
                continue;
            };
            file.add(number, entry);
        }
        Ok(side)
    }

    /// Reads the text of the issues, if there are any.
    pub(super) fn issues_text(&self, place: &SyncPlace) -> Result<Option<Rc<Vec<u8>>>, SyncError> {
        let Some(file) = &self.issues else {
            return Ok(None);
        };
        if let Some(text) = self.text.get() {
            return Ok(Some(Rc::clone(text)));
        }
        let text = Rc::new(file.read(place)?);
        Ok(Some(Rc::clone(self.text.get_or_init(|| text))))
    }

    pub(super) fn archive_texts(&self, place: &SyncPlace) -> Result<StoreFiles, SyncError> {
        let mut files = BTreeMap::new();
        for (name, file) in &self.archive {
            files.insert(name.clone(), file.read(place)?);
        }
        Ok(files)
    }
}

/// The files of the commits that are united.
#[derive(Debug, Default)]
pub(super) struct CommitSides {
    pub ours: Option<Rc<CommitSide>>,
    pub theirs: Option<Rc<CommitSide>>,
    pub base: Option<Rc<CommitSide>>,
    pub fork: Option<Rc<CommitSide>>,
}

impl CommitSides {
    pub(super) fn from_tips(
        place: &SyncPlace,
        issues: &str,
        tips: &SyncTips,
    ) -> Result<Self, SyncError> {
        let mut known: BTreeMap<String, Rc<CommitSide>> = BTreeMap::new();
        let mut side = |commit: &Option<String>| -> Result<Option<Rc<CommitSide>>, SyncError> {
            let Some(commit) = commit else {
                return Ok(None);
            };
            if let Some(side) = known.get(commit) {
                return Ok(Some(Rc::clone(side)));
            }
            let side = Rc::new(CommitSide::from_commit(place, issues, commit)?);
            known.insert(commit.clone(), Rc::clone(&side));
            Ok(Some(side))
        };
        let sides = Self {
            ours: side(&tips.ours)?,
            theirs: side(&tips.theirs)?,
            base: side(&tips.base)?,
            fork: side(&tips.fork)?,
        };
        // Read before other processes have to wait for the lock.
        let fork = sides.fork.as_ref().filter(|_| sides.theirs.is_some());
        let others = [&sides.ours, &sides.theirs, &sides.base];
        for side in others.into_iter().flatten().chain(fork) {
            side.issues_text(place)?;
        }
        Ok(sides)
    }
}
