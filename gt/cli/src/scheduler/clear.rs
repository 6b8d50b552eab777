//! `gt scheduler clear`.

use super::{CommandResult, Context, build_report};
use gt::record::queued_sling::remove_queued_sling;
use gt::view::scheduler::read_scheduler;
use serde::Serialize;

/// Take beads out of the queue; they stay open
///
/// With `--json` an array of {bead, rig}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only these beads
    #[arg(value_name = "BEAD")]
    beads: Vec<String>,
    /// Only this bead
    #[arg(long, value_name = "BEAD")]
    bead: Option<String>,
}

#[derive(Serialize)]
struct ClearedBead {
    bead: String,
    rig: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mut queued = read_scheduler(&town, None)?.beads;
    let wanted: Vec<String> = args.beads.into_iter().chain(args.bead).collect();
    for id in &wanted {
        anyhow::ensure!(
            queued.iter().any(|bead| bead.id == *id),
            "{id} is not queued: not found (`gt scheduler list` shows the queue)"
        );
    }
    if !wanted.is_empty() {
        queued.retain(|bead| wanted.contains(&bead.id));
    }
    let mut cleared = Vec::new();
    for bead in queued {
        remove_queued_sling(&town.find_rig(&bead.target_rig)?, &bead.id)?;
        cleared.push(ClearedBead {
            bead: bead.id,
            rig: bead.target_rig,
        });
    }
    build_report(cleared, |cleared, page| {
        if cleared.is_empty() {
            page.line("no bead was queued");
        }
        for one in cleared {
            page.line(format!("✓ {} is not queued any more", one.bead));
            page.line(format!("  → gt sling {} {}", one.bead, one.rig));
        }
    })
}
