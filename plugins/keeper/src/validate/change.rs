//! The files of a change, before and after.

use std::collections::HashSet;
use std::path::Path;

use crate::sys;

/// The maximum number of files to check.
const MAX_FILES: usize = 2000;

/// The maximum size of a file to check. Larger files are generated.
const MAX_FILE_SIZE: usize = 16 * 1024 * 1024;

/// A file of a change. A missing side is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path in the repository.
    pub path: String,
    pub old: String,
    pub new: String,
}

impl ChangedFile {
    /// Returns the lines that the old file does not have, with their numbers.
    pub fn added_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let old: HashSet<&str> = self.old.lines().collect();
        self.new
            .lines()
            .enumerate()
            .filter(move |(_, line)| !old.contains(line))
            .map(|(at, line)| (at + 1, line))
    }
}

/// Returns the files in which two commits differ.
pub fn list_changed_files(
    repository: &Path,
    base: &str,
    commit: &str,
) -> anyhow::Result<Vec<ChangedFile>> {
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
    let output = sys::run_git(repository, &list)?;
    let paths: Vec<&[u8]> = output
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .collect();
    anyhow::ensure!(
        paths.len() <= MAX_FILES,
        "{} files are changed, more than {MAX_FILES} cannot be checked",
        paths.len()
    );
    let mut files = Vec::new();
    for path in paths {
        // A file whose name is not UTF-8 is in no supported language.
        let Ok(path) = std::str::from_utf8(path) else {
            continue;
        };
        files.push(ChangedFile {
            path: path.to_owned(),
            old: read_text_at(repository, base, path)?,
            new: read_text_at(repository, commit, path)?,
        });
    }
    Ok(files)
}

/// Reads a file's text in a commit. A file that does not exist has no text. Invalid UTF-8 is
/// replaced, because one odd byte must not bypass a rule.
fn read_text_at(repository: &Path, commit: &str, path: &str) -> anyhow::Result<String> {
    let output = sys::run_git(repository, &["ls-tree", "-z", "-l", commit, "--", path])?;
    let listed = String::from_utf8_lossy(&output);
    let mut words = listed.split_whitespace();
    let kind = words.nth(1);
    let size = words.nth(1);
    if kind != Some("blob") {
        return Ok(String::new());
    }
    let size: usize = size
        .and_then(|size| size.parse().ok())
        .unwrap_or(usize::MAX);
    anyhow::ensure!(
        size <= MAX_FILE_SIZE,
        "{path} has {size} bytes, more than the {MAX_FILE_SIZE} that are checked: a user has to check it"
    );
    let bytes = sys::run_git(repository, &["show", &format!("{commit}:{path}")])?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_byte_hides_nothing_and_a_huge_file_is_not_empty() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::write(root.join("odd.ts"), b"// \xff\neval(x)\n").unwrap();
        std::fs::write(root.join("big.ts"), vec![b'a'; MAX_FILE_SIZE + 1]).unwrap();
        sys::run_git(root, &["init", "--quiet"]).unwrap();
        sys::run_git(root, &["add", "-A"]).unwrap();
        let who = ["-c", "user.name=Dana", "-c", "user.email=dana@example.com"];
        let commit = [&who[..], &["commit", "--quiet", "-m", "Begin"]].concat();
        sys::run_git(root, &commit).unwrap();
        assert!(
            read_text_at(root, "HEAD", "odd.ts")
                .unwrap()
                .contains("\neval(x)")
        );
        assert_eq!(read_text_at(root, "HEAD", "none.ts").unwrap(), "");
        let error = read_text_at(root, "HEAD", "big.ts")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("big.ts") && error.contains("a user"),
            "{error}"
        );
    }
}
