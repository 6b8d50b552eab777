//! Keeps the commits of merged requests reachable with few refs.
//!
//! Each merge adds a ref below `refs/gt/merged/`. Every fetch and every check of a worker's commits
//! reads all refs, so old ones are moved, some at a time, into one: `refs/gt/merged/archived` is a
//! chain of commits whose other parents are the merged commits, and whose messages name their refs.
//! The chain and the removal of the refs are one transaction of git. Refs of convoys stay, because
//! a second landing looks for the first one.

use std::collections::BTreeSet;
use std::path::Path;

use bd::git::{Git, GitError, Identity};

const MERGED_FOLDER: &str = "refs/gt/merged/";
const ARCHIVE_REF: &str = "refs/gt/merged/archived";
/// The number of refs from which old ones are archived.
const MAX_REFS: usize = 128;
/// The number of refs that stay.
const KEPT_REFS: usize = 64;
/// The number of refs in one transaction, which holds git's lock of packed refs. Others wait for
/// that lock for a second.
const REFS_PER_TRANSACTION: usize = 256;
/// The maximum number of chunks per call, so that the first merge in an old town does not take
/// long.
const MAX_CHUNKS: usize = 8;

/// Archives the refs of the merges that are oldest, if there are many. `repo` is the folder of the
/// shared repository. Another process that changes a ref at the same time wins: the next call
/// tries again.
pub(crate) fn archive_merged_refs(git: &Git, repo: &Path) -> Result<(), GitError> {
    if count_refs(repo) <= MAX_REFS {
        return Ok(());
    }
    let format = "--format=%(objectname) %(refname)";
    let listed = git
        .plumbing([
            "for-each-ref",
            "--sort=committerdate",
            format,
            MERGED_FOLDER,
        ])
        .text()?;
    let refs: Vec<(&str, &str)> = listed
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(_, name)| *name != ARCHIVE_REF && !name.contains("-cv-"))
        .collect();
    let old = &refs[..refs.len().saturating_sub(KEPT_REFS)];
    for chunk in old.chunks(REFS_PER_TRANSACTION).take(MAX_CHUNKS) {
        archive_refs(git, chunk)?;
    }
    pack_refs_and_history(git)
}

/// Packs loose refs, and writes the commits that are new since the last call into git's commit
/// graph. Fetches and merges read all refs and walk the history of the target: both would take
/// longer with each merge.
pub(crate) fn pack_refs_and_history(git: &Git) -> Result<(), GitError> {
    git.plumbing(["pack-refs", "--all"]).run()?;
    git.plumbing(["commit-graph", "write", "--reachable", "--split"])
        .run()
}

/// Counts the refs without a process: those that are files, and those that `git gc` has packed.
/// A repository without one of them has none there.
fn count_refs(repo: &Path) -> usize {
    let loose = std::fs::read_dir(repo.join(MERGED_FOLDER)).map_or(0, Iterator::count);
    let packed = std::fs::read_to_string(repo.join("packed-refs"));
    loose + packed.map_or(0, |packed| packed.matches(MERGED_FOLDER).count())
}

/// Moves refs, each with its commit, into the archive.
fn archive_refs(git: &Git, refs: &[(&str, &str)]) -> Result<(), GitError> {
    let archived = git.resolve(ARCHIVE_REF)?;
    let commits: BTreeSet<&str> = refs.iter().map(|(commit, _)| *commit).collect();
    let parents: Vec<&str> = archived.as_deref().into_iter().chain(commits).collect();
    let names: String = refs
        .iter()
        .map(|(commit, name)| format!("{commit} {name}\n"))
        .collect();
    let author = Identity {
        name: "refinery".to_owned(),
        email: "refinery@gastown.local".to_owned(),
    };
    let tree = git.plumbing(["mktree"]).text()?;
    let message = format!("Archive merged refs\n\n{names}");
    let chain = git.commit_tree(&tree, &parents, &message, &author)?;
    let before = archived.unwrap_or_else(|| "0".repeat(chain.len()));
    let removals = refs
        .iter()
        .map(|(commit, name)| format!("delete {name} {commit}\n"));
    let removals: String = removals.collect();
    git.plumbing(["update-ref", "--stdin"])
        .stdin(format!("update {ARCHIVE_REF} {chain} {before}\n{removals}"))
        .run()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_refs(git: &Git) -> Vec<String> {
        let call = git.plumbing(["for-each-ref", "--format=%(refname)", MERGED_FOLDER]);
        call.text().unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn old_merged_refs_become_one_and_every_commit_stays_reachable() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        git.plumbing(["init", "--quiet", "--bare"]).run().unwrap();
        let tree = git.plumbing(["mktree"]).text().unwrap();
        let author = Identity {
            name: "nux".to_owned(),
            email: "nux@example.com".to_owned(),
        };
        let mut commits = Vec::new();
        let mut add = |name: &str| {
            let commit = git.commit_tree(&tree, &[], name, &author).unwrap();
            git.update_ref(&format!("{MERGED_FOLDER}{name}"), &commit, None)
                .unwrap();
            commits.push(commit);
        };
        add("hq-cv-abcde");
        for number in 0..MAX_REFS - 1 {
            add(&format!("web-{number}"));
        }
        archive_merged_refs(&git, folder.path()).unwrap();
        assert_eq!(list_refs(&git).len(), MAX_REFS, "there are few");
        for number in 0..2 * MAX_REFS {
            add(&format!("api-{number}"));
            archive_merged_refs(&git, folder.path()).unwrap();
        }
        let refs = list_refs(&git);
        assert!(refs.len() <= MAX_REFS, "{}", refs.len());
        let loose = std::fs::read_dir(folder.path().join(MERGED_FOLDER)).unwrap();
        let loose = loose.count();
        assert!(loose <= MAX_REFS - KEPT_REFS, "{loose} refs are not packed");
        git.plumbing(["commit-graph", "verify"]).run().unwrap();
        let graph = folder.path().join("objects/info/commit-graphs");
        assert!(graph.is_dir(), "the history has no commit graph");
        assert!(refs.contains(&format!("{MERGED_FOLDER}hq-cv-abcde")));
        for number in 0..MAX_REFS {
            add(&format!("db-{number}"));
        }
        git.plumbing(["pack-refs", "--all"]).run().unwrap();
        archive_merged_refs(&git, folder.path()).unwrap();
        let refs = list_refs(&git);
        assert!(refs.len() <= KEPT_REFS + 2, "{}", refs.len());
        let kept = git.plumbing(["rev-list", "--glob=refs/gt/merged"]);
        let kept = kept.text().unwrap();
        for commit in &commits {
            assert!(kept.contains(commit.as_str()), "{commit}");
        }
        let log = git
            .plumbing(["log", "--format=%B", ARCHIVE_REF])
            .text()
            .unwrap();
        let all = 4 * MAX_REFS;
        let named = log
            .lines()
            .filter(|line| line.contains(MERGED_FOLDER))
            .count();
        assert_eq!(named + refs.len() - 1, all);
        let found = git.plumbing(["fsck", "--connectivity-only"]).finish();
        assert!(found.unwrap().is_success());
    }
}
