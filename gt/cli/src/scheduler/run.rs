//! `gt scheduler run`.

use super::{CommandResult, Context, build_report_with_exit};
use gt::patrol::{self, ActionReport};
use kit::ui::escape;
use serde::Serialize;

/// Give queued beads to workers now, without the daemon
///
/// Starts as many as rig and town have room for. With `--json` an array of {bead, rig, outcome,
/// failed}; with `--dry-run` without outcome. The exit code is 1 if a start failed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Start at most so many
    #[arg(long, value_name = "COUNT")]
    batch: Option<usize>,
    /// Only show the beads that would go to a worker
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(Serialize)]
struct StartedBead {
    bead: String,
    rig: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    failed: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let chosen = patrol::choose_queued_slings(&town)?;
    let limit = args.batch.unwrap_or(usize::MAX);
    let mut started = Vec::new();
    for decision in chosen.into_iter().take(limit) {
        let patrol::Action::SlingQueued { rig, bead } = &decision.action else {
            continue;
        };
        let bead = bead.to_string();
        let rig = rig.to_string();
        let report: Option<ActionReport> = (!args.dry_run).then(|| patrol::act(&town, decision));
        let failed = report.as_ref().is_some_and(|report| report.failed);
        let outcome = report.map(|report| report.outcome);
        started.push(StartedBead {
            bead,
            rig,
            outcome,
            failed,
        });
    }
    let exit = u8::from(started.iter().any(|one| one.failed));
    build_report_with_exit(exit, started, |started, page| {
        if started.is_empty() {
            page.line("no queued bead can go to a worker now");
            page.line("  → gt scheduler status");
        }
        for one in started {
            match &one.outcome {
                None => page.line(format!("→ {} to {}", one.bead, one.rig)),
                Some(outcome) => page.line(escape::escape_line(outcome)),
            }
        }
    })
}
