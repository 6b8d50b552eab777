//! `gt mq lost`.

use super::super::{CommandResult, build_report_with_exit, rig};
use crate::context::Context;
use gt::flow::work::mq::{self, RestoreOutcome, RestoredMerge};
use gt::town::target_loss::TargetLoss;
use kit::ui::escape::escape_line;

/// List merged work that a target has lost, or bring it back
///
/// A target that is moved back (a forced push) or deleted may lose commits that beads were closed
/// for. Commits that a worker pushed to a target past the merge queue are listed, too (`pushed`). The
/// targets are fetched first. `--restore` gives their requests to the merge queue again, which merges the commits of
/// their workers and no others, or creates a deleted branch again. `--accept` leaves the target
/// unchanged. Exits 1 if work cannot come back. With `--json` {rig, losses[]: {target, old_tip,
/// new_tip?, noticed_at, merges[]: {request, bead, commit}, pushed[]?: {commit, worker, subject}},
/// restored[]: {request, bead, commit, target, outcome, reason?}}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
    /// Bring the work back
    #[arg(long, conflicts_with = "accept")]
    restore: bool,
    /// Accept that the work is not on its target
    #[arg(long)]
    accept: bool,
}

#[derive(serde::Serialize)]
struct LostReport {
    rig: String,
    /// The losses that were open when the command began.
    losses: Vec<TargetLoss>,
    restored: Vec<RestoredMerge>,
    accepted: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    if !args.restore && !args.accept {
        // A town without work fetches nothing by itself.
        if let Some(reason) = mq::look_for_losses(&rig)? {
            let text = format!("the targets are as they were fetched last: {reason}");
            ctx.ui.warn(&escape_line(&text));
        }
    }
    let losses = mq::list_losses(&rig)?;
    let restored = if args.restore {
        mq::restore_losses(&rig)?
    } else {
        Vec::new()
    };
    if args.accept {
        mq::accept_losses(&rig)?;
    }
    if args.restore || args.accept {
        gt::host::daemon::wake_daemon(&town);
    }
    let report = LostReport {
        rig: rig.name().to_owned(),
        losses,
        restored,
        accepted: args.accept,
    };
    let is_skipped =
        |merge: &RestoredMerge| matches!(merge.outcome, RestoreOutcome::Skipped { .. });
    let exit = u8::from(report.restored.iter().any(is_skipped));
    build_report_with_exit(exit, report, move |report: &LostReport, page| {
        if report.losses.is_empty() {
            page.line(format!(
                "no target of rig {} has lost merged work",
                report.rig
            ));
        }
        if report.accepted {
            for loss in &report.losses {
                page.line(format!("✓ accepted: {}", loss.describe()));
            }
            return;
        }
        for merge in &report.restored {
            let bead = &merge.merge.bead;
            let request = &merge.merge.request;
            page.line(match &merge.outcome {
                RestoreOutcome::BranchRestored => {
                    format!("✓ {bead}: {} exists again", escape_line(&merge.target))
                }
                RestoreOutcome::Requeued => format!("✓ {bead}: {request} is in the queue again"),
                RestoreOutcome::OnTarget => {
                    format!("✓ {bead} is on {} again", escape_line(&merge.target))
                }
                RestoreOutcome::WithRepair => format!("✓ {bead} comes back with its repair"),
                RestoreOutcome::Skipped { reason } => {
                    format!("✗ {bead} does not come back: {reason}")
                }
            });
        }
        if exit != 0 {
            page.line("to accept that it is not on its target:");
            page.line(format!("  gt mq lost {} --accept", report.rig));
        }
        if report.restored.is_empty() {
            for loss in &report.losses {
                page.line(escape_line(&loss.describe()));
                for command in loss.next_steps(&report.rig) {
                    page.line(format!("  → {command}"));
                }
            }
        }
    })
}
