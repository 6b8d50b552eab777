//! `gt mq submit`.

use kit::ui::counted;

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::flow::work::done::{self, BranchSubmission};
use gt::town::{Rig, Town};

/// Submit your branch to the merge queue (crew and users)
///
/// Pushes the branch, and lets the queue check and merge it for a bead: that of `--issue`, or the
/// one whose id is part of the branch's name, such as `fix/web-k3f2`. The bead is closed when the
/// branch is merged. Polecats use `gt done`. With `--json` {request, bead, rig, branch, target,
/// tip, commits}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The branch (default: the checked-out one)
    #[arg(long)]
    branch: Option<String>,
    /// The bead of the work
    #[arg(long, visible_alias = "bead", value_name = "BEAD")]
    issue: Option<String>,
    /// The rig (default: the one around the working directory)
    #[arg(long)]
    rig: Option<String>,
    /// The priority of the request, 0 to 4 (default: the bead's)
    #[arg(short, long, value_parser = clap::value_parser!(i64).range(0..=4))]
    priority: Option<i64>,
    /// Summarise the result for later workers
    #[arg(short, long, default_value = "", hide_default_value = true)]
    summary: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    let submission = BranchSubmission {
        branch: args.branch,
        bead: args.issue,
        priority: args.priority,
        summary: args.summary,
    };
    submit_branch(ctx, &town, &rig, &submission)
}

/// Submits a branch of the clone around the working directory.
pub(crate) fn submit_branch(
    ctx: &Context,
    town: &Town,
    rig: &Rig,
    submission: &BranchSubmission,
) -> CommandResult {
    let submitted = done::submit_branch(rig, ctx.env.cwd(), submission)?;
    gt::host::daemon::wake_daemon(town);
    build_report(submitted, |submitted, page| {
        page.line(format!(
            "✓ {} handed in: {} of {} into {}, merge request {}",
            submitted.bead,
            counted(submitted.commits, "commit"),
            submitted.branch,
            submitted.target,
            submitted.request
        ));
        page.line(format!("  → gt mq status {}", submitted.request));
    })
}
