//! The header: the town, its daemon, the counts, the costs of today, and what stops the town.

use gt::view::daily::DailyMetric;
use gt::view::overview::TownOverview;
use kit::ui::counted;
use kit::ui::cut::cut_to_width;
use kit::ui::escape::escape_line;
use kit::ui::plot::draw_sparkline;

use super::super::super::costs::format_cost;
use super::super::super::costs::plot::format_value;
use super::super::news::TownNews;
use super::super::rows::{Tone, count_working};
use super::super::state::TopState;
use super::TonedLine;
use super::text::join_parts;

/// The number of days whose costs the header draws.
const SPARKLINE_DAYS: usize = 14;

pub(super) fn list_lines(state: &TopState, width: usize) -> Vec<TonedLine> {
    let mut lines = match &state.news.overview {
        None => vec![TonedLine::new(Tone::Dim, "reading the town …")],
        Some(overview) => {
            let parts = list_parts(overview, &state.news);
            let mut lines: Vec<TonedLine> = join_parts(&parts, " · ", width)
                .into_iter()
                .map(|text| TonedLine::new(Tone::Strong, text))
                .collect();
            lines.extend(list_warnings(overview));
            lines
        }
    };
    if let Some(problem) = &state.news.problem {
        let text = format!("! the town cannot be read now: {problem}");
        lines.push(TonedLine::new(Tone::Bad, text));
    }
    for line in &mut lines {
        line.text = cut_to_width(&line.text, width);
    }
    lines
}

fn list_parts(overview: &TownOverview, news: &TownNews) -> Vec<String> {
    let status = &overview.status;
    let daemon = if status.daemon.running {
        "daemon runs"
    } else {
        "daemon stopped (gt up)"
    };
    let workers = status.summary.polecat_count;
    let mut working = 0;
    let mut ready = 0;
    let mut blocked = 0;
    let mut needs_person = 0;
    for rig in &status.rigs {
        working += count_working(&rig.agents);
        ready += rig.mq.pending;
        blocked += rig.mq.blocked;
        needs_person += rig.mq.needs_person;
    }
    let mut queue = format!("queue {ready} ready");
    if blocked > 0 {
        queue.push_str(&format!(", {blocked} waiting for a task"));
    }
    if needs_person > 0 {
        queue.push_str(&format!(", {needs_person} for you"));
    }
    let mut parts = vec![
        escape_line(&status.name),
        daemon.to_owned(),
        format!("{working} of {workers} working"),
        queue,
    ];
    parts.extend(describe_costs(news));
    if status.overseer.unread_mail > 0 {
        parts.push(format!("{} unread mail", status.overseer.unread_mail));
    }
    parts
}

/// Describes the costs of today beside the average of the last week, and draws those of the last
/// days.
fn describe_costs(news: &TownNews) -> Vec<String> {
    let costs = match &news.costs {
        None => return vec!["today …".to_owned()],
        Some(Err(_)) => return vec!["costs unknown".to_owned()],
        Some(Ok(costs)) => costs,
    };
    let daily = &costs.daily;
    let average = format_value(DailyMetric::Cost, daily.comparison.daily_average);
    let shown = daily.days.len().saturating_sub(SPARKLINE_DAYS);
    let days: Vec<Option<f64>> = daily.days[shown..]
        .iter()
        .map(|day| day.sums.value(DailyMetric::Cost))
        .collect();
    let mut parts = vec![format!(
        "{} today, {average} per day last week",
        format_cost(&costs.today.total)
    )];
    if days.iter().flatten().any(|cost| *cost > 0.0) {
        let picture = draw_sparkline(&days);
        parts.push(format!("{} │{picture}│", counted(days.len(), "day")));
    }
    parts
}

/// Returns the stop, the pauses and the problems, with the command that ends each.
fn list_warnings(overview: &TownOverview) -> Vec<TonedLine> {
    let status = &overview.status;
    let mut lines = Vec::new();
    if let Some(stop) = &status.stopped {
        let hold = stop.hold();
        let text = format!("! {} ({})", escape_line(&hold.reason), hold.next);
        lines.push(TonedLine::new(Tone::Bad, text));
    }
    if let Some(pause) = &status.paused {
        let text = format!("! {} (gt deacon resume)", escape_line(&pause.describe()));
        lines.push(TonedLine::new(Tone::Caution, text));
    }
    if let Some(by) = &status.scheduler_paused_by {
        let by = escape_line(by);
        let text = format!("! the scheduler is paused by {by} (gt scheduler resume)");
        lines.push(TonedLine::new(Tone::Caution, text));
    }
    if let Some(reason) = &status.daemon.degraded {
        let text = format!("! daemon degraded: {}", escape_line(reason));
        lines.push(TonedLine::new(Tone::Caution, text));
    }
    let problems = status.problems.iter().filter(|problem| !problem.is_need);
    let count = problems.clone().count();
    if let Some(problem) = problems.clone().next() {
        let first = escape_line(problem.text.lines().next().unwrap_or(""));
        let more = match count - 1 {
            0 => String::new(),
            more => format!(" (and {more} more: gt status)"),
        };
        lines.push(TonedLine::new(Tone::Caution, format!("! {first}{more}")));
    }
    lines
}
