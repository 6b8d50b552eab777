//! `gt polecat retry`.

use kit::ui::escape::escape_line;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::polecat::{list_stuck_polecats, retry_polecat};
use gt::town::{Rig, Town};

/// Restart workers that are stuck
///
/// The patrol restarts their sessions, or continues their sling or `gt done` at the step that
/// failed.
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
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let Some(polecat) = &args.polecat else {
        return retry_all(&town, args.rig.as_deref());
    };
    let (rig, name) = super::parse_polecat(&town, polecat)?;
    let retried = retry_one(&rig, &name)?;
    gt::host::daemon::wake_daemon(&town);
    build_report(retried, |retried, page| {
        page.line(format!("✓ {} is tried again", retried.polecat));
    })
}

fn retry_all(town: &Town, rig: Option<&str>) -> CommandResult {
    let mut retried = Vec::new();
    for rig in town.select_rigs(rig)? {
        for name in list_stuck_polecats(&rig)? {
            retried.push(retry_one(&rig, &name)?);
        }
    }
    gt::host::daemon::wake_daemon(town);
    build_report(retried, |retried: &Vec<RetryPolecatReport>, page| {
        for worker in retried {
            let was = worker.was.lines().next().unwrap_or("");
            page.line(format!(
                "✓ {} is tried again; it was stuck: {}",
                worker.polecat,
                escape_line(was)
            ));
        }
        if retried.is_empty() {
            page.line("no worker is stuck");
        }
    })
}

fn retry_one(rig: &Rig, name: &str) -> anyhow::Result<RetryPolecatReport> {
    Ok(RetryPolecatReport {
        polecat: format!("{}/{name}", rig.name()),
        was: retry_polecat(rig, name)?,
    })
}
