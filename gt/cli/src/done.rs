//! `gt done`.

use super::{CommandResult, build_report};
use crate::context::Context;
use crate::mq::submit_branch;
use gt::flow::work::done::{self, BranchSubmission, DoneReport, WorkReport};
use gt::record::polecat::GivingUp;
use gt::town::identity::Address;
use kit::ui::{Page, escape};

/// The number of ignored files in the report.
const SHOWN_FILES: usize = 5;

/// Finish the work on your hook
///
/// For a crew member, this is `gt mq submit` of the checked-out branch, and only `--summary` counts. For
/// a polecat:
///
/// Checks that the work is committed on its branch, pushes it, reads the remote tip back, files the
/// merge request with its receipt, stores the summary, squashes the molecule into a digest, clears
/// the hook and ends the session. If a step fails, `gt done` names it; run `gt done` again to
/// continue at that step.
///
/// With `--failed` nothing is merged: commits and files are kept on a rescue ref, the attempt is
/// recorded as failed with what was tried, and the next worker of the bead reads it. The bead stays
/// open unless `--close` is given.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Summarise the result for the next worker
    #[arg(short, long, default_value = "")]
    summary: String,
    /// Finish without a change to merge, for this reason
    #[arg(long, value_name = "REASON")]
    no_change: Option<String>,
    /// Record the specification of the work, a file in the sandbox
    #[arg(long, value_name = "SPEC")]
    spec: Option<String>,
    /// Give up: record what was tried and why it fails
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["no_change", "close_steps"])]
    failed: Option<String>,
    /// Also close the bead as failed
    #[arg(long, requires = "failed")]
    close: bool,
    /// Hand in although steps of the molecule are open
    #[arg(long)]
    close_steps: bool,
    /// Keep the session running
    #[arg(long)]
    stay: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    if let Address::Crew(rig, _) = &town.actor {
        let submission = BranchSubmission {
            summary: args.summary,
            ..BranchSubmission::default()
        };
        return submit_branch(ctx, &town, &town.find_rig(rig)?, &submission);
    }
    if let Some(reason) = &args.no_change {
        anyhow::ensure!(!reason.trim().is_empty(), "--no-change needs a reason");
    }
    if let Some(why) = &args.failed {
        anyhow::ensure!(
            !why.trim().is_empty(),
            "--failed needs what was tried and why it fails"
        );
    }
    let close = args.close;
    let report = WorkReport {
        summary: args.summary,
        no_change: args.no_change,
        spec: args.spec,
        gave_up: args.failed.map(|why| GivingUp { why, close }),
        close_steps: args.close_steps,
    };
    let worker = done::identify_worker(&town)?;
    let finished = done::finish_work(&worker, &report)?;
    gt::host::daemon::wake_daemon(&town);
    if !args.stay {
        // Printed before the session ends, because this process ends with it.
        let what = if finished.failed.is_some() {
            "given up"
        } else {
            "handed in"
        };
        ctx.ui
            .status(&format!("{} is {what}; this session ends", finished.bead));
        done::end_session(&town, &worker)?;
    }
    drop(worker);
    build_report(finished, |done, page| {
        write_outcome(done, page);
        for kept in &done.kept_commits {
            page.line(format!(
                "  commits that were on no branch are kept on {kept} (gt rescue show {kept})"
            ));
        }
        if let Some(question) = &done.open_question {
            let id = &question.escalation;
            let title = escape::escape_line(&question.title);
            page.line(format!(
                "  {id} \"{title}\" is not answered yet: what you handed in goes on without the answer"
            ));
        }
        let ignored = &done.ignored_files;
        if !ignored.is_empty() {
            let (shown, rest) = ignored.split_at(ignored.len().min(SHOWN_FILES));
            let names = escape::escape_line(&shown.join(", "));
            let more = if rest.is_empty() { "" } else { " and more" };
            page.line(format!(
                "  not handed in, because your own ignore file names them: {names}{more}"
            ));
        }
    })
}

fn write_outcome(done: &DoneReport, page: &mut Page) {
    match (&done.failed, &done.request) {
        (Some(failed), _) => {
            let then = if failed.closed {
                "closed as failed"
            } else {
                "open for another attempt"
            };
            page.line(format!("✓ {} given up, {then}", done.bead));
            if let Some(rescue) = &failed.rescue {
                page.line(format!("  its work is on {rescue} (gt rescue list)"));
            }
        }
        (None, Some(request)) => {
            let commits = kit::ui::counted(done.commits, "commit");
            page.line(format!(
                "✓ {} handed in: {commits}, merge request {request}",
                done.bead
            ));
        }
        (None, None) => page.line(format!("✓ {} closed without a change", done.bead)),
    }
}
