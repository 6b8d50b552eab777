//! Owns the merge driver: how git is told to merge beads with `bd merge`.
//!
//! Two things make git use it. Which file: the attribute `merge=beads`, shared in `.beads/.gitattributes`
//! where the folder is ours, else in the clone's own `info/attributes`, so that no tracked file changes.
//! What to run: `merge.beads.driver` in the clone's own configuration, which git never clones; every clone
//! sets it once, for itself and all its worktrees.

use std::path::Path;

use super::{Git, GitError};
use crate::sys::file;

/// What git runs: result, base, ours, theirs.
const DRIVER: &str = "bd merge %A %O %A %B";

/// What git calls it.
const NAME: &str = "beads, field by field";

impl Git {
    /// Makes git merge `path`, from the root of the work tree, as beads.
    pub fn install_merge_driver(&self, path: &str) -> Result<(), GitError> {
        self.config_set("merge.beads.name", NAME)?;
        self.config_set("merge.beads.driver", DRIVER)?;
        if self.merge_attribute(path)?.as_deref() == Some("beads") {
            return Ok(());
        }
        let attributes = self.common_dir()?.join("info/attributes");
        let line = format!("/{} merge=beads", quoted(path));
        append_line(&attributes, &line).map_err(|error| Self::file_error(&attributes, error))
    }

    /// Whether git merges `path`, from the root of the work tree, as beads.
    pub fn has_merge_driver(&self, path: &str) -> Result<bool, GitError> {
        let driver = self.config_get("merge.beads.driver")?;
        Ok(driver.is_some() && self.merge_attribute(path)?.as_deref() == Some("beads"))
    }

    /// Where the folder is in its work tree: empty, or with a final slash.
    pub fn prefix(&self) -> Result<String, GitError> {
        self.plumbing(["rev-parse", "--show-prefix"]).text()
    }

    /// The attribute `merge` of a path from the root of the work tree.
    fn merge_attribute(&self, path: &str) -> Result<Option<String>, GitError> {
        let root = if self.is_bare()? {
            self.clone()
        } else {
            self.beside(self.top()?)
        };
        let call = root.plumbing(["check-attr", "-z", "merge", "--", path]);
        Ok(call.records()?.pop())
    }
}

/// A path as it stands in a file of attributes.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if path.chars().all(plain) {
        return path.to_owned();
    }
    // Inside quotes git reads the escapes of C; signs of patterns are escaped once more.
    let escaped: String = path
        .chars()
        .flat_map(|c| match c {
            '"' => vec!['\\', '"'],
            '\\' | '*' | '?' | '[' => vec!['\\', '\\', c],
            _ => vec![c],
        })
        .collect();
    format!("\"{escaped}\"")
}

fn append_line(path: &Path, line: &str) -> std::io::Result<()> {
    let text = file::read(path)?.unwrap_or_default();
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if text.lines().any(|own| own == line) {
        return Ok(());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(line);
    text.push('\n');
    file::make_folder(path.parent().unwrap_or(Path::new(".")), 0o755)?;
    file::replace(path, text.as_bytes(), 0o644)
}
