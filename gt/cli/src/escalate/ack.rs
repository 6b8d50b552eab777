//! `gt escalate ack`.

use kit::ui::escape;

use super::super::{Answer, answer};
use crate::context::Context;
use gt::flow::escalate;

/// Acknowledge an escalation, so that it is not raised
#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// The escalation
    escalation: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let one = escalate::acknowledge(&ctx.town()?, &args.escalation)?;
    answer(one, |one, page| {
        let by = escape::line(&one.acked_by);
        page.line(format!("✓ {} is acknowledged by {by}", one.id));
        page.line(format!("  → {}", one.next_step()));
    })
}
