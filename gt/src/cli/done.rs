//! `gt done`.

use super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::done::{self, Report};

/// Finish the work on your hook (polecats).
///
/// Checks that the work is committed on its branch, pushes it, reads the remote tip back, files the merge request
/// with its receipt, stores the summary, squashes the molecule into a digest, clears the hook and ends the session. If
/// a step fails, `gt done` names it; run
/// `gt done` again to continue at that step.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Summarise the result for the next worker
    #[arg(short, long, default_value = "")]
    summary: String,
    /// Finish without a change to merge, for this reason
    #[arg(long, value_name = "REASON")]
    no_change: Option<String>,
    /// Hand in although steps of the molecule are open
    #[arg(long)]
    close_steps: bool,
    /// Keep the session running
    #[arg(long)]
    stay: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    if let Some(reason) = &args.no_change {
        anyhow::ensure!(!reason.trim().is_empty(), "--no-change needs a reason");
    }
    let report = Report {
        summary: args.summary,
        no_change: args.no_change,
        close_steps: args.close_steps,
    };
    let worker = done::identify(&town)?;
    let finished = done::done(&town, &worker, &report)?;
    crate::host::daemon::wake(&town);
    if !args.stay {
        // Said before the session ends, which takes this process with it.
        ctx.ui.status(&format!(
            "{} is handed in; this session ends",
            finished.bead
        ));
        done::end_session(&town, &worker)?;
    }
    drop(worker);
    answer(finished, |done, page| match &done.request {
        Some(request) => {
            let plural = if done.commits == 1 { "" } else { "s" };
            page.line(format!(
                "✓ {} handed in: {} commit{plural}, merge request {request}",
                done.bead, done.commits
            ));
        }
        None => page.line(format!("✓ {} closed without a change", done.bead)),
    })
}
