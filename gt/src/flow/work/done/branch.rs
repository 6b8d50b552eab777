//! Submits a branch of a crew member or a user to the merge queue, `gt mq submit`:
//!
//! 1. Check that the work tree is clean and that its branch is not the target.
//! 2. Find the bead: the named one, or the one whose id is part of the branch's name.
//! 3. Push the branch to the rig's remote, without force, and fetch it into the rig's repository.
//! 4. Check the commits as `gt done` does.
//! 5. In one transaction: create the merge request, and let the bead wait for it.

use std::path::Path;

use anyhow::Context as _;
use bd::bead::{Bead, Status, attempt};
use bd::git::{FileChange, Git, PushLease};
use bd::store::Snapshot;
use serde::Serialize;

use super::proof;
use super::submit;
use crate::flow::place::rig::check_remote;
use crate::flow::place::target_history;
use crate::flow::work::convoy::integration;
use crate::flow::work::mq::verify;
use crate::record::merge_request::{self, Receipt};
use crate::town::Rig;
use crate::town::beads::BeadsHome;
use crate::town::event::event;
use crate::town::identity::Address;
use crate::town::name::Lease;

/// A branch to submit.
#[derive(Debug, Clone, Default)]
pub struct BranchSubmission {
    /// The branch. The checked-out one if `None`.
    pub branch: Option<String>,
    /// The bead of the work. Derived from the branch's name if `None`.
    pub bead: Option<String>,
    /// The priority of the request. The bead's own if `None`.
    pub priority: Option<i64>,
    /// A summary for later workers.
    pub summary: String,
}

/// A submitted branch.
#[derive(Debug, Clone, Serialize)]
pub struct SubmittedBranch {
    pub request: String,
    pub bead: String,
    pub rig: String,
    pub branch: String,
    pub target: String,
    pub tip: String,
    /// The number of commits.
    pub commits: usize,
}

/// Defines why a branch is not submitted.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// Workers have leases and attempts, which `gt done` checks.
    #[error("{worker} is a worker: it hands in its work with `gt done`")]
    Worker { worker: String },
    #[error("no branch is checked out here: name one with --branch")]
    NoBranch,
    #[error("branch {branch} does not exist in {}", folder.display())]
    UnknownBranch {
        branch: String,
        folder: std::path::PathBuf,
    },
    #[error("{branch} is the target itself: commit on a branch of your own (git switch -c NAME)")]
    IsTarget { branch: String },
    #[error(
        "the name of branch {branch} has the id of no open bead of rig {rig}: give it with `gt mq submit --issue ID`"
    )]
    NoBead { branch: String, rig: String },
    #[error(
        "the name of branch {branch} has the ids of several beads ({ids}): give one with `gt mq submit --issue ID`"
    )]
    SeveralBeads { branch: String, ids: String },
    #[error("{bead} is {status}: only open work can be submitted")]
    NotOpen { bead: String, status: String },
    #[error(
        "{bead} is on the hook of {holder}: a worker hands in its own work (`gt unsling {bead}` takes it away)"
    )]
    Held { bead: String, holder: String },
    #[error("{bead} is already in the queue as {request} (`gt mq reject {request}` takes it out)")]
    Queued { bead: String, request: String },
    #[error(
        "branch {branch} of the remote has commits that yours lacks: get them (git pull --rebase), or replace them \
         (git push --force-with-lease)"
    )]
    Behind { branch: String },
    #[error("{} is no clone of rig {rig}: the rig's {target} does not have the commit {base:.12}", folder.display())]
    OtherRepository {
        folder: std::path::PathBuf,
        rig: String,
        target: String,
        base: String,
    },
    #[error("branch {branch} has no commit that {target} lacks: nothing to merge")]
    NoCommit { branch: String, target: String },
    #[error("{count} not committed: {files} (commit them, or put them aside with git stash -u)")]
    Uncommitted { count: String, files: String },
    #[error("{bead} is a record of the town: only work can be submitted")]
    NoWork { bead: String },
}

/// Submits a branch of the repository at `folder` to the queue of a rig.
pub fn submit_branch(
    rig: &Rig,
    folder: &Path,
    submission: &BranchSubmission,
) -> anyhow::Result<SubmittedBranch> {
    let actor = rig.town().actor.clone();
    if let Address::Polecat(..) = actor {
        let worker = actor.to_string();
        return Err(SubmitError::Worker { worker }.into());
    }
    let git = Git::at(folder);
    let branch = find_branch(&git, folder, submission)?;
    let store = rig.store()?;
    let bead = find_bead(rig, &store.snapshot()?, &branch, submission)?;
    let target = integration::merge_target_of(rig, &bead)?;
    anyhow::ensure!(branch != target, SubmitError::IsTarget { branch });
    let tip = git.resolve(&format!("refs/heads/{branch}"))?;
    let tip = tip.ok_or_else(|| SubmitError::UnknownBranch {
        branch: branch.clone(),
        folder: folder.to_owned(),
    })?;
    // The commits are checked before anything leaves this machine.
    let base = find_base(&git, &target, &tip)?;
    let own_commits = proof::list_own_commits(&git, &base, &tip)?;
    if own_commits.commits.is_empty() {
        return Err(SubmitError::NoCommit { branch, target }.into());
    }
    proof::check_branch_commits(&git, &branch, &tip, &own_commits)?;
    proof::check_carried_files(rig, &git, &base, &tip)?;
    let has_remote = check_remote(rig)?;
    let target_tip = check_repository(rig, has_remote, folder, &target, &base)?;
    // A clone that has not fetched lacks the target's newest commits.
    if git.resolve(&target_tip)?.is_some()
        && let Some(commit) = verify::find_bringing_commit(&git, &base, &tip, &target_tip)?
    {
        return Err(proof::build_already_there_error(rig, &target, commit)?.into());
    }
    transfer_branch(rig, has_remote, &git, &branch, &tip)?;
    proof::refuse_returning_commits(&rig.git(), &target, &own_commits, &tip)?;
    let receipt = Receipt {
        branch: branch.clone(),
        target: target.clone(),
        base: own_commits.base,
        tip: tip.clone(),
        commits: own_commits
            .commits
            .iter()
            .map(|commit| commit.id.clone())
            .collect(),
        files: own_commits.files,
        summary: submission.summary.clone(),
        worker: actor.to_string(),
        lease: Lease::default(),
        attempt: 0,
        resolves: None,
        pushed_to_target: false,
    };
    let commits = receipt.commits.len();
    let request = create_request(rig, &bead, receipt, submission)?;
    let submitted = SubmittedBranch {
        request,
        bead,
        rig: rig.name().to_owned(),
        branch,
        target,
        tip,
        commits,
    };
    rig.town().record_event(&event!(
        Done,
        bead: submitted.bead.clone(),
        branch: submitted.branch.clone(),
        request: Some(submitted.request.clone()),
        tip: submitted.tip.clone(),
        commits: commits,
        no_change: None,
    ));
    Ok(submitted)
}

/// Returns the branch. The checked-out one must be committed.
fn find_branch(git: &Git, folder: &Path, submission: &BranchSubmission) -> anyhow::Result<String> {
    let checked_out = git
        .head_branch()
        .with_context(|| format!("{} is no work tree of git", folder.display()))?;
    let branch = submission
        .branch
        .clone()
        .or_else(|| checked_out.clone())
        .ok_or(SubmitError::NoBranch)?;
    if checked_out.as_ref() == Some(&branch) {
        let changes = git.status()?;
        if !changes.is_empty() {
            let files: Vec<String> = changes
                .iter()
                .take(5)
                .map(FileChange::display_path)
                .collect();
            return Err(SubmitError::Uncommitted {
                count: kit::ui::counted(changes.len(), "file"),
                files: files.join(", "),
            }
            .into());
        }
    }
    Ok(branch)
}

/// Returns the id of the bead, after checking that its work may be submitted.
fn find_bead(
    rig: &Rig,
    beads: &Snapshot,
    branch: &str,
    submission: &BranchSubmission,
) -> anyhow::Result<String> {
    let bead = match &submission.bead {
        Some(id) => {
            // Ids with another prefix are beads of another store, not abbreviations.
            let found = rig.town().find_bead(id)?;
            let home = BeadsHome::Rig(rig.name().to_owned());
            anyhow::ensure!(
                found.home == home,
                "{} is a bead of {}, not of rig {}",
                found.bead.id,
                found.home,
                rig.name()
            );
            found.bead
        }
        None => guess_bead(rig, beads, branch)?.clone(),
    };
    check_bead(beads, &bead)?;
    Ok(bead.id)
}

/// Returns the open bead whose id is part of the branch's name.
fn guess_bead<'s>(rig: &Rig, beads: &'s Snapshot, branch: &str) -> anyhow::Result<&'s Bead> {
    let ids: Vec<String> = beads
        .bead_refs()
        .filter(|bead| bead.is_open() && !bead.is_ephemeral() && has_id(branch, bead.id()))
        .filter(|bead| beads.get(bead.id()).is_some_and(|bead| !bead.is_internal()))
        .map(|bead| bead.id().to_owned())
        .collect();
    let branch = branch.to_owned();
    match ids.as_slice() {
        [id] => Ok(beads.resolve(id)?),
        [] => {
            let rig = rig.name().to_owned();
            Err(SubmitError::NoBead { branch, rig }.into())
        }
        several => {
            let ids = several.join(", ");
            Err(SubmitError::SeveralBeads { branch, ids }.into())
        }
    }
}

/// Returns true if a branch's name has an id that no letter or digit continues, and no number of a
/// child.
fn has_id(branch: &str, id: &str) -> bool {
    branch.match_indices(id).any(|(at, _)| {
        let before = branch[..at].chars().next_back();
        let rest = &branch[at + id.len()..];
        let child = rest.strip_prefix('.');
        !before.is_some_and(char::is_alphanumeric)
            && !rest.starts_with(char::is_alphanumeric)
            && !child.is_some_and(|child| child.starts_with(|c: char| c.is_ascii_digit()))
    })
}

fn check_bead(beads: &Snapshot, bead: &Bead) -> Result<(), SubmitError> {
    if bead.is_internal() {
        let bead = bead.id.clone();
        return Err(SubmitError::NoWork { bead });
    }
    if let Some(open) = merge_request::find_open_request(beads, &bead.id) {
        return Err(SubmitError::Queued {
            bead: bead.id.clone(),
            request: open.id.clone(),
        });
    }
    if bead.assignee.contains("/polecats/")
        && matches!(bead.status, Status::Hooked | Status::InProgress)
    {
        return Err(SubmitError::Held {
            bead: bead.id.clone(),
            holder: bead.assignee.clone(),
        });
    }
    if !bead.is_open() {
        return Err(SubmitError::NotOpen {
            bead: bead.id.clone(),
            status: bead.status.to_string(),
        });
    }
    Ok(())
}

/// Returns the newest commit of the target that the branch contains.
fn find_base(git: &Git, target: &str, tip: &str) -> anyhow::Result<String> {
    for place in ["refs/remotes/origin", "refs/heads"] {
        if let Some(target) = git.resolve(&format!("{place}/{target}"))?
            && let Some(base) = git.merge_base(tip, &target)?
        {
            return Ok(base);
        }
    }
    anyhow::bail!("the branch has no commit in common with {target}: fetch {target} first")
}

/// Checks that the branch begins at a commit of the rig's target, so that the history of another
/// repository is never pushed. Returns the tip of the target.
fn check_repository(
    rig: &Rig,
    has_remote: bool,
    folder: &Path,
    target: &str,
    base: &str,
) -> anyhow::Result<String> {
    let git = rig.git();
    let place = if has_remote {
        git.fetch("origin")?;
        target_history::check_targets(rig)?;
        "refs/remotes/origin"
    } else {
        "refs/heads"
    };
    let tip = git.resolve(&format!("{place}/{target}"))?;
    match tip {
        Some(tip) if git.resolve(base)?.is_some() && git.is_ancestor(base, &tip)? => Ok(tip),
        _ => Err(SubmitError::OtherRepository {
            folder: folder.to_owned(),
            rig: rig.name().to_owned(),
            target: target.to_owned(),
            base: base.to_owned(),
        }
        .into()),
    }
}

/// Pushes the branch to the rig's remote, or to the rig's own repository if it has none, and makes
/// the commits known to the queue.
fn transfer_branch(
    rig: &Rig,
    has_remote: bool,
    git: &Git,
    branch: &str,
    tip: &str,
) -> anyhow::Result<()> {
    let own = rig.git();
    let url = match own.remote_url("origin")?.filter(|_| has_remote) {
        Some(url) => url,
        None => rig.repo().display().to_string(),
    };
    let seen = git.ls_remote(&url, branch)?;
    if let Some(seen) = &seen {
        let is_known = git.resolve(seen)?.is_some();
        anyhow::ensure!(
            is_known && git.is_ancestor(seen, tip)?,
            SubmitError::Behind {
                branch: branch.to_owned()
            }
        );
    }
    if seen.as_deref() != Some(tip) {
        let lease = seen.as_deref().map_or(PushLease::Absent, PushLease::At);
        git.push(&url, tip, branch, lease, true)
            .with_context(|| format!("branch {branch} was not pushed"))?;
    }
    if has_remote {
        own.fetch("origin")?;
    }
    anyhow::ensure!(
        own.resolve(tip)?.is_some(),
        "the repository of rig {} does not have the commit {tip:.12} after the push of {branch}",
        rig.name()
    );
    Ok(())
}

/// Creates the merge request, and makes the bead wait for it. Returns the request's id.
fn create_request(
    rig: &Rig,
    id: &str,
    mut receipt: Receipt,
    submission: &BranchSubmission,
) -> anyhow::Result<String> {
    let store = rig.store()?;
    let agent = match &rig.town().actor {
        address @ Address::Crew(..) => address.bead_id(&rig.prefix()),
        _ => String::new(),
    };
    rig.transact(&store, |tx| {
        let now = tx.now();
        let bead = tx.get(id).cloned();
        let mut bead = bead.with_context(|| format!("{id} was deleted in the meantime"))?;
        check_bead(tx, &bead)?;
        receipt.attempt = attempt::raise_attempt(&mut bead)?;
        receipt.resolves = merge_request::resolved_request(&bead);
        submit::set_summary(&mut bead, &submission.summary)?;
        if bead.assignee.is_empty() {
            bead.assignee.clone_from(&receipt.worker);
        }
        bead.updated_at = now.clone();
        let name = format!("{} {id} {}", receipt.branch, receipt.attempt);
        let request_id = submit::request_id(&rig.prefix(), &name);
        let by = tx.actor().to_owned();
        let mut request =
            receipt.build_request(&request_id, rig.name(), &bead, &agent, &now, &by)?;
        if let Some(priority) = submission.priority {
            request.priority = priority;
        }
        tx.put(request)?;
        submit::wait_for_request(tx, &mut bead, &request_id);
        tx.put(bead)?;
        Ok(request_id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_in_a_branch_name_ends_where_no_letter_continues_it() {
        for branch in [
            "web-1",
            "feature/web-1",
            "dana/web-1-fix",
            "web-1.txt",
            "x_web-1",
        ] {
            assert!(has_id(branch, "web-1"), "{branch}");
        }
        for branch in ["web-12", "myweb-1", "feature/web", "fix/web-1.2", ""] {
            assert!(!has_id(branch, "web-1"), "{branch}");
        }
    }
}
