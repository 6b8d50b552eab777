//! Creates a task for a request that does not merge. Any idle worker can take it, and it has the
//! necessary evidence. When the task's own result is merged, the request and its bead are closed
//! too.

use bd::bead::hash::compute_short_hash;
use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Dep, DepKind, Kind, Status, attempt};
use bd::change;
use bd::store::{BeadMark, Snapshot, Store, Tx};
use kit::ui::escape::escape_line;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::block;
use super::gate::GateFailure;
use super::job::{MergeJob, MergeOutcome};
use super::own_work::{self, OwnWork};
use crate::flow::work::convoy;
use crate::record;
use crate::record::merge_request::{self, source_bead_of};
use crate::record::merge_task::{MERGE_LABEL as LABEL, REPAIR_KEY};
use crate::record::polecat;
use crate::town::Town;

/// The number of tasks per bead that go to a worker automatically.
const MAX_AUTOMATIC_REPAIRS: usize = 2;

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
    create_task(
        job,
        target,
        RepairCause {
            what: "Resolve merge conflicts of",
            against: "Conflict with",
        },
        &evidence,
        |task| MergeOutcome::Conflict { task },
    )
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
    let title = format!("Fix gate {} of", failure.gate);
    job.queue.rig.transact(job.queue.store, |tx| {
        let request = job.request.clone();
        polecat::record_result(tx, &request, |entry, _| entry.gate_failures += 1)
    })?;
    let cause = RepairCause {
        what: &title,
        against: "Gate failed on",
    };
    create_task(job, target, cause, &evidence, |task| {
        MergeOutcome::GateFailed {
            gate: failure.gate.clone(),
            task,
        }
    })
}

/// Creates the task for work whose pull request got reviews that request changes: the names of the
/// reviewers with their texts.
pub(super) fn create_review_task(
    job: &MergeJob,
    target: &str,
    url: &str,
    reviews: &[(String, String)],
) -> anyhow::Result<MergeOutcome> {
    let quoted: Vec<String> = reviews
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(author, text)| format!("{} wrote:\n\n{}", escape_line(author), fence_output(text)))
        .collect();
    let quoted = if quoted.is_empty() {
        "The review has no text.".to_owned()
    } else {
        quoted.join("\n\n")
    };
    let evidence =
        format!("The review of {url} requests changes. Its texts come from the forge.\n\n{quoted}");
    create_task(
        job,
        target,
        RepairCause {
            what: "Make the requested changes of",
            against: "Changes requested for",
        },
        &evidence,
        |task| MergeOutcome::ChangesRequested { task },
    )
}

/// The texts of a task about why a request does not merge.
#[derive(Clone, Copy)]
struct RepairCause<'a> {
    /// The begin of the title.
    what: &'a str,
    /// The words before the name of the target.
    against: &'a str,
}

/// Creates the task, makes the request wait for it, counts the retry, and lets the convoys of the
/// original bead track it. The task's id is computed from the request, so that a request has one
/// task. Work on a task gets no task of its own: the task is opened again. Work that cannot be
/// separated from commits that left the target waits for a user instead.
fn create_task(
    job: &MergeJob,
    target: &str,
    cause: RepairCause<'_>,
    evidence: &str,
    outcome: impl FnOnce(String) -> MergeOutcome,
) -> anyhow::Result<MergeOutcome> {
    let own_work = match own_work::find_own_work(job, target)? {
        OwnWork::Commit(commit) => commit,
        OwnWork::Inseparable(commits) => return block::block_for_returning_commits(job, &commits),
    };
    own_work::pass_on_own_work(job, &own_work)?;
    let is_void = is_made_void(job, target)?;
    let repair = RepairOrder {
        job,
        cause,
        evidence,
        own_work: &own_work,
        is_void,
    };
    let source = source_bead_of(&job.request);
    let prefix = job.queue.rig.prefix();
    let id = job.queue.rig.transact(job.queue.store, |tx| {
        if let Some(task) = tx
            .get(&source)
            .filter(|bead| bead.has_label(LABEL))
            .cloned()
        {
            open_task_again(tx, &repair, task)?;
            return Ok(source.clone());
        }
        let id = free_task_id(tx, &prefix, &job.request.id);
        match tx.get(&id).cloned() {
            None => write_repair_task(tx, &repair, &id, &source)?,
            Some(task) if !task.is_open() => open_task_again(tx, &repair, task)?,
            Some(_) => {}
        }
        block_on_task(tx, job, target, &id)?;
        Ok(id)
    })?;
    if id != source {
        track_in_convoys(job.queue.rig.town(), &id, &source)?;
    }
    Ok(outcome(id))
}

/// A repair that a worker is to make.
#[derive(Clone, Copy)]
struct RepairOrder<'a> {
    job: &'a MergeJob<'a>,
    cause: RepairCause<'a>,
    evidence: &'a str,
    /// The commit that the worker merges.
    own_work: &'a str,
    /// True if the last repair was right, and another one has changed the target since.
    is_void: bool,
}

/// Returns true if the repair of a request was made for a target that another repair has changed
/// since. The worker could not know that, so the repair does not count as an attempt.
fn is_made_void(job: &MergeJob, target: &str) -> anyhow::Result<bool> {
    let git = &job.queue.git;
    let base = &job.receipt.base;
    if base.is_empty() || git.resolve(base)?.is_none() {
        return Ok(false);
    }
    let beads = job.queue.store.snapshot()?;
    let submitted = job.request.created_at.instant();
    for request in merge_request::requests_closed_since(&beads, submitted) {
        let is_repair = merge_request::receipt_of(request).resolves.is_some();
        let Some(commit) = merge_request::commit_with_work(request).filter(|_| is_repair) else {
            continue;
        };
        if git.resolve(&commit)?.is_some()
            && git.is_ancestor(&commit, target)?
            && !git.is_ancestor(&commit, base)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the id of a task for a subject. A deleted task blocks nothing, and a merged one is a
/// finished work of its own, so their ids are not reused.
pub(crate) fn free_task_id(beads: &Snapshot, prefix: &str, about: &str) -> String {
    let mut further = String::new();
    loop {
        let id = format!(
            "{prefix}-fix-{}",
            compute_short_hash(format!("{about}{further}"), 3)
        );
        let is_usable = |task: &Bead| !task.is_tombstone() && !was_merged(beads, task);
        if beads.get(&id).is_none_or(is_usable) {
            return id;
        }
        further.push('\0');
    }
}

/// Returns true if the work of a task was merged.
fn was_merged(beads: &Snapshot, task: &Bead) -> bool {
    !task.is_open()
        && merge_request::requests_closed_since(beads, task.created_at.instant())
            .into_iter()
            .any(|request| {
                source_bead_of(request) == task.id
                    && merge_request::commit_with_work(request).is_some()
            })
}

/// Returns true if a task goes to a worker automatically: it is at one of the first two repairs of
/// its bead, and no worker has had it since the queue opened it.
pub fn is_automatic_task(beads: &Snapshot, task: &Bead) -> bool {
    let is_open = task.has_label(LABEL) && task.status == Status::Open;
    let repair = read_repair(task);
    if !is_open || !is_task_needed(beads, task) || attempt::read_attempt(task) > repair.opened_at {
        return false;
    }
    let root = original_bead_of(beads, task);
    let before = if root.is_some() {
        beads
            .select_marked(&[BeadMark::Label(LABEL)], |_| true)
            .filter(|other| other.id != task.id && attempt::read_attempt(other) > 0)
            .filter(|other| original_bead_of(beads, other) == root)
            .count()
    } else {
        0
    };
    before + repair.number <= MAX_AUTOMATIC_REPAIRS
}

/// The repair that a task is at.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Repair {
    /// The number of the repair, from 1.
    number: usize,
    /// The number of the attempt at the task when the queue opened the task.
    opened_at: u64,
}

fn read_repair(task: &Bead) -> Repair {
    let stored = task.metadata_object().remove(REPAIR_KEY);
    let first = Repair {
        number: 1,
        opened_at: 0,
    };
    stored
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or(first)
}

/// Opens a task again whose result does not merge either. Its worker gets the current evidence.
fn open_task_again(tx: &mut Tx, repair: &RepairOrder<'_>, mut task: Bead) -> anyhow::Result<()> {
    let number = read_repair(&task).number + usize::from(!repair.is_void);
    let opened_at = attempt::raise_attempt(&mut task)?;
    task.set_metadata(REPAIR_KEY, Repair { number, opened_at })?;
    change::mark_open(&mut task, Status::Open, &tx.now());
    task.assignee.clear();
    let original = original_bead_of(tx, &task).and_then(|id| tx.get(&id).cloned());
    match original {
        Some(bead) => {
            task.title = repair_title(repair.cause.what, &bead, number);
            task.description = describe_repair(repair, &bead.id);
        }
        // The task of a target.
        None => {
            let text = format!("\n\n## Repair {number}\n\n{}", describe_merge(repair));
            task.description.push_str(&text);
        }
    }
    tx.put(task)?;
    Ok(())
}

/// Returns the title of a task, which names the bead and the number of the repair.
fn repair_title(what: &str, bead: &Bead, number: usize) -> String {
    let number = match number {
        1 => String::new(),
        2..=MAX_AUTOMATIC_REPAIRS => format!(" (attempt {number} of {MAX_AUTOMATIC_REPAIRS})"),
        _ => format!(" (attempt {number}, to be assigned by the user)"),
    };
    fit_to_title(&format!("{what} {}{number}: {}", bead.id, bead.title))
}

/// Returns true if the request of a task still waits for it.
fn is_task_needed(beads: &Snapshot, task: &Bead) -> bool {
    let request = merge_request::resolved_request(task).and_then(|id| beads.get(&id));
    request.is_none_or(Bead::is_open)
}

/// Returns the open tasks whose request was closed without a merge by hand, with or without its
/// bead.
pub(crate) fn find_unneeded_tasks(beads: &Snapshot) -> Vec<&Bead> {
    let open = beads.select_open(&[BeadMark::Label(LABEL)]);
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
    for task in beads.select_open(&[BeadMark::Label(LABEL)]) {
        let request = merge_request::resolved_request(task).and_then(|id| beads.get(&id));
        if let Some(request) = request {
            track_in_convoys(town, &task.id, &source_bead_of(request))?;
        }
    }
    Ok(())
}

fn write_repair_task(
    tx: &mut Tx,
    repair: &RepairOrder<'_>,
    id: &str,
    source: &str,
) -> anyhow::Result<()> {
    let now = tx.now();
    let job = repair.job;
    let receipt = &job.receipt;
    let bead = tx.get(source).cloned().unwrap_or_else(|| Bead {
        id: source.to_owned(),
        ..Bead::default()
    });
    let metadata = json!({ "resolves": job.request.id, "base": receipt.base, "tip": receipt.tip });
    tx.put(Bead {
        id: id.to_owned(),
        title: repair_title(repair.cause.what, &bead, 1),
        description: describe_repair(repair, source),
        priority: job.request.priority,
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
        created_by: format!("{}/refinery", job.queue.rig.name()),
        ..Bead::default()
    })?;
    Ok(())
}

/// Describes a repair of a bead's work for its worker.
fn describe_repair(repair: &RepairOrder<'_>, source: &str) -> String {
    let job = repair.job;
    format!(
        "Original MR: {}\nBranch: {}\n{}: {}\nOriginal issue: {source}\n\n{} A merge shows the queue \
         that the original work is in your result: when that is merged, {source} is closed with it.\n",
        job.request.id,
        job.receipt.branch,
        repair.cause.against,
        job.receipt.target,
        describe_merge(repair),
    )
}

/// Shows the evidence, and how the work of the request is brought to the current target.
fn describe_merge(repair: &RepairOrder<'_>) -> String {
    format!(
        "{}\n\nWhat to do: your branch starts from the present target. Bring the original work into it \
         with\n\n{}\n\nresolve what does not fit, make the gates pass, commit, and finish with `gt done`.",
        repair.evidence,
        fence_output(&format!("git merge {}", repair.own_work)),
    )
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
        .unwrap_or(0);
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
    let open: Vec<Bead> = tx
        .select_open(&[BeadMark::Label(LABEL)])
        .filter(|bead| merge_request::resolved_request(bead).as_deref() == Some(request))
        .cloned()
        .collect();
    let reason = format!("No longer needed: {request} is closed");
    open.into_iter()
        .try_for_each(|task| super::close::close_bead(tx, task, &reason))
}

/// Formats a command's output inside a fence that it cannot close.
pub(crate) fn fence_output(text: &str) -> String {
    let text = kit::ui::escape::escape_block(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
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
    use crate::testing::TestTown;

    #[test]
    fn a_merged_task_is_not_used_again_for_its_request() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let store = rig.store().unwrap();
        let put = |bead: Bead| {
            rig.transact(&store, |tx| {
                let now = tx.now();
                Ok(tx.put(Bead {
                    created_at: now.clone(),
                    closed_at: (bead.status == Status::Closed).then_some(now),
                    ..bead
                })?)
            })
            .unwrap();
        };
        let next_id = || free_task_id(&store.snapshot().unwrap(), "web", "web-mr-1");
        let first = next_id();
        put(Bead {
            id: first.clone(),
            title: "Fix gate check of web-1".to_owned(),
            status: Status::Closed,
            ..Bead::default()
        });
        assert_eq!(next_id(), first, "closed without a merge");
        put(Bead {
            id: "web-mr-2".to_owned(),
            title: format!("Merge: {first}"),
            description: format!("source_issue: {first}\nmerge_commit: abc"),
            status: Status::Closed,
            issue_type: Kind::MergeRequest,
            ..Bead::default()
        });
        assert_ne!(next_id(), first);
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fence_output("a"), "```\na\n```");
        assert!(fence_output("x ```` y").starts_with("`````\n"));
    }
}
