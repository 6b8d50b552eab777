//! `gt costs --plot`: the numbers of the last days as a picture of blocks or braille dots.

use gt::flow::agent::seance::usage::RequestCache;
use gt::view::daily::{
    DailyChoice, DailyGroup, DailyMetric, DailyNumbers, GroupNumbers, NumberSums,
    read_daily_numbers,
};
use jiff::civil::Date;
use kit::ui::escape::escape_line;
use kit::ui::plot::{BarPlot, draw_sparkline};
use kit::ui::time::format_seconds;
use kit::ui::{Page, counted};

use super::super::{CommandResult, build_report};
use super::format_tokens;
use crate::context::Context;

/// The rows of the bars.
const PLOT_ROWS: usize = 8;
/// The maximum number of models or rigs in the text. JSON has all.
const MAX_GROUPS: usize = 12;

pub(super) fn run(ctx: &Context, choice: DailyChoice) -> CommandResult {
    let town = ctx.open_town()?;
    let numbers = read_daily_numbers(&town, choice, &mut RequestCache::default())?;
    build_report(numbers, write_plot)
}

/// Writes the comparison, the plot and the groups, as `gt costs --plot` and `gt top` show them.
pub(in super::super) fn write_plot(numbers: &DailyNumbers, page: &mut Page) {
    let metric = numbers.metric;
    let comparison = describe_comparison(numbers);
    page.line(page.style().bold(&comparison));
    page.blank();
    page.line(describe_range(numbers));
    let values: Vec<Option<f64>> = numbers
        .days
        .iter()
        .map(|day| day.sums.value(metric).filter(|_| day.recorded))
        .collect();
    let names: Vec<String> = numbers.days.iter().map(|day| name_day(day.day)).collect();
    let plot = BarPlot {
        values: &values,
        names: &names,
        rows: PLOT_ROWS,
    };
    let drawn = plot.draw(page.width(), |value| format_axis(metric, value));
    for line in &drawn.lines {
        page.line(line);
    }
    if drawn.shown < values.len() {
        let days = counted(drawn.shown, "day");
        page.line(format!(
            "The picture shows the last {days}, a wider terminal more."
        ));
    }
    write_groups(numbers, page);
    write_gaps(numbers, page);
}

/// Returns today's number beside the average of the seven days before.
pub(in super::super) fn describe_comparison(numbers: &DailyNumbers) -> String {
    let metric = numbers.metric;
    let comparison = &numbers.comparison;
    let today = format_value(metric, comparison.today);
    let average = format_value(metric, comparison.daily_average);
    let week = format_value(metric, comparison.last_week);
    match metric {
        DailyMetric::Waits => {
            format!("Today: {today} on average. The seven days before: {average}")
        }
        _ => format!("Today: {today}. Last week: {average} per day ({week} in seven days)"),
    }
}

fn describe_range(numbers: &DailyNumbers) -> String {
    let metric = numbers.metric;
    let title = match metric {
        DailyMetric::Cost => "Costs",
        DailyMetric::Tokens => "Tokens",
        DailyMetric::Merges => "Merges",
        DailyMetric::Waits => "Mean wait of requests before their merge began",
        DailyMetric::RedGates => "Failed runs of gates",
        DailyMetric::Restarts => "Restarts of workers",
    };
    let total = format_value(metric, numbers.total.value(metric));
    let sum = match metric {
        DailyMetric::Waits => {
            let waits = usize::try_from(numbers.total.waits).unwrap_or(usize::MAX);
            format!("{total} over {}", counted(waits, "request"))
        }
        _ => format!("{total} in all"),
    };
    let largest = numbers
        .days
        .iter()
        .filter_map(|day| Some((day.sums.value(metric)?, day.day)))
        .filter(|(value, _)| *value > 0.0)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let largest = largest.map_or(String::new(), |(value, day)| {
        let value = format_value(metric, Some(value));
        format!(", at most {value} on {}", name_day(day))
    });
    format!(
        "{title} of {}: {sum}{largest}",
        counted(numbers.days.len(), "day")
    )
}

fn write_groups(numbers: &DailyNumbers, page: &mut Page) {
    let Some(by) = numbers.by else {
        return;
    };
    let metric = numbers.metric;
    let name = match by {
        DailyGroup::Model => "model",
        DailyGroup::Rig => "rig",
    };
    page.blank();
    page.line(format!("By {name}, in all, by day, and today:"));
    let is_shown = |group: &&GroupNumbers| group.total.value(metric).is_some_and(|sum| sum > 0.0);
    let shown: Vec<&GroupNumbers> = numbers.groups.iter().filter(is_shown).collect();
    for group in shown.iter().take(MAX_GROUPS) {
        let columns = page
            .width()
            .saturating_sub(40)
            .clamp(7, numbers.days.len().max(7));
        let skipped = group.days.len().saturating_sub(columns);
        let days: Vec<Option<f64>> = group.days[skipped..]
            .iter()
            .map(|sums| sums.value(metric))
            .collect();
        let today = group.days.last().and_then(|sums| sums.value(metric));
        let key = match group.key.as_str() {
            "" => "(none)",
            key => key,
        };
        page.cut_line(format!(
            "{:>9} {} {:>9}  {}",
            format_value(metric, group.total.value(metric)),
            draw_sparkline(&days),
            format_value(metric, today),
            escape_line(key)
        ));
    }
    if shown.len() > MAX_GROUPS {
        let more = shown.len() - MAX_GROUPS;
        page.line(format!("and {more} more: --json lists all"));
    }
}

/// Writes what the numbers do not include.
fn write_gaps(numbers: &DailyNumbers, page: &mut Page) {
    let unread = numbers.days.iter().filter(|day| !day.recorded).count();
    if unread > 0 {
        let days = counted(unread, "day");
        page.line(format!(
            "No numbers of {days}: they were not recorded, and transcripts are read for 30 days only"
        ));
    }
    let NumberSums {
        unpriced_tokens, ..
    } = numbers.total;
    if numbers.metric == DailyMetric::Cost && unpriced_tokens > 0 {
        let tokens = format_tokens(unpriced_tokens);
        page.line(format!(
            "Not included: {tokens} tokens of models without a price. Add it to settings/prices.json"
        ));
        page.line("  → gt costs --help");
    }
    for problem in &numbers.problems {
        page.line(format!("Warning: {}", escape_line(problem)));
    }
}

fn name_day(day: Date) -> String {
    day.strftime("%b %-d").to_string()
}

/// Formats a number of the axis, in at most six columns or so.
fn format_axis(metric: DailyMetric, value: f64) -> String {
    match metric {
        DailyMetric::Cost if value >= 100.0 => format!("${value:.0}"),
        _ => format_value(metric, Some(value)),
    }
}

/// Formats a number. A dash means that there is none.
pub(in super::super) fn format_value(metric: DailyMetric, value: Option<f64>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    match metric {
        DailyMetric::Cost => format!("${value:.2}"),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rounded number of tokens"
        )]
        DailyMetric::Tokens => format_tokens(value.round() as u64),
        DailyMetric::Waits => format_seconds(value),
        DailyMetric::Merges | DailyMetric::RedGates | DailyMetric::Restarts => {
            if value.fract() == 0.0 {
                format!("{value:.0}")
            } else {
                format!("{value:.1}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gt::view::daily::{DailyComparison, DayNumbers};
    use jiff::ToSpan;
    use kit::ui::Style;

    use super::*;

    /// The numbers of 30 days of two rigs. One day is not recorded.
    fn numbers(metric: DailyMetric) -> DailyNumbers {
        let first = jiff::civil::date(2026, 10, 31);
        let sums = |day: u32, part: f64| NumberSums {
            cost_usd: f64::from(day * 37 % 100) * part / 10.0,
            tokens: u64::from(day * 37 % 100) * 10_000,
            unpriced_tokens: 7,
            merges: u64::from(day * 13 % 7),
            waits: 2,
            mean_wait_seconds: Some(f64::from(day * 29 % 50) * 20.0),
            ..NumberSums::default()
        };
        let day = |number: u32| DayNumbers {
            day: first.checked_add(i64::from(number).days()).unwrap(),
            recorded: number != 3,
            sums: sums(number, 1.0),
        };
        let group = |key: &str, part: f64| GroupNumbers {
            key: key.to_owned(),
            total: sums(99, part),
            days: (0..30).map(|number| sums(number, part)).collect(),
        };
        DailyNumbers {
            metric,
            by: Some(DailyGroup::Rig),
            comparison: DailyComparison {
                today: Some(7.3),
                last_week: Some(315.0),
                daily_average: Some(45.0),
            },
            total: NumberSums {
                cost_usd: 137.5,
                ..sums(30, 1.0)
            },
            today: sums(29, 1.0),
            last_week: sums(28, 1.0),
            days: (0..30).map(day).collect(),
            groups: vec![
                group("web", 0.75),
                group("a\u{1b}[31mpi", 0.25),
                group("", 0.0),
            ],
            problems: vec!["line 3 of x.jsonl is damaged and ignored".to_owned()],
        }
    }

    fn check_plot(name: &str, metric: DailyMetric, width: usize) {
        let mut page = Page::new(Some(width), Style::plain());
        write_plot(&numbers(metric), &mut page);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(Path::new("snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.bind(|| insta::assert_snapshot!(name, page.text()));
    }

    #[test]
    fn the_plot_fits_each_width() {
        for width in [60, 100, 200] {
            check_plot(&format!("plot-{width}"), DailyMetric::Cost, width);
        }
        check_plot("plot-waits", DailyMetric::Waits, 100);
        check_plot("plot-tokens-narrow", DailyMetric::Tokens, 30);
    }
}
