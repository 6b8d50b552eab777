//! Finds the files of a merge whose content a merge driver of the repository decided.
//!
//! A driver is a command that the attribute `merge` selects for a file. Git believes its exit
//! status: a driver that keeps one side and drops the other gives a merge without conflicts.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use super::combine::MergeAttributes;
use super::{Git, GitError, TreeMerge};

/// The values of the attribute `merge` that select no driver of the repository.
const BUILT_IN: [&str; 6] = ["unspecified", "set", "unset", "text", "binary", "union"];

/// A file for which a merge driver came to another result than git does without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrivenFile {
    pub path: String,
    /// The driver's name in the attributes.
    pub driver: String,
    /// False if the result lacks lines that the change adds, or has lines that it removes.
    pub holds_change: bool,
}

impl Git {
    /// Returns the files of `merged`, the merge of the change from `base` to `tip` into `target`,
    /// in which a driver came to another result than git does without it.
    pub fn find_driven_files(
        &self,
        base: &str,
        tip: &str,
        target: &str,
        merged: &str,
    ) -> Result<Vec<DrivenFile>, GitError> {
        // A driver decided nothing if git comes to the same result without it.
        let (TreeMerge::Clean(plain) | TreeMerge::Conflict { tree: plain, .. }) =
            self.apply(base, tip, target, MergeAttributes::None)?;
        let differing = self.differing_files(&plain, merged)?;
        if differing.is_empty() {
            return Ok(Vec::new());
        }
        let renames = [self.renames(base, tip)?, self.renames(base, target)?];
        let mut found = Vec::new();
        for (path, driver) in self.merge_drivers(target, &differing)? {
            let old = renames.iter().find_map(|renames| renames.get(&path));
            let content = |rev: &str| {
                let names = [Some(&path), old];
                for name in names.into_iter().flatten() {
                    if let Some(content) = self.file_at(rev, name)? {
                        return Ok::<_, GitError>(content);
                    }
                }
                Ok(Vec::new())
            };
            let holds_change = holds_line_changes(
                &content(base)?,
                &content(tip)?,
                &content(target)?,
                &self.file_at(merged, &path)?.unwrap_or_default(),
            );
            found.push(DrivenFile {
                path,
                driver,
                holds_change,
            });
        }
        Ok(found)
    }

    /// Returns the old names of renamed files by their new names.
    fn renames(&self, from: &str, to: &str) -> Result<HashMap<String, String>, GitError> {
        let call = self.plumbing([
            "diff-tree",
            "-r",
            "-z",
            "-M",
            "--diff-filter=R",
            "--name-status",
        ]);
        let records = call.args([from, to, "--"]).records()?;
        // Each rename is three records: the status, the old and the new name.
        let renames = records.chunks_exact(3);
        Ok(renames
            .map(|rename| (rename[2].clone(), rename[1].clone()))
            .collect())
    }

    /// Returns those of `paths` that have a driver in the attributes of `rev`, with its name.
    fn merge_drivers(
        &self,
        rev: &str,
        paths: &[String],
    ) -> Result<Vec<(String, String)>, GitError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let scratch = self.check_out_attributes(rev)?;
        let call = self.plumbing(["check-attr", "-z", "--stdin", "merge"]);
        let call = self.in_scratch(call, &scratch)?.stdin(paths.join("\0"));
        // Each answer is a path, the attribute's name and its value.
        let records = call.records()?;
        let answers = records.chunks_exact(3);
        Ok(answers
            .filter(|answer| !BUILT_IN.contains(&answer[2].as_str()))
            .map(|answer| (answer[0].clone(), answer[2].clone()))
            .collect())
    }
}

/// Returns true if `merged` has the lines that the change from `base` to `tip` adds and lacks those
/// that it removes, as far as the target's own changes allow. Every merge by lines does.
fn holds_line_changes(base: &[u8], tip: &[u8], target: &[u8], merged: &[u8]) -> bool {
    let [base, tip, target, merged] = [base, tip, target, merged].map(count_lines);
    let lines: BTreeSet<&[u8]> = base.keys().chain(tip.keys()).copied().collect();
    lines.into_iter().all(|line| {
        let [base, tip, target, merged] =
            [&base, &tip, &target, &merged].map(|counts| counts.get(line).copied().unwrap_or(0));
        match tip.cmp(&base) {
            Ordering::Greater => merged + base.saturating_sub(target) >= tip,
            Ordering::Less => merged <= tip + target.saturating_sub(base),
            Ordering::Equal => true,
        }
    })
}

fn count_lines(content: &[u8]) -> HashMap<&[u8], usize> {
    let mut counts = HashMap::new();
    for line in content.split(|byte| *byte == b'\n') {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::holds_line_changes;

    #[test]
    fn a_result_holds_a_change_if_no_line_of_it_is_missing() {
        let holds = |base: &str, tip: &str, target: &str, merged: &str| {
            holds_line_changes(
                base.as_bytes(),
                tip.as_bytes(),
                target.as_bytes(),
                merged.as_bytes(),
            )
        };
        assert!(holds("a\n", "a\nw\n", "m\na\n", "m\na\nw\n"));
        assert!(!holds("a\n", "a\nw\n", "m\na\n", "m\na\n"), "ours");
        assert!(!holds("a\nb\n", "a\n", "m\na\nb\n", "m\na\nb\n"));
        assert!(holds("a\nb\n", "a\n", "m\na\nb\n", "m\na\n"));
        // Both sides made the same change.
        assert!(holds("a\n", "a\nw\n", "a\nw\n", "a\nw\n"));
        assert!(holds("a\nb\n", "a\n", "a\n", "a\n"));
        // The target removed another copy of the line that the change adds.
        assert!(holds("x\nx\n", "x\nx\nx\n", "x\n", "x\nx\n"));
        // A file without lines is whole or not there.
        assert!(holds("\0a", "\0w", "\0m", "\0w"));
        assert!(!holds("\0a", "\0w", "\0m", "\0m"));
    }
}
