use serde_json::Value;

use crate::context::Context;
use bd::bead::Bead;
use kit::ui::{Page, Report, escape};

use super::super::report::plain_json;
use kit::cli::report::CommandResult;

/// Show a gate and what it blocks
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The gate
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let gate = super::find_gate(&snapshot, &args.id)?;
    let blocked = snapshot.dependents_of(&gate.id).into_iter();
    let blocked = blocked.map(|(bead, _)| (bead.id.clone(), bead.title.clone()));
    Ok(Box::new(GateShowReport {
        blocked: blocked.collect(),
        gate,
    }))
}

#[derive(Debug)]
struct GateShowReport {
    gate: Bead,
    blocked: Vec<(String, String)>,
}

impl Report for GateShowReport {
    fn json(&self) -> Value {
        plain_json(&self.gate)
    }

    fn human(&self, page: &mut Page) {
        let gate = &self.gate;
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
                "  Opened: {}",
                escape::escape_line(&gate.close_reason)
            ));
        }
        if !gate.waiters.is_empty() {
            page.line(format!(
                "  Waiters: {}",
                escape::escape_line(&gate.waiters.join(", "))
            ));
        }
        for (id, title) in &self.blocked {
            page.cut_line(format!("  Blocks {id}: {}", escape::escape_line(title)));
        }
        if gate.is_open() {
            page.line(format!("Next: bd gate resolve {}", gate.id));
        }
    }
}
