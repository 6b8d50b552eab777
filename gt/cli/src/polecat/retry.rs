//! `gt polecat retry`.

use std::path::PathBuf;

use kit::ui::Page;
use kit::ui::escape::escape_line;

use super::super::{CommandResult, build_report, build_report_with_exit};
use crate::context::Context;
use gt::flow::agent::polecat::{NotStuck, list_stuck_polecats, retry_polecat};
use gt::flow::work::done;
use gt::host::LiveTown;
use gt::town::Rig;

/// Restart workers that are stuck
///
/// The patrol restarts their sessions, or continues their sling or `gt done` at the step that
/// failed. A failed `gt done` that waits for its next try is tried at once. A worker whose sandbox was removed gets it back.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The worker: RIG/NAME
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    polecat: Option<String>,
    /// Restart all workers that are stuck
    #[arg(long)]
    all: bool,
    /// With --all, only the workers of this rig
    #[arg(long, requires = "all")]
    rig: Option<String>,
}

#[derive(serde::Serialize)]
struct RetryPolecatReport {
    polecat: String,
    was: String,
    /// The session that was ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// The beginning of the path of the folder to which the files of a sandbox without `.git` go.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<PathBuf>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let Some(polecat) = &args.polecat else {
        return retry_all(ctx, &town, args.rig.as_deref());
    };
    let (rig, name) = super::parse_polecat(&town, polecat)?;
    let retried = retry_one(&town, &rig, &name)?;
    gt::host::daemon::wake_daemon(&town);
    build_report(retried, |retried, page| {
        page.line(format!("✓ {} is tried again", retried.polecat));
        add_moved_files(retried, page);
    })
}

fn retry_all(ctx: &Context, town: &LiveTown, rig: Option<&str>) -> CommandResult {
    let mut retried = Vec::new();
    let mut failed = Vec::new();
    for rig in town.select_rigs(rig)? {
        let names = [list_stuck_polecats(&rig)?, done::list_failed_dones(&rig)?];
        for name in names.concat() {
            match retry_one(town, &rig, &name) {
                Ok(report) => retried.push(report),
                // The patrol was faster.
                Err(error) if error.is::<NotStuck>() => {}
                Err(error) => failed.push(format!("{}/{name}: {error:#}", rig.name())),
            }
        }
    }
    gt::host::daemon::wake_daemon(town);
    for error in &failed {
        ctx.ui.warn(error);
    }
    let exit = u8::from(!failed.is_empty());
    build_report_with_exit(
        exit,
        retried,
        move |retried: &Vec<RetryPolecatReport>, page| {
            for worker in retried {
                let was = worker.was.lines().next().unwrap_or("");
                page.line(format!(
                    "✓ {} is tried again; it was stuck: {}",
                    worker.polecat,
                    escape_line(was)
                ));
                add_moved_files(worker, page);
            }
            if retried.is_empty() && exit == 0 {
                page.line("no worker is stuck");
            }
        },
    )
}

fn retry_one(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<RetryPolecatReport> {
    if let Some(done) = done::retry_failed_done(rig, name)? {
        return Ok(RetryPolecatReport {
            polecat: format!("{}/{name}", rig.name()),
            was: format!("its `gt done` of {} had failed", done.bead),
            session: None,
            moved_to: None,
        });
    }
    let retried = retry_polecat(town, rig, name)?;
    Ok(RetryPolecatReport {
        polecat: format!("{}/{name}", rig.name()),
        was: retried.reason,
        session: retried.session,
        moved_to: retried.moved_to,
    })
}

/// Names the folder of the files that are not in the new sandbox.
fn add_moved_files(retried: &RetryPolecatReport, page: &mut Page) {
    if let Some(folder) = &retried.moved_to {
        page.line(format!(
            "  its sandbox has no .git: the next start moves the files to {}TIME",
            escape_line(&folder.display().to_string())
        ));
    }
}
