//! `gt escalate close`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::escalate;

/// Close an escalation without an answer
///
/// The reason is mailed to all that asked. The messages about the escalation are closed.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// The escalation
    escalation: String,
    /// Why it is over
    #[arg(short, long)]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let escalation = escalate::close_escalation(&town, &args.escalation, &args.reason)?;
    build_report(escalation, |one, page| {
        page.line(format!(
            "✓ {} is closed: {}",
            one.id,
            escape::escape_line(&one.closed_reason)
        ));
    })
}
