//! `gt mail claim`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::{MailMessage, queue};

/// Take the oldest unclaimed message of a queue
///
/// Without a queue, of the first one that you may claim from. `gt mail archive` ends the work on
/// it, `gt mail release` gives it back. With `--json` the message, or {} if there is none.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The queue
    queue: Option<String>,
}

#[derive(serde::Serialize)]
struct ClaimReport {
    #[serde(flatten)]
    message: Option<MailMessage>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let message = queue::claim_message(&town, args.queue.as_deref())?;
    build_report(ClaimReport { message }, |claimed, page| {
        match &claimed.message {
            None => page.line("no message to claim"),
            Some(message) => {
                super::write_message(message, page);
                page.blank();
                page.line("When it is done:");
                page.line(format!("  gt mail archive {}", message.id));
            }
        }
    })
}
