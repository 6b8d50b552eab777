//! `gt costs`.

pub(super) mod plot;

use std::collections::BTreeMap;

use clap::builder::RangedU64ValueParser;
use jiff::{SignedDuration, Timestamp};
use kit::sys::env;
use kit::ui::escape::escape_line;
use kit::ui::{Page, counted};
use serde::Serialize;

use super::polecat::describe_summary;
use super::since::parse_since;
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::seance::usage::RequestCache;
use gt::flow::agent::seance::window::UsageWindow;
use gt::record::convoy::tracked_ids;
use gt::town::Town;
use gt::view::costs::{
    self, BeadCosts, CostFilter, CostGroup, CostQuery, CostReport, CostRow, CostSum,
};
use gt::view::daily::{DailyChoice, DailyGroup, DailyMetric, read_daily_numbers};
use gt::view::timeline::{TimelineSubject, find_subject};

/// Show the tokens and costs of sessions
///
/// With NAME only those of one bead, convoy, worker or rig; a convoy's or a worker's by bead.
///
/// Reads the transcripts of Claude Code, Codex, Gemini CLI and OpenCode. Agents of sessions without
/// one are named. Input that was read from or written to a cache is listed apart. Costs are
/// computed from the list prices of the programs' providers, with the day at which they were read;
/// `settings/prices.json` of the town adds or replaces prices {date, models{NAME{input, output,
/// cache_read?, cache_write?, cache_write_1h?}}}, in dollars per million tokens. Of a model without
/// a price only the tokens are known. The settings `budget.day`, `budget.rig`, `budget.convoy` and
/// `budget.bead` limit them: no session of a worker is started when one is spent.
/// `budget.convoy_band` only warns, and `gt convoy band` sets it for one convoy. The forecast of a
/// day's budget is the costs until now, and those of the last hour for each hour until midnight.
/// The use of an account's windows of five hours and a week is shown if the program reports it, as
/// Codex does and Claude Code with a subscription. Models, runtimes and types of beads (`--by
/// kind`) are shown with what they did: the success rate (the merged part of finished attempts),
/// merged attempts, those merged as submitted first, the median time from the sling to the
/// submission, and the cost per merge. A session counts for the bead that was on the hook when it
/// began. Costs are divided by the beads that were dispatched, and by those of them that were
/// merged; each bead counts once. With `--json` {period?, last_week_usd?, total_usd, total{cost_usd, tokens{input, cache_read, cache_write,
/// cache_write_1h, output}, unpriced_tokens?, requests}, beads{dispatched_beads,
/// merged_beads, cost_per_dispatched_bead_usd?, cost_per_merged_bead_usd?}, rows[{key, sessions, record?{finished,
/// merged, first_time_green, median_seconds?}, success_percent?, cost_per_merge_usd?, dispatched_beads,
/// merged_beads, ...}],
/// by_role?, by_rig?, sessions[{session, role, rig?, worker?, agent, bead?, model?, running, ...}],
/// models_without_price[], prices_of, own_prices?{prices_of, models[]}, unread[], budgets?[{kind,
/// subject, rig?, spent_usd, limit_usd, source?, forecast_usd?}], last_hour_usd, usage_windows?[{runtime,
/// account?, window_minutes, used_percent, resets_at?, at}]}.
///
/// `--plot` draws the numbers of the last days: the costs, or with `--metric` the tokens, the merges,
/// the mean wait of requests before their merge began, the failed runs of gates, or the restarts of
/// workers. `--by model` and `--by rig` add a line for each. Days are those of the local time zone.
/// A day keeps the time zone of its first reading.
/// Each day is recorded in `.runtime/daily-sums/`, so that it outlives its transcripts, which Claude
/// Code deletes after 30 days. Costs are computed from the recorded tokens by the prices of today.
/// With `--json` {metric, by?, comparison{today, last_week, daily_average}, total{cost_usd, tokens,
/// unpriced_tokens, requests, merges, waits, mean_wait_seconds?, wait_seconds, red_gates, restarts}, today{...},
/// last_week{...}, days[{day, recorded, ...}], groups[{key, total{...}, days[{...}]}], problems[]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only those of this bead, convoy, worker or rig
    #[arg(value_name = "NAME", conflicts_with = "plot")]
    name: Option<String>,
    /// Since midnight
    #[arg(long, conflicts_with_all = ["week", "since"])]
    today: bool,
    /// Of the last seven days
    #[arg(long, conflicts_with = "since")]
    week: bool,
    /// Since this time: an age such as 2h, or a date
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// The groups: agents if not given; with `--plot` only `model` or `rig`
    #[arg(long, value_enum)]
    by: Option<CostGroup>,
    #[arg(long, hide = true, conflicts_with = "by")]
    by_role: bool,
    #[arg(long, hide = true, conflicts_with_all = ["by", "by_role"])]
    by_rig: bool,
    /// Print the groups as CSV
    #[arg(long)]
    csv: bool,
    /// Draw the numbers of the last days
    #[arg(long, conflicts_with_all = ["today", "week", "since", "csv", "by_role"])]
    plot: bool,
    /// The number of days to draw
    #[arg(long, requires = "plot", default_value_t = 30, value_parser = RangedU64ValueParser::<usize>::new().range(1..=366))]
    days: usize,
    /// The number to draw
    #[arg(long, requires = "plot", value_enum, default_value_t)]
    metric: DailyMetric,
}

#[derive(Serialize)]
struct Costs {
    #[serde(skip_serializing_if = "Option::is_none")]
    period: Option<&'static str>,
    /// The costs of the seven days before today.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_week_usd: Option<f64>,
    #[serde(flatten)]
    report: CostReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_role: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_rig: Option<BTreeMap<String, f64>>,
    #[serde(skip)]
    group: CostGroup,
    /// The begin of the range.
    #[serde(skip)]
    since: Option<jiff::Timestamp>,
}

fn sum_by_key(report: &CostReport) -> BTreeMap<String, f64> {
    report
        .rows
        .iter()
        .map(|row| (row.key.clone(), row.sum.cost_usd))
        .collect()
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.plot {
        let choice = DailyChoice {
            days: args.days,
            metric: args.metric,
            by: match (args.by, args.by_rig) {
                (None, false) => None,
                (Some(CostGroup::Model), _) => Some(DailyGroup::Model),
                (Some(CostGroup::Rig), _) | (None, true) => Some(DailyGroup::Rig),
                (Some(_), _) => {
                    kit::bail_usage!(
                        "the plot is grouped by model or rig only: gt costs --plot --by model"
                    );
                }
            },
        };
        return plot::run(ctx, choice);
    }
    let town = ctx.open_town()?;
    let zone = env::local_time_zone();
    let now = town.clock.now();
    let midnight = now.to_zoned(zone.clone()).start_of_day()?;
    let (period, since) = match (args.today, args.week) {
        (true, _) => (Some("today"), Some(midnight.timestamp())),
        (_, true) => {
            let begin = midnight.checked_sub(jiff::Span::new().days(6))?;
            (Some("this week"), Some(begin.timestamp()))
        }
        _ => (None, parse_since(args.since.as_deref(), now)?),
    };
    let filter = match &args.name {
        Some(name) => choose_filter(&town, name)?,
        None => CostFilter::All,
    };
    let group = match (args.by_role, args.by_rig, &filter) {
        (true, _, _) => CostGroup::Role,
        (_, true, _) => CostGroup::Rig,
        (_, _, CostFilter::Convoy { .. } | CostFilter::Agent(_)) => {
            args.by.unwrap_or(CostGroup::Bead)
        }
        _ => args.by.unwrap_or(CostGroup::Agent),
    };
    let query = CostQuery {
        since,
        group,
        filter,
    };
    let mut cache = RequestCache::default();
    let report = costs::read_chosen_costs(&town, &query, &zone, &mut cache)?;
    let last_week = if args.today && args.name.is_none() {
        let choice = DailyChoice::default();
        let daily = read_daily_numbers(&town, choice, &mut cache)?;
        daily.comparison.last_week
    } else {
        None
    };
    let costs = Costs {
        period,
        last_week_usd: last_week,
        by_role: matches!(group, CostGroup::Role).then(|| sum_by_key(&report)),
        by_rig: matches!(group, CostGroup::Rig).then(|| sum_by_key(&report)),
        report,
        group,
        since,
    };
    let as_csv = args.csv;
    build_report(costs, move |costs, page| {
        if as_csv {
            write_csv(costs, group, page);
        } else {
            write_costs(costs, page);
        }
    })
}

/// Returns the sessions of the bead, convoy, worker or rig with a name.
fn choose_filter(town: &Town, name: &str) -> anyhow::Result<CostFilter> {
    Ok(match find_subject(town, name)? {
        TimelineSubject::Bead(id) => CostFilter::Beads([id].into()),
        TimelineSubject::Convoy(id) => {
            let beads = town.open_town_store()?.snapshot()?;
            let convoy = beads.get(&id);
            let tracked = convoy.into_iter().flat_map(tracked_ids);
            let beads = tracked.map(str::to_owned).collect();
            CostFilter::Convoy { id, beads }
        }
        TimelineSubject::Agent(agent) => CostFilter::Agent(agent.to_string()),
        TimelineSubject::Rig(rig) => CostFilter::Rig(rig),
        TimelineSubject::Town => CostFilter::All,
    })
}

fn write_costs(costs: &Costs, page: &mut Page) {
    let report = &costs.report;
    let period = match (costs.period, costs.since) {
        (Some(name), _) => format!(" {name}"),
        (None, Some(since)) => format!(" since {}", page.local_time(&since.to_string())),
        (None, None) => String::new(),
    };
    if report.rows.is_empty() {
        page.line(format!("No session has used tokens{period}"));
    } else {
        let total = format_cost(&report.total);
        let requests = counted(report.total.requests, "request");
        let title = format!("{total}{period}, {requests}");
        page.line(page.style().bold(&title));
        page.line(format!(
            "{:>10} {:>8} {:>8} {:>8} {:>8}",
            "cost", "input", "cached", "written", "output"
        ));
    }
    let has_bead_lines = matches!(
        costs.group,
        CostGroup::Convoy
            | CostGroup::Kind
            | CostGroup::Model
            | CostGroup::Rig
            | CostGroup::Runtime
    );
    if let Some(week) = costs.last_week_usd {
        let mean = week / 7.0;
        page.line(format!(
            "The seven days before: ${mean:.2} per day (${week:.2} in all)"
        ));
    }
    for row in &report.rows {
        write_row(row, has_bead_lines, page);
    }
    if !report.rows.is_empty() {
        if report.beads.dispatched_beads > 0 {
            page.line(format!("In all: {}", describe_beads(&report.beads)));
        }
        page.line(format!("List prices of {}", report.prices_of));
        if are_old_prices(&report.prices_of, page.now()) {
            page.line("They are over three months old. Write newer ones to settings/prices.json");
            page.line("  → gt costs --help");
        }
    }
    if let Some(own) = &report.own_prices {
        let date = match &own.prices_of {
            None => String::new(),
            Some(date) => format!(" of {}", escape_line(date)),
        };
        let models = escape_line(&own.models.join(", "));
        page.line(format!("Own prices{date} (settings/prices.json): {models}"));
    }
    for budget in &report.budgets {
        let mut line = format!(
            "Budget: {}, {} %",
            escape_line(&budget.to_string()),
            budget.percent()
        );
        if let Some(forecast) = budget.forecast_usd {
            line.push_str(&format!(", ${forecast:.2} by midnight"));
        }
        page.line(line);
    }
    if report
        .budgets
        .iter()
        .any(|budget| budget.forecast_usd.is_some())
    {
        page.line(format!(
            "The last hour cost ${:.2}. The forecast is what is spent, and as much for each hour until midnight",
            report.last_hour_usd
        ));
    }
    for window in &report.usage_windows {
        write_window(window, page);
    }
    if !report.models_without_price.is_empty() {
        let models = escape_line(&report.models_without_price.join(", "));
        page.line(format!(
            "No price is known for {models}: add it to settings/prices.json"
        ));
    }
    if !report.unread.is_empty() {
        let agents = escape_line(&report.unread.join(", "));
        page.line(format!(
            "Not included: sessions without a transcript, of {agents}"
        ));
    }
}

fn write_row(row: &CostRow, has_bead_line: bool, page: &mut Page) {
    let tokens = &row.sum.tokens;
    let cost = format_cost(&row.sum);
    let key = match row.key.as_str() {
        "" => "(none)",
        key => key,
    };
    page.cut_line(format!(
        "{cost:>10} {:>8} {:>8} {:>8} {:>8}  {}",
        format_tokens(tokens.input),
        format_tokens(tokens.cache_read),
        format_tokens(tokens.cache_write + tokens.cache_write_1h),
        format_tokens(tokens.output),
        escape_line(key)
    ));
    if let Some(record) = &row.record {
        let cost = row
            .cost_per_merge_usd
            .filter(|cost| *cost > 0.0)
            .map_or(String::new(), |cost| format!(", ${cost:.2} per merge"));
        let success = row
            .success_percent
            .map_or(String::new(), |percent| format!("{percent} %: "));
        page.cut_line(format!(
            "{:>49}{success}{}{cost}",
            "",
            describe_summary(record)
        ));
    }
    if has_bead_line && row.beads.dispatched_beads > 0 {
        page.cut_line(format!("{:>49}{}", "", describe_beads(&row.beads)));
    }
}

/// Describes the costs per dispatched and per merged bead, with both counts.
fn describe_beads(beads: &BeadCosts) -> String {
    let dispatched = counted(beads.dispatched_beads, "bead");
    let per_bead =
        |cost: Option<f64>| cost.map_or(String::new(), |cost| format!(" (${cost:.2} each)"));
    format!(
        "{dispatched} dispatched{}, {} merged{}",
        per_bead(beads.cost_per_dispatched_bead_usd),
        beads.merged_beads,
        per_bead(beads.cost_per_merged_bead_usd)
    )
}

/// The age from which list prices are reported as old.
const MAX_PRICE_AGE: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Returns true if list prices of a day may have changed since.
fn are_old_prices(date: &str, now: Timestamp) -> bool {
    let read_on = date.parse::<jiff::civil::Date>();
    let read_at = read_on.and_then(|day| day.to_zoned(jiff::tz::TimeZone::UTC));
    read_at.is_ok_and(|at| now.duration_since(at.timestamp()) > MAX_PRICE_AGE)
}

fn write_window(window: &UsageWindow, page: &mut Page) {
    let account = match window.account.as_str() {
        "" => String::new(),
        account => format!(" account {}", escape_line(account)),
    };
    let name = format!(
        "{}{account}, {} window",
        window.runtime,
        window.describe_length()
    );
    let reported = page.relative_time(&window.at.to_string());
    let end = window
        .resets_at
        .map(|end| page.local_time(&end.to_string()));
    page.line(match end {
        Some(end) if window.is_over(page.now()) => {
            format!("{name}: unknown since it was reset at {end}")
        }
        Some(end) => format!(
            "{name}: {} % used, reported {reported}, resets at {end}",
            window.used_percent
        ),
        None => format!(
            "{name}: {} % used, reported {reported}",
            window.used_percent
        ),
    });
}

fn write_csv(costs: &Costs, group: CostGroup, page: &mut Page) {
    let name = format!("{group:?}").to_lowercase();
    page.line(format!(
        "{name},sessions,requests,input,cache_read,cache_write,cache_write_1h,output,cost_usd,unpriced_tokens"
    ));
    for row in &costs.report.rows {
        let (sum, tokens) = (&row.sum, &row.sum.tokens);
        let numbers = [
            tokens.input,
            tokens.cache_read,
            tokens.cache_write,
            tokens.cache_write_1h,
            tokens.output,
        ];
        let numbers = numbers.map(|number| number.to_string()).join(",");
        page.line(format!(
            "{},{},{},{numbers},{:.6},{}",
            quote_field(&escape_line(&row.key)),
            row.sessions,
            sum.requests,
            sum.cost_usd,
            sum.unpriced_tokens
        ));
    }
}

/// Quotes a field of CSV if it needs quotes.
fn quote_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Formats costs. A plus sign means that some tokens have no price, and a dash that none has one.
pub(super) fn format_cost(sum: &CostSum) -> String {
    let all = sum.tokens.total();
    match sum.unpriced_tokens {
        0 => format!("${:.2}", sum.cost_usd),
        unpriced if unpriced == all => "-".to_owned(),
        _ => format!("${:.2}+", sum.cost_usd),
    }
}

/// Formats a number of tokens with at most four characters and a unit.
pub(super) fn format_tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..100_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        100_000..1_000_000 => format!("{}k", count / 1_000),
        1_000_000..1_000_000_000 => {
            format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000)
        }
        _ => format!(
            "{}.{}G",
            count / 1_000_000_000,
            count % 1_000_000_000 / 100_000_000
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_list_prices_are_reported() {
        let now = "2026-11-29T08:00:00Z".parse().unwrap();
        assert!(!are_old_prices("2026-10-01", now));
        assert!(are_old_prices("2025-11-24", now));
        assert!(!are_old_prices("", now));
    }
}
