use serde::Serialize;

use super::create::target_store;
use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation};
use kit::ui::{Page, counted};

/// Move a bead to another rig
///
/// Creates the bead in the other rig, points the edges of other beads at it, and closes the bead
/// here. Children keep their parent here. As JSON: `{source, target, closed, deps_remapped}`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// The rig, by its name or its prefix
    #[arg(long, value_name = "RIG")]
    to: String,
    /// Leave the bead here open
    #[arg(long)]
    keep_open: bool,
    /// Leave the edges of other beads unchanged
    #[arg(long)]
    skip_deps: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("move")?;
    let moved = relocate_bead(ctx, &args.id, &args.to, args.keep_open, !args.skip_deps)?;
    build_confirmation(moved, MoveReport::write)
}

#[derive(Debug, Serialize)]
pub(super) struct MoveReport {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) closed: bool,
    /// The number of edges of other beads that lead to the copy now, if they were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) deps_remapped: Option<usize>,
}

impl MoveReport {
    pub(super) fn write(&self, page: &mut Page) {
        page.line(format!("✓ Moved {} → {}", self.source, self.target));
        if self.closed {
            page.line(format!("  {} is closed", self.source));
        }
        if let Some(count) = self.deps_remapped.filter(|count| *count > 0) {
            let edges = counted(count, "edge");
            page.line(format!(
                "  {edges} of other beads now lead to {}",
                self.target
            ));
        }
    }
}

/// Moves a bead: creates the copy while this store is locked, so that the bead cannot change in
/// between.
pub(super) fn relocate_bead(
    ctx: &Context,
    given: &str,
    rig: &str,
    keep_open: bool,
    remap: bool,
) -> anyhow::Result<MoveReport> {
    let (there, rig) = target_store::store_of_rig(ctx, rig)?;
    let here = ctx.store_for_id(given)?;
    let author = ctx.author();
    here.transact(&author, &ctx.clock, |tx| {
        let bead = tx.resolve(given)?.clone();
        if there.dir() == here.dir() {
            kit::bail_usage!("{} is already in rig {rig}", bead.id);
        }
        if bead.ephemeral {
            let id = &bead.id;
            kit::bail_usage!("cannot move {id}: it is a wisp; first run: bd promote {id}");
        }
        let new = change::copy_for_move(&bead);
        let made = there.transact(&author, &ctx.clock, |tx| {
            Ok::<_, anyhow::Error>(change::create_bead(tx, new)?)
        })?;
        let edges = if remap {
            change::remap_edges(tx, &bead.id, &rig, &made.id)?
        } else {
            0
        };
        if !keep_open {
            change::close_moved(tx, &bead.id, &made.id)?;
        }
        Ok(MoveReport {
            source: bead.id,
            target: made.id,
            closed: !keep_open,
            deps_remapped: Some(edges),
        })
    })
}
