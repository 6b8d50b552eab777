//! Creates a task for a request that does not merge. Any idle worker can take it, and it has the
//! necessary evidence. When the task's own result is merged, the request and its bead are closed
//! too.

use bd::bead::hash::compute_short_hash;
use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Dep, DepKind, Kind, Status, attempt};
use bd::change;
use bd::store::{BeadMark, BeadRef, Snapshot, Store, Tx};
use serde_json::json;

use super::gate::GateFailure;
use super::job::{MergeJob, MergeOutcome};
use crate::flow::convoy;
use crate::record;
use crate::record::merge_request::{self, source_bead_of};
use crate::record::merge_task::MERGE_LABEL as LABEL;
use crate::record::polecat;
use crate::town::Town;

/// The number of tasks per bead that go to a worker automatically.
const REPAIRS: usize = 2;

/// Creates the task for work that conflicts with its target.
pub(crate) fn create_conflict_task(
    job: &MergeJob,
    target: &str,
    files: &[String],
    detail: &str,
) -> anyhow::Result<MergeOutcome> {
    let evidence = format!(
        "The commits do not fit on `{}` at {target:.12}. Files in conflict:\n\n{}\n\nWhat git said:\n\n{}",
        job.receipt.target,
        format_files(files),
        fence_output(detail),
    );
    let task = create_task(job, target, "Resolve merge conflicts", &evidence)?;
    Ok(MergeOutcome::Conflict { task })
}

/// Creates the task for work that fails a gate.
pub(crate) fn create_gate_task(
    job: &MergeJob,
    target: &str,
    failure: &GateFailure,
) -> anyhow::Result<MergeOutcome> {
    let evidence = format!(
        "On `{}` at {target:.12} with the commits on top, the gate `{}` failed ({}).\n\nIt runs:\n\n{}\n\n\
         The end of its output (all of it is in {}):\n\n{}",
        job.receipt.target,
        failure.gate,
        failure.end,
        fence_output(&failure.command),
        failure.log.display(),
        fence_output(&failure.tail),
    );
    let title = format!("Fix gate {}", failure.gate);
    let task = create_task(job, target, &title, &evidence)?;
    job.rig.transact(job.store, |tx| {
        let request = job.request.clone();
        polecat::record_result(tx, &request, |entry, _| entry.gate_failures += 1)
    })?;
    Ok(MergeOutcome::GateFailed {
        gate: failure.gate.clone(),
        task,
    })
}

/// Creates the task, makes the request wait for it, counts the retry, and lets the convoys of the
/// original bead track it. The task's id is computed from request and target, so that a second run
/// creates no second task.
fn create_task(job: &MergeJob, target: &str, what: &str, evidence: &str) -> anyhow::Result<String> {
    let source = source_bead_of(&job.request);
    let prefix = job.rig.prefix();
    let about = format!("{}\0{target}\0{what}", job.request.id);
    let id = job.rig.transact(job.store, |tx| {
        let id = free_task_id(tx, &prefix, &about);
        let title = tx
            .get(&source)
            .map(|bead| bead.title.clone())
            .unwrap_or_default();
        if tx.get(&id).is_none() {
            let title = fit_to_title(&format!("{what}: {title}"));
            write_repair_task(tx, job, &id, &title, &source, evidence)?;
        }
        block_on_task(tx, job, target, &id)?;
        Ok(id)
    })?;
    track_in_convoys(job.rig.town(), &id, &source)?;
    Ok(id)
}

/// Returns the id of a task for a subject. A deleted task blocks nothing, so its id is not reused.
pub(crate) fn free_task_id(beads: &Snapshot, prefix: &str, about: &str) -> String {
    let mut further = String::new();
    loop {
        let id = format!(
            "{prefix}-fix-{}",
            compute_short_hash(format!("{about}{further}"), 3)
        );
        if beads.get(&id).is_none_or(|task| !task.is_tombstone()) {
            return id;
        }
        further.push('\0');
    }
}

/// Returns true if a task goes to a worker automatically: one of the first two of its bead, and no
/// worker had it before.
pub fn is_automatic_task(beads: &Snapshot, task: &Bead) -> bool {
    let is_open = task.has_label(LABEL) && task.status == Status::Open;
    if !is_open || !is_task_needed(beads, task) || attempt::read_attempt(task) > 0 {
        return false;
    }
    let root = original_bead_of(beads, task);
    let before = beads
        .select_marked(&[BeadMark::Label(LABEL)], |_| true)
        .filter(|other| other.id != task.id && attempt::read_attempt(other) > 0)
        .filter(|other| original_bead_of(beads, other) == root);
    root.is_none() || before.count() < REPAIRS
}

/// Returns true if the request of a task still waits for it.
fn is_task_needed(beads: &Snapshot, task: &Bead) -> bool {
    let request = merge_request::resolved_request(task).and_then(|id| beads.get(&id));
    request.is_none_or(Bead::is_open)
}

/// Returns the open tasks whose request was closed without a merge by hand, with or without its
/// bead.
pub(crate) fn find_unneeded_tasks(beads: &Snapshot) -> Vec<&Bead> {
    let open = beads.select_marked(&[BeadMark::Label(LABEL)], BeadRef::is_open);
    open.filter(|task| !is_task_needed(beads, task)).collect()
}

/// Returns the bead whose work a chain of tasks started from. None for the task of a target.
pub(crate) fn original_bead_of(beads: &Snapshot, task: &Bead) -> Option<String> {
    let mut seen = Vec::new();
    let mut request = merge_request::resolved_request(task);
    while let Some(found) = request.take().and_then(|id| beads.get(&id)) {
        let source = source_bead_of(found);
        let next = beads.get(&source).and_then(merge_request::resolved_request);
        if next.is_none() || seen.contains(&source) {
            return Some(source);
        }
        seen.push(source);
        request = next;
    }
    None
}

/// Lets the convoys of the original bead track the task.
fn track_in_convoys(town: &Town, task: &str, source: &str) -> anyhow::Result<()> {
    let convoys = town.open_town_store()?.snapshot()?;
    for id in record::convoy::convoys_tracking(&convoys, source) {
        let known = convoys.get(&id).is_some_and(|convoy| {
            record::convoy::tracked_ids(convoy).any(|tracked| tracked == task)
        });
        if !known {
            convoy::add_beads(town, &id, &[task.to_owned()])?;
        }
    }
    Ok(())
}

/// Lets convoys track every open task. Needed if a run was killed right after it created one.
pub(crate) fn track_all_tasks(town: &Town, store: &Store) -> anyhow::Result<()> {
    let beads = store.snapshot()?;
    for task in beads.select_marked(&[BeadMark::Label(LABEL)], BeadRef::is_open) {
        let request = merge_request::resolved_request(task).and_then(|id| beads.get(&id));
        if let Some(request) = request {
            track_in_convoys(town, &task.id, &source_bead_of(request))?;
        }
    }
    Ok(())
}

fn write_repair_task(
    tx: &mut Tx,
    job: &MergeJob,
    id: &str,
    title: &str,
    source: &str,
    evidence: &str,
) -> anyhow::Result<()> {
    let now = tx.now();
    let receipt = &job.receipt;
    let description = format!(
        "Original MR: {}\nBranch: {}\nConflict with: {}\nOriginal issue: {source}\n\n{evidence}\n\n\
         What to do: your branch starts from the present target. Bring the original work into it with\n\n{}\n\n\
         resolve what does not fit, make the gates pass, commit, and finish with `gt done`. A merge shows the queue that \
         the original work is in your result: when that is merged, {source} is closed with it.\n",
        job.request.id,
        receipt.branch,
        receipt.target,
        fence_output(&format!("git merge {}", receipt.tip)),
    );
    let metadata = json!({ "resolves": job.request.id, "base": receipt.base, "tip": receipt.tip });
    tx.put(Bead {
        id: id.to_owned(),
        title: title.to_owned(),
        description,
        priority: (job.request.priority - 1).max(0),
        issue_type: Kind::Task,
        labels: vec![LABEL.to_owned()],
        metadata: Some(serde_json::value::to_raw_value(&metadata)?),
        dependencies: vec![Dep {
            issue_id: id.to_owned(),
            depends_on_id: source.to_owned(),
            kind: DepKind::RelatesTo,
            created_at: now.clone(),
            created_by: tx.actor().to_owned(),
            ..Dep::default()
        }],
        created_at: now.clone(),
        updated_at: now,
        created_by: format!("{}/refinery", job.rig.name()),
        ..Bead::default()
    })?;
    Ok(())
}

/// Makes the request wait for the task.
fn block_on_task(tx: &mut Tx, job: &MergeJob, target: &str, task: &str) -> anyhow::Result<()> {
    use bd::bead::fields::{get_field, set_field};
    let now = tx.now();
    let Some(mut request) = tx.get(&job.request.id).cloned() else {
        return Ok(());
    };
    if request
        .edges(&DepKind::Blocks)
        .any(|edge| edge.depends_on_id == task)
    {
        return reopen_repair_task(tx, task);
    }
    let retries: u64 = get_field(&request.description, "retry_count")
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    request.description = set_field(
        &request.description,
        "retry_count",
        Some(&(retries + 1).to_string()),
    );
    request.description = set_field(&request.description, "last_conflict_sha", Some(target));
    request.description = set_field(&request.description, "conflict_task_id", Some(task));
    request.dependencies.push(Dep {
        issue_id: request.id.clone(),
        depends_on_id: task.to_owned(),
        kind: DepKind::Blocks,
        created_at: now.clone(),
        created_by: tx.actor().to_owned(),
        ..Dep::default()
    });
    request.updated_at = now;
    tx.put(request)?;
    Ok(())
}

/// Reopens a task that was closed without a solution.
pub(crate) fn reopen_repair_task(tx: &mut Tx, task: &str) -> anyhow::Result<()> {
    if let Some(mut bead) = tx
        .get(task)
        .filter(|bead| bead.status == Status::Closed)
        .cloned()
    {
        change::mark_open(&mut bead, Status::Open, &tx.now());
        bead.assignee = String::new();
        tx.put(bead)?;
    }
    Ok(())
}

/// Closes the open tasks of a withdrawn request. The next patrol releases a worker that has one.
pub(crate) fn cancel_tasks(tx: &mut Tx, request: &str) -> anyhow::Result<()> {
    let of_it = |bead: &Bead| merge_request::resolved_request(bead).as_deref() == Some(request);
    let open: Vec<Bead> = tx
        .select_marked(&[BeadMark::Label(LABEL)], BeadRef::is_open)
        .filter(|bead| of_it(bead))
        .cloned()
        .collect();
    let reason = format!("No longer needed: {request} is closed");
    open.into_iter()
        .try_for_each(|task| super::close::close_bead(tx, task, &reason))
}

/// Formats a command's output inside a fence that it cannot close.
pub(crate) fn fence_output(text: &str) -> String {
    let text = kit::ui::escape::escape_block(text);
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}\n{text}\n{fence}")
}

pub(crate) fn format_files(files: &[String]) -> String {
    let lines: Vec<String> = files
        .iter()
        .map(|file| format!("- {}", kit::ui::escape::escape_line(file)))
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fence_output("a"), "```\na\n```");
        assert!(fence_output("x ```` y").starts_with("`````\n"));
    }
}
