//! `gt mail release`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::queue;

/// Give a claimed message back to its queue
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The message's id
    message: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let released = queue::release_message(&town, &args.message)?;
    build_report(released, |message, page| {
        let queue = message.queue.as_deref().unwrap_or("");
        page.line(format!(
            "✓ {} is back in the queue {}",
            message.id,
            escape::escape_line(queue)
        ));
    })
}
