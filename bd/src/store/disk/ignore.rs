//! Excludes local files from git.
//!
//! A folder that bd created has a `.gitignore` that names them, but a branch from before that lacks
//! it, and other clients create none. There `git add -A` would add the files, and the next checkout
//! would remove them. So before the first write of a clone they are added to the repository's own
//! `info/exclude`, and no tracked file changes.

use std::fs;
use std::path::Path;

use crate::git;
use kit::sys::file;

/// The local files of a beads folder.
const LOCAL: &[&str] = &[
    ".lock",
    ".tmp-*",
    "journal.jsonl",
    "wisps.jsonl",
    "events.local.jsonl",
    "index.bin",
    "archive.bin",
    "issues.kept",
    "issues.head",
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
    let Ok(inside) = dir.strip_prefix(&git.root) else {
        return;
    };
    let path = git.common.join("info/exclude");
    let bytes = fs::read(&path).unwrap_or_default();
    let known = String::from_utf8_lossy(&bytes);
    let inside = inside.to_string_lossy();
    let folder = match escape_pattern(&inside) {
        root if root.is_empty() => root,
        folder => format!("/{folder}"),
    };
    let lines: Vec<String> = LOCAL
        .iter()
        .map(|name| format!("{folder}/{name}"))
        .filter(|line| !known.lines().any(|existing| existing == line))
        .collect();
    if lines.is_empty() {
        return;
    }
    let start = if known.is_empty() || known.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let text = format!("{start}{}\n", lines.join("\n"));
    if file::create_folder(&git.common.join("info"), 0o755).is_ok() {
        // A failure is ignored, because the exclusion is optional.
        file::append_to_file(&path, text.as_bytes(), file::SHARED).ok();
    }
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
        assert_eq!(escape_pattern("a/x[y]"), "a/x\\[y\\]");
    }
}
