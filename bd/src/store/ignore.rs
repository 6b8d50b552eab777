//! Keeps local files out of git in projects that were begun by other clients.
//!
//! A folder that we made has a `.gitignore` that names them. Elsewhere, before the first write of a clone,
//! they are added to the repository's own `info/exclude`: no tracked file changes.

use std::fs;
use std::path::Path;

use super::find;
use crate::sys::file;

/// The local files of a beads folder.
const LOCAL: &[&str] = &[
    ".lock",
    ".tmp-*",
    "journal.jsonl",
    "wisps.jsonl",
    "events.local.jsonl",
    "index.bin",
    "archive.bin",
    "lost-told",
    "clone-id",
    "sync-base",
    ".sync.lock",
    ".index.lock",
    "events/",
    "damaged/",
    "last-touched",
    "beads.db",
];

/// Adds what is not ignored yet. Outside git, and where git's folder cannot be written, nothing is done:
/// it is a courtesy, and the write itself does not depend on it.
pub(super) fn hide(dir: &Path) {
    let ignored = fs::read_to_string(dir.join(".gitignore")).unwrap_or_default();
    let named = |name: &&&str| !ignored.lines().any(|line| line.trim() == **name);
    let missing: Vec<&&str> = LOCAL.iter().filter(named).collect();
    if missing.is_empty() {
        return;
    }
    let Some((root, common)) = find::git_folders(dir) else {
        return;
    };
    let Ok(inside) = dir.strip_prefix(&root) else {
        return;
    };
    let path = common.join("info/exclude");
    let known = fs::read_to_string(&path).unwrap_or_default();
    let lines: Vec<String> = missing
        .into_iter()
        .map(|name| format!("/{}/{name}", inside.display()))
        .filter(|line| !known.lines().any(|own| own == line))
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
    if file::make_folder(&common.join("info"), 0o755).is_ok() {
        // See above: a courtesy.
        file::append(&path, text.as_bytes(), 0o644).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::create;

    #[test]
    fn files_of_a_foreign_project_are_excluded_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let dir = root.join("sub/.beads");
        fs::create_dir_all(&dir).unwrap();
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::write(root.join(".git/info/exclude"), "# own").unwrap();
        fs::write(dir.join(".gitignore"), "*.db\nlast-touched\n").unwrap();
        hide(&dir);
        hide(&dir);
        let text = fs::read_to_string(root.join(".git/info/exclude")).unwrap();
        assert!(text.starts_with("# own\n/sub/.beads/.lock\n"), "{text}");
        assert_eq!(text.matches("/sub/.beads/wisps.jsonl").count(), 1);
        assert!(!text.contains("last-touched"));
    }

    #[test]
    fn a_project_of_our_own_needs_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        create::create(&root.join(".beads"), "bd").unwrap();
        hide(&root.join(".beads"));
        assert!(!root.join(".git/info/exclude").exists());
    }
}
