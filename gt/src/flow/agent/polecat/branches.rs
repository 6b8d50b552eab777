//! Removes local branches of polecats whose commits another ref keeps, `gt polecat prune`.
//!
//! A branch stays while a worktree or the work of a polecat is on it, while its merge request is
//! open, and while it has commits that no branch of the project and no ref of merged work reaches.

use std::collections::BTreeMap;

use bd::git::{Git, GitError};
use bd::store::Snapshot;
use serde::Serialize;

use crate::record::merge_request;
use crate::record::polecat::{self, SlotState};
use crate::town::Rig;
use crate::town::lock::LockError;

/// The beginning of the branches of polecats.
const BRANCH_PREFIX: &str = "polecat/";

/// A branch of a polecat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolecatBranch {
    pub rig: String,
    pub branch: String,
    /// The last commit.
    pub commit: String,
    /// True if the branch was removed, or would be by a dry run.
    pub removed: bool,
    /// The reason why the branch stays, or the ref that keeps its commits.
    pub reason: String,
}

/// Removes the branches of a rig's polecats that match `pattern` and lose nothing. Returns all that
/// match.
pub fn prune_branches(
    rig: &Rig,
    pattern: &str,
    dry_run: bool,
) -> anyhow::Result<Vec<PolecatBranch>> {
    let git = rig.git();
    let used = list_used_branches(rig, &rig.store()?.snapshot()?, &git)?;
    let mut found = Vec::new();
    for branch in list_branches(&git, pattern)? {
        let Some((name, _)) = branch
            .strip_prefix(BRANCH_PREFIX)
            .and_then(|rest| rest.split_once('/'))
        else {
            continue;
        };
        let Some(commit) = git.resolve(&format!("refs/heads/{branch}"))? else {
            continue;
        };
        // Held until the branch is removed, so that no sling or `gt done` uses it in between.
        let lock = rig.try_take_slot(name);
        let mut kept_by = match (&lock, used.get(&branch)) {
            (Err(LockError::Held { .. }), _) => Err("another gt process works on it".to_owned()),
            (_, Some(use_)) => Err(use_.clone()),
            _ => find_keeping_ref(&git, &commit)?
                .ok_or_else(|| "it has commits that are not merged".to_owned()),
        };
        if kept_by.is_ok() && !dry_run {
            let _held = lock?;
            // The use may have begun before the lock was taken.
            let mut used = list_used_branches(rig, &rig.store()?.snapshot()?, &git)?;
            match used.remove(&branch) {
                Some(use_) => kept_by = Err(use_),
                None => git.delete_branch(&branch, &commit)?,
            }
        }
        found.push(PolecatBranch {
            rig: rig.name().to_owned(),
            branch,
            commit,
            removed: kept_by.is_ok(),
            reason: kept_by.unwrap_or_else(|reason| reason),
        });
    }
    Ok(found)
}

/// Returns the local branches that match a pattern, whose `*` also stands for slashes.
fn list_branches(git: &Git, pattern: &str) -> Result<Vec<String>, GitError> {
    let call = git.plumbing(["branch", "--list", "--format=%(refname:lstrip=2)", "--"]);
    let names = call.args([pattern]).text()?;
    Ok(names.lines().map(str::to_owned).collect())
}

/// Returns the branches that are in use, each with its use.
fn list_used_branches(
    rig: &Rig,
    beads: &Snapshot,
    git: &Git,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut used = BTreeMap::new();
    for tree in git.worktree_list()? {
        if let Some(branch) = tree.branch.filter(|_| !tree.bare) {
            let place = format!("it is checked out in {}", tree.path.display());
            used.insert(branch, place);
        }
    }
    for request in merge_request::open_requests(beads) {
        let branch = merge_request::receipt_of(request).branch;
        used.insert(branch, format!("its request {} is open", request.id));
    }
    for polecat in polecat::list_polecats(rig, beads, None) {
        if polecat.hook.is_some() || polecat.slot.state != SlotState::Idle {
            let user = format!("{} works on it", polecat.address());
            used.insert(polecat.slot.branch.to_string(), user);
        }
    }
    Ok(used)
}

/// Returns a ref that keeps a commit: a branch of the project, or a ref of merged work.
fn find_keeping_ref(git: &Git, commit: &str) -> Result<Option<String>, GitError> {
    let call = git.plumbing([
        "for-each-ref",
        "--format=%(refname)",
        "--contains",
        commit,
        "refs/remotes",
        "refs/gt/merged",
        "refs/heads",
    ]);
    let names = call.text()?;
    // Branches of the remote come last in the list, and say most.
    Ok(names
        .lines()
        .rfind(|name| {
            let is_own_copy = name
                .strip_prefix("refs/remotes/")
                .and_then(|rest| rest.split_once('/'))
                .is_some_and(|(_, branch)| branch.starts_with(BRANCH_PREFIX));
            !name.starts_with("refs/heads/polecat/") && !is_own_copy
        })
        .map(str::to_owned))
}
