//! Creates a task for the blocker of a landing, with the evidence and the next steps. The convoy
//! tracks the task, and closing it retries the landing.

use anyhow::Context;
use bd::bead::hash::compute_short_hash;
use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Kind};
use bd::change;
use bd::store::Tx;
use serde_json::{Value, json};

use crate::flow::place::rig::check_remote;
use crate::flow::work::convoy::{self, ConvoyError, integration};
use crate::flow::work::mq::gate::GateFailure;
use crate::flow::work::mq::task::{fence_output, format_files, reopen_repair_task};
use crate::record;
use crate::record::merge_task::{self, LANDING_LABEL as LABEL};
use crate::town::{Rig, RigLayout};

/// The blocker of a landing.
pub(super) enum LandingBlocker {
    /// The branch conflicts with its target.
    Conflict {
        onto: String,
        files: Vec<String>,
        detail: String,
    },
    /// A gate fails on the candidate.
    Gate { onto: String, failure: GateFailure },
    /// The remote refuses the push.
    Declined { candidate: String, message: String },
    /// Discovery documents would reach the target.
    Documents(String),
    /// Merged work is no longer on the convoy's branch.
    WorkReverted { bead: String, commit: String },
    /// Landed work is no longer on the target.
    LandingReverted { candidate: String },
}

/// Creates the task, or reopens the one that exists for the same blocker. Returns a short reason
/// and the task's id.
pub(super) fn create_blocker_task(
    rig: &Rig,
    convoy: &str,
    blocker: &LandingBlocker,
) -> anyhow::Result<(String, String)> {
    let convoys = rig.town().open_town_store()?.snapshot()?;
    let bead = convoys.get(convoy).ok_or_else(|| ConvoyError::Unknown {
        id: convoy.to_owned(),
    })?;
    let branch = integration::read_integration(bead)
        .and_then(|mut integration| integration.rigs.remove(rig.name()))
        .with_context(|| format!("{convoy} has no branch in {}", rig.name()))?;
    let remote = check_remote(rig)?;
    let (reason, evidence) = describe_blocker(rig, convoy, &branch, blocker, remote);
    let key = match blocker {
        LandingBlocker::Conflict { onto, .. } | LandingBlocker::Gate { onto, .. } => onto.as_str(),
        LandingBlocker::Declined { .. } => "push",
        LandingBlocker::Documents(_) => "door",
        LandingBlocker::WorkReverted { commit, .. } => commit.as_str(),
        LandingBlocker::LandingReverted { candidate } => candidate.as_str(),
    };
    let number = record::convoy::count_landings(bead);
    let about = format!("{convoy}\0{number}\0{key}\0{}", branch.branch);
    let prefix = rig.prefix();
    let title = fit_to_title(&format!("Let {} land: {reason}", bead.title));
    let store = rig.store()?;
    let id = rig.transact(&store, |tx| {
        let id = task_id_for(tx, convoy, &prefix, &about);
        if tx.get(&id).is_some() {
            reopen_landing_task(tx, &id, &title, &evidence)?;
        } else {
            write_task(tx, &id, &title, evidence.clone(), rig, convoy)?;
        }
        Ok(id)
    })?;
    convoy::add_beads(rig.town(), convoy, std::slice::from_ref(&id))?;
    Ok((reason, id))
}

/// Returns the id of the task for a blocker: the id of the earlier task, unless that was deleted.
fn task_id_for(tx: &Tx, convoy: &str, prefix: &str, about: &str) -> String {
    let mut number = 0;
    loop {
        let suffix = match number {
            0 => String::new(),
            number => format!("\0{number}"),
        };
        let id = format!(
            "{prefix}-land-{}",
            compute_short_hash(format!("{about}{suffix}"), 3)
        );
        if tx.get(&id).is_none_or(|bead| {
            !bead.is_tombstone() && merge_task::is_landing_task(bead) && is_task_of(bead, convoy)
        }) {
            return id;
        }
        number += 1;
    }
}

/// Returns true if a task belongs to this convoy's landing.
fn is_task_of(task: &Bead, convoy: &str) -> bool {
    let landing = task.metadata_object().remove("landing");
    landing.as_ref().and_then(Value::as_str) == Some(convoy)
}

/// Reopens an existing task with the current evidence. The old text may name a commit that must not
/// be pushed any more.
fn reopen_landing_task(
    tx: &mut Tx,
    id: &str,
    title: &str,
    description: &str,
) -> anyhow::Result<()> {
    reopen_repair_task(tx, id)?;
    let Some(mut task) = tx.get(id).cloned() else {
        return Ok(());
    };
    if task.title != title || task.description != description {
        title.clone_into(&mut task.title);
        description.clone_into(&mut task.description);
        task.updated_at = tx.now();
        tx.put(task)?;
    }
    Ok(())
}

fn write_task(
    tx: &mut Tx,
    id: &str,
    title: &str,
    description: String,
    rig: &Rig,
    convoy: &str,
) -> anyhow::Result<()> {
    let now = tx.now();
    tx.put(Bead {
        id: id.to_owned(),
        title: title.to_owned(),
        description,
        priority: 1,
        issue_type: Kind::Task,
        labels: vec![LABEL.to_owned()],
        metadata: Some(serde_json::value::to_raw_value(
            &json!({ "landing": convoy }),
        )?),
        created_at: now.clone(),
        updated_at: now,
        created_by: format!("{}/refinery", rig.name()),
        ..Bead::default()
    })?;
    Ok(())
}

/// Returns a short reason, and the full description for the worker of the task.
fn describe_blocker(
    rig: &RigLayout,
    convoy: &str,
    branch: &integration::ConvoyBranch,
    blocker: &LandingBlocker,
    remote: bool,
) -> (String, String) {
    let from = &branch.branch;
    let to = &branch.target;
    let repo_path = rig.repo();
    let repo = repo_path.display();
    let origin = if remote { "origin/" } else { "" };
    let merge_target = format!(
        "What to do: your branch starts from `{from}` and is merged back to it. Bring the target in with\n\n{}\n\n\
         make it fit and the gates pass, commit, and finish with `gt done`. Nothing below `.gt/` may reach `{to}`: the \
         landing takes it out. Remove it first (`git rm -r .gt`) if you bring this work there in another way.",
        fence_output(&format!("git merge {origin}{to}"))
    );
    let (reason, evidence) = match blocker {
        LandingBlocker::Conflict { .. } => (
            format!("{from} does not fit {to}"),
            format!("{}\n\n{merge_target}", describe_evidence(branch, blocker)),
        ),
        LandingBlocker::Gate { failure, .. } => (
            format!("gate {} fails on {to}", failure.gate),
            format!("{}\n\n{merge_target}", describe_evidence(branch, blocker)),
        ),
        LandingBlocker::Declined { candidate, message } => (
            format!("the push to {to} was declined"),
            format!(
                "The push of {candidate:.12} to `{to}` was declined:\n\n{}\n\n\
                 What to do: let it be taken (a protection rule, a hook, a right that is missing), or bring that commit to \
                 `{to}` in the way that is allowed there. It is in {repo} and can be pushed with\n\n{}",
                fence_output(message),
                fence_output(&format!(
                    "git -C {repo} push origin {candidate}:refs/heads/{to}"
                )),
            ),
        ),
        LandingBlocker::Documents(refusal) => (
            format!("discovery documents would reach {to}"),
            format!(
                "{refusal}\n\nWhat to do: look how they came into the prepared commit, and take them out of `{from}`."
            ),
        ),
        LandingBlocker::WorkReverted { bead, commit } => (
            format!("{commit:.12} is not on {from} any more"),
            format!(
                "The work of {bead} was merged to `{from}` as {commit:.12}, and is not on it any more: someone deleted the \
                 branch or took it back.\n\nWhat to do: bring the commit back (it may still be in {repo}), or reopen {bead}.",
            ),
        ),
        LandingBlocker::LandingReverted { candidate } => (
            format!("{candidate:.12} is not on {to} any more"),
            format!(
                "The work had landed on `{to}` as {candidate:.12}, and is not on it any more: someone reset the branch or \
                 pushed over it.\n\nWhat to do: ask who moved `{to}`. If the work belongs there, bring that commit back (it \
                 is in {repo}; a `git cherry-pick` counts, too). The other rigs of {convoy} wait for it.",
            ),
        ),
    };
    let retry = format!(
        "Once this bead is closed the landing is retried automatically; `gt convoy land {convoy}` does it at once."
    );
    (reason, format!("{evidence}\n\n{retry}\n"))
}

/// Describes the evidence of a conflict or a failed gate.
fn describe_evidence(branch: &integration::ConvoyBranch, blocker: &LandingBlocker) -> String {
    let from = &branch.branch;
    let to = &branch.target;
    match blocker {
        LandingBlocker::Conflict {
            onto,
            files,
            detail,
        } => format!(
            "`{from}` does not fit on `{to}` at {onto:.12}. Files in conflict:\n\n{}\n\nWhat git said:\n\n{}",
            format_files(files),
            fence_output(detail),
        ),
        LandingBlocker::Gate { onto, failure } => format!(
            "With all of `{from}` as one commit on `{to}` at {onto:.12}, the gate `{}` failed ({}).\n\nIt runs:\n\n{}\n\n\
             The end of its output (all of it is in {}):\n\n{}",
            failure.gate,
            failure.end,
            fence_output(&failure.command),
            failure.log.display(),
            fence_output(&failure.tail),
        ),
        _ => String::new(),
    }
}

/// Closes the tasks of a convoy's landing in a rig after it has landed.
pub(super) fn close_landing_tasks(rig: &Rig, convoy: &str) -> anyhow::Result<()> {
    let store = rig.store()?;
    let open: Vec<String> = store
        .snapshot()?
        .select(|bead| bead.is_open() && bead.has_label(LABEL))
        .filter(|bead| is_task_of(bead, convoy))
        .map(|bead| bead.id.clone())
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    rig.transact(&store, |tx| {
        for id in &open {
            let Some(mut bead) = tx.get(id).filter(|bead| bead.is_open()).cloned() else {
                continue;
            };
            let reason = format!("{convoy} has landed in {}", rig.name());
            change::mark_closed(&mut bead, &reason, &tx.now());
            tx.put(bead)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;
    use bd::bead::Status;

    #[test]
    fn a_task_records_the_last_state_and_deleted_or_foreign_tasks_are_ignored() {
        let place = TestTown::new();
        let town = &place.town;
        let store = town.open_town_store().unwrap();
        let task = |id: &str, landing: &str, status: Status| Bead {
            id: id.to_owned(),
            title: "Old".to_owned(),
            description: "push c1".to_owned(),
            status,
            labels: vec![LABEL.to_owned()],
            metadata: serde_json::value::to_raw_value(&json!({ "landing": landing })).ok(),
            ..Bead::default()
        };
        let pick = || {
            let pick = |tx: &mut Tx| Ok(task_id_for(tx, "hq-cv-a", "hq", "x"));
            town.transact(&store, pick).unwrap()
        };
        let put = |bead: &Bead| {
            town.transact(&store, |tx| Ok(tx.put(bead.clone())?))
                .unwrap();
        };
        let first = pick();
        put(&task(&first, "hq-cv-b", Status::Open));
        let second = pick();
        assert_ne!(first, second, "it is another convoy's");
        put(&task(&second, "hq-cv-a", Status::Open));
        assert_eq!(pick(), second);
        let reopened = |tx: &mut Tx| reopen_landing_task(tx, &second, "New", "push c2");
        town.transact(&store, reopened).unwrap();
        let seen = store.snapshot().unwrap().get(&second).cloned().unwrap();
        assert_eq!((&*seen.title, &*seen.description), ("New", "push c2"));
        let deleted = |tx: &mut Tx| {
            let now = Some(tx.now());
            Ok(tx.put(Bead {
                status: Status::Tombstone,
                deleted_at: now,
                ..seen.clone()
            })?)
        };
        town.transact(&store, deleted).unwrap();
        assert_ne!(pick(), second, "someone deleted it");
    }
}
