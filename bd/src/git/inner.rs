//! Finds repositories inside a work tree, and adds their files to a tree of the outer one.
//!
//! Git records only the commit of an inner repository, or nothing at all if it is not added, so its
//! files are in no commit of the outer repository.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::rescue::BIG;
use super::run::{exclude_path, path_of_bytes, prefix_option, split_records};
use super::separate::is_submodule_name;
use super::{Git, GitError};

impl Git {
    /// Returns the folders of the work tree that have a repository of their own: those that are not
    /// added, and those of which the index has a commit without a submodule's entry in
    /// `.gitmodules`. Relative paths without a final slash. Ignored folders are left out.
    pub fn inner_repositories(&self) -> Result<Vec<PathBuf>, GitError> {
        let untracked = self.plumbing(["ls-files", "--others", "--exclude-standard", "-z"]);
        let untracked = untracked.finish_checked()?;
        let mut found: Vec<PathBuf> = split_records(&untracked.stdout)
            .filter_map(|path| path.strip_suffix(b"/"))
            .map(path_of_bytes)
            .collect();
        let links = self.index_gitlinks()?.into_iter();
        let mut links: Vec<PathBuf> = links
            .map(|(path, _)| path)
            .filter(|path| {
                let link = self.folder().join(path).join(".git");
                self.has_real_folder(path) && link.symlink_metadata().is_ok()
            })
            .collect();
        if !links.is_empty() {
            let names = self.submodule_names()?;
            links.retain(|path| {
                names
                    .get(path)
                    .is_none_or(|name| !self.submodule(path, name).is_populated())
            });
        }
        found.append(&mut links);
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

    /// Returns the submodules and inner repositories in the index, with their recorded commits.
    pub(super) fn index_gitlinks(&self) -> Result<Vec<(PathBuf, String)>, GitError> {
        let listed = self
            .plumbing(["ls-files", "--stage", "-z"])
            .finish_checked()?;
        Ok(split_records(&listed.stdout)
            .filter_map(|entry| {
                // `<mode> <id> <stage>\t<path>`.
                let rest = entry.strip_prefix(b"160000 ")?;
                let id = rest.split(|byte| *byte == b' ').next()?;
                let path = rest.splitn(2, |byte| *byte == b'\t').nth(1)?;
                let id = String::from_utf8_lossy(id).into_owned();
                Some((path_of_bytes(path), id))
            })
            .collect())
    }

    /// Returns the names that `.gitmodules` gives to submodules, by their folders.
    pub fn submodule_names(&self) -> Result<HashMap<PathBuf, String>, GitError> {
        let is_there = fs::symlink_metadata(self.folder().join(".gitmodules"));
        if !is_there.is_ok_and(|found| found.is_file()) {
            return Ok(HashMap::new());
        }
        let call = self.plumbing(["config", "-z", "-f", ".gitmodules", "--get-regexp"]);
        let call = call.args([r"^submodule\..*\.path$"]);
        // A file that git cannot read declares none.
        let finished = call.finish()?;
        Ok(split_records(&finished.stdout)
            .filter_map(|entry| {
                let end = entry.iter().position(|byte| *byte == b'\n')?;
                let key = std::str::from_utf8(&entry[..end]).ok()?;
                let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
                if !is_submodule_name(name) {
                    return None;
                }
                Some((path_of_bytes(&entry[end + 1..]), name.to_owned()))
            })
            .collect())
    }

    /// Returns true if everything in this repository is on a remote of it, so that it can be cloned
    /// again. A rescue does not copy it.
    pub(super) fn is_clone_without_own_work(&self) -> bool {
        let is_clean = self.status().is_ok_and(|changes| changes.is_empty());
        let head_commit = self.resolve("HEAD").ok().flatten();
        is_clean
            && head_commit
                .is_some_and(|commit| self.is_on_remote(&commit).is_ok_and(|is_there| is_there))
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
        let untracked = call(&["ls-files", "--others", "--exclude-standard", "-z"]);
        let untracked = untracked.finish_checked()?;
        let mut deeper = Vec::new();
        let mut big = Vec::new();
        for path in split_records(&untracked.stdout) {
            if let Some(folder) = path.strip_suffix(b"/") {
                deeper.push(path_of_bytes(folder));
                continue;
            }
            let path = path_of_bytes(path);
            let meta = fs::symlink_metadata(inner.join(&path));
            if meta.is_ok_and(|meta| meta.len() > BIG) {
                big.push(path);
            }
        }
        let excluded = deeper.iter().chain(&big).map(|path| exclude_path(path));
        call(&["-c", "core.safecrlf=false", "add", "--all", "--", ":/"])
            .args(excluded)
            .finish_checked()?;
        for (number, path) in deeper.iter().enumerate() {
            let deeper_index = PathBuf::from(format!("{}-{number}", index.display()));
            let tree = self.write_inner_tree(&inner.join(path), &deeper_index)?;
            let prefix = prefix_option(path);
            call(&["read-tree"])
                .args([prefix.as_os_str(), tree.as_ref()])
                .finish_checked()?;
        }
        call(&["write-tree"]).text()
    }
}
