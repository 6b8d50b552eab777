//! `gt mq list`.

use kit::ui::escape;
use serde::Serialize;

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use crate::hint::{HintTopic, show_hint_once};
use gt::flow::mq::{self, RequestOrder, find_clashes};
use gt::record::merge_request;
use gt::record::pull_request::PullRequest;
use gt::record::request_wait::RequestWait;
use gt::town::Rig;
use gt::town::config::{self, RigSettings};
use gt::town::queue_pause::QueuePause;

/// List the open merge requests, in merge order
///
/// Those of the named rig, of the rig around the working directory, or else of all rigs.
///
/// With `--json` an array of {id, rig, bead, branch, target, worker, status, score, priority,
/// created_at, waits_for, clashes_with, why?, next_steps, needs_person?, stopped_by?,
/// pull_request?}. `status` is ready or blocked, and `why` is the reason. `pull_request` {number, url, branch, state, detail?, because?, answered?} is what a
/// request waits for that lands by pull request.
/// `clashes_with` are the other requests to the same target that change the same files.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig
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
    rig: String,
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
    /// The reason why the queue does not merge it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    /// The commands that advance it.
    pub(super) next_steps: Vec<String>,
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
    let named = args.rig.as_deref().map(|name| town.find_rig(name));
    let rigs = match named
        .transpose()?
        .or_else(|| rig::rig_of_caller(ctx, &town))
    {
        Some(rig) => vec![rig],
        None => town.list_rigs()?,
    };
    let is_wanted = |row: &RequestRow| {
        let by_worker = args.worker.as_deref();
        (!args.ready || row.status == "ready")
            && by_worker.is_none_or(|name| row.worker.rsplit('/').next() == name.rsplit('/').next())
    };
    let mut rows: Vec<RequestRow> = Vec::new();
    for rig in &rigs {
        warn_about_stops(ctx, rig);
        match read_rows(rig) {
            Ok(found) => rows.extend(found.into_iter().filter(is_wanted)),
            Err(error) if rigs.len() > 1 => {
                let error = escape::escape_line(&format!("{error:#}"));
                ctx.ui.warn(&format!("rig {}: {error}", rig.name()));
            }
            Err(error) => return Err(error),
        }
    }
    let has_several = rigs.len() > 1;
    build_report(rows, move |rows, page| {
        if rows.is_empty() {
            page.line("the merge queue is empty");
        }
        let mut rig = "";
        for row in rows {
            if has_several && rig != row.rig {
                rig = &row.rig;
                page.line(page.style().bold(rig));
            }
            write_request_row(row, page);
        }
    })
}

/// Warns about settings and pauses because of which nothing is merged in a rig.
fn warn_about_stops(ctx: &Context, rig: &Rig) {
    match config::check_merge_queue(rig) {
        Ok(unused) => {
            // Known keys without effect are reported by `gt doctor`.
            for unknown in unused.iter().filter(|unused| unused.is_wrong()) {
                ctx.ui.warn(&escape::escape_line(&unknown.to_string()));
            }
        }
        Err(error) => {
            let error = escape::escape_line(&error.to_string());
            ctx.ui
                .warn(&format!("nothing is merged in rig {}: {error}", rig.name()));
        }
    }
    if let Some(pause) = QueuePause::load(rig) {
        let (what, next) = (pause.describe(), pause.next_step());
        ctx.ui.warn(&format!("{what} (`{next}`)"));
    }
}

/// Reads the open requests of a rig, in merge order.
pub(super) fn read_rows(rig: &Rig) -> anyhow::Result<Vec<RequestRow>> {
    let beads = rig.store()?.snapshot()?;
    let order = RequestOrder::read(rig, &RigSettings::load(rig)?)?;
    let now = rig.town().clock.now();
    let clashes = find_clashes(&beads);
    let mut rows: Vec<RequestRow> = merge_request::open_requests(&beads)
        .into_iter()
        .map(|request| {
            let receipt = merge_request::receipt_of(request);
            let blockers = bd::graph::find_blockers(&beads, &request.id);
            let mut waits_for: Vec<String> = blockers.into_iter().map(str::to_owned).collect();
            let wait = RequestWait::find(&beads, request);
            if let Some(RequestWait::Target { task, .. }) = &wait {
                waits_for.push(task.clone());
            }
            let stale = mq::stale_reason(&beads, request);
            let (status, why, next_steps) = match (stale, wait) {
                (Some(reason), _) => {
                    let why = format!(
                        "it may not merge any more: {}",
                        escape::escape_line(&reason)
                    );
                    ("blocked", Some(why), Vec::new())
                }
                (None, None) => ("ready", None, Vec::new()),
                (None, Some(wait)) => {
                    let status = if wait.is_retried() {
                        "ready"
                    } else {
                        "blocked"
                    };
                    let why = wait.describe(&beads, now);
                    (
                        status,
                        Some(why),
                        wait.next_steps(&beads, &request.id, rig.name()),
                    )
                }
            };
            RequestRow {
                id: request.id.clone(),
                rig: rig.name().to_owned(),
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
                why,
                next_steps,
                needs_person: merge_request::reason_for_user(request),
                stopped_by: merge_request::stopping_hook(request),
                pull_request: merge_request::awaited_pull_request(request),
            }
        })
        .collect();
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    for row in &mut rows {
        row.score = (row.score * 10.0).round() / 10.0;
    }
    Ok(rows)
}

pub(super) fn write_request_row(row: &RequestRow, page: &mut kit::ui::Page) {
    page.cut_line(format!(
        "{:<7} P{} {}  {} by {} into {}",
        row.status, row.priority, row.id, row.bead, row.worker, row.target
    ));
    if let Some(why) = &row.why {
        page.line(format!("        {why}"));
    }
    for command in &row.next_steps {
        page.line(format!("        → {command}"));
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
}
