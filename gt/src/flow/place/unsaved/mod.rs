//! Finds the work that only one work tree has, before the tree is removed: the one check for the
//! sandboxes of polecats, the clones of crew, the worktrees of dogs, rigs, and `gt uninstall`.
//!
//! A clone is removed with its repository, so all of its refs count, and its remotes are asked what
//! they have now. A worktree leaves its repository behind, so only its own HEAD counts.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use bd::git::{Git, GitError, LocallyIgnoredFile};
use kit::sys::file;
use kit::ui::counted;
use kit::ui::escape::escape_line;

use crate::host::runtime::RuntimePreset;
use crate::record::desk::list_carried_files;
use crate::town::RigLayout;

mod visits;

pub(crate) use visits::{commits_left_detached, last_sling_branch, visits_since_sling};

/// Patterns of local files that a sandbox hides from git, through the shared `info/exclude`.
pub(crate) const TOWN_PATTERNS: [&str; 6] = [
    "/.gt/",
    "/.polecat-checkpoint.json",
    ".beads/redirect",
    ".runtime/",
    ".claude/settings.local.json",
    ".logs/",
];

/// The number of names in a description.
const SHOWN_NAMES: usize = 5;

/// Work that is lost if its tree is removed.
#[derive(Debug)]
pub(crate) enum UnsavedWork {
    UncommittedFiles {
        count: usize,
    },
    /// Tracked files with marks that hide their changes from git.
    HiddenEdits {
        files: Vec<PathBuf>,
    },
    /// Files that only `info/exclude` or the user's own file makes git ignore.
    IgnoredFiles {
        files: Vec<PathBuf>,
    },
    InnerRepository {
        folder: PathBuf,
    },
    Submodule {
        folder: PathBuf,
    },
    Commits {
        count: usize,
    },
    Stashes {
        count: usize,
    },
    /// A remote that did not say which commits it has.
    UnknownRemote {
        name: String,
        error: GitError,
    },
}

impl fmt::Display for UnsavedWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UncommittedFiles { count } => f.write_str(&counted(*count, "uncommitted file")),
            Self::HiddenEdits { files } => {
                write!(f, "changes that git hides: {}", list_names(files))
            }
            Self::IgnoredFiles { files } => {
                write!(
                    f,
                    "files that no .gitignore names, but git ignores here: {}",
                    list_names(files)
                )
            }
            Self::InnerRepository { folder } => {
                write!(f, "{} is a git repository of its own", name_path(folder))
            }
            Self::Submodule { folder } => {
                write!(
                    f,
                    "the submodule {} has work that no remote has",
                    name_path(folder)
                )
            }
            Self::Commits { count } => write!(f, "{} on no remote", counted(*count, "commit")),
            Self::Stashes { count } => f.write_str(&counted(*count, "stashed change")),
            Self::UnknownRemote { name, error } => {
                write!(f, "it is unknown which commits {name} has: {error}")
            }
        }
    }
}

fn name_path(path: &Path) -> String {
    escape_line(&path.to_string_lossy())
}

/// Lists the first names, and counts the others.
pub(crate) fn list_names(files: &[PathBuf]) -> String {
    let mut names: Vec<String> = files
        .iter()
        .take(SHOWN_NAMES)
        .map(|path| name_path(path))
        .collect();
    if files.len() > SHOWN_NAMES {
        names.push(format!("and {} more", files.len() - SHOWN_NAMES));
    }
    names.join(", ")
}

/// Finds the unsaved work of a work tree of a rig. `branch` is the branch of a polecat's last
/// sling: commits that its HEAD left before are not its work.
pub(crate) fn find_unsaved_work(
    rig: &RigLayout,
    git: &Git,
    branch: Option<&str>,
) -> Result<Vec<UnsavedWork>, GitError> {
    let mut found = Vec::new();
    let count = git.status()?.len();
    if count > 0 {
        found.push(UnsavedWork::UncommittedFiles { count });
    }
    let files = git.hidden_changes()?;
    if !files.is_empty() {
        found.push(UnsavedWork::HiddenEdits { files });
    }
    let files: Vec<PathBuf> = find_ignored_files(rig, git)?
        .into_iter()
        .map(|ignored| ignored.path)
        .collect();
    if !files.is_empty() {
        found.push(UnsavedWork::IgnoredFiles { files });
    }
    found.extend(
        git.inner_repositories()?
            .into_iter()
            .map(|folder| UnsavedWork::InnerRepository { folder }),
    );
    found.extend(
        git.submodules_with_work()?
            .into_iter()
            .map(|work| UnsavedWork::Submodule { folder: work.path }),
    );
    let visits = git.head_reflog()?;
    let visits = match branch {
        Some(branch) => visits_since_sling(visits, branch),
        None => visits,
    };
    let left = commits_left_detached(&visits);
    if git.is_linked_worktree()? {
        let count = count_unpushed(git)? + git.unreached_commits(&left)?.len();
        found.extend((count > 0).then_some(UnsavedWork::Commits { count }));
        let stashes = count_own_stashes(git)?;
        found.extend((stashes > 0).then_some(UnsavedWork::Stashes { count: stashes }));
        return Ok(found);
    }
    let mut pushed = Vec::new();
    for name in git.remotes()? {
        match git.fetch_remote_tips(&name) {
            Ok(tips) => pushed.extend(tips),
            Err(error) => found.push(UnsavedWork::UnknownRemote { name, error }),
        }
    }
    let count = count_commits_beyond(git, &left, &pushed)?;
    found.extend((count > 0).then_some(UnsavedWork::Commits { count }));
    let count = git.stashes()?.len();
    found.extend((count > 0).then_some(UnsavedWork::Stashes { count }));
    Ok(found)
}

/// Moves files and folders of a work tree to the same paths below `aside`.
pub(crate) fn move_aside(git: &Git, paths: &[PathBuf], aside: &Path) -> Result<(), GitError> {
    for path in paths {
        let from = git.folder().join(path);
        let to = aside.join(path);
        let parent = to.parent().unwrap_or(aside);
        let moved = file::create_folder(parent, 0o755).and_then(|()| fs::rename(&from, &to));
        moved.map_err(|source| GitError::File { path: from, source })?;
    }
    Ok(())
}

/// Counts the stashes of a sandbox. In a linked worktree, which shares the list of stashes with
/// others, those of its branch.
pub(crate) fn count_own_stashes(git: &Git) -> Result<usize, GitError> {
    if git.taken_branches()?.is_some() {
        return Ok(git.stashes()?.len());
    }
    Ok(match git.head_branch()? {
        Some(branch) => git.stashes_on_branch(&branch)?.len(),
        None => 0,
    })
}

/// Counts the commits of a worktree's HEAD, and of the branches that only it has, that no remote
/// has.
pub(crate) fn count_unpushed(git: &Git) -> Result<usize, GitError> {
    let branches = git.taken_branches()?.into_iter().flatten();
    let mut tips: Vec<String> = branches.map(|(_, tip)| tip).collect();
    tips.extend(git.resolve("HEAD")?);
    if tips.is_empty() {
        return Ok(0);
    }
    let everywhere = if git.remote_url("origin")?.is_some() {
        "--remotes"
    } else {
        "--branches"
    };
    let call = git.plumbing(["rev-list", "--count"]).args(tips);
    let call = call.args(["--not", everywhere]);
    parse_count(&call.args(["--glob=refs/gt/merged"]).text()?)
}

/// Counts the commits of a clone, on any of its own refs or in `left`, that are not in `pushed`. A
/// branch in `refs/remotes` proves nothing, because the remote may have deleted it.
fn count_commits_beyond(git: &Git, left: &[&str], pushed: &[String]) -> Result<usize, GitError> {
    let head_commit = git.resolve("HEAD")?;
    let mut own: Vec<&str> = head_commit.as_deref().into_iter().collect();
    own.extend(left);
    let pushed: String = pushed.iter().map(|tip| format!("^{tip}\n")).collect();
    let call = git.plumbing(["rev-list", "--count", "--ignore-missing", "--stdin"]);
    let call = call.args(own).args(["--exclude=refs/remotes/*", "--all"]);
    parse_count(&call.stdin(pushed).text()?)
}

/// Reads the answer of `git rev-list --count`.
pub(crate) fn parse_count(text: &str) -> Result<usize, GitError> {
    text.parse().map_err(|_| GitError::Unreadable {
        command: "git rev-list --count".to_owned(),
        output: text.to_owned(),
    })
}

/// Returns the pattern that makes git ignore one file at the top of a work tree.
pub(crate) fn pattern_of_file(name: &str) -> String {
    let mut pattern = String::from("/");
    for letter in name.chars() {
        if "\\*?[ ".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// Returns the files that only `info/exclude` or the user's own file makes git ignore, without
/// those that the town wrote.
pub(crate) fn find_ignored_files(
    rig: &RigLayout,
    git: &Git,
) -> Result<Vec<LocallyIgnoredFile>, GitError> {
    let mut files = git.locally_ignored_files()?;
    if files.is_empty() {
        return Ok(files);
    }
    let mut own: Vec<String> = RuntimePreset::built_in()
        .into_iter()
        .map(|preset| preset.hooks_local)
        .map(|file| format!("/{file}"))
        .collect();
    // Without a readable list, the files count as unsaved.
    let carried = list_carried_files(rig).into_iter().flatten();
    own.extend(carried.map(|file| pattern_of_file(&file.name)));
    own.extend(TOWN_PATTERNS.iter().map(|pattern| (*pattern).to_owned()));
    own.push(".beads/".to_owned());
    files.retain(|file| !own.contains(&file.pattern));
    Ok(files)
}
