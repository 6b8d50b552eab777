//! `gt mail queue`: manages queues of messages.

mod create;
mod delete;
mod list;
mod show;

use kit::ui::{Page, escape};

use super::super::CommandResult;
use crate::context::Context;
use gt::record::mail::queue::QueueCounts;

kit::family! {
    /// Manage queues of messages
    ///
    /// A message to queue:NAME is claimed by one agent (`gt mail claim`), which archives it or
    /// gives it back (`gt mail release`). A claim lapses after the timeout of the queue. Queues of
    /// config/messaging.json work too.
    Args:
    Create => create,
    #[command(alias = "ls")]
    List => list,
    Show => show,
    #[command(alias = "rm")]
    Delete => delete,
}

fn write_queue(counts: &QueueCounts, page: &mut Page) {
    page.line(format!(
        "{}  {}, claimers: {}",
        escape::escape_line(&counts.queue.name),
        escape::escape_line(&counts.queue.status),
        escape::escape_line(&counts.queue.claim_pattern)
    ));
    page.line(format!(
        "  {} available, {} claimed, {} completed",
        counts.available_count, counts.processing_count, counts.completed_count
    ));
}
