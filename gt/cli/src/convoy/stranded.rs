//! `gt convoy stranded`.

use kit::ui::{counted, escape};
use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::convoy::{BeadStanding, ConvoyProgress, ProgressBoard};
use gt::record;
use gt::record::town_view::TownView;

/// List open convoys with beads that wait for a worker
///
/// Such a bead is open, nothing blocks it, and no worker has it. With `--json` an array of {id,
/// title, ready_count, ready_issues[]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

#[derive(Serialize)]
struct StrandedConvoy {
    id: String,
    title: String,
    ready_count: usize,
    #[serde(rename = "ready_issues")]
    ready_beads: Vec<String>,
    /// The commands that give the beads to workers.
    #[serde(skip)]
    next_steps: Vec<String>,
}

impl StrandedConvoy {
    /// Returns None if no bead of the convoy waits for a worker.
    fn from_progress(convoy: ConvoyProgress) -> Option<Self> {
        let mut ready_beads = Vec::new();
        let mut next_steps = Vec::new();
        for bead in convoy.tracked {
            if bead.standing == BeadStanding::Open {
                ready_beads.push(bead.id);
                next_steps.extend(bead.next_steps.into_iter().next());
            }
        }
        if ready_beads.is_empty() {
            return None;
        }
        Some(Self {
            id: convoy.id,
            title: convoy.title,
            ready_count: ready_beads.len(),
            ready_beads,
            next_steps,
        })
    }
}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let view = TownView::read(&town)?;
    let board = ProgressBoard::from_view(&view);
    let found: Vec<StrandedConvoy> = record::convoy::list_convoys(&view.stores.town, false)
        .into_iter()
        .filter_map(|convoy| StrandedConvoy::from_progress(board.progress(convoy)))
        .collect();
    build_report(found, |found, page| {
        if found.is_empty() {
            page.line("every ready bead of the open convoys has a worker");
        }
        for convoy in found {
            let title = escape::escape_line(&convoy.title);
            let ready = counted(convoy.ready_count, "ready bead");
            page.cut_line(format!("🚚 {} {title}: {ready}", convoy.id));
            for step in &convoy.next_steps {
                page.line(format!("    → {step}"));
            }
        }
    })
}
