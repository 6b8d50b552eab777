//! `gt mail queue list`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::queue;
use gt::town::config::MessagingSettings;

/// List the queues with their messages
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let settings = MessagingSettings::load(&town.layout)?;
    let beads = town.open_town_store()?.snapshot()?;
    let now = town.clock.now();
    let queues: Vec<queue::QueueCounts> = queue::list_queues(&beads, &settings)
        .into_iter()
        .map(|queue| queue::count_messages(&beads, queue, now))
        .collect();
    build_report(queues, |queues, page| {
        if queues.is_empty() {
            page.line("no queues yet: gt mail queue create NAME --claimers PATTERN makes one");
        }
        for queue in queues {
            super::write_queue(queue, page);
        }
    })
}
