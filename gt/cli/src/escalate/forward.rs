//! `gt escalate forward`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::escalate;

/// Pass an escalation on to another agent or user
///
/// The recipient gets a message. The acknowledgement is taken back, and the wait for the next one
/// begins.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// The escalation
    escalation: String,
    /// The recipient: overseer, mayor/, RIG/witness, RIG/crew/NAME
    to: String,
    /// A note to add
    #[arg(short, long, default_value = "")]
    message: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let to = town.parse_address(&args.to)?;
    if let Some(rig) = to.rig() {
        town.find_rig(rig)?;
    }
    let escalation = escalate::forward_escalation(&town, &args.escalation, &to, &args.message)?;
    build_report(escalation, move |one, page| {
        let reader = one.details.forwards.last().map_or("", |step| &step.to);
        page.line(format!("✓ {} is with {reader}", one.id));
        if reader != to.mailbox() {
            page.line(format!(
                "  {reader} reads it, because no agent plays {}",
                to.mailbox()
            ));
        }
    })
}
