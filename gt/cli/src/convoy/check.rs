//! `gt convoy check`.

use kit::ui::escape;
use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy::ProgressBoard;
use gt::flow::work::landing::{self, LandingOutcome};
use gt::record;

/// Land the convoys whose beads are all done
///
/// The daemon does this automatically. With `--json` an array of {id, title, completed, total,
/// landed, reason?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only this convoy
    convoy: Option<String>,
    /// Only show what would land
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(Serialize)]
struct CheckedConvoy {
    id: String,
    title: String,
    completed: usize,
    total: usize,
    landed: bool,
    /// The reason why a complete convoy has not landed.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip)]
    is_done: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let stores = town.read_stores()?;
    let board = ProgressBoard::from_stores(&stores);
    let mut checked: Vec<CheckedConvoy> = record::convoy::list_convoys(&stores.town, false)
        .into_iter()
        .filter(|convoy| {
            args.convoy
                .as_deref()
                .is_none_or(|chosen| chosen == convoy.id)
        })
        .map(|convoy| {
            let progress = board.progress(convoy);
            CheckedConvoy {
                is_done: progress.is_done(),
                completed: progress.counts.completed,
                total: progress.counts.total,
                id: progress.id,
                title: progress.title,
                landed: false,
                reason: None,
            }
        })
        .collect();
    if let Some(id) = &args.convoy {
        anyhow::ensure!(
            !checked.is_empty(),
            "there is no open convoy `{id}`: not found"
        );
    }
    for convoy in checked.iter_mut().filter(|convoy| convoy.is_done) {
        if args.dry_run {
            continue;
        }
        match landing::land_convoy(&town, &convoy.id) {
            Ok(Some(LandingOutcome::Waiting(waiting))) => convoy.reason = Some(waiting.reason),
            Ok(_) => convoy.landed = true,
            Err(error) => convoy.reason = Some(format!("{error:#}")),
        }
    }
    build_report(checked, |checked, page| {
        if checked.is_empty() {
            page.line("no open convoys");
        }
        for convoy in checked {
            let state = match (&convoy.reason, convoy.landed, convoy.is_done) {
                (Some(reason), ..) => format!("waits: {}", escape::escape_line(reason)),
                (None, true, _) => "landed".to_owned(),
                (None, false, true) => "would land".to_owned(),
                (None, false, false) => "is not done".to_owned(),
            };
            page.cut_line(format!(
                "🚚 {} {}/{} {state}  {}",
                convoy.id,
                convoy.completed,
                convoy.total,
                escape::escape_line(&convoy.title)
            ));
        }
    })
}
