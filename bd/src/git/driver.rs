//! Configures git to merge beads with `bd merge`.
//!
//! Git needs two settings. The attribute `merge=beads` selects the files. It is shared in
//! `.beads/.gitattributes` if the folder belongs to bd, otherwise it is in the clone's own
//! `info/attributes`, so that no tracked file changes. `merge.beads.driver` in the clone's own
//! configuration names the command. git never clones it, so every clone sets it once, for itself
//! and all its worktrees.

use super::{Git, GitError};

/// The command that git runs, with result, base, ours and theirs.
const DRIVER_COMMAND: &str = "bd merge %A %O %A %B";

/// The name of the driver in git's output.
const DRIVER_NAME: &str = "beads, field by field";

impl Git {
    /// Configures git to merge `path`, relative to the root of the work tree, and the archive
    /// beside it as beads.
    pub fn install_merge_driver(&self, path: &str) -> Result<(), GitError> {
        self.config_set("merge.beads.name", DRIVER_NAME)?;
        self.config_set("merge.beads.driver", DRIVER_COMMAND)?;
        let wanted = attribute_lines(path);
        let attributes = self.common_dir()?.join("info/attributes");
        for AttributeLine { example, line } in wanted {
            if self.merge_attribute(&example)?.as_deref() != Some("beads") {
                Self::add_line(&attributes, &line)?;
            }
        }
        Ok(())
    }

    /// Removes what [`Self::install_merge_driver`] configured for `path`. Returns true if anything
    /// was there. A driver with another command stays.
    pub fn remove_merge_driver(&self, path: &str) -> Result<bool, GitError> {
        let lines = attribute_lines(path).map(|attribute| attribute.line);
        let attributes = self.common_dir()?.join("info/attributes");
        let had_lines = Self::remove_lines(&attributes, &lines)?;
        let settings = self.own_config(r"^merge\.beads\.")?;
        let is_ours = settings
            .iter()
            .any(|(key, value)| key == "merge.beads.driver" && value == DRIVER_COMMAND);
        if !is_ours {
            return Ok(had_lines);
        }
        let is_whole = settings
            .iter()
            .all(|(key, _)| ["merge.beads.name", "merge.beads.driver"].contains(&key.as_str()));
        if is_whole {
            self.plumbing(["config", "--local", "--remove-section", "merge.beads"])
                .run()?;
        } else {
            for key in ["merge.beads.name", "merge.beads.driver"] {
                self.plumbing(["config", "--local", "--unset-all", key])
                    .run()?;
            }
        }
        Ok(true)
    }

    /// Returns true if git merges `path`, relative to the root of the work tree, as beads.
    pub fn has_merge_driver(&self, path: &str) -> Result<bool, GitError> {
        let driver = self.config_get("merge.beads.driver")?;
        Ok(driver.is_some() && self.merge_attribute(path)?.as_deref() == Some("beads"))
    }

    /// Returns true if git's index has several sides of a file in this folder, because a merge of
    /// it is not finished.
    pub fn is_unmerged(&self, name: &str) -> Result<bool, GitError> {
        let call = self.plumbing(["--literal-pathspecs", "ls-files", "-u", "-z", "--", name]);
        Ok(!call.records()?.is_empty())
    }

    /// Returns the folder's path within its work tree: empty, or with a final slash.
    pub fn prefix(&self) -> Result<String, GitError> {
        self.plumbing(["rev-parse", "--show-prefix"]).text()
    }

    /// Returns the attribute `merge` of a path relative to the root of the work tree.
    fn merge_attribute(&self, path: &str) -> Result<Option<String>, GitError> {
        let root = if self.is_bare()? {
            self.clone()
        } else {
            self.in_folder(self.top()?)
        };
        let call = root.plumbing(["check-attr", "-z", "merge", "--", path]);
        Ok(call.records()?.pop())
    }
}

/// A line that makes git merge files as beads, and the path of a file that it selects.
struct AttributeLine {
    example: String,
    line: String,
}

/// Returns the lines for an issues file and the archive beside it.
fn attribute_lines(path: &str) -> [AttributeLine; 2] {
    let folder = path.rfind('/').map_or("", |at| &path[..=at]);
    let line = |name, is_pattern| {
        let pattern = quote_attribute_path(folder, name, is_pattern);
        format!("{pattern} merge=beads")
    };
    [
        AttributeLine {
            example: path.to_owned(),
            line: line(&path[folder.len()..], false),
        },
        AttributeLine {
            example: format!("{folder}archive/2026.jsonl"),
            line: line("archive/*.jsonl", true),
        },
    ]
}

/// Quotes a name in a folder for a file of attributes. The name may be a pattern.
fn quote_attribute_path(folder: &str, name: &str, pattern: bool) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let name_is_plain = pattern || name.chars().all(plain);
    if folder.chars().all(plain) && name_is_plain {
        return format!("/{folder}{name}");
    }
    let name = if pattern {
        name.to_owned()
    } else {
        escape_literal(name)
    };
    format!("\"/{}{name}\"", escape_literal(folder))
}

/// Escapes a text for a quoted pattern. Inside quotes git reads the escapes of C, so pattern
/// characters are escaped twice.
fn escape_literal(text: &str) -> String {
    text.chars()
        .flat_map(|c| match c {
            '"' => vec!['\\', '"'],
            '\\' | '*' | '?' | '[' => vec!['\\', '\\', c],
            _ => vec![c],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::quote_attribute_path;

    #[test]
    fn odd_names_are_quoted_and_patterns_stay_patterns() {
        assert_eq!(
            quote_attribute_path(".beads/", "issues.jsonl", false),
            "/.beads/issues.jsonl"
        );
        assert_eq!(
            quote_attribute_path("", "archive/*.jsonl", true),
            "/archive/*.jsonl"
        );
        assert_eq!(
            quote_attribute_path("a b*/", "x.jsonl", false),
            "\"/a b\\\\*/x.jsonl\""
        );
    }
}
