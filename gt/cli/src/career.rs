//! `gt career`.

use jiff::SignedDuration;
use kit::failure::UsageError;
use kit::ui::escape::escape_line;
use kit::ui::table::TextTable;
use kit::ui::{Page, counted};

use super::costs::{format_cost, format_tokens};
use super::since::parse_since;
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::seance::usage::RequestCache;
use gt::record::career::{CareerGroup, ComparedGroup, TrendChange};
use gt::record::polecat::{MergeResult, UNKNOWN_MODEL};
use gt::town::Town;
use gt::town::identity::Address;
use gt::view::career::{
    CareerCard, CareerQuery, CareerReport, ComparedKind, LastWork, read_careers,
};
use gt::view::costs::CostSum;

/// The number of kinds of work that the first screen compares.
const MAX_KINDS: usize = 5;
/// The width of the names on a card.
const NAME_WIDTH: usize = 14;

/// Compare models, agent programs and workers
///
/// Answers which model does bugs best here. Models are compared for each kind of work (the type of
/// the bead when its worker got it) by the part that was merged as submitted: without a repair and
/// without a failed gate. Work that was given up, abandoned or ended without a change counts as
/// finished without a merge. The brackets have the interval of 95 percent, in which the true part is:
/// the less work, the wider. A group that has finished less than 5 of a kind is not compared, and a
/// difference is shown only if the intervals do not overlap. Work of the last 90 days counts.
///
/// With NAME one card: the outcomes, stalls (restarts of sessions that had ended or made no
/// progress), escalations and convoys of the work, its time and money, the ratings by `gt rate`, and
/// the last ten pieces of work beside the ten before. The costs are those of all sessions, as in `gt
/// costs`; those of one kind or rig are not known apart.
///
/// With `--json` {by, since, kinds[{kind, verdict (too_few, only_one, no_difference, best), key?,
/// first?, others?, text, groups[{key, finished, merged, as_submitted, reworked, already_there,
/// no_change, failed, given_up, abandoned, waiting, stalls, interval?{low_percent, high_percent},
/// is_compared}]}], cards[{key, finished, merged, ..., escalations, convoys, median_seconds?,
/// kinds{}, labels[{label, count}], cost?{cost_usd, tokens, unpriced_tokens?, requests},
/// cost_per_merge_usd?, trend?{last{finished, as_submitted}, before, change (better, worse,
/// not_shown)}, rating?{mean, count}, last[{bead, outcome, result?, at, ..., ratings?}]}]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Show the card of this model, agent program or worker, or compare this kind of work
    name: Option<String>,
    /// The groups: models, or programs if no program reports its model
    #[arg(long, value_enum)]
    by: Option<CareerGroup>,
    /// Only this kind of work, such as bug
    #[arg(long)]
    kind: Option<String>,
    /// Only the work of this rig
    #[arg(long)]
    rig: Option<String>,
    /// Since this time: an age such as 2h, or a date
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let now = town.clock.now();
    let mut query = CareerQuery::new(args.by.unwrap_or(CareerGroup::Model), now);
    if let Some(since) = parse_since(args.since.as_deref(), now)? {
        query.since = since;
    }
    if let Some(rig) = &args.rig {
        town.find_rig(rig)?;
    }
    query.rig = args.rig;
    query.kind = args.kind.map(|kind| kind.to_lowercase());
    let Some(name) = args.name else {
        let is_short = query.kind.is_none();
        let report = read_comparison(&town, query, args.by.is_some())?;
        return build_report(report, move |report, page| {
            write_comparison(report, is_short, page);
        });
    };
    if let Some(report) = read_named(&town, &query, &name)? {
        return build_report(report, write_cards);
    }
    let asked_kind = query.kind.clone();
    query.kind.get_or_insert(name.to_lowercase());
    let report = read_comparison(&town, query.clone(), args.by.is_some())?;
    if report.kinds.is_empty() || asked_kind.is_some() {
        let name = escape_line(&name);
        let text = format!(
            "no finished work of `{name}` since {}: it is no model, agent program, worker or kind of work with a record\n  gt career",
            query.since.strftime("%Y-%m-%d")
        );
        return Err(UsageError(text).into());
    }
    build_report(report, |report, page| write_comparison(report, false, page))
}

/// Compares models, or programs if no model is known and the caller chose no group.
fn read_comparison(
    town: &gt::host::LiveTown,
    mut query: CareerQuery,
    is_group_chosen: bool,
) -> anyhow::Result<CareerReport> {
    let mut cache = RequestCache::default();
    let mut report = read_careers(town, &query, &mut cache)?;
    if !is_group_chosen && report.cards.iter().all(|card| is_unknown(&card.key)) {
        query.by = CareerGroup::Program;
        report = read_careers(town, &query, &mut cache)?;
    }
    Ok(report)
}

/// Reads the card with a name: of a worker, else of the group that was asked for, else of any. None if
/// no finished work has this name.
fn read_named(
    town: &gt::host::LiveTown,
    query: &CareerQuery,
    name: &str,
) -> anyhow::Result<Option<CareerReport>> {
    let worker = find_worker(town, name).map(|key| (CareerGroup::Worker, key));
    let groups = [query.by, CareerGroup::Model, CareerGroup::Program];
    let named = groups.map(|by| (by, name.to_owned()));
    let mut cache = RequestCache::default();
    for (by, key) in worker.into_iter().chain(named) {
        let query = CareerQuery {
            by,
            key: Some(key),
            ..query.clone()
        };
        let report = read_careers(town, &query, &mut cache)?;
        if !report.cards.is_empty() {
            return Ok(Some(report));
        }
    }
    Ok(None)
}

/// Returns the address of a polecat that a text names.
fn find_worker(town: &Town, text: &str) -> Option<String> {
    let agent = town.parse_agent(text).ok()?;
    matches!(agent, Address::Polecat(..)).then(|| agent.to_string())
}

fn write_comparison(report: &CareerReport, is_short: bool, page: &mut Page) {
    let by = report.by.name();
    if report.cards.is_empty() {
        page.line(format!("No work was finished since {}", day_of(report)));
        page.line("  gt sling BEAD RIG");
        return;
    }
    let title = format!("Which {by} does the work best, since {}", day_of(report));
    page.line(page.style().bold(&title));
    let shown = if is_short { MAX_KINDS } else { usize::MAX };
    for kind in report.kinds.iter().take(shown) {
        write_kind(kind, page);
    }
    page.line("N of M were merged as submitted (95 % interval)");
    let rest: Vec<&str> = report
        .kinds
        .iter()
        .skip(shown)
        .map(|kind| &*kind.comparison.kind)
        .collect();
    if !rest.is_empty() {
        page.cut_line(format!("More kinds: {}", escape_line(&rest.join(", "))));
        page.line("  gt career --kind KIND");
    }
    page.blank();
    page.cut_line(page.style().bold(&format!(
        "{:>4} {:>6} {:>6} {:>6} {:>8} {:>6}  {by}",
        "done", "merged", "failed", "stalls", "cost", "rating"
    )));
    for card in &report.cards {
        let counts = &card.counts;
        let rating = card
            .rating
            .map_or("-".to_owned(), |rating| format!("{:.1}", rating.mean));
        page.cut_line(format!(
            "{:>4} {:>6} {:>6} {:>6} {:>8} {rating:>6}  {}",
            counts.finished,
            counts.merged,
            counts.failed + counts.given_up + counts.abandoned,
            counts.stalls,
            describe_cost(card.cost.as_ref()),
            name_of(&card.key)
        ));
    }
    page.line("One card in full");
    page.line("  gt career NAME");
}

fn day_of(report: &CareerReport) -> String {
    report.since.chars().take(10).collect()
}

/// Returns true for the key of work whose program reported no model.
fn is_unknown(key: &str) -> bool {
    key.is_empty() || key == UNKNOWN_MODEL
}

/// Returns a key for the screen. Work of a model that no program reported has none.
fn name_of(key: &str) -> String {
    match key {
        "" => "(unknown)".to_owned(),
        key => escape_line(key),
    }
}

fn write_kind(kind: &ComparedKind, page: &mut Page) {
    page.blank();
    let title = escape_line(&kind.comparison.kind);
    page.cut_line(format!(
        "{}: {}",
        page.style().bold(&title),
        escape_line(&kind.text)
    ));
    let mut table = TextTable::new().indent(2);
    for group in &kind.comparison.groups {
        table.row([
            format!(
                "{:>3} of {}",
                group.counts.as_submitted, group.counts.finished
            ),
            describe_interval(group),
            name_of(&group.key),
        ]);
    }
    table.print(page);
}

fn describe_interval(group: &ComparedGroup) -> String {
    match group.interval {
        Some(interval) if group.is_compared => {
            format!("({}–{} %)", interval.low_percent, interval.high_percent)
        }
        _ => "(too few)".to_owned(),
    }
}

/// Describes costs, or the tokens if no model has a price.
fn describe_cost(cost: Option<&CostSum>) -> String {
    let Some(cost) = cost else {
        return "-".to_owned();
    };
    match format_cost(cost).as_str() {
        "-" => format!("{} tok", format_tokens(cost.tokens.total())),
        dollars => dollars.to_owned(),
    }
}

fn write_cards(report: &CareerReport, page: &mut Page) {
    for card in &report.cards {
        write_card(card, report, page);
    }
}

fn write_card(card: &CareerCard, report: &CareerReport, page: &mut Page) {
    let counts = &card.counts;
    let name = page.style().bold(&name_of(&card.key));
    page.line(format!(
        "{name}, {}, since {}",
        report.by.name(),
        day_of(report)
    ));
    let outcomes = [
        (counts.as_submitted, "merged as submitted"),
        (counts.reworked, "merged after rework"),
        (counts.already_there, "already there"),
        (counts.no_change, "without a change"),
        (counts.failed, "failed"),
        (counts.given_up, "given up"),
        (counts.abandoned, "abandoned"),
    ];
    let outcomes = outcomes
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"));
    let finished = format!("{} in all", counts.finished);
    write_items("finished", std::iter::once(finished).chain(outcomes), page);
    if let Some(interval) = counts.interval() {
        let part = format!(
            "{} of {} ({}–{} %)",
            counts.as_submitted, counts.finished, interval.low_percent, interval.high_percent
        );
        write_items("as submitted", [part], page);
    }
    let besides = [
        (counts.waiting, "request"),
        (counts.stalls, "stall"),
        (card.escalations, "escalation"),
        (card.convoys, "convoy"),
    ];
    let besides =
        besides
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| match name {
                "request" => format!("{} waiting", counted(count, name)),
                name => counted(count, name),
            });
    write_items("besides", besides, page);
    let median = card.median_seconds.map(describe_duration);
    write_items("median time", median, page);
    let per_merge = card
        .cost_per_merge_usd
        .map(|cost| format!("${cost:.2} per merge"));
    if card.cost.is_some() {
        let cost = describe_cost(card.cost.as_ref());
        write_items("cost", std::iter::once(cost).chain(per_merge), page);
    }
    let kinds = card.kinds.iter().map(|(kind, count)| match kind.as_str() {
        "" => format!("unknown {count}"),
        kind => format!("{} {count}", escape_line(kind)),
    });
    write_items("kinds", kinds, page);
    let labels = card.labels.iter();
    let labels = labels.map(|found| format!("{} {}", escape_line(&found.label), found.count));
    write_items("labels", labels, page);
    if let Some(rating) = card.rating {
        let count = counted(rating.count, "rating");
        write_items(
            "rating",
            [format!("{:.1} of 5 ({count})", rating.mean)],
            page,
        );
    }
    if let Some(trend) = &card.trend {
        let change = match trend.change {
            TrendChange::Better => "better",
            TrendChange::Worse => "worse",
            TrendChange::NotShown => "no change shown",
        };
        let side = |side: gt::record::career::TrendSide| {
            format!("{} of {}", side.as_submitted, side.finished)
        };
        let items = [
            format!("last {} as submitted", side(trend.last)),
            format!("before {}", side(trend.before)),
            change.to_owned(),
        ];
        write_items("trend", items, page);
    }
    for work in &card.last {
        write_last_work(work, page);
    }
}

fn describe_duration(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        _ => format!("{}h", SignedDuration::from_secs(seconds).as_hours()),
    }
}

fn write_last_work(work: &LastWork, page: &mut Page) {
    let done = &work.done;
    let result = done
        .result
        .map_or_else(|| done.outcome.name(), MergeResult::name);
    let when = page.relative_time(&done.at);
    page.cut_line(format!(
        "  {when} {} {result}, {}",
        escape_line(&done.bead),
        describe_duration(done.seconds)
    ));
    for rating in &work.ratings {
        page.cut_line(format!(
            "    rated {} of 5 by {}: {}",
            rating.rating,
            escape_line(&rating.by),
            escape_line(&rating.why)
        ));
    }
}

/// Writes a name and its items.
fn write_items(name: &str, items: impl IntoIterator<Item = String>, page: &mut Page) {
    page.items(&format!("  {name:<NAME_WIDTH$}"), items);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use gt::record::career::{CareerCounts, CareerTrend, compare_by_kind};
    use gt::record::polecat::{WorkCompletion, WorkOutcome, WorkerCompletion};
    use gt::record::rating::{Rating, RatingSummary};
    use gt::view::career::LabelCount;
    use kit::ui::style::Style;
    use unicode_width::UnicodeWidthStr;

    use super::*;

    /// Builds `count` pieces of work of a model, `merged` of them merged as submitted.
    fn work(model: &str, kind: &str, merged: usize, count: usize) -> Vec<WorkerCompletion> {
        let result = |number| {
            if number < merged {
                MergeResult::Merged
            } else {
                MergeResult::Reworked
            }
        };
        (0..count)
            .map(|number| WorkerCompletion {
                worker: "web/polecats/amber".to_owned(),
                done: WorkCompletion {
                    bead: format!("web-{number}"),
                    outcome: WorkOutcome::Submitted,
                    at: "2026-01-05T07:00:00Z".to_owned(),
                    seconds: 720,
                    sessions: 1,
                    agent: "claude".to_owned(),
                    kind: kind.to_owned(),
                    labels: Vec::new(),
                    stalls: u32::from(number == 0),
                    model: Some(model.to_owned()),
                    request: Some(format!("web-mr-{number}")),
                    result: Some(result(number)),
                    gate_failures: 0,
                    merged_after: None,
                },
            })
            .collect()
    }

    fn card(key: &str, entries: &[WorkerCompletion]) -> CareerCard {
        let works: Vec<&WorkCompletion> = entries
            .iter()
            .filter(|entry| entry.done.model.as_deref() == Some(key))
            .map(|entry| &entry.done)
            .collect();
        let cost = CostSum {
            cost_usd: 6.2,
            ..CostSum::default()
        };
        let rating = Rating {
            bead: "web-19".to_owned(),
            request: "web-mr-19".to_owned(),
            rating: 4,
            why: "small, and it has a test \u{1b}[31m".to_owned(),
            by: "overseer".to_owned(),
            at: "2026-01-05T08:00:00Z".to_owned(),
        };
        CareerCard {
            key: key.to_owned(),
            counts: CareerCounts::count(works.iter().copied()),
            escalations: 1,
            convoys: 3,
            median_seconds: Some(720),
            kinds: BTreeMap::from([("bug".to_owned(), 20), ("task".to_owned(), 3)]),
            labels: vec![LabelCount {
                label: "ui".to_owned(),
                count: 7,
            }],
            cost: Some(cost),
            cost_per_merge_usd: Some(0.27),
            trend: CareerTrend::new(&works),
            rating: RatingSummary::new([&rating]),
            last: works
                .last()
                .map(|work| LastWork {
                    done: (*work).clone(),
                    ratings: vec![rating],
                })
                .into_iter()
                .collect(),
        }
    }

    fn report() -> CareerReport {
        let entries = [
            work("claude-opus-4-1", "bug", 19, 20),
            work("gpt-5-codex", "bug", 6, 20),
            work("gemini-2.5-pro", "bug", 3, 3),
            work("claude-opus-4-1", "task", 3, 3),
            work("gpt-5-codex", "task", 6, 6),
            work("claude-opus-4-1", "feature", 5, 6),
            work("gpt-5-codex", "feature", 6, 6),
        ]
        .concat();
        let by = CareerGroup::Model;
        let compared = compare_by_kind(&entries, by).into_iter();
        CareerReport {
            by,
            since: "2025-10-07T10:00:00Z".to_owned(),
            kinds: compared
                .map(|comparison| ComparedKind {
                    text: comparison.describe(by),
                    comparison,
                })
                .collect(),
            cards: ["claude-opus-4-1", "gpt-5-codex", "gemini-2.5-pro"]
                .map(|key| card(key, &entries))
                .into(),
        }
    }

    fn check_screen(name: &str, write: impl Fn(&CareerReport, &mut Page)) {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(Path::new("snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        for width in [60, 100, 200] {
            let now = "2026-01-05T10:00:00Z".parse().unwrap();
            let mut page = Page::new(Some(width), Style::plain()).with_now(now);
            write(&report(), &mut page);
            let widest = page.text().lines().map(UnicodeWidthStr::width).max();
            assert!(
                widest.is_some_and(|widest| widest <= width),
                "{}",
                page.text()
            );
            let text = page.text().to_owned();
            settings.bind(|| insta::assert_snapshot!(format!("{name}-{width}"), text));
        }
    }

    #[test]
    fn the_first_screen_says_which_model_does_bugs_best() {
        check_screen("gt-career", |report, page| {
            write_comparison(report, true, page);
        });
        let mut page = Page::plain();
        write_comparison(&report(), true, &mut page);
        assert!(page.text().contains("bug: best is claude-opus-4-1"));
    }

    #[test]
    fn a_card_fits_each_width_and_shows_no_control_characters() {
        check_screen("gt-career-card", |report, page| {
            write_card(&report.cards[0], report, page);
        });
        let mut page = Page::plain();
        write_card(&report().cards[0], &report(), &mut page);
        assert!(!page.text().contains('\u{1b}'));
    }
}
