//! Addresses a work tree through a repository of the town's own, because someone else writes the
//! `.git` in the work tree.
//!
//! That `.git` is never a repository for git here, and git enters no submodule: their repositories
//! belong to the same writer. Each submodule has a repository of the town's own, too, below the
//! outer one.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use kit::sys::{ConfinedFolder, file};

use super::foreign::{foreign_error, open_repository};
use super::read::{Stash, short_branch};
use super::run::{path_of_bytes, split_records};
use super::setup::lines_to_append;
use super::{ChangeKind, FileChange, Git, GitError, NETWORK, TAKEN_REFS};

/// The maximum size of a file of exclusions, in bytes.
const EXCLUDE_FILE: u64 = 1 << 20;

/// The files and folders of a repository in which an operation is unfinished.
const UNFINISHED_NAMES: [&str; 5] = [
    "MERGE_HEAD",
    "rebase-merge",
    "rebase-apply",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
];

/// The repository that decides everything about a work tree.
#[derive(Debug, Clone)]
pub(super) struct SeparateRepository {
    pub git_dir: PathBuf,
    /// The folder of the refs that were taken over from the repository in the work tree, such as
    /// `refs/gt/sandbox/nux`. None for a linked worktree, which has no repository of its own.
    pub taken: Option<String>,
    /// The work tree as a whole. That of a submodule is a part of it.
    pub top: PathBuf,
}

impl Git {
    /// Addresses a work tree whose repository is `git_dir`, whatever its `.git` says. `name` is that
    /// of a work tree with a repository of its own: its refs are taken over to
    /// `refs/gt/sandbox/<name>/`. A linked worktree has none.
    pub fn with_repository(folder: &Path, git_dir: &Path, name: Option<&str>) -> Self {
        let mut git = Self::at(folder);
        git.separate = Some(SeparateRepository {
            git_dir: git_dir.to_owned(),
            taken: name.map(|name| format!("{TAKEN_REFS}{name}")),
            top: folder.to_owned(),
        });
        git
    }

    /// Returns true if a merge, rebase, cherry-pick or the like is unfinished. In a work tree with a
    /// repository of its own, that is the worker's.
    pub fn is_in_the_middle(&self) -> Result<bool, GitError> {
        let folder = if self.taken().is_some() {
            self.folder().join(".git")
        } else {
            PathBuf::from(self.plumbing(["rev-parse", "--absolute-git-dir"]).text()?)
        };
        // Only the names are looked at, so a link in their place is no harm.
        let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
        Ok(is_folder
            && UNFINISHED_NAMES
                .iter()
                .any(|name| folder.join(name).symlink_metadata().is_ok()))
    }

    fn taken(&self) -> Option<&str> {
        self.separate.as_ref()?.taken.as_deref()
    }

    pub(super) fn separate_git_dir(&self) -> Option<&Path> {
        self.separate.as_ref().map(|separate| &*separate.git_dir)
    }

    /// Addresses the top of the work tree.
    pub(super) fn at_top(&self) -> Result<Self, GitError> {
        if self.is_separate() {
            return Ok(self.clone());
        }
        Ok(self.in_folder(self.top()?))
    }

    /// Addresses a submodule. `name` is its name in `.gitmodules`.
    pub(super) fn submodule(&self, path: &Path, name: &str) -> Self {
        let mut inner = self.in_folder(self.folder().join(path));
        inner.separate = self.separate.as_ref().map(|outer| SeparateRepository {
            git_dir: outer.git_dir.join("modules").join(name),
            taken: outer.taken.clone(),
            top: outer.top.clone(),
        });
        inner
    }

    /// Returns true if the submodule at this folder has a repository. In a separate tree, the
    /// repository is the town's: a folder `.git`, which the worker made, is none.
    pub(super) fn is_populated(&self) -> bool {
        let link = self.folder().join(".git");
        let Some(separate) = &self.separate else {
            return link.exists();
        };
        separate.git_dir.join("HEAD").is_file()
            && is_real_folder(&separate.top, self.folder())
            && link.symlink_metadata().is_ok_and(|found| found.is_file())
    }

    /// Returns true if a path below the work tree is a folder that no link leads to.
    pub(super) fn has_real_folder(&self, path: &Path) -> bool {
        is_real_folder(self.folder(), &self.folder().join(path))
    }

    /// Returns true if someone else writes the repositories in the work tree, so that git must not
    /// enter them.
    pub(super) fn is_separate(&self) -> bool {
        self.separate.is_some()
    }

    /// The option that keeps git from entering submodules.
    pub fn submodule_option(&self) -> Option<&'static str> {
        self.is_separate().then_some("--ignore-submodules=all")
    }

    /// Drops the refs that were taken over from a work tree that is gone.
    pub fn drop_taken_refs(&self, name: &str) -> Result<(), GitError> {
        let mut commands = String::new();
        for (reference, id) in self.refs_below(&format!("{TAKEN_REFS}{name}/"))? {
            commands.push_str(&format!("delete {reference} {id}\n"));
        }
        if commands.is_empty() {
            return Ok(());
        }
        self.plumbing(["update-ref", "--stdin"])
            .stdin(commands)
            .run()
    }

    /// Makes git ignore `pattern` also in the repository of its own that the work tree has, if any.
    pub(super) fn exclude_in_own_repository(&self, pattern: &str) -> Result<(), GitError> {
        if self.taken().is_none() {
            return Ok(());
        }
        let path = self.folder().join(".git/info/exclude");
        let failed = |error: io::Error| foreign_error(&path, &error);
        let Some(repository) = open_repository(self.folder())? else {
            return Ok(());
        };
        let info = repository.subfolder("info").map_err(failed)?;
        let bytes = match info {
            Some(info) => info.read_file("exclude", EXCLUDE_FILE).map_err(failed)?,
            None => None,
        };
        let text = bytes.map_or_else(String::new, |bytes| {
            String::from_utf8_lossy(&bytes).into_owned()
        });
        if text.lines().any(|existing| existing.trim() == pattern) {
            return Ok(());
        }
        let new = format!("{text}{}", lines_to_append(&text, &[pattern]));
        ConfinedFolder::open(self.folder())
            .and_then(|tree| tree.git_folder())
            .and_then(|folder| folder.write("info/exclude", new.as_bytes(), 0o644))
            .map_err(|error| GitError::Foreign {
                path: path.clone(),
                problem: error.to_string(),
            })
    }

    /// Returns the name of a branch that HEAD stands on.
    pub(super) fn short_branch(&self, name: &str) -> Option<String> {
        short_branch(name).or_else(|| {
            let branch = name.strip_prefix(self.taken()?)?.strip_prefix("/heads/")?;
            Some(branch.to_owned())
        })
    }

    /// Returns true if the work tree's own repository has a branch, or else the shared one.
    pub fn is_own_branch(&self, branch: &str) -> Result<bool, GitError> {
        let folder = match self.taken() {
            Some(taken) => format!("{taken}/heads"),
            None => "refs/heads".to_owned(),
        };
        Ok(self.resolve(&format!("{folder}/{branch}"))?.is_some())
    }

    /// Returns the branches of the work tree's own repository with their tips; `None` if it shares
    /// its branches with others.
    pub fn taken_branches(&self) -> Result<Option<Vec<(String, String)>>, GitError> {
        let Some(taken) = self.taken() else {
            return Ok(None);
        };
        let folder = format!("{taken}/heads/");
        let refs = self.refs_below(&folder)?.into_iter();
        Ok(Some(
            refs.filter_map(|(name, tip)| Some((name.strip_prefix(&folder)?.to_owned(), tip)))
                .collect(),
        ))
    }

    /// Returns the stashes that were taken over; `None` if the work tree shares its list of
    /// stashes with others.
    pub(super) fn taken_stashes(&self) -> Result<Option<Vec<Stash>>, GitError> {
        let Some(taken) = self.taken() else {
            return Ok(None);
        };
        let format = "--format=%(refname:lstrip=-1)%1f%(objectname)%1f%(contents:subject)";
        let folder = format!("{taken}/stash");
        let listed = self.plumbing(["for-each-ref", format, &folder]).text()?;
        let mut stashes: Vec<(usize, Stash)> = listed
            .lines()
            .filter_map(|line| {
                let mut parts = line.splitn(3, '\u{1f}');
                let number = parts.next()?.parse().ok()?;
                let stash = Stash {
                    name: format!("stash@{{{number}}}"),
                    commit: parts.next()?.to_owned(),
                    message: parts.next()?.to_owned(),
                };
                Some((number, stash))
            })
            .collect();
        stashes.sort_by_key(|(number, _)| *number);
        Ok(Some(stashes.into_iter().map(|(_, stash)| stash).collect()))
    }

    /// Returns the submodules and inner repositories in the index of a separate tree. Git must not
    /// look at them.
    pub(super) fn separate_gitlinks(&self) -> Result<Vec<PathBuf>, GitError> {
        if !self.is_separate() {
            return Ok(Vec::new());
        }
        let links = self.index_gitlinks()?.into_iter();
        Ok(links.map(|(path, _)| path).collect())
    }

    /// Empties the folders of submodules, so that git finds nothing of the worker's in them. The
    /// caller must have saved their work.
    pub(super) fn empty_submodule_folders(&self) -> Result<(), GitError> {
        for path in self.separate_gitlinks()? {
            let folder = self.folder().join(&path);
            let parent = path.parent().unwrap_or(Path::new(""));
            if !self.has_real_folder(parent) {
                continue;
            }
            let removed = match folder.symlink_metadata() {
                Ok(found) if found.is_dir() => fs::remove_dir_all(&folder),
                Ok(_) => file::remove_file(&folder),
                Err(_) => Ok(()),
            };
            removed
                .and_then(|()| file::create_folder(&folder, 0o755))
                .map_err(|error| Self::file_error(&folder, error))?;
        }
        Ok(())
    }

    /// Returns true if the remote of a submodule has a commit on a branch or tag. What the worker's
    /// own repository says about the remote is no proof, so the town asks the remote itself.
    pub(super) fn is_fetched_from_origin(&self, commit: &str) -> Result<bool, GitError> {
        let is_there = |git: &Self| -> Result<bool, GitError> {
            let call = git.plumbing(["for-each-ref", "--count=1", "--contains", commit]);
            // A commit that is not here is an error.
            let finished = call.args(["refs/remotes", "refs/tags"]).finish()?;
            Ok(finished.is_success() && !finished.text().is_empty())
        };
        if is_there(self)? || self.remote_url("origin")?.is_none() {
            return is_there(self);
        }
        let call = self.plumbing(["fetch", "--quiet", "--no-auto-gc", "--no-write-fetch-head"]);
        call.args([
            "--no-recurse-submodules",
            "--update-shallow",
            "--",
            "origin",
        ])
        .args([
            "+refs/heads/*:refs/remotes/origin/*",
            "+refs/tags/*:refs/tags/*",
        ])
        // The address may be the worker's choice.
        .env("GIT_PROTOCOL_FROM_USER", "0")
        .limit(NETWORK)
        .run()?;
        is_there(self)
    }

    /// Returns the submodules of a separate repository with the commits of their HEADs. Git itself
    /// must not look.
    pub(super) fn separate_submodule_heads(&self) -> Result<Vec<(PathBuf, String)>, GitError> {
        let mut heads = Vec::new();
        if !self.is_separate() {
            return Ok(heads);
        }
        for (path, name) in self.declared_submodule_names()? {
            let inner = self.submodule(&path, &name);
            if inner.is_populated()
                && let Some(commit) = inner.resolve("HEAD")?
            {
                heads.push((path, commit));
            }
        }
        Ok(heads)
    }

    /// Returns the submodules of a separate repository that differ from the index, or the index
    /// from HEAD. Git itself does not look.
    pub(super) fn changed_separate_submodules(&self) -> Result<Vec<FileChange>, GitError> {
        let mut changes = Vec::new();
        if !self.is_separate() {
            return Ok(changes);
        }
        let names = self.submodule_names()?;
        if names.is_empty() {
            return Ok(changes);
        }
        let has_commit = self.resolve("HEAD")?.is_some();
        let staged = if has_commit {
            let call = self.plumbing(["diff-index", "--cached", "-z", "--no-renames"]);
            let call = call.args(["--ignore-submodules=none", "HEAD", "--"]);
            list_gitlink_changes(&call.finish_checked()?.stdout)
        } else {
            Vec::new()
        };
        for (path, recorded) in self.index_gitlinks()? {
            let Some(name) = names.get(&path) else {
                continue;
            };
            let inner = self.submodule(&path, name);
            let is_changed = inner.is_populated()
                && (inner
                    .resolve("HEAD")?
                    .is_some_and(|found| found != recorded)
                    || !inner.status()?.is_empty());
            if is_changed {
                let kind = ChangeKind::Unstaged;
                changes.push(FileChange { path, kind });
            } else if staged.contains(&path) {
                let kind = ChangeKind::Staged;
                changes.push(FileChange { path, kind });
            }
        }
        Ok(changes)
    }
}

/// Returns true if `folder` is `top`, or below it without a link on the way.
fn is_real_folder(top: &Path, folder: &Path) -> bool {
    folder
        .ancestors()
        .take_while(|part| *part != top)
        .all(|part| part.symlink_metadata().is_ok_and(|found| found.is_dir()))
}

/// Returns the paths of a raw diff that are or were submodules.
fn list_gitlink_changes(raw: &[u8]) -> Vec<PathBuf> {
    // Each change is two records: `:<old mode> <new mode> <ids> <status>` and the path.
    let records: Vec<&[u8]> = split_records(raw).collect();
    records
        .chunks_exact(2)
        .filter(|change| {
            let mut modes = change[0].split(|byte| *byte == b' ').take(2);
            modes.any(|mode| mode.ends_with(b"160000"))
        })
        .map(|change| path_of_bytes(change[1]))
        .collect()
}

/// Returns true if a name in `.gitmodules` is safe as a path below `modules/`.
pub(super) fn is_submodule_name(name: &str) -> bool {
    !name.is_empty()
        && !name.contains('\\')
        && Path::new(name).components().all(|part| match part {
            Component::Normal(part) => !part.eq_ignore_ascii_case(".git"),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_leads_elsewhere_names_no_submodule() {
        for name in ["lib", "third/party", "a.b"] {
            assert!(is_submodule_name(name), "{name}");
        }
        for name in [
            "", "..", "../x", "a/../b", "/etc", ".git", "a/.GIT/b", "a\\b",
        ] {
            assert!(!is_submodule_name(name), "{name}");
        }
    }
}
