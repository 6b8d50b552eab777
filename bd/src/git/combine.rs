//! Owns merging without a checkout: trees and commits are made in the object store, and nobody's files are
//! touched. Merge drivers and the target's `.gitattributes` count, hooks do not run.

use std::collections::BTreeSet;
use std::fs;

use super::without::RawCommit;
use super::{Git, GitError};

/// How much of the conflicting parts is kept as evidence.
const EVIDENCE: usize = 32 * 1024;

/// What a merge of two trees gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeMerge {
    /// Everything fits; the tree of the result.
    Clean(String),
    /// Some files do not fit.
    Conflict {
        /// The tree of the result, with conflict markers in those files.
        tree: String,
        /// These files, sorted.
        files: Vec<String>,
        /// What git said, and the conflicting parts as a diff.
        detail: String,
    },
}

/// How much of a change is in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Containment {
    /// All of it: applying the change again changes nothing.
    All,
    /// All of it but for these files, where the tree has something else in the same place.
    Rewritten(Vec<String>),
    /// Applying the change again would change these files.
    Missing(Vec<String>),
}

impl Git {
    /// Merges `theirs` into `ours`, two commits, from their merge bases.
    pub fn merge_tree(&self, ours: &str, theirs: &str) -> Result<TreeMerge, GitError> {
        let call = self.plumbing(["merge-tree", "--write-tree", "--name-only", "--messages"]);
        let call = call.args(["-z", "--allow-unrelated-histories", ours, theirs]);
        // A bare repository has no `.gitattributes` of its own: they are laid out beside it.
        let common = self.common_dir()?;
        let attributes = self.read_attributes(ours)?;
        let scratch;
        let call = if attributes.is_empty() {
            call
        } else {
            scratch = tempfile::Builder::new()
                .prefix("attributes-")
                .tempdir_in(&common)
                .map_err(|error| Self::file_error(&common, error))?;
            for (path, content) in attributes {
                let path = scratch.path().join(path);
                let folder = path.parent().unwrap_or(scratch.path());
                fs::create_dir_all(folder)
                    .and_then(|()| fs::write(&path, content))
                    .map_err(|error| Self::file_error(&path, error))?;
            }
            call.cwd(scratch.path())
                .env("GIT_DIR", &common)
                .env("GIT_WORK_TREE", scratch.path())
        };
        let command = call.command_line();
        let finished = call.finish()?;
        if !matches!(finished.code(), Some(0 | 1)) {
            return Err(self.failure(&command, &finished));
        }
        let mut records = finished
            .stdout
            .split(|byte| *byte == 0)
            .map(|record| String::from_utf8_lossy(record).into_owned());
        let tree = records.next().unwrap_or_default();
        if finished.is_success() {
            return Ok(TreeMerge::Clean(tree));
        }
        let files: BTreeSet<String> = records.by_ref().take_while(|r| !r.is_empty()).collect();
        let files: Vec<String> = files.into_iter().collect();
        let said = format_messages(records);
        let diff = self.diff_of(ours, &tree, &files);
        let detail = format!("{said}\n\n{diff}");
        Ok(TreeMerge::Conflict {
            tree,
            files,
            detail,
        })
    }

    /// Applies the change from `from` to `to` on top of `onto`: commits or trees of which no history is asked.
    pub fn apply_change(&self, from: &str, to: &str, onto: &str) -> Result<TreeMerge, GitError> {
        let (from, to, onto) = (self.tree_of(from)?, self.tree_of(to)?, self.tree_of(onto)?);
        if from == onto {
            return Ok(TreeMerge::Clean(to));
        }
        if from == to || to == onto {
            return Ok(TreeMerge::Clean(onto));
        }
        // `merge-tree` takes a base from history only before git 2.40: three commits that are nobody's give it one.
        let base = self.create_anonymous_commit(&from, None)?;
        let ours = self.create_anonymous_commit(&onto, Some(&base))?;
        let theirs = self.create_anonymous_commit(&to, Some(&base))?;
        self.merge_tree(&ours, &theirs)
    }

    /// How much of the change from `from` to `to` is in `tree`.
    pub fn contains_change(
        &self,
        from: &str,
        to: &str,
        tree: &str,
    ) -> Result<Containment, GitError> {
        let own = self.tree_of(tree)?;
        let (result, rewritten) = match self.apply_change(from, to, &own)? {
            TreeMerge::Clean(result) if result == own => return Ok(Containment::All),
            TreeMerge::Clean(result) => (result, Vec::new()),
            TreeMerge::Conflict { tree, files, .. } => (tree, files),
        };
        let changed = self.differing_files(&own, &result)?;
        let missing: Vec<String> = changed
            .into_iter()
            .filter(|file| !rewritten.contains(file))
            .collect();
        Ok(if missing.is_empty() {
            Containment::Rewritten(rewritten)
        } else {
            Containment::Missing(missing)
        })
    }

    /// The first commit between `to` and `tip` that took the change from `from` to `to` back, and the files in which it
    /// did; none where later commits only built on it.
    pub fn find_revert(
        &self,
        (from, to): (&str, &str),
        tip: &str,
        files: &[String],
    ) -> Result<Option<(String, Vec<String>)>, GitError> {
        let range = format!("{to}..{tip}");
        let listed = self
            .plumbing(["rev-list", "--ancestry-path", "--full-history"])
            .args(["--reverse", &range, "--"])
            .args(files);
        for commit in listed.text()?.lines() {
            if let Containment::Missing(files) = self.contains_change(from, to, commit)? {
                return Ok(Some((commit.to_owned(), files)));
            }
        }
        Ok(None)
    }

    /// The commits of `upstream..tip` one by one on top of `onto`, each with its author and message; the new tip.
    /// `None` where there is a merge among them or one does not fit. What `onto` has already is left out. Committer is who
    /// this value says.
    pub fn replay(
        &self,
        onto: &str,
        upstream: &str,
        tip: &str,
    ) -> Result<Option<String>, GitError> {
        let range = format!("{upstream}..{tip}");
        let listed = self.plumbing(["rev-list", "--topo-order", "--reverse", "--parents", &range]);
        let listed = listed.text()?;
        let commits: Vec<Vec<&str>> = listed
            .lines()
            .map(|line| line.split_ascii_whitespace().collect())
            .collect();
        if commits
            .first()
            .is_some_and(|first| first.get(1) == Some(&onto))
            && is_chain(&commits)
        {
            return Ok(Some(self.commit_id(tip)?));
        }
        let committer = self.plumbing(["var", "GIT_COMMITTER_IDENT"]).text()?;
        let mut head = onto.to_owned();
        for commit in &commits {
            let [commit, parent] = commit.as_slice() else {
                return Ok(None);
            };
            let TreeMerge::Clean(tree) = self.apply_change(parent, commit, &head)? else {
                return Ok(None);
            };
            let was_empty = self.tree_of(parent)? == self.tree_of(commit)?;
            if !was_empty && self.tree_of(&head)? == tree {
                continue;
            }
            let raw = self
                .plumbing(["cat-file", "commit", commit])
                .finish_checked()?
                .stdout;
            let written = RawCommit::parse(&raw).serialize(&tree, &[&head], Some(&committer));
            let write = ["hash-object", "-w", "-t", "commit", "--stdin"];
            head = self.plumbing(write).stdin(written).text()?;
        }
        Ok(Some(head))
    }

    /// A commit of a tree that stands for nothing but its place: the same tree gives the same commit.
    fn create_anonymous_commit(
        &self,
        tree: &str,
        parent: Option<&str>,
    ) -> Result<String, GitError> {
        let parent = parent.into_iter().flat_map(|parent| ["-p", parent]);
        let mut call = self
            .plumbing(["commit-tree", tree, "-m", "tree"])
            .args(parent);
        for who in ["AUTHOR", "COMMITTER"] {
            call = call
                .env(format!("GIT_{who}_NAME"), "tree")
                .env(format!("GIT_{who}_EMAIL"), "tree@gastown.local")
                .env(format!("GIT_{who}_DATE"), "@1 +0000");
        }
        call.text()
    }

    /// The `.gitattributes` of a commit by path.
    fn read_attributes(&self, rev: &str) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let call = self.plumbing(["ls-tree", "-r", "-z", "--full-tree", rev]);
        let mut found = Vec::new();
        for record in call.finish_checked()?.stdout.split(|byte| *byte == 0) {
            // git reads none through a link, and one with a name that is no text cannot be laid out.
            let Some((facts, path)) = std::str::from_utf8(record)
                .ok()
                .and_then(|record| record.split_once('\t'))
            else {
                continue;
            };
            let is_file = facts.starts_with("100");
            if is_file && path.rsplit('/').next() == Some(".gitattributes") {
                let id = facts.rsplit(' ').next().unwrap_or_default();
                found.push((path.to_owned(), self.blob(id)?));
            }
        }
        Ok(found)
    }

    fn diff_of(&self, from: &str, to: &str, files: &[String]) -> String {
        let call = self.plumbing(["--literal-pathspecs", "diff", "--no-color", "--no-ext-diff"]);
        call.args(["--no-textconv", from, to, "--"])
            .args(files)
            .cap(EVIDENCE)
            .text()
            .unwrap_or_default()
    }
}

/// Whether each commit stands on the one before, and none is a merge.
fn is_chain(commits: &[Vec<&str>]) -> bool {
    commits.iter().all(|commit| commit.len() == 2)
        && commits.windows(2).all(|pair| pair[1][1] == pair[0][0])
}

/// The messages of `merge-tree -z`: for each a count, so many paths, its kind, its words.
fn format_messages(mut records: impl Iterator<Item = String>) -> String {
    let mut said = Vec::new();
    while let Some(count) = records.next().and_then(|count| count.parse::<usize>().ok()) {
        let words = records.nth(count + 1).unwrap_or_default();
        said.push(words.trim_end().to_owned());
    }
    said.join("\n")
}
