//! `gt escalate resolve`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::escalate;

/// Answer an escalation and close it
///
/// The answer is kept on the escalation and mailed to all that asked. The messages about the
/// escalation are closed.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// The escalation
    escalation: String,
    /// The answer, or the number of an option
    #[arg(required = true)]
    answer: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let text = args.answer.join(" ");
    let town = ctx.open_town()?;
    let escalation = escalate::resolve_escalation(&town, &args.escalation, &text)?;
    build_report(escalation, |one, page| {
        let by = escape::escape_line(&one.closed_by);
        let text = escape::escape_line(&one.details.answer);
        page.line(format!("✓ {} is resolved by {by}: {text}", one.id));
    })
}
