//! Reads earlier versions of a file with libgit2, for commands that must not start git.
//!
//! If libgit2 cannot read the repository (another format of refs, a repository of another user),
//! the result is `None` or empty, never an error. Nothing is written.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use git2::{Oid, Repository, Sort};

/// The maximum number of commits to search for versions of a file.
const MAX_COMMITS: usize = 2_000;
/// The maximum number of versions of a file to read.
const MAX_VERSIONS: usize = 40;
/// The maximum size of all versions to read, in bytes.
const MAX_TEXT: usize = 128 << 20;

/// The earlier versions of one file.
pub struct FileHistory {
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

impl FileHistory {
    /// Opens the history of a file in a work tree; `None` outside git.
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

    /// Returns the versions of the file in commits reachable from `tip` and not from `hidden`,
    /// latest first, without duplicates.
    pub fn versions(&self, tip: Oid, hidden: Option<Oid>) -> Vec<Vec<u8>> {
        let commits = self.commits(tip, hidden).unwrap_or_default();
        let mut seen = HashSet::new();
        let blobs = commits
            .into_iter()
            .filter_map(|commit| self.blob_at(commit));
        let texts = blobs
            .filter(|blob| seen.insert(*blob))
            .filter_map(|blob| self.text_of(blob));
        let mut size = 0;
        let fits = |text: &Vec<u8>| {
            size += text.len();
            size - text.len() <= MAX_TEXT
        };
        texts.take(MAX_VERSIONS).take_while(fits).collect()
    }

    /// Returns the commits that were created here since `HEAD` was at `commit`, not fetched from
    /// elsewhere, each with a flag for reverts. Returns `None` if the reflog does not contain them.
    pub fn own_commits_since(&self, commit: Oid) -> Option<Vec<(Oid, bool)>> {
        let reflog = self.repository.reflog("HEAD").ok()?;
        if reflog.is_empty() {
            return None;
        }
        let moves = reflog.iter();
        let since = moves.take_while(|moved| moved.id_new() != commit);
        let own_commits = since.filter_map(|moved| {
            let what = moved.message().ok().flatten().unwrap_or_default();
            let is_revert = what.starts_with("revert");
            let is_own = what.starts_with("commit") && !what.starts_with("commit (merge)");
            (is_own || is_revert).then(|| (moved.id_new(), is_revert))
        });
        Some(own_commits.collect())
    }

    fn commits(&self, tip: Oid, hidden: Option<Oid>) -> Result<Vec<Oid>, git2::Error> {
        let mut walk = self.repository.revwalk()?;
        walk.set_sorting(Sort::TOPOLOGICAL | Sort::TIME)?;
        walk.push(tip)?;
        if let Some(hidden) = hidden {
            walk.hide(hidden)?;
        }
        Ok(walk.take(MAX_COMMITS).filter_map(Result::ok).collect())
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
