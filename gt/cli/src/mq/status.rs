//! `gt mq status`.

use std::path::PathBuf;

use bd::bead::{DepKind, fields};
use kit::ui::{Page, escape};
use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::mq;
use gt::host::daemon::is_daemon_running;
use gt::record::merge_request;
use gt::record::pull_request::PullRequest;
use gt::town::{Town, event};
use gt::view::request::{self, MergeEstimate};
use gt::view::request_times::RequestTimes;

/// Show one merge request
///
/// With `--json` {id, title, status, priority, type, created_at, updated_at, closed_at?, branch,
/// target, source_issue, worker, rig, commits[], merge_commit?, close_reason?, why?, next_steps[],
/// needs_person?, pull_request?, depends_on[], files[], place?, estimate?{seconds, rounds,
/// round_seconds, request_seconds}, times{waiting_seconds, gates[{gate, seconds, runs}],
/// other_seconds}, clashes_with[], gate_logs[], gate_output?[], diff?}. `why` is the reason why it is not merged
/// now. `place` is the request's number among the ready ones, from 1. `estimate` is the expected
/// time until the merge, if no request before it fails. `gate_logs` are the outputs of its failed
/// gates, `gate_output` the last lines of the newest one of an open request. `pull_request` {number, url, branch, state, detail?, because?, answered?}; its state is
/// opened, checks, checks_failed, review, changes_requested, draft, outdated, changed, approved,
/// merging, merge_refused, merged or closed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The merge request
    request: String,
    /// Also show the submitted changes
    #[arg(long)]
    diff: bool,
}

#[derive(Serialize)]
pub(crate) struct RequestStatus {
    id: String,
    title: String,
    status: String,
    priority: i64,
    #[serde(rename = "type")]
    kind: String,
    created_at: String,
    updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_at: Option<String>,
    branch: String,
    target: String,
    #[serde(rename = "source_issue")]
    pub(crate) bead: String,
    worker: String,
    rig: String,
    commits: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge_commit: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    close_reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    next_steps: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_person: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pull_request: Option<PullRequest>,
    depends_on: Vec<String>,
    files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<MergeEstimate>,
    #[serde(skip)]
    is_daemon_up: bool,
    times: RequestTimes,
    clashes_with: Vec<String>,
    gate_logs: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gate_output: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) diff: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    build_report(read_status(&town, &args.request, args.diff)?, write_status)
}

/// Reads a request, and its submitted changes with `has_diff`.
pub(crate) fn read_status(
    town: &Town,
    request: &str,
    has_diff: bool,
) -> anyhow::Result<RequestStatus> {
    let (found, rig) = super::find_request(town, &[request.to_owned()])?;
    let request = &found.bead;
    let receipt = merge_request::receipt_of(request);
    let merge_commit = fields::get_field(&request.description, "merge_commit");
    let rows = request::read_requests(&rig)?;
    let events = event::read_events_about(&town.layout, &request.id)?;
    let row = rows.iter().find(|row| row.id == request.id);
    let diff = has_diff.then(|| mq::read_submitted_diff(&rig, &receipt));
    Ok(RequestStatus {
        id: request.id.clone(),
        title: request.title.clone(),
        status: request.status.to_string(),
        priority: request.priority,
        kind: request.issue_type.to_string(),
        created_at: request.created_at.to_string(),
        updated_at: request.updated_at.to_string(),
        closed_at: request.closed_at.as_ref().map(ToString::to_string),
        branch: receipt.branch,
        target: receipt.target,
        bead: merge_request::source_bead_of(request),
        worker: receipt.worker,
        rig: rig.name().to_owned(),
        commits: receipt.commits,
        merge_commit,
        close_reason: request.close_reason.clone(),
        why: row.and_then(|row| row.why.clone()),
        next_steps: row.map_or_else(Vec::new, |row| row.next_steps.clone()),
        needs_person: merge_request::reason_for_user(request),
        pull_request: merge_request::pull_request_of(request),
        depends_on: request
            .edges(&DepKind::Blocks)
            .map(|edge| edge.depends_on_id.clone())
            .collect(),
        files: receipt.files,
        place: row.and_then(|row| row.place),
        estimate: row.and_then(|row| row.estimate),
        is_daemon_up: is_daemon_running(&town.layout),
        times: RequestTimes::from_events(request, &events, town.clock.now()),
        clashes_with: row.map_or_else(Vec::new, |row| row.clashes_with.clone()),
        gate_logs: mq::list_gate_logs(&rig, &request.id),
        gate_output: if request.is_open() {
            mq::read_last_gate_output(&rig, &request.id)
        } else {
            Vec::new()
        },
        diff: diff.transpose()?,
    })
}

pub(crate) fn write_status(request: &RequestStatus, page: &mut Page) {
    page.line(format!(
        "{} [{}] {} by {}",
        request.id, request.status, request.bead, request.worker
    ));
    page.line(format!(
        "  branch:  {} into {}",
        request.branch, request.target
    ));
    page.line(format!("  commits: {}", request.commits.len()));
    let files = escape::escape_line(&request.files.join(", "));
    page.cut_line(format!("  files:   {files}"));
    if let Some(place) = request.place {
        page.line(format!("  place:   {place} of the ready requests"));
    }
    match &request.estimate {
        Some(estimate) if request.is_daemon_up => {
            page.line(format!("  merge:   {}", estimate.describe()));
        }
        Some(_) => page.line("  merge:   the daemon does not run (gt up)"),
        None => {}
    }
    if let Some(times) = request.times.describe() {
        page.line(format!("  time:    {times}"));
    }
    if !request.clashes_with.is_empty() {
        let others = request.clashes_with.join(", ");
        page.cut_line(format!(
            "  clashes with {others}: they change the same files"
        ));
    }
    for log in &request.gate_logs {
        page.line(format!("  log:     {}", log.display()));
    }
    for line in &request.gate_output {
        page.cut_line(format!("    | {line}"));
    }
    if let Some(commit) = &request.merge_commit {
        page.line(format!("  merged:  {commit:.12}"));
    }
    if !request.close_reason.is_empty() {
        let reason = escape::escape_line(&request.close_reason);
        page.line(format!("  closed:  {reason}"));
    }
    if let Some(why) = &request.why {
        page.line(format!("  {why}"));
    }
    if let Some(pull_request) = &request.pull_request {
        let shown = escape::escape_line(&pull_request.to_string());
        page.line(format!("  pull request: {shown}"));
        if !pull_request.because.is_empty() {
            let because = escape::escape_line(&pull_request.because);
            page.line(format!("  by pull request, because {because}"));
        }
    }
    for command in &request.next_steps {
        page.line(format!("  → {command}"));
    }
    page.line(format!("  → gt why {}", request.id));
    for line in request.diff.iter().flat_map(|diff| diff.lines()) {
        page.line(escape::escape_line(line));
    }
}
