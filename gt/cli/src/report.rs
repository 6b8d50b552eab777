//! `gt report`.

use gt::flow::agent::seance::usage::RequestCache;
use gt::view::weekly::{format_html, format_markdown, read_weekly_report};
use kit::sys::env::local_time_zone;

use super::{CommandResult, build_report};
use crate::context::Context;

/// Report the landed work, its costs, its waits and its workers
///
/// Covers the last seven days, today among them, and prints Markdown, or with `--html` a page in one file that needs no
/// network. The parts: what needs you now, the landed convoys and merged beads, the costs by day and
/// model, the time of all beads by phase with the longest waits and their reasons, and the records of
/// models and workers with their intervals.
///
/// With `--json` {town, from, to, landed[{id, title, at}], merged{RIG: [{id, title, worker, at}]},
/// numbers (as in `gt costs --plot --json`), phases[{phase, label, seconds}], waits[{bead, title,
/// phase, label, seconds, reason?}], comparisons and workers (`kinds` and `cards` of `gt career
/// --json`), needs}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Cover the last seven days, which is the default
    #[arg(long, conflicts_with = "days")]
    week: bool,
    /// Cover the last N days
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
    /// Print a page
    #[arg(long)]
    html: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let days = if args.week { 7 } else { args.days };
    let zone = local_time_zone();
    let report = read_weekly_report(&town, days.into(), &zone, &mut RequestCache::default())?;
    build_report(report, move |report, page| {
        let text = if args.html {
            format_html(report, &zone)
        } else {
            format_markdown(report, &zone)
        };
        page.line(text.trim_end());
    })
}
