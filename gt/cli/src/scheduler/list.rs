//! `gt scheduler list`.

use super::{CommandResult, Context, build_report};
use crate::rig;
use gt::view::scheduler::{QueuedBead, read_scheduler};
use kit::ui::{Page, escape};

/// List the queued beads in the order of their turns
///
/// With `--json` an array of {id, title, status, target_rig, enqueued_at, blocked, waits_for[],
/// last_failure?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only the queue of this rig
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let named = args.rig.as_deref();
    let rig = named
        .map(|name| rig::resolve_rig(ctx, &town, Some(name)))
        .transpose()?;
    build_report(read_scheduler(&town, rig.as_ref())?.beads, |beads, page| {
        if beads.is_empty() {
            page.line("no bead is queued");
        }
        write_beads(beads, page);
    })
}

pub(super) fn write_beads(beads: &[QueuedBead], page: &mut Page) {
    for bead in beads {
        let mark = if bead.blocked { "…" } else { "→" };
        let title = escape::escape_line(&bead.title);
        page.cut_line(format!(
            "{mark} {} to {}  {title}",
            bead.id, bead.target_rig
        ));
        if !bead.waits_for.is_empty() {
            page.cut_line(format!("  waits for {}", bead.waits_for.join(", ")));
        }
        if let Some(why) = &bead.last_failure {
            page.cut_line(format!(
                "  the last try failed: {}",
                escape::escape_line(why)
            ));
        }
    }
}
