//! Reverts merged work, `gt mq revert`:
//!
//! 1. Find the merged request of the bead, and fetch its target.
//! 2. Compute the target's tree without the change of the merge.
//! 3. In one transaction: create a bead for the revert, and open the reverted bead again. The
//!    reverted bead waits for the new one, so that no one begins with it before the revert is
//!    merged.
//! 4. Put the revert on a branch and submit it for the new bead, as `gt mq submit` does. The gates
//!    and all other checks of the queue apply.
//!
//! If later work changed the same lines, the new bead is left for a worker.

use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Dep, DepKind, Kind, Status, attempt};
use bd::change;
use bd::git::TreeMerge;
use bd::store::{Snapshot, Store, Tx};
use kit::ui::escape;
use serde::Serialize;
use serde_json::json;
use serde_json::value::to_raw_value;

use super::done::{self, BranchSubmission};
use super::mq::job::MergeQueue;
use super::mq::land::revert_branch;
use super::mq::task::free_task_id;
use crate::record::merge_request::{
    commit_with_work, find_open_request, is_merge_request, merge_commit_of, receipt_of,
    request_state, requests_closed_since, source_bead_of,
};
use crate::town::Rig;
use crate::town::config::{RigSettings, target_branch_of};
use crate::town::identity::Address;

/// A revert of merged work.
#[derive(Debug, Clone, Serialize)]
pub struct RevertedWork {
    /// The reverted bead, which is open again.
    pub bead: String,
    pub rig: String,
    /// The merged commit.
    pub commit: String,
    pub target: String,
    /// The bead of the revert.
    pub revert: String,
    /// The merge request of the revert. None if later work changed the same lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The files that a worker must merge by hand.
    pub conflicts: Vec<String>,
}

/// Defines why work is not reverted.
#[derive(Debug, thiserror::Error)]
pub enum RevertError {
    #[error("{worker} is a worker: only the user, the mayor or crew can revert merged work")]
    Worker { worker: String },
    #[error("{bead} has no merged request in this store: nothing to revert")]
    NotMerged { bead: String },
    #[error("{bead} is in the queue as {request}: `gt mq reject {request}` takes it out")]
    InQueue { bead: String, request: String },
    #[error("{target} does not have the merge {commit:.12} of {bead} any more: nothing to revert")]
    NotOnTarget {
        bead: String,
        commit: String,
        target: String,
    },
    #[error("{revert} reverts {bead} already: `gt why {revert}` explains its state")]
    Begun { bead: String, revert: String },
    /// The revert would be submitted to another branch, with all that the branch has.
    #[error(
        "{bead} was merged into {target}, and a revert would be merged into {other}: revert it by hand on \
         {target}"
    )]
    OtherTarget {
        bead: String,
        target: String,
        other: String,
    },
    /// Another change brought the work.
    #[error(
        "{commit:.12} had the change of {bead} before its merge: revert the work of that commit"
    )]
    BroughtByOther { bead: String, commit: String },
    /// The merged commit is not the one that the queue made.
    #[error(
        "{bead} was merged as {commit:.12}, which the queue did not make, so the first commit of the change is \
         not known: `bd create \"Revert {bead}\"` makes a task for a worker"
    )]
    UnknownRange { bead: String, commit: String },
    #[error("{bead} is itself a revert: open the bead that it reverted, and sling it again")]
    IsRevert { bead: String },
    #[error("the change of {bead} ({commit:.12}) is not on {target} any more: nothing to revert")]
    AlreadyReverted {
        bead: String,
        commit: String,
        target: String,
    },
}

/// The merge to revert.
struct Merge<'s> {
    bead: &'s Bead,
    commit: String,
    /// The commit before the merge.
    parent: String,
    target: String,
}

/// Reverts the last merge of a bead. The reason may be empty.
pub fn revert_merged_work(rig: &Rig, id: &str, reason: &str) -> anyhow::Result<RevertedWork> {
    if let worker @ Address::Polecat(..) = &rig.town().actor {
        let worker = worker.to_string();
        return Err(RevertError::Worker { worker }.into());
    }
    let store = rig.store()?;
    let settings = RigSettings::load(rig)?;
    let queue = MergeQueue::open(rig, &store, &settings)?;
    let beads = store.snapshot()?;
    let merge = find_merge(&beads, id)?;
    let Merge {
        bead,
        commit,
        parent,
        target,
    } = &merge;
    let not_on_target = || RevertError::NotOnTarget {
        bead: bead.id.clone(),
        commit: commit.clone(),
        target: target.clone(),
    };
    let tip = queue.fetch_target(target)?.ok_or_else(not_on_target)?;
    anyhow::ensure!(queue.git.is_ancestor(commit, &tip)?, not_on_target());
    let (tree, conflicts) = match queue.git.apply_change(commit, parent, &tip)? {
        TreeMerge::Clean(tree) if tree == queue.git.tree_of(&tip)? => {
            return Err(RevertError::AlreadyReverted {
                bead: bead.id.clone(),
                commit: commit.clone(),
                target: target.clone(),
            }
            .into());
        }
        TreeMerge::Clean(tree) => (Some(tree), Vec::new()),
        TreeMerge::Conflict { files, .. } => (None, files),
    };
    // The bead of the revert is in no convoy.
    let other = target_branch_of(rig)?;
    if other != *target {
        return Err(RevertError::OtherTarget {
            bead: bead.id.clone(),
            target: target.clone(),
            other,
        }
        .into());
    }
    let revert = match find_unfinished(&beads, &bead.id, commit) {
        Some(revert) => revert,
        None => write_beads(rig, &store, &merge, reason)?,
    };
    let mut reverted = RevertedWork {
        bead: bead.id.clone(),
        rig: rig.name().to_owned(),
        commit: commit.clone(),
        target: target.clone(),
        revert,
        request: None,
        conflicts,
    };
    if let Some(tree) = tree {
        reverted.request = Some(submit_revert(
            &queue,
            &merge,
            &reverted.revert,
            &tip,
            &tree,
        )?);
    }
    Ok(reverted)
}

/// The metadata key of a revert's bead: the reverted commit.
const REVERT_KEY: &str = "reverts";

/// The revert of a bead's merged work.
pub struct RevertOfMerge<'s> {
    /// The bead of the revert.
    pub revert: &'s Bead,
    /// The merged commit.
    pub commit: String,
}

/// Returns the last revert of a bead's merged work.
pub fn find_last_revert<'s>(beads: &'s Snapshot, bead: &Bead) -> Option<RevertOfMerge<'s>> {
    bead.edges(&DepKind::Blocks)
        .filter_map(|edge| beads.get(&edge.depends_on_id))
        .filter_map(|revert| {
            let commit = revert.metadata_value(REVERT_KEY)?;
            Some(RevertOfMerge { revert, commit })
        })
        .max_by_key(|found| found.revert.created_at.instant())
}

/// Returns the open bead of a revert of this merge.
fn find_begun(beads: &Snapshot, id: &str, commit: &str) -> Option<String> {
    let bead = beads.get(id)?;
    bead.edges(&DepKind::Blocks)
        .filter_map(|edge| beads.get(&edge.depends_on_id))
        .find(|revert| {
            let reverts: Option<String> = revert.metadata_value(REVERT_KEY);
            revert.is_open() && reverts.as_deref() == Some(commit)
        })
        .map(|revert| revert.id.clone())
}

/// Returns the bead of a revert that was not submitted, because an earlier try ended before.
fn find_unfinished(beads: &Snapshot, id: &str, commit: &str) -> Option<String> {
    let revert = beads.get(&find_begun(beads, id, commit)?)?;
    is_unfinished(beads, revert).then(|| revert.id.clone())
}

/// Returns true if no one has the revert and no request holds it.
fn is_unfinished(beads: &Snapshot, revert: &Bead) -> bool {
    revert.status == Status::Open
        && revert.assignee.is_empty()
        && find_open_request(beads, &revert.id).is_none()
}

/// Finds the last merged request of a bead, which may also be named by the request.
fn find_merge<'s>(beads: &'s Snapshot, id: &str) -> anyhow::Result<Merge<'s>> {
    let named = beads.resolve(id)?;
    let id = if is_merge_request(named) {
        source_bead_of(named)
    } else {
        named.id.clone()
    };
    if let Some(open) = find_open_request(beads, &id) {
        let request = open.id.clone();
        return Err(RevertError::InQueue { bead: id, request }.into());
    }
    let request = requests_closed_since(beads, jiff::Timestamp::MIN)
        .into_iter()
        .filter(|request| source_bead_of(request) == id && commit_with_work(request).is_some())
        .max_by_key(|request| request.closed_at.as_ref().map(bd::bead::Stamp::instant));
    let found = request.and_then(|request| Some((request, commit_with_work(request)?)));
    let (Some((request, commit)), Some(bead)) = (found, beads.get(&id)) else {
        return Err(RevertError::NotMerged { bead: id }.into());
    };
    if bead.metadata_value::<String>(REVERT_KEY).is_some() {
        return Err(RevertError::IsRevert { bead: id }.into());
    }
    if merge_commit_of(request).as_deref() != Some(&commit) {
        return Err(RevertError::BroughtByOther { bead: id, commit }.into());
    }
    let state = request_state(request);
    // Commits that a forge or someone else made may be the last of several.
    if state.candidate != commit || state.onto.is_empty() {
        return Err(RevertError::UnknownRange { bead: id, commit }.into());
    }
    if let Some(revert) = find_begun(beads, &id, &commit)
        && !beads
            .get(&revert)
            .is_some_and(|revert| is_unfinished(beads, revert))
    {
        return Err(RevertError::Begun { bead: id, revert }.into());
    }
    Ok(Merge {
        bead,
        commit,
        parent: state.onto,
        target: receipt_of(request).target,
    })
}

/// Creates the bead of the revert, and opens the reverted bead, which waits for it. Returns the new
/// bead's id.
fn write_beads(rig: &Rig, store: &Store, merge: &Merge, reason: &str) -> anyhow::Result<String> {
    let Merge {
        bead,
        commit,
        parent,
        target,
    } = merge;
    let id = &bead.id;
    let reason = match reason.trim().trim_end_matches('.') {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    rig.transact(store, |tx| {
        let now = tx.now();
        let actor = tx.actor().to_owned();
        // Another process may have begun the same.
        if let Some(revert) = find_begun(tx, id, commit) {
            let bead = id.clone();
            return Err(RevertError::Begun { bead, revert }.into());
        }
        let mut about = format!("revert\0{id}\0{commit}");
        let mut revert = free_task_id(tx, &rig.prefix(), &about);
        while tx.get(&revert).is_some() {
            about.push('\0');
            revert = free_task_id(tx, &rig.prefix(), &about);
        }
        tx.put(Bead {
            id: revert.clone(),
            title: fit_to_title(&format!("Revert {id}: {}", bead.title)),
            metadata: Some(to_raw_value(&json!({ REVERT_KEY: commit }))?),
            description: format!(
                "{actor} reverts the work of {id}{reason}.\n\n`{target}` has it as {commit:.12}. Undo the change \
                 from {parent:.12} to {commit:.12}, and keep what was merged later.\n"
            ),
            priority: bead.priority,
            issue_type: Kind::Task,
            created_at: now.clone(),
            updated_at: now,
            created_by: actor.clone(),
            ..Bead::default()
        })?;
        open_reverted_bead(tx, id, &revert)?;
        let text = format!("The merge {commit:.12} is reverted by {revert}{reason}");
        change::add_comment(tx, id, &actor, &text)?;
        Ok(revert)
    })
}

fn open_reverted_bead(tx: &mut Tx, id: &str, revert: &str) -> anyhow::Result<()> {
    let Some(mut bead) = tx.get(id).cloned() else {
        return Ok(());
    };
    if !bead.is_open() {
        attempt::raise_attempt(&mut bead)?;
        bead.assignee.clear();
        tx.put(bead)?;
        bead = change::reopen_bead(tx, id, Some("reverted"))?;
    }
    bead.dependencies.push(Dep {
        issue_id: id.to_owned(),
        depends_on_id: revert.to_owned(),
        kind: DepKind::Blocks,
        created_at: tx.now(),
        created_by: tx.actor().to_owned(),
        ..Dep::default()
    });
    tx.put(bead)?;
    Ok(())
}

/// Submits the revert to the queue. Returns the request's id.
fn submit_revert(
    queue: &MergeQueue,
    merge: &Merge,
    revert: &str,
    tip: &str,
    tree: &str,
) -> anyhow::Result<String> {
    let rig = queue.rig;
    let git = &queue.git;
    let Merge { bead, commit, .. } = merge;
    let title = escape::escape_line(&bead.title);
    let message = format!(
        "Revert \"{title}\" ({})\n\nThis reverts commit {commit}.\n",
        bead.id
    );
    let made = git.commit_tree(tree, &[tip], &message, &queue.identity())?;
    let branch = revert_branch(revert);
    // An earlier try may have left its branch.
    let branch_ref = format!("refs/heads/{branch}");
    let earlier = git.resolve(&branch_ref)?;
    git.update_ref(&branch_ref, &made, earlier.as_deref())?;
    let submission = BranchSubmission {
        branch: Some(branch.clone()),
        bead: Some(revert.to_owned()),
        priority: None,
        summary: format!("Reverts the work of {}", bead.id),
    };
    let submitted = done::submit_branch(rig, &rig.repo(), &submission)?;
    // With a remote, the branch is there.
    if queue.has_remote {
        git.delete_ref(&format!("refs/heads/{branch}"), &made)?;
    }
    Ok(submitted.request)
}
