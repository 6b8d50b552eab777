//! Keeps git outside the jail from obeying what a jailed command wrote.
//!
//! In a worktree `.git` is a file that names the repository. A command that replaces it with a
//! folder decides which programs the next git runs, outside the jail. The same holds for the
//! submodules of the tree. Bubblewrap protects the first file; the comparison covers the rest, and
//! Landlock.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bd::git::Git;

use crate::town::{Rig, RigLayout};

/// The largest file that names a repository.
const MAX_POINTER: u64 = 16 * 1024;

/// The most entries below submodules that are looked at.
const MAX_ENTRIES: usize = 200_000;

/// The parts of the rig's repository that git reads in a worktree. Its configuration may hold the
/// password of a remote.
const REPOSITORY_PARTS: [&str; 6] = ["HEAD", "info", "objects", "packed-refs", "refs", "shallow"];

/// The parts of the folder in the repository that belongs to a worktree.
const WORKTREE_PARTS: [&str; 6] = [
    "HEAD",
    "ORIG_HEAD",
    "commondir",
    "gitdir",
    "index",
    "sharedindex",
];

/// The files and folders by which git finds the repositories of a tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GitPointers {
    tree: PathBuf,
    submodules: Vec<PathBuf>,
    found: BTreeMap<PathBuf, Pointer>,
}

#[derive(Debug, PartialEq, Eq)]
enum Pointer {
    File(Vec<u8>),
    Folder,
    /// A link, or a file that names no repository.
    Other,
}

impl GitPointers {
    /// Reads the pointers of a tree that no command has changed yet.
    pub(crate) fn read(tree: &Path) -> anyhow::Result<Self> {
        let submodules = list_submodules(tree)?;
        let found = find_pointers(tree, &submodules)?;
        Ok(Self {
            tree: tree.to_owned(),
            submodules,
            found,
        })
    }

    /// Returns the path of a pointer that has changed, been added or gone since.
    pub(crate) fn find_change(&self) -> io::Result<Option<PathBuf>> {
        let now = find_pointers(&self.tree, &self.submodules)?;
        let paths = self.found.keys().chain(now.keys());
        let changed = paths
            .clone()
            .find(|path| self.found.get(*path) != now.get(*path));
        Ok(changed.cloned())
    }
}

/// Returns the submodules that the index of a tree names, declared or not.
fn list_submodules(tree: &Path) -> anyhow::Result<Vec<PathBuf>> {
    use std::os::unix::ffi::OsStrExt as _;

    let listed = Git::at(tree)
        .plumbing(["ls-files", "--stage", "-z"])
        .finish_checked()?;
    let records = listed.stdout.split(|byte| *byte == 0);
    let submodules = records.filter(|record| record.starts_with(b"160000 "));
    Ok(submodules
        .filter_map(|record| {
            let tab = record.iter().position(|byte| *byte == b'\t')?;
            let path = record.get(tab + 1..)?;
            Some(tree.join(std::ffi::OsStr::from_bytes(path)))
        })
        .collect())
}

fn find_pointers(tree: &Path, submodules: &[PathBuf]) -> io::Result<BTreeMap<PathBuf, Pointer>> {
    let mut found = BTreeMap::new();
    add_pointer(&mut found, &tree.join(".git"))?;
    let mut left = MAX_ENTRIES;
    let mut folders: Vec<PathBuf> = submodules.to_vec();
    while let Some(folder) = folders.pop() {
        // Git does not follow a link in place of a folder.
        let is_folder = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
        if !is_folder {
            continue;
        }
        add_pointer(&mut found, &folder.join(".git"))?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            left = left
                .checked_sub(1)
                .ok_or_else(|| io::Error::other("the submodules have too many files"))?;
            if entry.file_name() != ".git" && entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(found)
}

fn add_pointer(found: &mut BTreeMap<PathBuf, Pointer>, path: &Path) -> io::Result<()> {
    let pointer = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(meta) if meta.is_dir() => Pointer::Folder,
        Ok(meta) if meta.is_file() && meta.len() <= MAX_POINTER => Pointer::File(fs::read(path)?),
        Ok(_) => Pointer::Other,
    };
    found.insert(path.to_owned(), pointer);
    Ok(())
}

/// Returns the parts of the rig's repository that git needs in a tree.
pub(super) fn readable_parts(rig: &Rig, tree: &Path) -> Vec<PathBuf> {
    let repo = rig.repo();
    let mut parts: Vec<PathBuf> = REPOSITORY_PARTS
        .iter()
        .map(|part| repo.join(part))
        .collect();
    let config = repo.join("config");
    if is_without_secrets(&config) {
        parts.push(config);
    }
    if let Some(folder) = worktree_folder(rig.layout(), tree) {
        parts.extend(WORKTREE_PARTS.iter().map(|part| folder.join(part)));
    }
    parts
}

/// Returns the folder of the rig's repository that belongs to a worktree of it.
fn worktree_folder(rig: &RigLayout, tree: &Path) -> Option<PathBuf> {
    let pointer = tree.join(".git");
    let meta = fs::symlink_metadata(&pointer).ok()?;
    if !meta.is_file() || meta.len() > MAX_POINTER {
        return None;
    }
    let text = fs::read_to_string(&pointer).ok()?;
    let folder = tree.join(text.strip_prefix("gitdir: ")?.trim_end());
    let is_own =
        folder.canonicalize().ok()?.parent()? == rig.repo().canonicalize().ok()?.join("worktrees");
    is_own.then_some(folder)
}

/// Returns true for a configuration of git without a line that may hold a password: an address with
/// a user, a header, or a program that gives passwords.
fn is_without_secrets(config: &Path) -> bool {
    fs::read_to_string(config).is_ok_and(|text| {
        !text.lines().any(|line| {
            let line = line.to_ascii_lowercase();
            let names_user = line.split_once("://").is_some_and(|(_, rest)| {
                rest.split('/')
                    .next()
                    .is_some_and(|host| host.contains('@'))
            });
            names_user
                || [
                    "extraheader",
                    "helper",
                    "passw",
                    "token",
                    "cookie",
                    "[include",
                ]
                .iter()
                .any(|word| line.contains(word))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_replaced_pointer_is_found_in_the_tree_and_in_submodules() {
        let place = TestTown::new();
        let git = place.create_tree("tree", &[("README", "x\n")]);
        let tree = git.folder().to_owned();
        let commit = git.resolve("HEAD").unwrap().unwrap();
        fs::create_dir(tree.join("sub")).unwrap();
        let entry = format!("160000,{commit},sub");
        git.plumbing(["update-index", "--add", "--cacheinfo", &entry])
            .finish_checked()
            .unwrap();
        let pointers = GitPointers::read(&tree).unwrap();
        assert_eq!(pointers.find_change().unwrap(), None);
        let hostile = tree.join("sub/inner/.git");
        fs::create_dir_all(&hostile).unwrap();
        assert_eq!(pointers.find_change().unwrap(), Some(hostile));
        fs::remove_dir_all(tree.join("sub/inner")).unwrap();
        fs::rename(tree.join(".git"), tree.join("gone")).unwrap();
        fs::write(tree.join(".git"), "gitdir: gone\n").unwrap();
        assert_eq!(pointers.find_change().unwrap(), Some(tree.join(".git")));
        fs::remove_file(tree.join(".git")).unwrap();
        assert_eq!(pointers.find_change().unwrap(), Some(tree.join(".git")));
    }

    #[test]
    fn a_configuration_with_a_password_stays_outside() {
        let place = tempfile::tempdir().unwrap();
        let config = place.path().join("config");
        for (text, is_safe) in [
            (
                "[remote \"origin\"]\n\turl = https://example.org/a@b.git\n",
                true,
            ),
            (
                "[remote \"origin\"]\n\turl = https://me:pw@example.org/a.git\n",
                false,
            ),
            ("[http]\n\textraHeader = Authorization: x\n", false),
            ("[include]\n\tpath = /home/me/secret\n", false),
            ("[credential]\n\thelper = store\n", false),
        ] {
            fs::write(&config, text).unwrap();
            assert_eq!(is_without_secrets(&config), is_safe, "{text}");
        }
        assert!(!is_without_secrets(&place.path().join("none")));
    }
}
