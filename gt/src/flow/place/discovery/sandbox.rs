//! Manages the documents in a sandbox: a sling writes them there, `gt prime` lists them, and they
//! are taken by `gt done` and before a sandbox is prepared for other work. `.gt/` is excluded from
//! git there, so that they stay untracked.
//!
//! A mark in the worktree's git folder records the written and taken documents, so that only a
//! worker's own changes are taken. A stale copy therefore never replaces a newer document.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bd::git::{Git, GitError, Identity, TreeEntries, TreeEntry};
use kit::sys::{ConfinedFolder, InsideError, file, foreign};
use serde::{Deserialize, Serialize};

use super::keep::{self, KeptDocuments};
use super::{DiscoveryError, document_ref};

/// The folder at the top of a sandbox.
const DOCUMENT_FOLDER: &str = ".gt";

/// A document in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxDocument {
    /// The path in the sandbox.
    pub path: String,
    pub bytes: u64,
}

/// The documents of a sandbox that are kept already, by path and content.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SandboxMark {
    key: String,
    files: BTreeMap<String, String>,
}

impl SandboxMark {
    fn path(git: &Git) -> Result<PathBuf, GitError> {
        let folder = git.plumbing(["rev-parse", "--absolute-git-dir"]).text()?;
        Ok(Path::new(&folder).join("gt-discovery.json"))
    }

    /// Reads the mark. An unreadable mark counts as empty, so that the documents are taken once
    /// more.
    fn read(git: &Git) -> Result<Self, GitError> {
        let bytes = foreign::read_small_file(&Self::path(git)?).ok().flatten();
        Ok(bytes
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default())
    }

    fn write(&self, git: &Git) -> Result<(), DiscoveryError> {
        let path = Self::path(git)?;
        let text = serde_json::to_vec(self).map_err(|error| map_io_error(&path)(error.into()))?;
        file::replace_file_relaxed(&path, &text, 0o644).map_err(map_io_error(&path))
    }
}

fn map_io_error(path: &Path) -> impl FnOnce(io::Error) -> DiscoveryError {
    let path = path.to_owned();
    |source| DiscoveryError::Io { path, source }
}

/// Returns the documents in a sandbox, sorted.
pub fn list_sandbox_documents(sandbox: &Path) -> Vec<SandboxDocument> {
    let mut found = Vec::new();
    let folder = sandbox.join(DOCUMENT_FOLDER).join("discovery");
    for path in list_files(&folder) {
        let shown = path.strip_prefix(sandbox).unwrap_or(&path);
        // A file that is gone by now has no size.
        let bytes = fs::metadata(&path).map_or(0, |meta| meta.len());
        found.push(SandboxDocument {
            path: shown.to_string_lossy().into_owned(),
            bytes,
        });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Lists all regular files below a folder without following links.
fn list_files(folder: &Path) -> Vec<PathBuf> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir());
    let parent = folder.parent().map(fs::symlink_metadata);
    if !is_folder || !parent.is_some_and(|meta| meta.is_ok_and(|meta| meta.is_dir())) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(list_files(&entry.path())),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    found
}

/// Lists the tracked files below `.gt/`.
fn list_tracked(git: &Git) -> Result<BTreeSet<String>, GitError> {
    let tracked = git.tracked(&[DOCUMENT_FOLDER])?;
    Ok(tracked
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect())
}

/// Lists the untracked files below `.gt/`, by their paths in the sandbox.
fn list_untracked(git: &Git) -> Result<BTreeMap<String, PathBuf>, GitError> {
    let sandbox = git.folder();
    let all = list_files(&sandbox.join(DOCUMENT_FOLDER));
    if all.is_empty() {
        return Ok(BTreeMap::new());
    }
    let tracked = list_tracked(git)?;
    Ok(all
        .into_iter()
        .map(|path| {
            let shown = path.strip_prefix(sandbox).unwrap_or(&path);
            (shown.to_string_lossy().into_owned(), path)
        })
        .filter(|(name, _)| !tracked.contains(name))
        .collect())
}

/// Writes the worker's uncommitted changes below `.gt/` to the repository as blobs, and returns
/// them.
fn hash_changed_documents(git: &Git, mark: &SandboxMark) -> Result<TreeEntries, GitError> {
    let mut found = TreeEntries::new();
    for (name, path) in list_untracked(git)? {
        let call = git.plumbing(["hash-object", "-w", "--no-filters", "--"]);
        let id = call.args([&path]).text()?;
        if mark.files.get(&name) != Some(&id) {
            let mode = "100644".to_owned();
            let size = 0;
            found.insert(name, TreeEntry { mode, id, size });
        }
    }
    Ok(found)
}

/// Keeps the worker's uncommitted changes below `.gt/`, under `key` or under the name that the
/// sandbox was prepared for. `None` if there are none.
pub fn take_documents(
    git: &Git,
    key: Option<&str>,
    who: &Identity,
) -> Result<Option<KeptDocuments>, DiscoveryError> {
    let mut mark = SandboxMark::read(git)?;
    let files = hash_changed_documents(git, &mark)?;
    if files.is_empty() {
        return Ok(None);
    }
    let key = match key.unwrap_or(&mark.key) {
        "" => who.name.clone(),
        key => key.to_owned(),
    };
    let message = format!("Discovery documents of {}\n", who.name);
    let kept = keep::keep_documents(git, &key, &files, &message, who)?;
    let ids = files.into_iter().map(|(path, entry)| (path, entry.id));
    mark.files
        .extend(ids.filter(|(path, _)| kept.files.contains(path)));
    mark.write(git)?;
    Ok((!kept.files.is_empty()).then_some(kept))
}

/// Returns true if a path is part of a nested repository below `.gt/`. Git adds no such file.
fn is_in_nested_repository(sandbox: &Path, path: &str) -> bool {
    let mut folder = sandbox.to_owned();
    path.split('/').any(|part| {
        folder.push(part);
        part.eq_ignore_ascii_case(".git") || fs::symlink_metadata(folder.join(".git")).is_ok()
    })
}

/// Commits the worker's uncommitted changes below `.gt/` to the checked out branch, and returns
/// their paths.
pub fn commit_documents(git: &Git, who: &Identity) -> Result<Vec<String>, DiscoveryError> {
    let untracked = list_untracked(git)?;
    let documents = hash_changed_documents(git, &SandboxMark::read(git)?)?;
    let changed = git.status()?;
    let mut files: BTreeSet<&Path> = changed
        .iter()
        .map(|change| change.path.as_path())
        .filter(|path| path.starts_with(DOCUMENT_FOLDER))
        .collect();
    files.extend(
        documents
            .keys()
            .filter(|name| !is_in_nested_repository(git.folder(), name))
            .filter_map(|name| untracked.get(name)?.strip_prefix(git.folder()).ok()),
    );
    let names: Vec<String> = files
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    if files.is_empty() {
        return Ok(names);
    }
    // The files are excluded from git, so they must be added with force.
    git.plumbing(["--literal-pathspecs", "add", "--all", "--force", "--"])
        .args(&files)
        .finish_checked()?;
    git.clone()
        .with_identity(who)
        .plumbing([
            "--literal-pathspecs",
            "commit",
            "--quiet",
            "--no-verify",
            "--no-gpg-sign",
        ])
        .args(["-m", "Discovery documents", "--"])
        .args(&files)
        .finish_checked()?;
    Ok(names)
}

/// Prepares `.gt/` for other work: removes kept files, removes links without following them, and
/// moves the remaining files to `aside`. Returns the number of moved files.
pub fn clear_documents(git: &Git, aside: &Path) -> Result<usize, DiscoveryError> {
    let folder = git.folder().join(DOCUMENT_FOLDER);
    let tracked = list_tracked(git)?;
    let mut links = Vec::new();
    find_links(&folder, &mut links);
    for link in links {
        let shown = link.strip_prefix(git.folder()).unwrap_or(&link);
        if !tracked.contains(&*shown.to_string_lossy()) {
            file::remove_file(&link).map_err(map_io_error(&link))?;
        }
    }
    let unkept = hash_changed_documents(git, &SandboxMark::read(git)?)?;
    for (name, path) in list_untracked(git)? {
        if !unkept.contains_key(&name) {
            file::remove_file(&path).map_err(map_io_error(&path))?;
            continue;
        }
        let to = aside.join(&name);
        let parent = to.parent().unwrap_or(aside);
        file::create_folder(parent, 0o755).map_err(map_io_error(parent))?;
        fs::rename(&path, &to).map_err(map_io_error(&path))?;
    }
    remove_empty_folders(&folder);
    Ok(unkept.len())
}

/// Collects the links at or below a path.
fn find_links(path: &Path, found: &mut Vec<PathBuf>) {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => found.push(path.to_owned()),
        Ok(meta) if meta.is_dir() => {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                find_links(&entry.path(), found);
            }
        }
        _ => {}
    }
}

/// Removes a folder and its subfolders if they are empty.
fn remove_empty_folders(folder: &Path) {
    if !fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        remove_empty_folders(&entry.path());
    }
    // Fails for a folder that still has content, which stays.
    fs::remove_dir(folder).ok();
}

/// Writes the documents of a name into a sandbox and returns their number. A file that the branch
/// has at such a path is kept.
pub fn place_documents(git: &Git, key: &str) -> Result<usize, DiscoveryError> {
    let kept = match git.resolve(&document_ref(key))? {
        Some(commit) => git.entries(&commit)?,
        None => TreeEntries::new(),
    };
    let tracked = list_tracked(git)?;
    let wanted: TreeEntries = kept
        .into_iter()
        .filter(|(path, entry)| {
            entry.mode.starts_with("100") && path.starts_with(".gt/") && !tracked.contains(path)
        })
        .collect();
    // Written before the files: a file that is not in the mark is the worker's.
    let mark = SandboxMark {
        key: key.to_owned(),
        files: wanted
            .iter()
            .map(|(path, entry)| (path.clone(), entry.id.clone()))
            .collect(),
    };
    mark.write(git)?;
    let sandbox = ConfinedFolder::open(git.folder())?;
    let mut placed = 0;
    for (path, entry) in &wanted {
        match sandbox.write(path, &git.blob(&entry.id)?, 0o644) {
            Ok(()) => placed += 1,
            // The branch has another file there, which wins.
            Err(InsideError::InTheWay { .. } | InsideError::NotBelow { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(placed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    fn who() -> Identity {
        Identity {
            name: "web/polecats/nux".to_owned(),
            email: "nux@example.org".to_owned(),
        }
    }

    fn put(git: &Git, path: &str, text: &str) {
        let path = git.folder().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn kept(git: &Git, key: &str) -> Vec<(String, String)> {
        let commit = git.resolve(&document_ref(key)).unwrap().unwrap();
        let entries = git.entries(&commit).unwrap();
        let text = |entry: &TreeEntry| String::from_utf8(git.blob(&entry.id).unwrap()).unwrap();
        entries
            .iter()
            .map(|(path, entry)| (path.clone(), text(entry)))
            .collect()
    }

    fn pair(path: &str, text: &str) -> (String, String) {
        (path.to_owned(), text.to_owned())
    }

    #[test]
    fn documents_are_collected_once_and_never_overwrite_newer_ones() {
        let place_ = TestTown::new();
        let git = place_.create_tree("tree", &[("a", "1")]);
        git.exclude("/.gt/").unwrap();
        assert_eq!(place_documents(&git, "c").unwrap(), 0);
        put(&git, ".gt/discovery/x.md", "one");
        put(&git, ".gt/scratch", "s");
        let taken = take_documents(&git, None, &who()).unwrap().unwrap();
        assert_eq!(taken.files, [".gt/discovery/x.md", ".gt/scratch"]);
        assert_eq!(take_documents(&git, None, &who()).unwrap(), None);
        // Another worker has a newer version; the old copy here is nobody's word any more.
        let newer = TreeEntry {
            mode: "100644".to_owned(),
            id: git.write_blob(b"two").unwrap(),
            size: 3,
        };
        let files = TreeEntries::from([(".gt/discovery/x.md".to_owned(), newer)]);
        keep::keep_documents(&git, "c", &files, "m", &who()).unwrap();
        assert_eq!(take_documents(&git, None, &who()).unwrap(), None);
        clear_documents(&git, &place_.path_beside("aside")).unwrap();
        assert!(!place_.path_beside("aside").exists(), "all of it is kept");
        assert!(!git.folder().join(".gt").exists());
        assert_eq!(place_documents(&git, "c").unwrap(), 2);
        let text = fs::read_to_string(git.folder().join(".gt/discovery/x.md")).unwrap();
        assert_eq!(text, "two");
        assert!(git.status().unwrap().is_empty(), "they are untracked");
        put(&git, ".gt/discovery/x.md", "three");
        take_documents(&git, Some("c"), &who()).unwrap().unwrap();
        assert_eq!(
            kept(&git, "c"),
            [
                pair(".gt/discovery/x.md", "three"),
                pair(".gt/scratch", "s")
            ]
        );
        let listed: Vec<String> = list_sandbox_documents(git.folder())
            .into_iter()
            .map(|d| d.path)
            .collect();
        assert_eq!(listed, [".gt/discovery/x.md"]);
    }

    #[test]
    fn nothing_is_written_or_read_through_a_symlink() {
        let place_ = TestTown::new();
        let git = place_.create_tree("tree", &[("a", "1")]);
        let entry = TreeEntry {
            mode: "100644".to_owned(),
            id: git.write_blob(b"x").unwrap(),
            size: 1,
        };
        let files = TreeEntries::from([(".gt/discovery/x.md".to_owned(), entry)]);
        keep::keep_documents(&git, "c", &files, "m", &who()).unwrap();
        let outside = place_.path_beside("outside");
        fs::create_dir_all(outside.join("discovery")).unwrap();
        fs::write(outside.join("discovery/secret"), "s").unwrap();
        std::os::unix::fs::symlink(&outside, git.folder().join(".gt")).unwrap();
        assert_eq!(place_documents(&git, "c").unwrap(), 0);
        assert!(!outside.join("discovery/x.md").exists());
        assert_eq!(take_documents(&git, Some("c"), &who()).unwrap(), None);
        assert_eq!(list_sandbox_documents(git.folder()), []);
        // Also where the file itself is a link.
        fs::remove_file(git.folder().join(".gt")).unwrap();
        fs::create_dir_all(git.folder().join(".gt/discovery")).unwrap();
        let document = git.folder().join(".gt/discovery/x.md");
        std::os::unix::fs::symlink(outside.join("discovery/secret"), document).unwrap();
        assert_eq!(place_documents(&git, "c").unwrap(), 0);
        let secret = fs::read_to_string(outside.join("discovery/secret")).unwrap();
        assert_eq!(secret, "s");
    }

    #[test]
    fn files_that_git_cannot_store_are_moved_aside_and_not_reported_saved() {
        let place_ = TestTown::new();
        let git = place_.create_tree("tree", &[("a", "1")]);
        git.exclude("/.gt/").unwrap();
        place_documents(&git, "c").unwrap();
        let nested = ".gt/scratch/clone/.git/HEAD";
        put(&git, nested, "ref");
        put(&git, ".gt/scratch/clone/work.txt", "w");
        put(&git, ".gt/discovery/x.md", "x");
        let outside = place_.path_beside("outside");
        fs::write(&outside, "stays").unwrap();
        std::os::unix::fs::symlink(&outside, git.folder().join(".gt/link")).unwrap();
        let taken = take_documents(&git, None, &who()).unwrap().unwrap();
        assert_eq!(
            taken.files,
            [".gt/discovery/x.md", ".gt/scratch/clone/work.txt"]
        );
        assert_eq!(take_documents(&git, None, &who()).unwrap(), None);
        let aside = place_.path_beside("aside");
        assert_eq!(clear_documents(&git, &aside).unwrap(), 1);
        assert_eq!(fs::read_to_string(aside.join(nested)).unwrap(), "ref");
        assert!(!git.folder().join(".gt").exists());
        assert_eq!(fs::read_to_string(&outside).unwrap(), "stays");
        // On a branch, too, such files are left out.
        put(&git, nested, "ref");
        put(&git, ".gt/scratch/clone/more.txt", "w");
        put(&git, ".gt/discovery/y.md", "y");
        assert_eq!(
            commit_documents(&git, &who()).unwrap(),
            [".gt/discovery/y.md"]
        );
    }
}
