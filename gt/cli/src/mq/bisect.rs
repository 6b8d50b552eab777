//! `gt mq bisect`.

use kit::ui::escape;

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::flow::work::mq::{self, BisectOutcome, FailingCommit};

/// Find the merge that broke the target, and reopen its bead
///
/// Runs the gates on the tip of the target, then the one that fails on earlier commits until it
/// passes. All commits after that one fail. The evidence is a comment on the bead. The target is
/// not changed. With `--json` an object with outcome: passes, found (commit, subject, author, good,
/// gate, log, request?, bead?), nothing_passes or gate_cannot_run.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
    /// A commit of the target that passes
    #[arg(long, value_name = "COMMIT")]
    good: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    let outcome = mq::bisect_target(&rig, args.good.as_deref())?;
    gt::host::daemon::wake_daemon(&town);
    build_report(outcome, |outcome, page| match outcome {
        BisectOutcome::Passes { target, commit } => {
            page.line(format!("✓ {target} at {commit:.12} passes all gates"));
        }
        BisectOutcome::Found(found) => write_found(found, page),
        BisectOutcome::NothingPasses {
            target,
            gate,
            oldest,
            log,
        } => {
            let gate = escape::escape_line(gate);
            page.line(format!(
                "✗ no commit of {target} back to {oldest:.12} passes the gate {gate}"
            ));
            page.line(format!("  Its output: {log}"));
        }
        BisectOutcome::GateCannotRun { reason, .. } => {
            page.line(format!("✗ {}", escape::escape_line(reason)));
        }
    })
}

fn write_found(found: &FailingCommit, page: &mut kit::ui::Page) {
    page.line(format!(
        "✗ {} fails the gate {} since {:.12}, \"{}\" by {}",
        found.target,
        escape::escape_line(&found.gate),
        found.commit,
        escape::escape_line(&found.subject),
        escape::escape_line(&found.author),
    ));
    match (&found.request, &found.bead) {
        (Some(request), Some(bead)) => {
            page.line(format!(
                "  It was merged by {request}. {bead} is open again."
            ));
        }
        (Some(request), None) => {
            page.line(format!("  It was merged by {request}, whose bead is gone."));
        }
        (None, _) => page.line("  No request of the merge queue merged it."),
    }
    page.line(format!("  The output of the gate: {}", found.log));
}
