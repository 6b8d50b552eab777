//! `gt escalate ack`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::escalate;

/// Acknowledge an escalation, so that it is not raised
#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// The escalation
    escalation: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let escalation = escalate::acknowledge_escalation(&town, &args.escalation)?;
    build_report(escalation, |one, page| {
        let by = escape::escape_line(&one.acked_by);
        page.line(format!("✓ {} is acknowledged by {by}", one.id));
        page.line(format!("  → {}", one.next_step()));
    })
}
