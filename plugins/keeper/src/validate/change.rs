//! The files that a change touches, as they were and as they are.

use std::collections::HashSet;
use std::path::Path;

use crate::sys;

/// More than this no check reads.
const FILES: usize = 2000;

/// Larger files are generated.
const BYTES: usize = 1024 * 1024;

/// A file of a change; an absent side is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    /// Its path in the repository.
    pub path: String,
    /// Its text before.
    pub old: String,
    /// Its text after.
    pub new: String,
}

impl Changed {
    /// The lines that the file did not have before, with their numbers.
    pub fn added(&self) -> impl Iterator<Item = (usize, &str)> {
        let old: HashSet<&str> = self.old.lines().collect();
        let lines = self.new.lines().enumerate();
        lines
            .filter(move |(_, line)| !old.contains(line))
            .map(|(at, line)| (at + 1, line))
    }
}

/// The files in which two commits differ.
pub fn changed(repository: &Path, base: &str, commit: &str) -> anyhow::Result<Vec<Changed>> {
    for name in [base, commit] {
        let fits = !name.is_empty() && !name.starts_with('-');
        anyhow::ensure!(
            fits,
            "no commits to compare: GT_BASE and GT_COMMIT are not set"
        );
    }
    let list = [
        "diff",
        "--name-only",
        "--no-renames",
        "--no-ext-diff",
        "-z",
        base,
        commit,
        "--",
    ];
    let said = sys::git(repository, &list)?;
    let paths: Vec<&[u8]> = said
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .collect();
    anyhow::ensure!(
        paths.len() <= FILES,
        "{} files are changed, more than {FILES} cannot be checked",
        paths.len()
    );
    let mut files = Vec::new();
    for path in paths {
        // A name that is no text is of no language that is known here.
        let Ok(path) = std::str::from_utf8(path) else {
            continue;
        };
        files.push(Changed {
            path: path.to_owned(),
            old: text(repository, base, path),
            new: text(repository, commit, path),
        });
    }
    Ok(files)
}

/// A file's text in a commit; empty where it is not there, no text, or too large.
fn text(repository: &Path, commit: &str, path: &str) -> String {
    let shown = sys::git(repository, &["show", &format!("{commit}:{path}")]);
    let bytes = shown.unwrap_or_default();
    if bytes.len() > BYTES {
        return String::new();
    }
    String::from_utf8(bytes).unwrap_or_default()
}
