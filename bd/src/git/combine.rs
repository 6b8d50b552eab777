//! Merges without a checkout: creates trees and commits in the object store, and touches no work
//! tree. Merge drivers and the target's `.gitattributes` apply, except where a change is looked for
//! in a tree: a driver could call any tree the merged one. Hooks do not run.

use std::collections::BTreeSet;
use std::fs;

use super::run::GitCall;
use super::scratch::ScratchFolder;
use super::without::RawCommit;
use super::{Git, GitError};

/// The maximum size of the conflicting parts that are kept as evidence.
const MAX_EVIDENCE: usize = 32 * 1024;

/// The name prefix of the folders with attributes.
const ATTRIBUTES_PREFIX: &str = "attributes-";

/// The result of merging two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeMerge {
    /// The merge has no conflicts. Holds the resulting tree.
    Clean(String),
    /// Some files have conflicts.
    Conflict {
        /// The resulting tree, with conflict markers in those files.
        tree: String,
        files: Vec<String>,
        /// The output of git, and the conflicting parts as a diff.
        detail: String,
    },
}

/// The extent to which a tree contains a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Containment {
    /// The whole change: applying it again changes nothing.
    All,
    /// The whole change except in these files, where the tree has different text in the same place.
    Rewritten(Vec<String>),
    /// Applying the change again would change these files.
    Missing(Vec<String>),
}

/// The `.gitattributes` that a merge obeys.
#[derive(Debug, Clone, Copy)]
pub(super) enum MergeAttributes {
    /// Those of the commit that is merged into.
    OfTarget,
    /// None: git merges each file by its lines.
    None,
}

impl Git {
    /// Merges the commits `ours` and `theirs`, from their merge bases.
    pub fn merge_tree(&self, ours: &str, theirs: &str) -> Result<TreeMerge, GitError> {
        self.merge(ours, theirs, MergeAttributes::OfTarget)
    }

    fn merge(
        &self,
        ours: &str,
        theirs: &str,
        attributes: MergeAttributes,
    ) -> Result<TreeMerge, GitError> {
        let scratch = match attributes {
            MergeAttributes::OfTarget => self.check_out_attributes(ours)?,
            MergeAttributes::None => self.create_scratch(ATTRIBUTES_PREFIX)?,
        };
        let call = self
            .plumbing(["merge-tree", "--write-tree", "--name-only", "--messages"])
            .args(["-z", "--allow-unrelated-histories", ours, theirs]);
        let call = self.in_scratch(call, &scratch)?;
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
        let merge_messages = format_messages(records);
        let diff = self.diff_of(ours, &tree, &files);
        let detail = format!("{merge_messages}\n\n{diff}");
        Ok(TreeMerge::Conflict {
            tree,
            files,
            detail,
        })
    }

    /// Applies the change from `from` to `to` on top of `onto`. All three may be commits or trees;
    /// their history is not used.
    pub fn apply_change(&self, from: &str, to: &str, onto: &str) -> Result<TreeMerge, GitError> {
        self.apply(from, to, onto, MergeAttributes::OfTarget)
    }

    pub(super) fn apply(
        &self,
        from: &str,
        to: &str,
        onto: &str,
        attributes: MergeAttributes,
    ) -> Result<TreeMerge, GitError> {
        let from = self.tree_of(from)?;
        let to = self.tree_of(to)?;
        let onto = self.tree_of(onto)?;
        if from == onto {
            return Ok(TreeMerge::Clean(to));
        }
        if from == to || to == onto {
            return Ok(TreeMerge::Clean(onto));
        }
        // `merge-tree` takes a base only from history before git 2.40, so three anonymous commits
        // provide one.
        let base = self.create_anonymous_commit(&from, None)?;
        let ours = self.create_anonymous_commit(&onto, Some(&base))?;
        let theirs = self.create_anonymous_commit(&to, Some(&base))?;
        self.merge(&ours, &theirs, attributes)
    }

    /// Returns the extent to which `tree` contains the change from `from` to `to`.
    pub fn contains_change(
        &self,
        from: &str,
        to: &str,
        tree: &str,
    ) -> Result<Containment, GitError> {
        let target_tree = self.tree_of(tree)?;
        let applied = self.apply(from, to, &target_tree, MergeAttributes::None)?;
        let (result, rewritten) = match applied {
            TreeMerge::Clean(result) if result == target_tree => return Ok(Containment::All),
            TreeMerge::Clean(result) => (result, Vec::new()),
            TreeMerge::Conflict { tree, files, .. } => (tree, files),
        };
        let changed = self.differing_files(&target_tree, &result)?;
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

    /// Returns the first commit between `to` and `tip` that reverted the change from `from` to
    /// `to`, with the affected files. Returns `None` if later commits only built on the change.
    pub fn find_revert(
        &self,
        from: &str,
        to: &str,
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

    /// Applies the commits of `upstream..tip` one by one on top of `onto`, each with its author and
    /// message, and returns the new tip. Returns `None` if there is a merge among them or one has a
    /// conflict. Skips changes that `onto` already has. The committer is the identity of this
    /// `Git`.
    pub fn replay(
        &self,
        onto: &str,
        upstream: &str,
        tip: &str,
    ) -> Result<Option<String>, GitError> {
        let range = format!("{upstream}..{tip}");
        let listed = self
            .plumbing(["rev-list", "--topo-order", "--reverse", "--parents", &range])
            .text()?;
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
        let mut tip_so_far = onto.to_owned();
        for commit in &commits {
            let [commit, parent] = commit.as_slice() else {
                return Ok(None);
            };
            let TreeMerge::Clean(tree) = self.apply_change(parent, commit, &tip_so_far)? else {
                return Ok(None);
            };
            let was_empty = self.tree_of(parent)? == self.tree_of(commit)?;
            if !was_empty && self.tree_of(&tip_so_far)? == tree {
                continue;
            }
            let raw = self
                .plumbing(["cat-file", "commit", commit])
                .finish_checked()?
                .stdout;
            let written = RawCommit::parse(&raw).serialize(&tree, &[&tip_so_far], Some(&committer));
            let write = ["hash-object", "-w", "-t", "commit", "--stdin"];
            tip_so_far = self.plumbing(write).stdin(written).text()?;
        }
        Ok(Some(tip_so_far))
    }

    /// Creates a commit of a tree without author data, so that the same tree and parent give the
    /// same commit.
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

    /// Creates a folder with the `.gitattributes` files of a commit, because a bare repository does
    /// not read them from commits.
    pub(super) fn check_out_attributes(&self, rev: &str) -> Result<ScratchFolder, GitError> {
        let scratch = self.create_scratch(ATTRIBUTES_PREFIX)?;
        for (path, content) in self.read_attributes(rev)? {
            let path = scratch.path().join(path);
            let folder = path.parent().unwrap_or(scratch.path());
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, content))
                .map_err(|error| Self::file_error(&path, error))?;
        }
        Ok(scratch)
    }

    /// Makes a call in the scratch folder as its work tree, so that its attributes apply.
    pub(super) fn in_scratch<'a>(
        &self,
        call: GitCall<'a>,
        scratch: &ScratchFolder,
    ) -> Result<GitCall<'a>, GitError> {
        Ok(call
            .cwd(scratch.path())
            .env("GIT_DIR", self.common_dir()?)
            .env("GIT_WORK_TREE", scratch.path()))
    }

    /// Reads the `.gitattributes` files of a commit, by path.
    fn read_attributes(&self, rev: &str) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let call = self.plumbing(["ls-tree", "-r", "-z", "--full-tree", rev]);
        let mut found = Vec::new();
        for record in call.finish_checked()?.stdout.split(|byte| *byte == 0) {
            // git ignores attributes behind a link, and a path that is not UTF-8 cannot be written
            // out.
            let Some((facts, path)) = std::str::from_utf8(record)
                .ok()
                .and_then(|record| record.split_once('\t'))
            else {
                continue;
            };
            let is_file = facts.starts_with("100");
            if is_file && path.rsplit('/').next() == Some(".gitattributes") {
                let id = facts.rsplit(' ').next().unwrap_or("");
                found.push((path.to_owned(), self.blob(id)?));
            }
        }
        Ok(found)
    }

    fn diff_of(&self, from: &str, to: &str, files: &[String]) -> String {
        let call = self.plumbing(["--literal-pathspecs", "diff", "--no-color", "--no-ext-diff"]);
        call.args(["--no-textconv", from, to, "--"])
            .args(files)
            .cap(MAX_EVIDENCE)
            .text()
            // The task describes the conflict without the changes then.
            .unwrap_or_else(|_| String::new())
    }
}

/// Returns true if each commit is the parent of the next and none is a merge.
fn is_chain(commits: &[Vec<&str>]) -> bool {
    commits.iter().all(|commit| commit.len() == 2)
        && commits.windows(2).all(|pair| pair[1][1] == pair[0][0])
}

/// Formats the messages of `merge-tree -z`. Each consists of a count, that many paths, the kind and
/// the text.
fn format_messages(mut records: impl Iterator<Item = String>) -> String {
    let mut texts = Vec::new();
    while let Some(count) = records.next().and_then(|count| count.parse::<usize>().ok()) {
        let words = records.nth(count + 1).unwrap_or_default();
        texts.push(words.trim_end().to_owned());
    }
    texts.join("\n")
}
