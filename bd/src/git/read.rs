//! Reads refs and history. libgit2 answers; if it cannot open the repository, the git command does.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::run::{path_of_bytes, split_records};
use super::{ChangeKind, CommitInfo, FileChange, Git, GitError, TAKEN_REFS};

/// The maximum size of all commit messages to read, in bytes.
const MAX_MESSAGES: usize = 256 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stash {
    /// The current name, `stash@{0}`. Any change of the list may assign the name to another stash.
    pub name: String,
    pub commit: String,
    /// The message in the list.
    pub message: String,
}

/// Parses seconds since 1970. Git shows nothing for a date that it cannot represent.
fn parse_author_time(seconds: &str) -> Timestamp {
    let seconds = seconds.parse().unwrap_or(0);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Returns true for the folders that a sandbox of Gas Town has of its own, whatever the repository
/// has under their names.
fn is_replaced_by_sandbox(path: &Path) -> bool {
    path == Path::new(".gt") || path.starts_with(".beads")
}

impl Git {
    /// Returns the checked-out branch, even if it has no commits; `None` if HEAD is detached.
    pub fn head_branch(&self) -> Result<Option<String>, GitError> {
        let call = self.plumbing(["symbolic-ref", "--quiet", "HEAD"]);
        let Some(repository) = self.open()? else {
            let found = call.finish_if_found()?;
            return Ok(found.and_then(|finished| self.short_branch(&finished.text())));
        };
        let head_ref = self.library("read HEAD", repository.find_reference("HEAD"))?;
        Ok(head_ref
            .symbolic_target()
            .ok()
            .flatten()
            .and_then(|name| self.short_branch(name)))
    }

    /// Resolves `rev` to a commit id, or returns `None` if there is no such commit.
    pub fn resolve(&self, rev: &str) -> Result<Option<String>, GitError> {
        let commit = format!("{rev}^{{commit}}");
        let Some(repository) = self.open()? else {
            let call = self.plumbing(["rev-parse", "--quiet", "--verify", "--end-of-options"]);
            let finished = call.args([&commit]).finish()?;
            return Ok(finished.is_success().then(|| finished.text()));
        };
        let found = repository.revparse_single(&commit);
        Ok(found.ok().map(|object| object.id().to_string()))
    }

    /// Returns true if `ancestor` is reachable from `tip`. A commit is its own ancestor.
    pub fn is_ancestor(&self, ancestor: &str, tip: &str) -> Result<bool, GitError> {
        let Some(repository) = self.open()? else {
            let call = self.plumbing(["merge-base", "--is-ancestor", ancestor, tip]);
            return Ok(call.finish_if_found()?.is_some());
        };
        let ancestor = self.commit(&repository, ancestor)?;
        let tip = self.commit(&repository, tip)?;
        if ancestor == tip {
            return Ok(true);
        }
        self.library(
            "compare commits",
            repository.graph_descendant_of(tip, ancestor),
        )
    }

    /// Returns the best common ancestor of two commits.
    pub fn merge_base(&self, left: &str, right: &str) -> Result<Option<String>, GitError> {
        let found = self
            .plumbing(["merge-base", left, right])
            .finish_if_found()?;
        Ok(found.map(|finished| finished.text()))
    }

    /// Returns the commits that `tip` has and `base` does not, newest first.
    pub fn commits(&self, base: &str, tip: &str) -> Result<Vec<CommitInfo>, GitError> {
        let range = format!("{base}..{tip}");
        let call = self
            .plumbing(["log", "-z", "--format=%H%x1f%s%x1f%an%x1f%ae%x1f%at"])
            .args([range.as_str(), "--"]);
        let command = call.command_line();
        let records = call.records()?;
        let commits: Option<Vec<_>> = records
            .iter()
            .map(|record| {
                let mut parts = record.splitn(5, '\u{1f}').map(str::to_owned);
                Some(CommitInfo {
                    id: parts.next()?,
                    subject: parts.next()?,
                    author_name: parts.next()?,
                    author_email: parts.next()?,
                    time: parse_author_time(parts.next()?.trim()),
                })
            })
            .collect();
        commits.ok_or_else(|| GitError::Unreadable {
            command,
            output: records.join(" "),
        })
    }

    /// Returns the short ids and whole messages of the commits of `HEAD`, newest first; empty if
    /// there is no commit yet.
    pub fn messages(&self) -> Result<Vec<(String, String)>, GitError> {
        if self.resolve("HEAD")?.is_none() {
            return Ok(Vec::new());
        }
        let call = self.plumbing(["log", "-z", "--format=%h%x1f%B", "HEAD", "--"]);
        Ok(call
            .cap(MAX_MESSAGES)
            .records()?
            .into_iter()
            .filter_map(|record| {
                let (id, message) = record.split_once('\u{1f}')?;
                Some((id.to_owned(), message.to_owned()))
            })
            .collect())
    }

    /// Returns the files that `tip` changed since it branched off `base`.
    pub fn changed_files(&self, base: &str, tip: &str) -> Result<Vec<String>, GitError> {
        let range = format!("{base}...{tip}");
        self.plumbing(["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff"])
            .args([range.as_str(), "--"])
            .records()
    }

    /// Returns the files that differ between two trees, or the trees of two commits.
    pub fn differing_files(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        self.plumbing(["diff-tree", "-r", "--name-only", "-z", "--no-renames"])
            .args([from, to, "--"])
            .records()
    }

    /// Returns the differences between the last commit and the work tree and index.
    pub fn status(&self) -> Result<Vec<FileChange>, GitError> {
        let submodules = if self.separate_git_dir().is_some() {
            "--ignore-submodules=all"
        } else {
            "--ignore-submodules=none"
        };
        let finished = self
            .plumbing(["status", "--porcelain=v1", "-z", "--untracked-files=all"])
            .args(["--no-renames", submodules])
            .finish_checked()?;
        let mut changes: Vec<FileChange> = split_records(&finished.stdout)
            .filter_map(|record| {
                let code = record.get(..2)?;
                let path = record.get(3..)?;
                let kind = match code {
                    b"??" => ChangeKind::Untracked,
                    b"DD" | b"AA" => ChangeKind::Conflicted,
                    code if code.contains(&b'U') => ChangeKind::Conflicted,
                    code if code.ends_with(b" ") => ChangeKind::Staged,
                    _ => ChangeKind::Unstaged,
                };
                let path = path_of_bytes(path);
                Some(FileChange { path, kind })
            })
            .collect();
        changes.extend(self.changed_separate_submodules()?);
        Ok(changes)
    }

    pub fn remotes(&self) -> Result<Vec<String>, GitError> {
        let names = self.plumbing(["remote"]).text()?;
        Ok(names.lines().map(str::to_owned).collect())
    }

    /// Returns the paths that are submodules in `tip` and differ from `base`.
    pub fn changed_submodules(&self, base: &str, tip: &str) -> Result<Vec<PathBuf>, GitError> {
        let finished = self
            .plumbing(["diff-tree", "-r", "-z", "--no-renames"])
            .args(["--ignore-submodules=none", base, tip, "--"])
            .finish_checked()?;
        // Each change is two records: `:<old mode> <new mode> <ids> <status>` and the path.
        let records: Vec<&[u8]> = split_records(&finished.stdout).collect();
        let changes = records.chunks_exact(2);
        Ok(changes
            .filter(|change| {
                let new_mode = change[0].split(|byte| *byte == b' ').nth(1);
                new_mode == Some(b"160000")
            })
            .map(|change| path_of_bytes(change[1]))
            .collect())
    }

    /// Returns the configured address of a remote; `None` if there is no such remote.
    pub fn remote_url(&self, remote: &str) -> Result<Option<String>, GitError> {
        let key = format!("remote.{remote}.url");
        // A town asks this of each rig, and a process takes as long as reading the rig's beads.
        match self
            .open()
            .ok()
            .flatten()
            .map(|repository| repository.config()?.snapshot()?.get_string(&key))
        {
            Some(Ok(url)) => Ok(Some(url)),
            Some(Err(error)) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            _ => self.config_get(&key),
        }
    }

    /// Returns the default branch: the recorded head of the remote, or the branch of HEAD.
    pub fn default_branch(&self) -> Result<Option<String>, GitError> {
        let call = self.plumbing(["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
        let finished = call.finish()?;
        if finished.is_success() {
            let text = finished.text();
            return Ok(text.strip_prefix("refs/remotes/origin/").map(str::to_owned));
        }
        self.head_branch()
    }

    /// Returns the local branches that match a pattern such as `polecat/*`, sorted.
    pub fn branches(&self, pattern: &str) -> Result<Vec<String>, GitError> {
        let pattern = format!("refs/heads/{pattern}");
        let names = self
            .plumbing(["for-each-ref", "--format=%(refname)", &pattern])
            .text()?;
        Ok(names.lines().filter_map(short_branch).collect())
    }

    /// Returns the names and commits of the refs below a folder such as `refs/heads/`, sorted.
    pub fn refs_below(&self, folder: &str) -> Result<Vec<(String, String)>, GitError> {
        let Some(repository) = self.open()? else {
            let format = "--format=%(objectname) %(refname)";
            let listed = self.plumbing(["for-each-ref", format, folder]).text()?;
            return Ok(listed
                .lines()
                .filter_map(|line| {
                    let (id, name) = line.split_once(' ')?;
                    Some((name.to_owned(), id.to_owned()))
                })
                .collect());
        };
        let found = repository.references_glob(&format!("{folder}*"));
        let mut refs = Vec::new();
        for reference in self.library("list refs", found)? {
            let reference = self.library("read a ref", reference)?;
            // A name that is not UTF-8 is none that we wrote.
            if let (Ok(name), Some(id)) = (reference.name(), reference.target()) {
                refs.push((name.to_owned(), id.to_string()));
            }
        }
        refs.sort();
        Ok(refs)
    }

    /// Returns the stashes, newest first. All linked worktrees share one list.
    pub fn stashes(&self) -> Result<Vec<Stash>, GitError> {
        if let Some(stashes) = self.taken_stashes()? {
            return Ok(stashes);
        }
        let list = self
            .plumbing(["stash", "list", "--format=%gd%x1f%H%x1f%gs"])
            .text()?;
        Ok(list
            .lines()
            .filter_map(|line| {
                let mut parts = line.splitn(3, '\u{1f}').map(str::to_owned);
                Some(Stash {
                    name: parts.next()?,
                    commit: parts.next()?,
                    message: parts.next()?,
                })
            })
            .collect())
    }

    /// Returns the stashes that were made on a branch, according to their messages.
    pub fn stashes_on_branch(&self, branch: &str) -> Result<Vec<Stash>, GitError> {
        let mut stashes = self.stashes()?;
        stashes.retain(|stash| stash.branch() == Some(branch));
        Ok(stashes)
    }

    /// Returns the reflog of this worktree's HEAD, newest first: the commit and the reason of the
    /// move.
    pub fn head_reflog(&self) -> Result<Vec<(String, String)>, GitError> {
        let log = self
            .plumbing(["log", "--walk-reflogs", "--format=%H%x1f%gs", "HEAD", "--"])
            .text()?;
        Ok(log
            .lines()
            .filter_map(|line| {
                let (commit, how) = line.split_once('\u{1f}')?;
                Some((commit.to_owned(), how.to_owned()))
            })
            .collect())
    }

    /// Returns true if a branch of a remote has a commit, according to `refs/remotes`.
    pub(super) fn is_on_remote(&self, commit: &str) -> Result<bool, GitError> {
        let call = self.plumbing(["for-each-ref", "--count=1", "--contains", commit]);
        // A commit that is not here is an error.
        let finished = call.args(["refs/remotes"]).finish()?;
        Ok(finished.is_success() && !finished.text().is_empty())
    }

    /// Returns those of the commits that no ref reaches, without those that are gone.
    pub fn unreached_commits(&self, commits: &[&str]) -> Result<Vec<String>, GitError> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.plumbing(["rev-list", "--ignore-missing"]);
        // The refs that were taken over from a worker end with its work.
        let taken = format!("--exclude={TAKEN_REFS}*");
        let unreached = call.args(commits).args(["--not", &taken, "--all"]).text()?;
        let unreached: HashSet<&str> = unreached.lines().collect();
        Ok(commits
            .iter()
            .filter(|commit| unreached.contains(**commit))
            .map(|commit| (*commit).to_owned())
            .collect())
    }

    /// Returns the tracked files whose changes git hides, because they are marked as unchanged
    /// (`git update-index --assume-unchanged` or `--skip-worktree`). Files that a sandbox of Gas
    /// Town replaces and marks itself are left out.
    pub fn hidden_changes(&self) -> Result<Vec<PathBuf>, GitError> {
        let listed = self.plumbing(["ls-files", "-v", "-z"]).finish_checked()?;
        // `<tag> <path>`: a lower-case tag means assumed unchanged, `S` means skipped.
        let marked: HashSet<PathBuf> = split_records(&listed.stdout)
            .filter_map(|record| Some((*record.first()?, path_of_bytes(record.get(2..)?))))
            .filter(|(tag, _)| *tag == b'S' || tag.is_ascii_lowercase())
            .filter(|(tag, path)| {
                // A skipped file that is not there was left out of a sparse checkout.
                let is_there = fs::symlink_metadata(self.folder.join(path)).is_ok();
                !is_replaced_by_sandbox(path) && (is_there || !matches!(tag, b'S' | b's'))
            })
            .map(|(_, path)| path)
            .collect();
        if marked.is_empty() {
            return Ok(Vec::new());
        }
        // A copy of the index without the marks shows what git hides.
        let scratch = self.create_scratch("hidden-")?;
        let index = scratch.path().join("index");
        self.copy_index_to(&index)?;
        self.clear_hiding_marks(Some(&index), &marked)?;
        let refresh = self.plumbing(["update-index", "-q", "--refresh"]);
        refresh.env("GIT_INDEX_FILE", &index).finish()?;
        let changed = self
            .plumbing(["diff-files", "-z", "--name-only", "--no-ext-diff"])
            .args(self.submodule_option())
            .env("GIT_INDEX_FILE", &index)
            .paths()?;
        Ok(changed
            .into_iter()
            .filter(|path| marked.contains(path))
            .collect())
    }

    /// Returns true if the repository has no work tree of its own.
    pub fn is_bare(&self) -> Result<bool, GitError> {
        Ok(self
            .plumbing(["rev-parse", "--is-bare-repository"])
            .text()?
            == "true")
    }

    /// Returns the folder with refs and objects that all worktrees share.
    pub fn common_dir(&self) -> Result<PathBuf, GitError> {
        let call = self.plumbing(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
        Ok(PathBuf::from(call.text()?))
    }

    /// Returns the top of the work tree.
    pub fn top(&self) -> Result<PathBuf, GitError> {
        let call = self.plumbing(["rev-parse", "--path-format=absolute", "--show-toplevel"]);
        Ok(PathBuf::from(call.text()?))
    }

    /// Returns true if git-lfs stores any file of `rev`.
    pub fn uses_lfs(&self, rev: &str) -> Result<bool, GitError> {
        let call = self
            .plumbing(["grep", "-q", "-E", "filter=lfs", rev, "--"])
            .args([".gitattributes", ":(glob)**/.gitattributes"]);
        Ok(call.finish_if_found()?.is_some())
    }

    /// Returns the object of a commit at a path. The repository may lack the commit of a submodule.
    pub(super) fn object_at(&self, rev: &str, path: &Path) -> Result<Option<String>, GitError> {
        let mut object = OsString::from(format!("{rev}:"));
        object.push(path);
        let call = self
            .plumbing(["rev-parse", "--quiet", "--verify"])
            .args([object]);
        let found = call.finish()?;
        Ok(found.is_success().then(|| found.text()))
    }

    /// Returns a file's content at `rev`; `None` if the file does not exist there.
    pub fn file_at(&self, rev: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let object = format!("{rev}:{path}");
        let finished = self.plumbing(["cat-file", "blob", &object]).finish()?;
        Ok(finished.is_success().then_some(finished.stdout))
    }

    /// Opens the repository with libgit2; `None` if it uses a feature that libgit2 does not
    /// support.
    fn open(&self) -> Result<Option<git2::Repository>, GitError> {
        let opened = match self.separate_git_dir() {
            Some(git_dir) => git2::Repository::open(git_dir),
            None => git2::Repository::discover(&self.folder),
        };
        match opened {
            // libgit2 looks for the parents that a shallow repository lacks. In a worktree it does
            // not know that the repository is shallow.
            Ok(repository) if repository.commondir().join("shallow").exists() => Ok(None),
            Ok(repository) => Ok(Some(repository)),
            Err(error) if error.code() == git2::ErrorCode::NotFound => {
                let path = self.folder.clone();
                Err(GitError::NotARepository { path })
            }
            Err(_) => Ok(None),
        }
    }

    fn commit(&self, repository: &git2::Repository, rev: &str) -> Result<git2::Oid, GitError> {
        let object = repository.revparse_single(&format!("{rev}^{{commit}}"));
        Ok(self.library("find a commit", object)?.id())
    }

    fn library<T>(
        &self,
        action: &'static str,
        result: Result<T, git2::Error>,
    ) -> Result<T, GitError> {
        result.map_err(|source| GitError::Library {
            action,
            folder: self.folder.clone(),
            source,
        })
    }
}

impl Stash {
    /// Returns the branch that the stash was made on; `None` for a detached HEAD.
    pub fn branch(&self) -> Option<&str> {
        let after = ["WIP on ", "On "];
        let rest = after
            .iter()
            .find_map(|words| self.message.strip_prefix(words))?;
        let (branch, _) = rest.split_once(':')?;
        (!branch.starts_with('(')).then_some(branch)
    }
}

pub(super) fn short_branch(name: &str) -> Option<String> {
    name.strip_prefix("refs/heads/").map(str::to_owned)
}
