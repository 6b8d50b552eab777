//! `gt report`.

use anyhow::Context as _;
use gt::flow::agent::seance::usage::RequestCache;
use gt::view::weekly::{format_html, format_markdown, read_weekly_report};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use kit::sys::env::local_time_zone;
use kit::sys::file::replace_file;
use kit::ui::escape::escape_line;

use super::since::parse_since;
use super::{CommandResult, build_report};
use crate::context::Context;

/// The largest number of days of a report.
const MAX_DAYS: i64 = 366;

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
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=MAX_DAYS))]
    days: u16,
    /// Cover the days since this time: an age such as 10d, or a date
    #[arg(long, value_name = "TIME", conflicts_with_all = ["days", "week"])]
    since: Option<String>,
    /// Print a page, as for a file whose name ends in .html
    #[arg(long)]
    html: bool,
    /// Write it to a new file
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let zone = local_time_zone();
    let now = town.clock.now();
    let days = match parse_since(args.since.as_deref(), now)? {
        Some(since) => count_days(since, now, &zone)?,
        None if args.week => 7,
        None => args.days,
    };
    let report = read_weekly_report(&town, days.into(), &zone, &mut RequestCache::default())?;
    let output = args.output.filter(|output| output != "-");
    let is_page_name = |output: &String| output.to_lowercase().ends_with(".html");
    let text = if args.html || output.as_ref().is_some_and(is_page_name) {
        format_html(&report, &zone)
    } else {
        format_markdown(&report, &zone)
    };
    let text = format!("{}\n", text.trim_end());
    if let Some(output) = &output {
        let path = ctx.env.make_absolute(output);
        if !args.force && path.symlink_metadata().is_ok() {
            kit::bail_usage!(
                "{} exists: choose another name, or add --force to replace it",
                escape_line(output)
            );
        }
        replace_file(&path, text.as_bytes(), 0o644)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    build_report(report, move |_, page| match &output {
        Some(output) => page.line(format!("✓ the report is in {}", escape_line(output))),
        None => page.line(text.trim_end()),
    })
}

/// Counts the days since a time, its own and today among them.
fn count_days(since: Timestamp, now: Timestamp, zone: &TimeZone) -> anyhow::Result<u16> {
    let day_of = |at: Timestamp| at.to_zoned(zone.clone()).date();
    let days = day_of(since).until(day_of(now))?.get_days() + 1;
    match u16::try_from(days) {
        Ok(days @ 1..) if i64::from(days) <= MAX_DAYS => Ok(days),
        Ok(0) | Err(_) => kit::bail_usage!("`--since` is not before now"),
        Ok(_) => kit::bail_usage!(
            "a report covers at most {MAX_DAYS} days\n  gt report --days {MAX_DAYS}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_days_since_a_time_include_its_own_and_today() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let count = |since: &str| count_days(since.parse().unwrap(), now, &TimeZone::UTC);
        assert_eq!(count("2026-03-10T00:00:00Z").unwrap(), 1);
        assert_eq!(count("2026-03-01T23:00:00Z").unwrap(), 10);
        let error = count("2020-03-01T00:00:00Z").unwrap_err();
        assert!(error.to_string().contains("gt report --days 366"));
        for later in ["2026-03-11T00:00:00Z", "2027-03-01T00:00:00Z"] {
            let error = count(later).unwrap_err();
            assert!(error.to_string().contains("not before now"), "{later}");
        }
    }
}
