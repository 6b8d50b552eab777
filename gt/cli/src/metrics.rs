//! `gt metrics`.

use std::fmt::Write;

use gt::flow::agent::seance::usage::RequestCache;
use gt::view::metrics::{read_costs_by_rig, read_metrics};

use super::{CommandResult, build_report};
use crate::context::Context;

/// Print the town's numbers for Prometheus
///
/// Prints the text format of Prometheus: beads, merge queues, gates, workers, sessions, restarts,
/// escalations, tokens and costs. The numbers are those of `gt status`, `gt ready`, `gt mq stats`
/// and `gt costs`; those of today begin at midnight. The daemon serves the same at
/// http://127.0.0.1:PORT/metrics if the setting `metrics.port` is set. With `--json` a list of
/// {name, kind, help, samples[{labels, value}]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let costs = read_costs_by_rig(&town, &mut RequestCache::default())?;
    build_report(read_metrics(&town, &costs)?, |metrics, page| {
        // Writing to a page cannot fail.
        write!(page, "{metrics}").ok();
    })
}
