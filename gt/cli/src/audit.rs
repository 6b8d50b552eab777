//! `gt audit`.

use kit::ui::escape;

use super::since::parse_since;
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::view::audit;
use gt::view::trail::TrailRange;

/// Show who did what in the town, newest first
///
/// Lists commits, changes of beads and the town's events.
///
/// With `--json` an array of {timestamp, source, type, actor, summary, id?}; `source` is git, beads
/// or events.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Show only actors whose name contains this
    #[arg(short, long)]
    actor: Option<String>,
    /// Show only entries since this time: 5m, 2h, 2026-03-01
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Show only the last N entries; 0 shows all
    #[arg(short = 'n', long, default_value_t = 50, value_name = "N")]
    limit: usize,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let range = TrailRange {
        since: parse_since(args.since.as_deref(), town.clock.now())?,
        limit: args.limit,
    };
    let entries = audit::list_entries(&town, &range, args.actor.as_deref())?;
    build_report(entries, |entries, page| {
        if entries.is_empty() {
            page.line("nothing was done");
        }
        for entry in entries {
            let time = page.relative_time(&entry.at.to_string());
            page.cut_line(format!(
                "{time:<15}  {:<6}  {:<20}  {}",
                entry.source,
                escape::escape_line(&entry.actor),
                escape::escape_line(&entry.summary)
            ));
        }
    })
}
