//! Finds work of a worker that is not on its bead's branch: on another branch, on a detached HEAD,
//! or stashed. Such work is never merged.
//!
//! A sandbox with a repository of its own has its own branches and stashes. Linked worktrees share
//! them: the worktree's own log of HEAD lists its branches since the sling, and a stash counts if its
//! message names one of them.

use std::collections::BTreeSet;
use std::fmt;

use bd::git::{Git, GitError, Stash};
use kit::ui::counted;

use crate::flow::place::unsaved::{parse_count, visits_since_sling};
use crate::record::polecat::Slot;

/// Work that is not on the branch of its bead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StrayWork {
    /// The branch of the bead.
    bead_branch: String,
    place: StrayPlace,
}

#[derive(Debug, PartialEq, Eq)]
enum StrayPlace {
    Branch { name: String, commits: usize },
    NoBranch { tip: String, commits: usize },
    Stash(Stash),
}

impl fmt::Display for StrayWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bead_branch = &self.bead_branch;
        match &self.place {
            StrayPlace::Branch { name, commits } => write!(
                f,
                "{} on branch {name} (git switch {bead_branch} && git merge {name}; to drop: git branch -D {name})",
                counted(*commits, "commit")
            ),
            StrayPlace::NoBranch { tip, commits } => write!(
                f,
                "{} on no branch, up to {tip:.12} (git switch {bead_branch} && git merge {tip:.12}; to drop: git switch {bead_branch})",
                counted(*commits, "commit")
            ),
            StrayPlace::Stash(Stash { name, message, .. }) => write!(
                f,
                "the stash `{message}` (git stash pop {name}; to drop: git stash drop {name})"
            ),
        }
    }
}

pub(super) fn find_stray_work(git: &Git, slot: &Slot) -> Result<Vec<StrayWork>, GitError> {
    let visits = visits_since_sling(git.head_reflog()?, &slot.branch);
    let mut branches = BTreeSet::from([slot.branch.to_string()]);
    branches.extend(
        visits
            .iter()
            .filter_map(|(_, how)| how.rsplit_once(" to "))
            .map(|(_, branch)| branch.to_owned()),
    );
    let own = git.taken_branches()?;
    let has_own_branches = own.is_some();
    let local = match own {
        Some(own) => own,
        None => list_shared_branches(git)?,
    };
    let mut found = Vec::new();
    for (name, tip) in local {
        let is_its = has_own_branches
            || branches.contains(&name)
            || visits.iter().any(|(commit, _)| *commit == tip);
        if !is_its || *slot.branch == *name || name == slot.target {
            continue;
        }
        branches.insert(name.clone());
        let commits = count_unkept_commits(git, slot, &tip)?;
        if commits > 0 {
            found.push(StrayPlace::Branch { name, commits });
        }
    }
    if git.head_branch()?.is_none()
        && let Some(tip) = git.resolve("HEAD")?
    {
        let commits = count_unkept_commits(git, slot, &tip)?;
        if commits > 0 {
            found.push(StrayPlace::NoBranch { tip, commits });
        }
    }
    found.extend(
        git.stashes()?
            .into_iter()
            .filter(|stash| {
                has_own_branches
                    || stash
                        .branch()
                        .is_some_and(|branch| branches.contains(branch))
            })
            .map(StrayPlace::Stash),
    );
    let bead_branch = slot.branch.clone();
    Ok(found
        .into_iter()
        .map(|what| StrayWork {
            bead_branch: bead_branch.to_string(),
            place: what,
        })
        .collect())
}

/// Returns the branches of the rig's repository, which linked worktrees share, with their tips.
fn list_shared_branches(git: &Git) -> Result<Vec<(String, String)>, GitError> {
    let refs = git.refs_below("refs/heads/")?.into_iter();
    Ok(refs
        .filter_map(|(name, tip)| Some((name.strip_prefix("refs/heads/")?.to_owned(), tip)))
        .collect())
}

/// Counts the commits up to `tip` that are neither on the bead's branch nor on any ref that keeps
/// them.
fn count_unkept_commits(git: &Git, slot: &Slot, tip: &str) -> Result<usize, GitError> {
    let kept = [
        "--remotes",
        "--glob=refs/gt/merged",
        "--glob=refs/gt/rescue",
    ];
    let mut call = git
        .plumbing(["rev-list", "--count", tip, "--not"])
        .args(kept);
    for name in [slot.branch.as_str(), &slot.target] {
        let reference = format!("refs/heads/{name}");
        if git.resolve(&reference)?.is_some() {
            call = call.args([reference]);
        }
    }
    if !slot.base.is_empty() {
        call = call.args([&slot.base]);
    }
    parse_count(&call.text()?)
}
