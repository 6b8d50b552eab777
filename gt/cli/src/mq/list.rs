//! `gt mq list`.

use kit::ui::escape;

use super::super::timeline::write_target_strip;
use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use crate::hint::{HintTopic, show_hint_once};
use gt::host::daemon::is_daemon_running;
use gt::town::Rig;
use gt::town::config;
use gt::town::queue_pause::QueuePause;
use gt::view::request::{self, RequestRow, RequestStanding};
use gt::view::target_strip::{TargetStrip, read_target_strips};

/// List the open merge requests, in merge order
///
/// Those of the named rig, of the rig around the working directory, or else of all rigs.
///
/// With `--json` an array of {id, rig, bead, title, branch, target, worker, status, score,
/// priority, created_at, waits_for, clashes_with, why?, next_steps, needs_person?, stopped_by?,
/// pull_request?, place?, estimate?{seconds, rounds, round_seconds, request_seconds},
/// times{waiting_seconds, gates[{gate, seconds, runs}], other_seconds}}. `status` is ready, merging,
/// stopped (nothing is merged in the rig) or blocked, and `why` is the reason.
/// `pull_request` {number, url, branch, state, detail?, because?, answered?} is what a request
/// waits for that lands by pull request. `clashes_with` are the other requests to the same target
/// that change the same files. `place` is the number among the ready ones, from 1, and `estimate`
/// the expected time until the merge.
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

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    show_hint_once(ctx, &town, HintTopic::Queue);
    let rigs = match args
        .rig
        .as_deref()
        .map(|name| town.find_rig(name))
        .transpose()?
        .or_else(|| rig::rig_of_caller(ctx, &town))
    {
        Some(rig) => vec![rig],
        None => town.list_rigs()?,
    };
    let mut rows: Vec<RequestRow> = Vec::new();
    let mut targets: Vec<TargetStrip> = Vec::new();
    for rig in &rigs {
        warn_about_stops(ctx, rig);
        if !ctx.ui.is_json() {
            // The list of requests is complete without the commits of a target.
            targets.extend(read_target_strips(rig).into_iter().flatten());
        }
        match request::read_requests(rig) {
            Ok(found) => rows.extend(found.into_iter().filter(|row| {
                let by_worker = args.worker.as_deref();
                (!args.ready || row.status != RequestStanding::Blocked)
                    && by_worker
                        .is_none_or(|name| row.worker.rsplit('/').next() == name.rsplit('/').next())
            })),
            Err(error) if rigs.len() > 1 => {
                let error = escape::escape_line(&format!("{error:#}"));
                ctx.ui.warn(&format!("rig {}: {error}", rig.name()));
            }
            Err(error) => return Err(error),
        }
    }
    let has_several = rigs.len() > 1;
    let is_daemon_up = is_daemon_running(&town.layout);
    build_report(rows, move |rows, page| {
        if rows.is_empty() {
            page.line("the merge queue is empty");
        } else if !is_daemon_up && rows.iter().any(|row| row.status == RequestStanding::Ready) {
            page.line("the daemon does not run: nothing is merged until it starts");
            page.line("  gt up");
        }
        let mut rig = "";
        for row in rows {
            if has_several && rig != row.rig {
                rig = &row.rig;
                page.line(page.style().bold(rig));
            }
            write_request_row(row, is_daemon_up, page);
        }
        for target in &targets {
            write_target_strip(target, page);
        }
    })
}

/// Warns about settings and pauses because of which nothing is merged in a rig.
fn warn_about_stops(ctx: &Context, rig: &Rig) {
    if let Err(error) = config::check_guards(rig) {
        let error = escape::escape_line(&format!("{:#}", anyhow::Error::from(error)));
        ctx.ui.warn(&format!(
            "nothing is started or merged in rig {}: {error}",
            rig.name()
        ));
    }
    if let Some(pause) = QueuePause::load(rig) {
        let what = pause.describe();
        let next = pause.next_step();
        ctx.ui.warn(&format!("{what} (`{next}`)"));
    }
}

/// Writes a request. Without the daemon, no one knows when the queue runs, so no time is named.
pub(super) fn write_request_row(row: &RequestRow, is_daemon_up: bool, page: &mut kit::ui::Page) {
    page.cut_line(format!(
        "{:<7} P{} {}  {} by {} into {}",
        row.status.name(),
        row.priority,
        row.id,
        row.bead,
        row.worker,
        row.target
    ));
    if let Some(estimate) = row.estimate.as_ref().filter(|_| is_daemon_up) {
        page.line(format!("        merge {}", estimate.describe()));
    }
    if let Some(times) = row.times.describe() {
        page.line(format!("        {times}"));
    }
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
