//! Reads a tracked file in single commits with libgit2, for commands that must not start git. No
//! history is walked.
//!
//! If libgit2 cannot read the repository (another format of refs, a repository of another user),
//! the result is `None` or empty, never an error. Nothing is written.

use std::path::{Path, PathBuf};

use git2::{Oid, Repository};

/// A file in a work tree, with its text in commits.
pub struct TrackedFile {
    repository: Repository,
    path: PathBuf,
}

/// The movement of `HEAD` from one commit to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadMovement {
    /// To a descendant, or to the same commit.
    Forward,
    Back,
    /// To another line of history, which branched off at this commit.
    Apart(Option<Oid>),
}

impl TrackedFile {
    /// Opens a file in a work tree; `None` outside git.
    pub fn open(file: &Path) -> Option<Self> {
        let folder = file.parent()?.canonicalize().ok()?;
        let repository = Repository::discover(&folder).ok()?;
        let top = repository.workdir()?.canonicalize().ok()?;
        let path = folder.strip_prefix(top).ok()?.join(file.file_name()?);
        Some(Self { repository, path })
    }

    /// The commit of `HEAD`.
    pub fn head(&self) -> Option<Oid> {
        self.repository.head().ok()?.target()
    }

    /// Returns the commit with this name, if it exists here.
    pub fn commit(&self, name: &str) -> Option<Oid> {
        let id = Oid::from_str(name.trim()).ok()?;
        self.repository.find_commit(id).is_ok().then_some(id)
    }

    /// Returns the commit of `HEAD` before git's last move, if that is `ORIG_HEAD` and a descendant
    /// of `commit`, otherwise `commit`. Pull, merge, reset and rebase write `ORIG_HEAD`.
    pub fn before_last_move(&self, commit: Oid) -> Oid {
        let last = self.repository.refname_to_id("ORIG_HEAD").ok();
        last.filter(|last| self.movement(commit, *last) == HeadMovement::Forward)
            .unwrap_or(commit)
    }

    /// Returns the movement from one commit to another.
    pub fn movement(&self, from: Oid, to: Oid) -> HeadMovement {
        match self.repository.merge_base(from, to).ok() {
            Some(base) if base == from => HeadMovement::Forward,
            Some(base) if base == to => HeadMovement::Back,
            base => HeadMovement::Apart(base),
        }
    }

    /// Returns the file's text in a commit; empty if the commit does not have the file.
    pub fn text_at(&self, commit: Oid) -> Vec<u8> {
        self.blob_at(commit)
            .and_then(|blob| self.text_of(blob))
            .unwrap_or_default()
    }

    fn blob_at(&self, commit: Oid) -> Option<Oid> {
        let tree = self.repository.find_commit(commit).ok()?.tree().ok()?;
        Some(tree.get_path(&self.path).ok()?.id())
    }

    fn text_of(&self, blob: Oid) -> Option<Vec<u8>> {
        let blob = self.repository.find_blob(blob).ok()?;
        Some(blob.content().to_vec())
    }
}
