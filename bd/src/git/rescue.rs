//! Rescue: saves a dirty work tree as a commit on a hidden ref, and restores it from there.
//!
//! No hook runs. The real index and the work tree stay unchanged, except for big files that the
//! caller wants moved aside. A save that cannot include everything fails, and never gives a smaller
//! rescue. A restore overwrites nothing that differs from the rescue and nothing uncommitted.
//!
//! Steps of a save:
//! 1. Find the dirty files; if there are none, there is no rescue.
//! 2. Move big untracked files aside or leave them, and name them either way.
//! 3. Add the whole tree to a copy of the index, with the changes that git hides, and the files of
//!    inner repositories as if they were its own. The tree becomes a commit on top of HEAD, with
//!    the real index as second parent if that differs.
//!    Work in submodules becomes a commit of each submodule, which is a further parent.
//! 4. Set the ref to the commit.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::run::{exclude_path, join_paths, path_of_bytes, prefix_option, split_records};
use super::submodule::{add_submodule_lines, parse_submodule_lines};
use super::{ChangeKind, FileChange, Git, GitError, Identity, SubmoduleCommit, SubmoduleWork};

/// The size above which untracked files are left out of the commit, in bytes.
pub const BIG: u64 = 50 * 1024 * 1024;

/// The treatment of big untracked files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BigFilePolicy {
    /// Move them beside the repository's objects, because the tree is about to be cleaned.
    MoveAside,
    /// Leave them in place and name them, because the tree stays in use.
    Leave,
}

/// The content of a saved rescue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedRescue {
    pub refname: String,
    pub commit: String,
    pub files: Vec<PathBuf>,
    /// The big untracked files, with their new places if moved.
    pub big: Vec<BigFile>,
    /// The inner repositories. Their files are in the rescue; the repositories stay in place.
    pub nested: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BigFile {
    /// The path in the work tree.
    pub path: PathBuf,
    /// The new place; `None` if the file was left in place.
    pub moved_to: Option<PathBuf>,
}

/// A rescue as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    pub refname: String,
    pub commit: String,
    pub time: Timestamp,
    /// The first line of the message.
    pub subject: String,
}

/// The reason why a rescue was not restored.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum RestoreError {
    /// Files in the way match neither the rescue's starting point nor its content.
    #[error("{} in the way: {}", if files.len() == 1 { "a differing file is" } else { "differing files are" }, list_paths(files))]
    InTheWay { files: Vec<PathBuf> },
    /// There is no such rescue.
    #[error("there is no rescue {refname}")]
    Missing { refname: String },
    #[error(transparent)]
    Git(#[from] GitError),
}

fn list_paths(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    names.join(", ")
}

/// Saves all uncommitted content of the work tree on `refname`, which must not exist yet. Returns
/// `None` if there is nothing to save.
pub fn save_rescue(
    git: &Git,
    refname: &str,
    message: &str,
    author: &Identity,
    big: BigFilePolicy,
) -> Result<Option<SavedRescue>, GitError> {
    let git = &git.at_top()?;
    let changes = git.status()?;
    let nested = git.inner_repositories()?;
    let hidden = git.hidden_changes()?;
    let submodules = git.submodules_with_work()?;
    if changes.is_empty() && nested.is_empty() && hidden.is_empty() && submodules.is_empty() {
        return Ok(None);
    }
    let untracked = list_untracked_files(&changes);
    let policy = big;
    let mut big = set_aside_big_files(git, refname, &untracked, policy)?;
    let mut inner_commits = Vec::new();
    for work in submodules {
        let saved = save_submodule(git, &work, refname, author, policy)?;
        big.extend(saved.big);
        inner_commits.extend(saved.commits.into_iter().map(|commit| SubmoduleCommit {
            path: work.path.clone(),
            commit,
        }));
    }
    let tree = RescueTree {
        big: &big,
        nested: &nested,
        hidden: &hidden,
        submodules: &inner_commits,
    };
    let commit = write_commit(git, &tree, message, author)?;
    git.update_ref(refname, &commit, None)?;
    let files = changed_files(git, &commit)?;
    Ok(Some(SavedRescue {
        refname: refname.to_owned(),
        commit,
        files: files.into_iter().map(|(_, path)| path).collect(),
        big,
        nested,
    }))
}

/// Returns the untracked files, without nested repositories.
fn list_untracked_files(changes: &[FileChange]) -> Vec<PathBuf> {
    changes
        .iter()
        .filter(|change| change.kind == ChangeKind::Untracked)
        .filter(|change| !change.path.as_os_str().as_bytes().ends_with(b"/"))
        .map(|change| change.path.clone())
        .collect()
}

/// The work of a submodule, as commits in the outer repository.
struct SavedSubmodule {
    commits: Vec<String>,
    big: Vec<BigFile>,
}

/// Saves the work of one submodule: its uncommitted files as a commit on its HEAD, and the commits
/// that no remote has. Copies them with their history to the outer repository, because the
/// repository of a submodule is removed with its worktree.
fn save_submodule(
    git: &Git,
    work: &SubmoduleWork,
    refname: &str,
    author: &Identity,
    policy: BigFilePolicy,
) -> Result<SavedSubmodule, GitError> {
    let path = &work.path;
    let inner = git.submodule_at(path)?;
    let mut commits = work.own_commits.clone();
    let mut big = Vec::new();
    if work.is_dirty {
        let changes = inner.status()?;
        let untracked = list_untracked_files(&changes);
        let untracked: Vec<PathBuf> = untracked.iter().map(|file| path.join(file)).collect();
        big = set_aside_big_files(git, refname, &untracked, policy)?;
        let inside = big.iter().filter_map(|file| {
            let path = file.path.strip_prefix(path).ok()?.to_owned();
            let moved_to = file.moved_to.clone();
            Some(BigFile { path, moved_to })
        });
        let tree = RescueTree {
            big: &inside.collect::<Vec<_>>(),
            nested: &inner.inner_repositories()?,
            hidden: &inner.hidden_changes()?,
            submodules: &[],
        };
        let head_commit = inner.resolve("HEAD")?;
        // The commit of the files has it as its parent.
        commits.retain(|commit| Some(commit) != head_commit.as_ref());
        commits.push(write_commit(&inner, &tree, SUBMODULE_MESSAGE, author)?);
    }
    if inner.common_dir()?.join("shallow").exists() {
        commits = drop_histories(&inner, &commits, author)?;
    }
    let staging = "refs/gt/saved";
    for commit in &commits {
        inner.plumbing(["update-ref", staging, commit]).run()?;
        copy_objects(&inner, git, staging, commit)?;
        inner.delete_ref(staging, commit)?;
    }
    Ok(SavedSubmodule { commits, big })
}

/// The message of a commit with uncommitted files of a submodule.
const SUBMODULE_MESSAGE: &str = "Uncommitted work in a submodule";

/// Returns commits with the same files and without parents, because the history of a shallow
/// repository is not whole and would make another repository invalid.
fn drop_histories(
    inner: &Git,
    commits: &[String],
    author: &Identity,
) -> Result<Vec<String>, GitError> {
    let mut alone = Vec::new();
    for commit in commits {
        // A commit of uncommitted files may have the index as its second parent.
        for state in [commit.clone(), format!("{commit}^2")] {
            if inner.resolve(&state)?.is_some() {
                let tree = inner.tree_of(&state)?;
                let message = format!("Work in a shallow submodule, {commit}");
                alone.push(inner.commit_tree(&tree, &[], &message, author)?);
            }
        }
    }
    Ok(alone)
}

/// Returns the commits of submodules that a rescue holds.
pub fn list_submodule_commits(git: &Git, refname: &str) -> Result<Vec<SubmoduleCommit>, GitError> {
    let call = git.plumbing(["log", "-1", "--format=%B", refname, "--"]);
    Ok(parse_submodule_lines(&call.finish_checked()?.stdout))
}

/// Lists the rescues below a ref prefix such as `refs/gt/rescue/`, oldest first.
pub fn list_rescues(git: &Git, prefix: &str) -> Result<Vec<Rescue>, GitError> {
    let format = "--format=%(refname)%1f%(objectname)%1f%(committerdate:unix)%1f%(subject)";
    let lines = git
        .plumbing(["for-each-ref", "--sort=committerdate", format, prefix])
        .text()?;
    Ok(lines
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(4, '\u{1f}');
            Some(Rescue {
                refname: parts.next()?.to_owned(),
                commit: parts.next()?.to_owned(),
                time: Timestamp::from_second(parts.next()?.parse().ok()?).ok()?,
                subject: parts.next()?.to_owned(),
            })
        })
        .collect())
}

/// Restores a rescue of `home` into the work tree of `git`, which may belong to another clone. The
/// rescue stays. Returns the files that were written or removed. Fails, without any change, if a
/// differing file is in the way. A file that cannot be written does not keep back the others.
pub fn restore_rescue(home: &Git, git: &Git, refname: &str) -> Result<Vec<PathBuf>, RestoreError> {
    let git = &git.at_top()?;
    let commit = home
        .resolve(refname)?
        .ok_or_else(|| RestoreError::Missing {
            refname: refname.to_owned(),
        })?;
    copy_objects(home, git, refname, &commit)?;
    let files = changed_files(git, &commit)?;
    let aside = aside_folder(home, refname)?;
    let moved = files_below(&aside).map_err(|error| Git::file_error(&aside, error))?;
    let mut in_the_way = Vec::new();
    let dirty: BTreeSet<PathBuf> = git.status()?.into_iter().map(|entry| entry.path).collect();
    let (gone, written): (Vec<_>, Vec<_>) = files.into_iter().partition(|(kind, _)| *kind == b'D');
    let gone: BTreeSet<PathBuf> = gone.into_iter().map(|(_, path)| path).collect();
    let written: Vec<PathBuf> = written.into_iter().map(|(_, path)| path).collect();
    let is_blocked = |path: &Path| {
        let blocker = find_blocking_parent(git.folder(), path);
        blocker.is_some_and(|blocker| !gone.contains(blocker))
    };
    for path in gone.iter().chain(&written) {
        if is_blocked(path) || !can_overwrite(git, &commit, path, dirty.contains(path))? {
            in_the_way.push(path.clone());
        }
    }
    in_the_way.extend(moved.iter().filter_map(|path| {
        let is_taken = fs::symlink_metadata(git.folder().join(path)).is_ok();
        (is_taken || is_blocked(path)).then(|| path.clone())
    }));
    if !in_the_way.is_empty() {
        return Err(RestoreError::InTheWay { files: in_the_way });
    }
    let mut results = Vec::new();
    // A file may make room for a folder.
    for path in &gone {
        let file = git.folder().join(path);
        let removed = kit::sys::file::remove_file(&file);
        results.push(removed.map_err(|error| Git::file_error(&file, error)));
    }
    if !written.is_empty() {
        let call = git.plumbing(["--literal-pathspecs", "restore", "--quiet", "--worktree"]);
        let call = call.args(["--source", &commit, "--pathspec-from-file=-"]);
        let call = call.args(["--pathspec-file-nul"]);
        results.push(call.stdin(join_paths(&written)).run());
    }
    for path in &moved {
        results.push(move_file(&aside.join(path), &git.folder().join(path)));
    }
    results.into_iter().collect::<Result<(), GitError>>()?;
    Ok(written.into_iter().chain(gone).chain(moved).collect())
}

/// Returns the parent of a path that is there and is no folder.
fn find_blocking_parent<'a>(top: &Path, path: &'a Path) -> Option<&'a Path> {
    path.ancestors().skip(1).find(|parent| {
        let found = fs::symlink_metadata(top.join(parent));
        found.is_ok_and(|metadata| !metadata.is_dir())
    })
}

/// Copies the objects of a rescue into another repository that lacks them, without a ref. git keeps
/// new objects for two weeks, and the restored content is in the files.
fn copy_objects(home: &Git, git: &Git, refname: &str, commit: &str) -> Result<(), GitError> {
    if git.resolve(commit)?.is_some() {
        return Ok(());
    }
    let home = home.separate_git_dir().unwrap_or_else(|| home.folder());
    let from = fs::canonicalize(home).unwrap_or_else(|_| home.to_owned());
    let fetch = ["fetch", "--quiet", "--no-tags", "--no-auto-gc"];
    git.plumbing(fetch)
        .args(["--no-recurse-submodules", "--no-write-fetch-head", "--"])
        .args([from.as_os_str(), refname.as_ref()])
        .run()
}

/// Deletes a rescue and the big files stored with it.
pub fn drop_rescue(git: &Git, refname: &str) -> Result<(), RestoreError> {
    let commit = git.resolve(refname)?.ok_or_else(|| RestoreError::Missing {
        refname: refname.to_owned(),
    })?;
    let aside = aside_folder(git, refname)?;
    if aside.is_dir() {
        fs::remove_dir_all(&aside).map_err(|error| Git::file_error(&aside, error))?;
    }
    Ok(git.delete_ref(refname, &commit)?)
}

/// Finds the big files among the untracked ones and, depending on `what`, moves them beside the
/// objects.
fn set_aside_big_files(
    git: &Git,
    refname: &str,
    untracked: &[PathBuf],
    what: BigFilePolicy,
) -> Result<Vec<BigFile>, GitError> {
    let aside = aside_folder(git, refname)?;
    let mut found = Vec::new();
    for path in untracked {
        let file = git.folder().join(path);
        let size = fs::symlink_metadata(&file).map_or(0, |metadata| metadata.len());
        if size <= BIG {
            continue;
        }
        let moved_to = match what {
            BigFilePolicy::Leave => None,
            BigFilePolicy::MoveAside => {
                let target = aside.join(path);
                move_file(&file, &target)?;
                Some(target)
            }
        };
        let path = path.clone();
        found.push(BigFile { path, moved_to });
    }
    Ok(found)
}

/// The parts of a rescue that need a treatment of their own.
struct RescueTree<'a> {
    /// Big files are left out.
    big: &'a [BigFile],
    /// Inner repositories, of which the files are added.
    nested: &'a [PathBuf],
    /// Files whose changes git hides.
    hidden: &'a [PathBuf],
    submodules: &'a [SubmoduleCommit],
}

/// Writes a commit of the whole tree. Writes only objects.
fn write_commit(
    git: &Git,
    rescue: &RescueTree<'_>,
    message: &str,
    author: &Identity,
) -> Result<String, GitError> {
    let RescueTree {
        big,
        nested,
        hidden,
        submodules,
    } = rescue;
    let scratch = git.create_scratch("rescue-")?;
    let index = scratch.path().join("index");
    git.copy_index_to(&index)?;
    if !hidden.is_empty() {
        git.clear_hiding_marks(Some(&index), hidden.iter())?;
    }
    let links = git.separate_submodule_heads()?;
    let all_links = git.separate_gitlinks()?;
    let excluded = big
        .iter()
        .map(|file| &file.path)
        .chain(nested.iter())
        .chain(&all_links)
        .map(|path| exclude_path(path));
    git.plumbing(["-c", "core.safecrlf=false", "add", "--all", "--", ":/"])
        .args(excluded)
        .env("GIT_INDEX_FILE", &index)
        .finish_checked()?;
    for (path, commit) in &links {
        git.plumbing(["update-index", "--cacheinfo", "160000", commit])
            .args([path])
            .env("GIT_INDEX_FILE", &index)
            .finish_checked()?;
    }
    for (number, path) in nested.iter().enumerate() {
        let inner = git.folder().join(path);
        if !git.is_separate() && git.in_folder(&inner).is_clone_without_own_work() {
            continue;
        }
        let inner_index = scratch.path().join(format!("inner-{number}"));
        let tree = git.write_inner_tree(&inner, &inner_index)?;
        git.plumbing(["update-index", "--force-remove", "--"])
            .args([path])
            .env("GIT_INDEX_FILE", &index)
            .finish_checked()?;
        git.plumbing(["read-tree"])
            .args([prefix_option(path).as_os_str(), tree.as_ref()])
            .env("GIT_INDEX_FILE", &index)
            .finish_checked()?;
    }
    let tree = git
        .plumbing(["write-tree"])
        .env("GIT_INDEX_FILE", &index)
        .text()?;
    let head_commit = git.resolve("HEAD")?;
    let staged = staged_commit(git, head_commit.as_deref(), &tree, author)?;
    let parents: Vec<&str> = head_commit
        .iter()
        .chain(&staged)
        .chain(submodules.iter().map(|submodule| &submodule.commit))
        .map(String::as_str)
        .collect();
    let message = add_submodule_lines(message, submodules);
    git.commit_tree(&tree, &parents, &message, author)
}

impl Git {
    /// Copies the index, if there is one.
    pub(super) fn copy_index_to(&self, copy: &Path) -> Result<(), GitError> {
        let call = self.plumbing(["rev-parse", "--path-format=absolute", "--git-path", "index"]);
        let real = PathBuf::from(call.text()?);
        if real.is_file() {
            copy_index(&real, copy).map_err(|error| Self::file_error(&real, error))?;
        }
        Ok(())
    }

    /// Removes the marks that hide changes of tracked files from git.
    pub fn reveal_hidden_changes(&self) -> Result<(), GitError> {
        let hidden = self.hidden_changes()?;
        if hidden.is_empty() {
            return Ok(());
        }
        self.clear_hiding_marks(None, hidden)
    }

    /// Clears the marks with which git hides changes of these paths, in an index or in the
    /// repository's own.
    pub(super) fn clear_hiding_marks<P: AsRef<Path>>(
        &self,
        index: Option<&Path>,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<(), GitError> {
        let paths = join_paths(paths);
        // With both options in one call, git obeys only one.
        for option in ["--no-assume-unchanged", "--no-skip-worktree"] {
            let mut call = self.plumbing(["update-index", option, "-z", "--stdin"]);
            if let Some(index) = index {
                call = call.env("GIT_INDEX_FILE", index);
            }
            call.stdin(&*paths).run()?;
        }
        Ok(())
    }
}

/// Copies git's index with its modification time. git considers a file unchanged if size and time
/// match the index, unless the time equals that of the index.
fn copy_index(real: &Path, copy: &Path) -> io::Result<()> {
    fs::copy(real, copy)?;
    let time = fs::metadata(real)?.modified()?;
    fs::File::options()
        .write(true)
        .open(copy)?
        .set_modified(time)
}

/// Returns the index as a commit, if it contains a state that neither HEAD nor the work tree has.
fn staged_commit(
    git: &Git,
    head_commit: Option<&str>,
    tree: &str,
    author: &Identity,
) -> Result<Option<String>, GitError> {
    let Some(head_commit) = head_commit else {
        return Ok(None);
    };
    let written = git.plumbing(["write-tree"]).finish()?;
    if !written.is_success() {
        // During a merge the index is not a tree. All its files are in the work tree.
        return Ok(None);
    }
    let index = written.text();
    if index == git.tree_of(head_commit)? || index == tree {
        return Ok(None);
    }
    git.commit_tree(&index, &[head_commit], "What was staged", author)
        .map(Some)
}

/// Returns the files that a rescue changed, with git's status letter.
fn changed_files(git: &Git, commit: &str) -> Result<Vec<(u8, PathBuf)>, GitError> {
    let parent = format!("{commit}^1");
    let base = match git.resolve(&parent)? {
        Some(base) => base,
        None => git
            .plumbing(["hash-object", "-t", "tree", "/dev/null"])
            .text()?,
    };
    let finished = git
        .plumbing(["diff-tree", "-r", "-z", "--name-status", "--no-renames"])
        // The files of an inner repository replace its commit, which is no file to restore.
        .args(["--ignore-submodules=all", base.as_str(), commit])
        .finish_checked()?;
    let records: Vec<&[u8]> = split_records(&finished.stdout).collect();
    Ok(records
        .chunks_exact(2)
        .map(|pair| (pair[0][0], path_of_bytes(pair[1])))
        .collect())
}

/// Returns true if a path in the work tree may be overwritten: it matches the rescue's content, or
/// it is not dirty and either does not exist or matches the rescue's starting point.
fn can_overwrite(git: &Git, commit: &str, path: &Path, dirty: bool) -> Result<bool, GitError> {
    let file = git.folder().join(path);
    let Ok(metadata) = fs::symlink_metadata(&file) else {
        // The removal of a file is an edit too.
        return Ok(!dirty || git.object_at(commit, path)?.is_none());
    };
    let present = if metadata.is_symlink() {
        let target = fs::read_link(&file).map_err(|error| Git::file_error(&file, error))?;
        let call = git.plumbing(["hash-object", "--stdin"]);
        call.stdin(target.as_os_str().as_encoded_bytes()).text()?
    } else {
        let read = git.plumbing(["hash-object", "--"]).args([path]).finish()?;
        // A folder, or a file that cannot be read.
        if !metadata.is_file() || !read.is_success() {
            return Ok(false);
        }
        read.text()
    };
    let present = Some(present);
    let start = format!("{commit}^1");
    Ok(git.object_at(commit, path)? == present
        || (!dirty && git.object_at(&start, path)? == present))
}

/// Returns the folder for the big files of a rescue.
fn aside_folder(git: &Git, refname: &str) -> Result<PathBuf, GitError> {
    Ok(git.common_dir()?.join("rescued-files").join(refname))
}

/// Returns all files below a folder, relative to it; empty if the folder does not exist.
fn files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let Ok(entries) = fs::read_dir(&next) else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else if let Ok(path) = entry.path().strip_prefix(folder) {
                found.push(path.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Moves a file, even to another file system: copies first, then removes.
fn move_file(from: &Path, to: &Path) -> Result<(), GitError> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(|error| Git::file_error(parent, error))?;
    }
    if fs::rename(from, to).is_ok() {
        return Ok(());
    }
    fs::copy(from, to)
        .and_then(|_| fs::remove_file(from))
        .map_err(|error| Git::file_error(from, error))
}
