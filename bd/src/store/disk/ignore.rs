//! Excludes local files from git.
//!
//! A folder that bd created has a `.gitignore` that names them, but a branch from before that lacks
//! it, and other clients create none. There `git add -A` would add the files, and the next checkout
//! would remove them. So before the first write of a clone they are added to the repository's own
//! `info/exclude`, and no tracked file changes.

use std::path::Path;

use crate::git::{self, Git, GitError};
use kit::sys::file;

/// The local files of a beads folder.
const LOCAL_FILES: &[&str] = &[
    ".lock",
    ".tmp-*",
    "journal.jsonl",
    "wisps.jsonl",
    "events.local.jsonl",
    "index.bin",
    "archive.bin",
    "issues.kept",
    "issues.found",
    "rollback.jsonl",
    "clone-id",
    "sync-base",
    ".sync.lock",
    "events/",
    "damaged/",
    "last-touched",
    ".local_version",
    "beads.db",
];

/// Adds the files that are not ignored yet. Does nothing outside git, or if git's folder is not
/// writable: the exclusion is optional, and the write itself does not depend on it.
pub(crate) fn exclude_local_files(dir: &Path) {
    let Some(git) = git::find_git_folders(dir) else {
        return;
    };
    let Some(patterns) = local_patterns(dir, &git.root) else {
        return;
    };
    let path = git.common.join("info/exclude");
    let Ok(bytes) = file::read_file_if_exists(&path) else {
        return;
    };
    let bytes = bytes.unwrap_or_default();
    let known = String::from_utf8_lossy(&bytes);
    let lines: Vec<String> = patterns
        .into_iter()
        .filter(|line| !known.lines().any(|existing| existing == line))
        .collect();
    if lines.is_empty() {
        return;
    }
    let text = git::lines_to_append(&known, &lines);
    if file::create_folder(&git.common.join("info"), 0o755).is_ok() {
        // A failure is ignored, because the exclusion is optional.
        file::append_to_file(&path, text.as_bytes(), file::SHARED).ok();
    }
}

/// Returns the lines that exclude the local files of a beads folder, `None` if it is outside the
/// work tree.
fn local_patterns(dir: &Path, root: &Path) -> Option<Vec<String>> {
    let inside = dir.strip_prefix(root).ok()?.to_string_lossy();
    let folder = match escape_pattern(&inside) {
        root if root.is_empty() => root,
        folder => format!("/{folder}"),
    };
    Some(
        LOCAL_FILES
            .iter()
            .map(|name| format!("{folder}/{name}"))
            .collect(),
    )
}

/// Removes what bd added to the repository's `info/exclude` for the beads folder `dir` of a
/// project. Returns true if anything was there.
pub fn remove_excludes(project: &Path, dir: &Path) -> Result<bool, GitError> {
    let Some(git) = git::find_git_folders(project) else {
        return Ok(false);
    };
    let mut patterns = local_patterns(dir, &git.root).unwrap_or_default();
    // A clone whose beads came from the sync branch excludes these. The lines stay as long as the
    // beads do, which may be private.
    if !dir.exists() {
        let inside = dir.strip_prefix(&git.root).unwrap_or(dir).display();
        patterns.extend(["", "issues.jsonl", "archive"].map(|name| format!("/{inside}/{name}")));
    }
    Git::at(project).remove_excludes(&patterns)
}

/// Escapes a path to a pattern that matches only this path.
fn escape_pattern(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for c in path.chars() {
        if "\\[]*?".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn local_files_are_excluded_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let dir = root.join("sub/.beads");
        fs::create_dir_all(&dir).unwrap();
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::write(root.join(".git/info/exclude"), "# own").unwrap();
        exclude_local_files(&dir);
        exclude_local_files(&dir);
        let text = fs::read_to_string(root.join(".git/info/exclude")).unwrap();
        assert!(text.starts_with("# own\n/sub/.beads/.lock\n"), "{text}");
        assert_eq!(text.matches("/sub/.beads/wisps.jsonl").count(), 1);
        let lines = local_patterns(&dir, &root).unwrap();
        let git = Git::at(&root);
        git.init("main", false).unwrap();
        assert!(git.remove_excludes(&lines).unwrap());
        let text = fs::read_to_string(root.join(".git/info/exclude")).unwrap();
        assert_eq!(text, "# own");
        assert_eq!(escape_pattern("a/x[y]"), "a/x\\[y\\]");
    }
}
