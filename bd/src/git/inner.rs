//! Finds repositories inside a work tree, and adds their files to a tree of the outer one.
//!
//! Git records only the commit of an inner repository, or nothing at all if it is not added, so its
//! files are in no commit of the outer repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::rescue::BIG;
use super::{Git, GitError};

impl Git {
    /// Returns the folders of the work tree that have a repository of their own: those that are not
    /// added, and those of which the index has a commit without a submodule's entry in
    /// `.gitmodules`. Relative paths without a final slash. Ignored folders are left out.
    pub fn inner_repositories(&self) -> Result<Vec<String>, GitError> {
        let untracked = self.plumbing(["ls-files", "--others", "--exclude-standard", "-z"]);
        let mut found: Vec<String> = untracked
            .records()?
            .iter()
            .filter_map(|path| path.strip_suffix('/'))
            .map(str::to_owned)
            .collect();
        for path in self.index_gitlinks()? {
            let is_there = self.folder().join(&path).join(".git").exists();
            if is_there && !self.is_declared_submodule(&path)? {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// Returns true if a rescue would save something: uncommitted changes, also those that git
    /// hides, the files of inner repositories, or the work of submodules.
    pub fn has_unsaved_files(&self) -> Result<bool, GitError> {
        Ok(!self.status()?.is_empty()
            || !self.hidden_changes()?.is_empty()
            || !self.inner_repositories()?.is_empty()
            || !self.submodules_with_work()?.is_empty())
    }

    pub(super) fn index_gitlinks(&self) -> Result<Vec<String>, GitError> {
        let entries = self.plumbing(["ls-files", "--stage", "-z"]).records()?;
        let links = entries
            .iter()
            .filter(|entry| entry.starts_with("160000 "))
            .filter_map(|entry| entry.split_once('\t'));
        Ok(links.map(|(_, path)| path.to_owned()).collect())
    }

    /// Returns true if `.gitmodules` declares a submodule in this folder.
    pub fn is_declared_submodule(&self, path: &str) -> Result<bool, GitError> {
        let modules = self.folder().join(".gitmodules");
        if !modules.is_file() {
            return Ok(false);
        }
        let call = self.plumbing(["config", "-z", "-f", ".gitmodules", "--get-regexp"]);
        let finished = call.args([r"^submodule\..*\.path$"]).finish()?;
        Ok(finished
            .text()
            .split('\0')
            .filter_map(|entry| entry.split_once('\n'))
            .any(|(_, declared)| declared == path))
    }

    /// Returns true if everything in this repository is on a remote of it, so that it can be cloned
    /// again. A rescue does not copy it.
    pub(super) fn is_clone_without_own_work(&self) -> bool {
        let on_remote = |commit: &str| {
            let refs = [
                "for-each-ref",
                "--count=1",
                "--contains",
                commit,
                "refs/remotes",
            ];
            self.plumbing(refs).text()
        };
        let is_clean = self.status().is_ok_and(|changes| changes.is_empty());
        let head_commit = self.resolve("HEAD").ok().flatten();
        is_clean
            && head_commit
                .is_some_and(|commit| on_remote(&commit).is_ok_and(|found| !found.is_empty()))
    }

    /// Writes the files of an inner repository as a tree of this one, without those that its
    /// `.gitignore` names. Repositories inside it are included. `index` is the path of a file that
    /// does not exist.
    pub(super) fn write_inner_tree(&self, inner: &Path, index: &Path) -> Result<String, GitError> {
        let git_dir = self.plumbing(["rev-parse", "--absolute-git-dir"]).text()?;
        let call = |args: &[&str]| {
            self.plumbing(args)
                .cwd(inner)
                .env("GIT_DIR", &git_dir)
                .env("GIT_WORK_TREE", inner)
                .env("GIT_INDEX_FILE", index)
        };
        let untracked = call(&["ls-files", "--others", "--exclude-standard", "-z"]).records()?;
        let deeper: Vec<&str> = untracked
            .iter()
            .filter_map(|path| path.strip_suffix('/'))
            .collect();
        let is_big = |path: &&str| {
            let meta = fs::symlink_metadata(inner.join(path));
            meta.is_ok_and(|meta| meta.len() > BIG)
        };
        let big = untracked.iter().map(String::as_str).filter(is_big);
        let excluded: Vec<String> = deeper
            .iter()
            .copied()
            .chain(big)
            .map(|path| format!(":(top,exclude,literal){path}"))
            .collect();
        call(&["-c", "core.safecrlf=false", "add", "--all", "--", ":/"])
            .args(excluded)
            .finish_checked()?;
        for (number, path) in deeper.into_iter().enumerate() {
            let deeper_index = PathBuf::from(format!("{}-{number}", index.display()));
            let tree = self.write_inner_tree(&inner.join(path), &deeper_index)?;
            let prefix = format!("--prefix={path}/");
            call(&["read-tree", &prefix, &tree]).finish_checked()?;
        }
        call(&["write-tree"]).text()
    }
}
