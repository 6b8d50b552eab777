//! `gt mq retry`.

use super::super::{CommandResult, build_report};
use super::PerRequest;
use crate::context::Context;
use gt::flow::work::mq;
use gt::record::request_wait::RequestWait;

/// Retry merge requests that are blocked or keep failing
///
/// One that waits for a task merges when the task is closed. Others that wait for the same gate or
/// target are tried again with it. A retry ends the pause after a failed run of the queue. With
/// `--json` {request, was?, why?, next_steps[], with_it?[]}; of several requests, an array.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The merge requests; the rig before them is not needed
    #[arg(required = true, value_name = "REQUEST")]
    words: Vec<String>,
}

#[derive(serde::Serialize)]
struct RetryRequestReport {
    request: String,
    was: Option<String>,
    /// The reason why the queue does not merge it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    next_steps: Vec<String>,
    /// The requests that wait for the same gate or target, which the queue tries again, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    with_it: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mut retried = Vec::new();
    for (request, rig) in super::find_requests(&town, &args.words)? {
        let id = request.bead.id;
        let with_it = mq::find_shared_waits(&request.store.snapshot()?, &id);
        let was = mq::retry_request(&rig, &request.store, &id)?;
        let beads = request.store.snapshot()?;
        let wait = beads
            .get(&id)
            .and_then(|request| RequestWait::find(&beads, request));
        let mut next_steps = wait
            .as_ref()
            .map_or_else(Vec::new, |wait| wait.next_steps(&beads, &id, rig.name()));
        next_steps.extend(
            wait.iter()
                .flat_map(RequestWait::awaited_beads)
                .map(|task| format!("bd close {task} --reason \"Not needed\"")),
        );
        retried.push(RetryRequestReport {
            why: wait.map(|wait| wait.describe(&beads, town.clock.now())),
            request: id,
            was,
            with_it,
            next_steps,
        });
    }
    gt::host::daemon::wake_daemon(&town);
    build_report(PerRequest::new(retried), |report, page| {
        for retried in report.all() {
            let id = &retried.request;
            match (&retried.was, &retried.why) {
                (_, Some(why)) => page.line(format!("{id} is not ready: {why}")),
                (Some(_), None) => page.line(format!("✓ {id} is in the queue again")),
                (None, None) => page.line(format!("{id} is ready to merge already")),
            }
            if !retried.with_it.is_empty() {
                let others = retried.with_it.join(", ");
                page.line(format!("  The same cause stops {others}: tried again, too"));
            }
            for command in &retried.next_steps {
                page.line(format!("  → {command}"));
            }
        }
    })
}
