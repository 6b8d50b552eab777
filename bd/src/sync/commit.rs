//! Commits the store's shared files on top of the branch.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::parts::BranchFile;
use super::place::SyncPlace;
use super::side::{CommitSide, CommitSides};
use super::tips::SyncTips;
use super::unite;
use super::{SyncError, SyncRequest};
use crate::git::{GitError, TreeEntries, TreeEntry};
use crate::merge;
use crate::store::exchange::ExchangedStore;

/// A commit in preparation.
pub(super) struct SyncCommit<'a> {
    pub request: &'a SyncRequest<'a>,
    pub place: &'a SyncPlace,
    pub tips: &'a SyncTips,
    pub sides: &'a CommitSides,
    pub shared: &'a ExchangedStore,
    /// The name of the issues file.
    pub issues: &'a str,
}

/// The branch after a commit.
pub(super) struct BranchUpdate {
    pub tip: Option<String>,
    /// True if the tip is a new commit of ours.
    pub is_new: bool,
    /// The number of beads that the commit changes.
    pub sent: usize,
}

impl SyncCommit<'_> {
    /// Commits if anything is new. Returns `None` if another process moved the branch in the
    /// meantime.
    pub(super) fn commit(&self) -> Result<Option<BranchUpdate>, SyncError> {
        let SyncTips { ours, theirs, .. } = self.tips;
        let entries = self.entries()?;
        let old = |tip| BranchUpdate {
            tip,
            is_new: false,
            sent: 0,
        };
        if ours.is_none() && theirs.is_none() && self.is_empty() {
            return Ok(Some(old(None)));
        }
        let is_as = |side: &Option<Rc<CommitSide>>| {
            side.as_ref()
                .is_some_and(|side| self.files_of_side(side) == entries)
        };
        if theirs.is_none() && is_as(&self.sides.ours) {
            return Ok(Some(old(ours.clone())));
        }
        let only_theirs = is_as(&self.sides.theirs) && self.is_behind()?;
        let (tip, sent) = if let (true, Some(theirs)) = (only_theirs, theirs) {
            (theirs.clone(), None)
        } else {
            let (tip, sent) = self.write_commit(&entries)?;
            (tip, Some(sent))
        };
        // Checked again, because the branch may have been checked out in the meantime.
        self.place.refuse_checked_out()?;
        let reference = self.place.reference();
        match self.place.git.update_ref(&reference, &tip, ours.as_deref()) {
            Ok(()) => {}
            Err(GitError::Failed { .. }) if self.place.git.resolve(&reference)? != *ours => {
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Some(BranchUpdate {
            tip: Some(tip),
            is_new: sent.is_some(),
            sent: sent.unwrap_or_default(),
        }))
    }

    /// Returns true if our branch has no commit that theirs lacks.
    fn is_behind(&self) -> Result<bool, SyncError> {
        match (&self.tips.ours, &self.tips.theirs) {
            (Some(ours), Some(theirs)) => Ok(self.place.git.is_ancestor(ours, theirs)?),
            _ => Ok(true),
        }
    }

    fn is_empty(&self) -> bool {
        let store_side = &self.shared.side;
        store_side.issues.is_empty()
            && store_side.archive.is_empty()
            && self.request.store.history_files().is_empty()
    }

    fn write_commit(&self, entries: &TreeEntries) -> Result<(String, usize), SyncError> {
        let git = &self.place.git;
        let tree = git.write_entries(entries)?;
        let SyncTips { ours, theirs, .. } = self.tips;
        let parents: Vec<&str> = [ours, theirs]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let message = self.request.commit_message();
        let before = match self.sides.theirs.as_ref().or(self.sides.ours.as_ref()) {
            Some(side) => side.issues_text(self.place)?.unwrap_or_default(),
            None => Rc::default(),
        };
        let sent = unite::count_changed(&before, &self.shared.side.issues);
        let commit = git.commit_tree(&tree, &parents, &message, &self.request.author)?;
        Ok((commit, sent))
    }

    /// Returns all files of the commit.
    fn entries(&self) -> Result<TreeEntries, SyncError> {
        let mut entries = self.other_files()?;
        let store_side = &self.shared.side;
        let store = self.request.store;
        let prefix = &self.place.prefix;
        let mut insert = |path: String, file: &BranchFile| file.insert_into(&mut entries, &path);
        let issues = BranchFile::write(self.place, &store_side.issues)?;
        insert(format!("{prefix}{}", self.issues), &issues);
        let years = store_side.archive.iter();
        for (name, content) in years.filter(|(_, content)| !content.is_empty()) {
            let file = BranchFile::write(self.place, content)?;
            insert(format!("{prefix}archive/{name}"), &file);
        }
        for (name, size) in store.history_files() {
            let sides = [&self.sides.ours, &self.sides.theirs].into_iter().flatten();
            // This file only grows, so the same length means the same content.
            let file = match sides
                .filter_map(|side| side.events.get(&name))
                .find(|file| file.size() == size)
            {
                Some(file) => file.clone(),
                None => BranchFile::write(self.place, &store.history_file(&name)?)?,
            };
            insert(format!("{prefix}events/{name}"), &file);
        }
        Ok(entries)
    }

    fn file(&self, content: &[u8]) -> Result<TreeEntry, SyncError> {
        Ok(TreeEntry {
            mode: "100644".to_owned(),
            id: self.place.git.write_blob(content)?,
            size: content.len() as u64,
        })
    }

    /// Returns the files of a commit by their whole paths.
    fn files_of_side(&self, side: &CommitSide) -> TreeEntries {
        let prefix = &self.place.prefix;
        let mut all = side.other.clone();
        if let Some(file) = &side.issues {
            file.insert_into(&mut all, &format!("{prefix}{}", self.issues));
        }
        for (folder, files) in [("archive", &side.archive), ("events", &side.events)] {
            for (name, file) in files {
                file.insert_into(&mut all, &format!("{prefix}{folder}/{name}"));
            }
        }
        all
    }

    /// Returns the files of other stores in the repository, and any other files on the branch.
    fn other_files(&self) -> Result<TreeEntries, SyncError> {
        let none = TreeEntries::new();
        let [ours, theirs, fork] =
            [&self.sides.ours, &self.sides.theirs, &self.sides.fork].map(|side| {
                side.as_ref()
                    .map_or(none.clone(), |side| side.other.clone())
            });
        if self.sides.theirs.is_none() {
            return Ok(ours);
        }
        if self.sides.ours.is_none() {
            return Ok(theirs);
        }
        let mut merged = TreeEntries::new();
        let paths: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        for path in paths {
            let our_entry = ours.get(path);
            let their_entry = theirs.get(path);
            let base = fork.get(path);
            let entry = if our_entry == their_entry || their_entry == base {
                our_entry.cloned()
            } else if our_entry == base {
                their_entry.cloned()
            } else {
                self.merge_file(path, [base, our_entry, their_entry])?
            };
            if let Some(entry) = entry {
                merged.insert(path.clone(), entry);
            }
        }
        Ok(merged)
    }

    /// Merges a file that both ends of the branch changed: beads are merged as beads; for any other
    /// file the remote's version wins.
    fn merge_file(
        &self,
        path: &str,
        three: [Option<&TreeEntry>; 3],
    ) -> Result<Option<TreeEntry>, SyncError> {
        let [base, our_entry, their_entry] = three;
        let (Some(our_entry), Some(their_entry)) = (our_entry, their_entry) else {
            return Ok(our_entry.or(their_entry).cloned());
        };
        let git = &self.place.git;
        let text = |entry: &TreeEntry| git.blob(&entry.id);
        let is_history = path.contains("/events/");
        let is_lines = std::path::Path::new(path)
            .extension()
            .is_some_and(|kind| kind == "jsonl");
        if is_history && is_lines {
            return Ok(Some(self.file(&unite::unite_history(
                text(our_entry)?,
                text(their_entry)?,
            ))?));
        }
        if !is_lines {
            return Ok(Some(their_entry.clone()));
        }
        let base = base.map(text).transpose()?.unwrap_or_default();
        let merged = merge::merge_files(&base, &text(our_entry)?, &text(their_entry)?, &|_| None)?;
        Ok(Some(self.file(&merged.text)?))
    }
}
