//! `gt mq list`.

use bd::bead::{Bead, Status};
use kit::ui::escape;
use serde::Serialize;

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use crate::hint::{HintTopic, show_hint_once};
use gt::flow::mq::{RequestOrder, find_clashes};
use gt::record::merge_request;
use gt::record::pull_request::PullRequest;
use gt::town::Rig;
use gt::town::config::{self, RigSettings};
use gt::town::queue_pause::QueuePause;

/// List the open merge requests of a rig, in merge order
///
/// With `--json` an array of {id, bead, branch, target, worker, status, score, priority,
/// created_at, waits_for, clashes_with, needs_person?, stopped_by?, pull_request?}. `status` is ready
/// or blocked. `pull_request` {number, url, branch, state, detail?, because?, answered?} is what a
/// request waits for that lands by pull request.
/// `clashes_with` are the other requests to the same target that change the same files.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
    /// Only requests that are ready
    #[arg(long)]
    ready: bool,
    /// Only requests of this worker
    #[arg(long, value_name = "NAME")]
    worker: Option<String>,
}

#[derive(Serialize)]
pub(super) struct RequestRow {
    pub(super) id: String,
    bead: String,
    branch: String,
    target: String,
    worker: String,
    pub(super) status: &'static str,
    score: f64,
    priority: i64,
    created_at: String,
    waits_for: Vec<String>,
    pub(super) clashes_with: Vec<String>,
    /// The tasks in `waits_for` that no worker has.
    #[serde(skip)]
    free_tasks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_person: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pull_request: Option<PullRequest>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    show_hint_once(ctx, &town, HintTopic::Queue);
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    match config::check_merge_queue(&rig) {
        Ok(unused) => {
            // Known keys without effect are reported by `gt doctor`.
            for unknown in unused.iter().filter(|unused| unused.is_wrong()) {
                ctx.ui.warn(&escape::escape_line(&unknown.to_string()));
            }
        }
        Err(error) => {
            let error = escape::escape_line(&error.to_string());
            ctx.ui
                .warn(&format!("nothing is merged in this rig: {error}"));
        }
    }
    if let Some(pause) = QueuePause::load(&rig) {
        let (what, next) = (pause.describe(), pause.next_step());
        ctx.ui.warn(&format!("{what} (`{next}`)"));
    }
    let is_wanted = |row: &RequestRow| {
        let by_worker = args.worker.as_deref();
        (!args.ready || row.status == "ready")
            && by_worker.is_none_or(|name| row.worker.rsplit('/').next() == name.rsplit('/').next())
    };
    let rows: Vec<RequestRow> = read_rows(&rig)?.into_iter().filter(is_wanted).collect();
    let rig = rig.name().to_owned();
    build_report(rows, move |rows, page| {
        if rows.is_empty() {
            page.line("the merge queue is empty");
        }
        for row in rows {
            write_request_row(row, &rig, page);
        }
    })
}

/// Reads the open requests of a rig, in merge order.
pub(super) fn read_rows(rig: &Rig) -> anyhow::Result<Vec<RequestRow>> {
    let beads = rig.store()?.snapshot()?;
    let order = RequestOrder::read(rig, &RigSettings::load(rig)?)?;
    let clashes = find_clashes(&beads);
    let mut rows: Vec<RequestRow> = merge_request::open_requests(&beads)
        .into_iter()
        .map(|request| {
            let receipt = merge_request::receipt_of(request);
            let blockers = bd::graph::find_blockers(&beads, &request.id);
            let mut waits_for: Vec<String> = blockers.into_iter().map(str::to_owned).collect();
            let is = |id: &String, wanted: fn(&Bead) -> bool| beads.get(id).is_some_and(wanted);
            let broken = merge_request::target_task_of(request);
            waits_for.extend(broken.filter(|task| is(task, Bead::is_open)));
            let is_free = |id: &&String| is(id, |bead| bead.status == Status::Open);
            let free_tasks = waits_for.iter().filter(is_free).cloned().collect();
            let needs_person = merge_request::reason_for_user(request);
            let pull_request = merge_request::awaited_pull_request(request);
            let is_ready = needs_person.is_none() && waits_for.is_empty() && pull_request.is_none();
            let status = if is_ready { "ready" } else { "blocked" };
            RequestRow {
                id: request.id.clone(),
                bead: merge_request::source_bead_of(request),
                branch: receipt.branch,
                target: receipt.target,
                worker: receipt.worker,
                status,
                score: order.score(request),
                priority: request.priority,
                created_at: request.created_at.to_string(),
                waits_for,
                clashes_with: clashes.get(&request.id).cloned().unwrap_or_default(),
                free_tasks,
                needs_person,
                stopped_by: merge_request::stopping_hook(request),
                pull_request,
            }
        })
        .collect();
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    for row in &mut rows {
        row.score = (row.score * 10.0).round() / 10.0;
    }
    Ok(rows)
}

pub(super) fn write_request_row(row: &RequestRow, rig: &str, page: &mut kit::ui::Page) {
    page.cut_line(format!(
        "{:<7} P{} {}  {} by {} into {}",
        row.status, row.priority, row.id, row.bead, row.worker, row.target
    ));
    if let Some(pull_request) = &row.pull_request {
        page.line(format!(
            "        waits for the pull request {}",
            escape::escape_line(&pull_request.to_string())
        ));
    }
    if !row.waits_for.is_empty() {
        page.cut_line(format!("        waits for {}", row.waits_for.join(", ")));
        for task in &row.free_tasks {
            page.line(format!("        → gt sling {task} {rig}"));
        }
    }
    if !row.clashes_with.is_empty() {
        let others = row.clashes_with.join(", ");
        page.cut_line(format!(
            "        clashes with {others}: they change the same files"
        ));
    }
    if let Some(hook) = &row.stopped_by {
        page.line(format!(
            "        {} stopped it; to let it by: gt mq waive {} --reason WHY",
            escape::escape_line(hook),
            row.id
        ));
    }
    if let Some(reason) = &row.needs_person {
        page.line(format!(
            "        needs a person: {}",
            escape::escape_line(reason)
        ));
        page.line(format!("        when mended: gt mq retry {}", row.id));
    }
}
