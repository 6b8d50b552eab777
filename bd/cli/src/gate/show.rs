//! `bd gate show`.

use super::super::report::PlainBead;
use crate::context::Context;
use bd::bead::{Bead, DepKind};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape};

/// Show a gate and the beads it blocks
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The gate's id
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let gate = super::find_gate(&snapshot, &args.id)?;
    let blocked: Vec<(String, String)> = snapshot
        .dependents_of(&gate.id)
        .into_iter()
        .filter(|(_, edge)| can_block(&edge.kind))
        .map(|(bead, _)| (bead.id.clone(), bead.title.clone()))
        .collect();
    build_report(PlainBead(gate), move |gate, page| {
        write_gate(gate, &blocked, page);
    })
}

/// Returns true if an edge of this kind to a gate can block its bead.
fn can_block(kind: &DepKind) -> bool {
    kind.affects_ready() && *kind != DepKind::ParentChild
}

fn write_gate(gate: &Bead, blocked: &[(String, String)], page: &mut Page) {
    page.line(format!("{}: {}", gate.id, escape::escape_line(&gate.title)));
    page.line(format!("  Status: {}", gate.status));
    page.line(format!(
        "  Waits for: {}",
        escape::escape_line(&super::describe_condition(gate))
    ));
    if gate.timeout > 0 {
        let length = jiff::SignedDuration::from_nanos(gate.timeout);
        page.line(format!("  Timeout: {length:#}"));
    }
    if !gate.close_reason.is_empty() {
        page.line(format!(
            "  Close reason: {}",
            escape::escape_line(&gate.close_reason)
        ));
    }
    if !gate.waiters.is_empty() {
        page.line(format!(
            "  Waiters: {}",
            escape::escape_line(&gate.waiters.join(", "))
        ));
    }
    for (id, title) in blocked {
        page.cut_line(format!("  Blocks {id}: {}", escape::escape_line(title)));
    }
    if gate.is_open() {
        page.line(format!("Next: bd gate resolve {}", gate.id));
    }
}
