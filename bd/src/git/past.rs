//! Owns what a file was in earlier commits, read by libgit2: small answers for commands that must not start git.
//!
//! What must always hold: whatever libgit2 cannot read (another format of refs, a repository of another user) is `None`
//! or empty, never an error; nothing is written.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use git2::{Oid, Repository, Sort};

/// How many commits are looked through for versions of a file.
const COMMITS: usize = 2_000;
/// How many versions of a file are read.
const VERSIONS: usize = 40;
/// How much text of versions is read, in bytes.
const TEXT: usize = 128 << 20;

/// The past of one file.
pub struct FileHistory {
    repository: Repository,
    path: PathBuf,
}

/// How `HEAD` moved from one commit to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadMovement {
    /// On to a descendant, or not at all.
    Forward,
    /// Back to an ancestor.
    Back,
    /// To another line of history, which left the first at this commit.
    Apart(Option<Oid>),
}

impl FileHistory {
    /// The past of a file in a work tree; `None` outside git.
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

    /// The commit of this name, if it is here.
    pub fn commit(&self, name: &str) -> Option<Oid> {
        let id = Oid::from_str(name.trim()).ok()?;
        self.repository.find_commit(id).is_ok().then_some(id)
    }

    /// How one gets from a commit to another.
    pub fn movement(&self, from: Oid, to: Oid) -> HeadMovement {
        match self.repository.merge_base(from, to).ok() {
            Some(base) if base == from => HeadMovement::Forward,
            Some(base) if base == to => HeadMovement::Back,
            base => HeadMovement::Apart(base),
        }
    }

    /// The file in a commit; empty where the commit does not have it.
    pub fn text_at(&self, commit: Oid) -> Vec<u8> {
        self.blob_at(commit)
            .and_then(|blob| self.text_of(blob))
            .unwrap_or_default()
    }

    /// The versions of the file in commits that lead to `tip` and not to `hidden`, the latest first, each once.
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
            size - text.len() <= TEXT
        };
        texts.take(VERSIONS).take_while(fits).collect()
    }

    /// The commits that were made here since `HEAD` was at this one, not only taken over from elsewhere, and whether each is
    /// a revert; `None` where no reflog says so.
    pub fn own_commits_since(&self, commit: Oid) -> Option<Vec<(Oid, bool)>> {
        let reflog = self.repository.reflog("HEAD").ok()?;
        if reflog.is_empty() {
            return None;
        }
        let moves = reflog.iter();
        let since = moves.take_while(|moved| moved.id_new() != commit);
        let own = since.filter_map(|moved| {
            let what = moved.message().ok().flatten().unwrap_or_default();
            let is_revert = what.starts_with("revert");
            let is_own = what.starts_with("commit") && !what.starts_with("commit (merge)");
            (is_own || is_revert).then(|| (moved.id_new(), is_revert))
        });
        Some(own.collect())
    }

    fn commits(&self, tip: Oid, hidden: Option<Oid>) -> Result<Vec<Oid>, git2::Error> {
        let mut walk = self.repository.revwalk()?;
        walk.set_sorting(Sort::TOPOLOGICAL | Sort::TIME)?;
        walk.push(tip)?;
        if let Some(hidden) = hidden {
            walk.hide(hidden)?;
        }
        Ok(walk.take(COMMITS).filter_map(Result::ok).collect())
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
