//! `gt convoy land`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::landing;
use gt::flow::work::landing::LandingOutcome;

/// Land a convoy now, or continue a landing that stopped
///
/// The daemon lands a convoy automatically when every tracked bead is done. A convoy with its own
/// branches lands as one commit per rig: all commits are prepared first, with gates, then all are
/// pushed. An obstacle becomes a task. A rig that has landed stays landed. With `--json` {outcome:
/// landed, id, title, told, beads, commits?} or {outcome: waits, convoy, landed, of, rig, reason,
/// task}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The convoy
    convoy: String,
}

#[derive(serde::Serialize)]
#[serde(untagged)]
enum LandConvoyReport {
    Landing(LandingOutcome),
    Already { outcome: &'static str, id: String },
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let id = super::resolve_convoy(&town, &args.convoy)?;
    let landing = landing::land_convoy(&town, &id)?;
    let shown = landing.map_or_else(
        || LandConvoyReport::Already {
            outcome: "closed",
            id: id.clone(),
        },
        LandConvoyReport::Landing,
    );
    build_report(shown, |shown, page| match shown {
        LandConvoyReport::Landing(LandingOutcome::Landed(landed)) => {
            let title = escape::escape_line(&landed.title);
            page.line(format!("🚚 {} landed: {title}", landed.id));
            for (rig, commit) in &landed.commits {
                page.line(format!("  {rig}: {commit:.12}"));
            }
            for (rig, reference) in &landed.documents {
                page.line(format!("  {rig}: discovery documents stay on {reference}"));
            }
        }
        LandConvoyReport::Landing(LandingOutcome::Waiting(waiting)) => {
            let reason = escape::escape_line(&waiting.reason);
            page.line(format!(
                "… {}: landing {} of {}; {} waits: {reason}",
                waiting.convoy, waiting.landed_rigs, waiting.total_rigs, waiting.rig
            ));
            if let Some(task) = &waiting.task {
                page.line(format!("  task: {task} (bd show {task})"));
            }
        }
        LandConvoyReport::Already { id, .. } => page.line(format!("✓ {id} is closed already")),
    })
}
