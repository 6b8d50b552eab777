//! `gt mq run`.

use kit::ui::escape;

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::flow::work::landing;
use gt::flow::work::mq::{self, MergeOutcome};
use gt::town::identity::Address;

/// Run a rig's merge queue now, and land complete convoys
///
/// The daemon does this automatically. Without a daemon this command merges the work.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut town = ctx.open_town()?;
    let name = rig::resolve_rig(ctx, &town, args.rig.as_deref())?
        .name()
        .to_owned();
    town.actor = Address::Refinery(name.clone());
    let rig = town.rig(&name);
    let merged = mq::run_queue(&rig)?;
    let landed = landing::land_ready_convoys(&town)?;
    for landed in &landed {
        ctx.ui.status(&format!(
            "🚚 {} landed: {}",
            landed.id,
            escape::escape_line(&landed.title)
        ));
    }
    build_report(merged, |merged, page| {
        if merged.is_empty() {
            page.line("nothing is ready in the merge queue");
        }
        for merge in merged {
            let (mark, text) = match &merge.outcome {
                MergeOutcome::Merged { commit } => ("✓", format!("merged in {commit:.12}")),
                MergeOutcome::AlreadyThere { commit, brought_by } => {
                    let by = brought_by
                        .as_ref()
                        .map_or(String::new(), |bead| format!(" by {bead}"));
                    (
                        "=",
                        format!("nothing to merge: its change is there since {commit:.12}{by}"),
                    )
                }
                MergeOutcome::Kept { reference } => (
                    "✓",
                    format!("only discovery documents, kept on {reference}"),
                ),
                MergeOutcome::Conflict { task } => ("✗", format!("does not fit: task {task}")),
                MergeOutcome::GateFailed { gate, task } => (
                    "✗",
                    format!("gate {} failed: task {task}", escape::escape_line(gate)),
                ),
                MergeOutcome::TargetBroken { gate, task } => (
                    "…",
                    format!(
                        "its target fails gate {} without it: task {task}",
                        escape::escape_line(gate)
                    ),
                ),
                MergeOutcome::GateCannotRun { reason, .. } => {
                    ("…", format!("waits: {}", escape::escape_line(reason)))
                }
                MergeOutcome::PullRequest { url, .. } => (
                    "…",
                    format!("waits for the pull request {}", escape::escape_line(url)),
                ),
                MergeOutcome::ChangesRequested { task } => {
                    ("✗", format!("its review requests changes: task {task}"))
                }
                MergeOutcome::NeedsPerson { reason } => {
                    ("✗", format!("blocked: {}", escape::escape_line(reason)))
                }
                MergeOutcome::Withdrawn { reason } => {
                    ("✗", format!("withdrawn: {}", escape::escape_line(reason)))
                }
                MergeOutcome::Rejected { reason } => ("✗", escape::escape_line(reason)),
                MergeOutcome::Later { reason } | MergeOutcome::TargetStillBroken { reason } => {
                    ("…", format!("later: {}", escape::escape_line(reason)))
                }
            };
            page.line(format!("{mark} {} ({}) {text}", merge.request, merge.bead));
        }
    })
}
