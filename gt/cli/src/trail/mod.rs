//! `gt trail`: recent work.

mod beads;
mod commits;
mod hooks;

use super::{CommandResult, build_report, since};
use crate::context::Context;
use gt::town::Town;
use gt::view::trail::TrailRange;

kit::family! {
    /// Show recent commits, beads and hooks of all rigs
    Args:
    Commits => commits,
    Beads => beads,
    Hooks => hooks,
}

/// The limits that the commands share.
#[derive(Debug, clap::Args)]
struct RangeArgs {
    /// Show only entries since this time: 5m, 2h, 7d, 2026-03-01
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Show at most N entries; 0 shows all
    #[arg(short = 'n', long, default_value_t = 20, value_name = "N")]
    limit: usize,
}

impl RangeArgs {
    fn to_range(&self, town: &Town) -> anyhow::Result<TrailRange> {
        Ok(TrailRange {
            since: since::parse_since(self.since.as_deref(), town.clock.now())?,
            limit: self.limit,
        })
    }
}
