//! `gt timeline`.

use std::collections::BTreeMap;

use gt::view::target_strip::{CommitState, TargetStrip};
use gt::view::timeline::{
    LaneKind, LongestPhase, Timeline, TimelineLane, TimelineMark, TimelinePhase, TimelineSubject,
    find_subject, read_timeline,
};
use jiff::{SignedDuration, Timestamp};
use kit::ui::cut::{count_columns, cut_to_width, pad_to_width};
use kit::ui::time::format_seconds;
use kit::ui::{Page, Style, counted, escape};

use super::{CommandResult, build_report, rig};
use crate::context::Context;
use crate::since::parse_since;

/// The range of a timeline without an end of its own.
const DEFAULT_RANGE: SignedDuration = SignedDuration::from_hours(24);
/// The columns of a screen whose width is not known.
const DEFAULT_COLUMNS: usize = 100;
/// A narrower screen has the name of a lane above its bar.
const MIN_COLUMNS_FOR_NAMES: usize = 50;
const MAX_NAME_COLUMNS: usize = 28;
const MIN_BAR_COLUMNS: usize = 10;

/// Draw the time of a bead, convoy, worker or rig
///
/// Each bead's line shows its phases: waiting for a worker, at work, waiting for you, in the queue,
/// each gate, rework. A worker's line shows its sessions, and a rig's also its merge queue and the
/// last commits of its target. Below stands the phase that took the most time. A bead's timeline begins
/// when it was slung and a convoy's when it was created; the others cover a day unless `--since`
/// says more. Without a name the rig around the working directory, or else the town.
///
/// With `--json` {subject, title, from, to, lanes[{kind, id, title, spans[{bead, phase, from, to,
/// seconds, detail?, worker?, event_at?}], marks[{kind, at, text}]}], hidden_beads, totals[{phase, label,
/// seconds}], longest?{phase, label, seconds, percent, bead, bead_seconds}, targets?[{rig, branch,
/// commits[{hash, at, subject, state, bead?, failed_gates?}], red?{commit, since, broken_by?,
/// broken_by_bead?, repair, repair_assignee?}}]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A bead, a convoy, a worker or a rig
    #[arg(value_name = "NAME")]
    what: Option<String>,
    /// The rig
    #[arg(long, hide = true, value_name = "RIG", conflicts_with = "what")]
    rig: Option<String>,
    /// The bead, convoy or worker
    #[arg(long, hide = true, aliases = ["convoy", "worker", "agent"], value_name = "NAME", conflicts_with_all = ["what", "rig"])]
    bead: Option<String>,
    /// Begin at this time: 2h, 7d, 14:32, 2026-03-01
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let now = town.clock.now();
    let name = args.what.as_ref().or(args.bead.as_ref());
    let rig = match &args.rig {
        Some(rig) => Some(town.find_rig(rig)?),
        None => rig::rig_of_caller(ctx, &town),
    };
    let subject = match (name, rig) {
        (Some(name), _) => find_subject(&town, name)?,
        (None, Some(rig)) => TimelineSubject::Rig(rig.name().to_owned()),
        (None, None) => TimelineSubject::Town,
    };
    let since = parse_since(args.since.as_deref(), now)?;
    let since = begin_of_range(&subject, since, now)?;
    let timeline = read_timeline(&town, &subject, since)?;
    build_report(timeline, write_timeline)
}

/// Returns the begin of a timeline: the chosen one, or else a day ago. None for the whole life of a
/// bead or a convoy.
pub(super) fn begin_of_range(
    subject: &TimelineSubject,
    since: Option<Timestamp>,
    now: Timestamp,
) -> anyhow::Result<Option<Timestamp>> {
    Ok(match (since, subject) {
        (None, TimelineSubject::Bead(_) | TimelineSubject::Convoy(_)) => None,
        (since, _) => Some(since.unwrap_or(now.saturating_sub(DEFAULT_RANGE)?)),
    })
}

/// Writes the timeline, as `gt timeline` and `gt top` show it.
pub(super) fn write_timeline(timeline: &Timeline, page: &mut Page) {
    let style = page.style().clone();
    let title = escape::escape_line(&timeline.title);
    page.cut_line(style.bold(format!("{}  {title}", timeline.subject).trim_end()));
    let columns = page.known_width().unwrap_or(DEFAULT_COLUMNS);
    if timeline.lanes.is_empty() {
        page.line("nothing was worked on in this time");
    } else {
        let bar = BarScale::new(timeline, columns);
        write_axis(timeline, &bar, page);
        for lane in &timeline.lanes {
            write_lane(lane, &bar, page);
        }
        write_legend(timeline, &bar, page);
    }
    if timeline.hidden_beads > 0 {
        let hidden = counted(timeline.hidden_beads, "bead");
        page.line(format!("{hidden} with older events are not shown"));
    }
    if let Some(longest) = &timeline.longest {
        write_longest(longest, timeline.totals.len(), page);
    }
    if let [lane] = timeline.lanes.as_slice() {
        write_marks(lane, page);
    }
    for target in &timeline.targets {
        write_target_strip(target, page);
    }
}

/// The place of the bars and the time of their columns.
struct BarScale {
    from: Timestamp,
    seconds: f64,
    /// 0 if names stand above the bars.
    name_columns: usize,
    bar_columns: usize,
}

impl BarScale {
    fn new(timeline: &Timeline, columns: usize) -> Self {
        let longest = timeline
            .lanes
            .iter()
            .map(|lane| count_columns(&describe_lane(lane)));
        let name_columns = match longest.max() {
            Some(longest) if columns >= MIN_COLUMNS_FOR_NAMES => {
                longest.min(MAX_NAME_COLUMNS).min(columns / 3) + 2
            }
            _ => 0,
        };
        Self {
            from: timeline.from,
            seconds: timeline
                .to
                .duration_since(timeline.from)
                .as_secs_f64()
                .max(1.0),
            name_columns,
            bar_columns: columns.saturating_sub(name_columns).max(MIN_BAR_COLUMNS),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a column is between 0 and the width of the screen"
    )]
    fn column_of(&self, at: Timestamp) -> usize {
        let part = at.duration_since(self.from).as_secs_f64() / self.seconds;
        let column = part.clamp(0.0, 1.0) * self.bar_columns as f64;
        (column as usize).min(self.bar_columns - 1)
    }

    /// Returns the phase of each column: the one with the most time in it.
    fn list_phases(&self, lane: &TimelineLane) -> Vec<Option<TimelinePhase>> {
        let mut columns = vec![(None, 0.0); self.bar_columns];
        for part in &lane.spans {
            let first = self.column_of(part.span.from);
            let last = self.column_of(part.span.to);
            for (column, best) in columns.iter_mut().enumerate().take(last + 1).skip(first) {
                let seconds = self.seconds_within(column, part.span.from, part.span.to);
                if seconds > best.1 {
                    *best = (Some(part.span.phase), seconds);
                }
            }
        }
        columns.into_iter().map(|(phase, _)| phase).collect()
    }

    /// Groups the marks of a lane by their columns.
    fn group_marks<'l>(&self, lane: &'l TimelineLane) -> BTreeMap<usize, Vec<&'l TimelineMark>> {
        let mut columns: BTreeMap<usize, Vec<&TimelineMark>> = BTreeMap::new();
        for mark in &lane.marks {
            columns
                .entry(self.column_of(mark.at))
                .or_default()
                .push(mark);
        }
        columns
    }

    /// Returns the seconds of a span in a column.
    #[expect(clippy::cast_precision_loss, reason = "a screen has few columns")]
    fn seconds_within(&self, column: usize, from: Timestamp, to: Timestamp) -> f64 {
        let width = self.seconds / self.bar_columns as f64;
        let start = from
            .duration_since(self.from)
            .as_secs_f64()
            .max(width * column as f64);
        let end = to
            .duration_since(self.from)
            .as_secs_f64()
            .min(width * (column + 1) as f64);
        end - start
    }
}

fn write_axis(timeline: &Timeline, bar: &BarScale, page: &mut Page) {
    let begin = page.local_time(&timeline.from.to_string());
    let end = page.local_time(&timeline.to.to_string());
    let between = bar
        .bar_columns
        .saturating_sub(count_columns(&begin) + count_columns(&end));
    let indent = " ".repeat(bar.name_columns);
    let line = if between > 0 {
        format!("{indent}{begin}{}{end}", " ".repeat(between))
    } else {
        format!("{begin} to {end}")
    };
    page.line(page.style().dim(&line));
}

fn write_lane(lane: &TimelineLane, bar: &BarScale, page: &mut Page) {
    let style = page.style().clone();
    let name = describe_lane(lane);
    let mut cells: Vec<String> = bar
        .list_phases(lane)
        .into_iter()
        .map(|phase| phase.map_or_else(|| " ".to_owned(), |phase| paint_phase(&style, phase)))
        .collect();
    for (column, marks) in bar.group_marks(lane) {
        cells[column] = draw_marks(&marks);
    }
    let drawn = cells.concat();
    if bar.name_columns == 0 {
        page.cut_line(&name);
        page.line(drawn.trim_end());
        return;
    }
    let name = pad_to_width(&cut_to_width(&name, bar.name_columns - 2), bar.name_columns);
    page.line(format!("{name}{drawn}").trim_end());
}

/// Draws the marks of a column: the sign of one, or the number of several.
fn draw_marks(marks: &[&TimelineMark]) -> String {
    match marks {
        [mark] => mark.kind.symbol().to_string(),
        marks if marks.len() > 9 => "+".to_owned(),
        marks => marks.len().to_string(),
    }
}

fn describe_lane(lane: &TimelineLane) -> String {
    let name = match lane.kind {
        LaneKind::Bead => format!("{} {}", lane.id, lane.title),
        LaneKind::Worker | LaneKind::Queue => lane.title.clone(),
    };
    escape::escape_line(name.trim_end())
}

fn paint_phase(style: &Style, phase: TimelinePhase) -> String {
    let text = match phase {
        TimelinePhase::NotSlung => " ",
        TimelinePhase::Blocked => "·",
        TimelinePhase::WaitingForWorker => "░",
        TimelinePhase::Working => "█",
        TimelinePhase::WaitingForUser => "!",
        TimelinePhase::InQueue => "▒",
        TimelinePhase::Merging => "▓",
        TimelinePhase::Gate => "▀",
        TimelinePhase::Rework => "▄",
    };
    match phase {
        TimelinePhase::NotSlung | TimelinePhase::Blocked => style.dim(text),
        TimelinePhase::WaitingForWorker | TimelinePhase::InQueue => style.yellow(text),
        TimelinePhase::Working | TimelinePhase::Gate => style.green(text),
        TimelinePhase::Merging => style.cyan(text),
        TimelinePhase::WaitingForUser | TimelinePhase::Rework => style.red(text),
    }
}

/// Writes the phases that occur, each with its sign and its time, and the meaning of a number.
fn write_legend(timeline: &Timeline, bar: &BarScale, page: &mut Page) {
    let style = page.style().clone();
    let has_number = timeline
        .lanes
        .iter()
        .any(|lane| bar.group_marks(lane).values().any(|marks| marks.len() > 1));
    for total in timeline
        .totals
        .iter()
        .filter(|total| total.phase != TimelinePhase::NotSlung)
    {
        let sign = paint_phase(&style, total.phase);
        let time = format_seconds(total.seconds);
        page.line(format!("  {sign} {:<23} {time:>8}", total.label));
    }
    if has_number {
        page.line("  2 to 9, +  events in one place");
    }
}

fn write_longest(longest: &LongestPhase, phases: usize, page: &mut Page) {
    let part = if phases > 1 {
        format!(", {} % of the time", longest.percent)
    } else {
        String::new()
    };
    let time = format_seconds(longest.seconds);
    page.line(format!("Longest: {}{part} ({time})", longest.label));
    if longest.bead_seconds < longest.seconds {
        let bead_time = format_seconds(longest.bead_seconds);
        page.line(format!("  most of it: {} ({bead_time})", longest.bead));
    }
}

fn write_marks(lane: &TimelineLane, page: &mut Page) {
    for mark in &lane.marks {
        let time = page.local_time(&mark.at.to_string());
        page.cut_line(format!("  {} {time}  {}", mark.kind.symbol(), mark.text));
    }
}

/// Writes the last commits of a target as one sign each, the newest last, and the cause if it is
/// red. A target without a tested commit is left out.
pub(super) fn write_target_strip(target: &TargetStrip, page: &mut Page) {
    if target
        .commits
        .iter()
        .all(|commit| commit.state == CommitState::Untested)
    {
        return;
    }
    let style = page.style().clone();
    let signs: String = target
        .commits
        .iter()
        .map(|commit| match commit.state {
            CommitState::Green => style.green("■"),
            CommitState::Red => style.red("✗"),
            CommitState::Untested => style.dim("□"),
        })
        .collect();
    let name = escape::escape_line(&format!("{} of {}", target.branch, target.rig));
    page.line(format!("{name}: {signs}"));
    page.line(style.dim("  ■ green, ✗ red, □ not tested alone; the newest last"));
    if let Some(red) = &target.red {
        let [cause, repair] = red.describe(|time| page.local_time(time));
        page.line(style.red(&format!("  {cause}")));
        page.line(format!("  {repair}"));
        if red.broken_by.is_none() {
            page.line(format!("  → gt mq bisect {}", target.rig));
        }
    }
}

#[cfg(test)]
mod tests {
    use gt::view::target_strip::{RedTarget, TargetCommit};
    use gt::view::timeline::{LaneSpan, PhaseTotal, TimelineMarkKind, TimelineSpan};

    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute)
    }

    fn lane(
        kind: LaneKind,
        id: &str,
        title: &str,
        parts: &[(TimelinePhase, i64, i64)],
    ) -> TimelineLane {
        let spans = parts.iter().map(|(phase, from, to)| LaneSpan {
            bead: id.to_owned(),
            span: TimelineSpan {
                phase: *phase,
                from: at(*from),
                to: at(*to),
                seconds: at(*to).duration_since(at(*from)).as_secs_f64(),
                detail: None,
                worker: None,
                event_at: None,
            },
        });
        TimelineLane {
            kind,
            id: id.to_owned(),
            title: title.to_owned(),
            spans: spans.collect(),
            marks: vec![TimelineMark {
                kind: TimelineMarkKind::Handoff,
                at: at(40),
                text: "restarted amber".to_owned(),
            }],
        }
    }

    fn sample() -> Timeline {
        use TimelinePhase as Phase;
        let lanes = vec![
            lane(
                LaneKind::Bead,
                "web-1",
                "Parse the \u{1b}[31m settings",
                &[
                    (Phase::WaitingForWorker, 0, 10),
                    (Phase::Working, 10, 60),
                    (Phase::WaitingForUser, 60, 70),
                    (Phase::InQueue, 70, 80),
                    (Phase::Merging, 80, 85),
                    (Phase::Gate, 85, 95),
                    (Phase::Rework, 95, 120),
                ],
            ),
            lane(
                LaneKind::Bead,
                "web-2",
                "Print them",
                &[(Phase::Blocked, 0, 120)],
            ),
        ];
        let totals =
            [(Phase::Blocked, 120.0), (Phase::Working, 50.0)].map(|(phase, minutes)| PhaseTotal {
                phase,
                label: phase.label(),
                seconds: minutes * 60.0,
            });
        let commit = |state| TargetCommit {
            hash: "0123456789".to_owned(),
            at: at(0),
            subject: "Add".to_owned(),
            state,
            bead: None,
            failed_gates: Vec::new(),
        };
        Timeline {
            subject: "hq-cv-1".to_owned(),
            title: "Settings".to_owned(),
            from: at(0),
            to: at(120),
            lanes,
            hidden_beads: 1,
            totals: totals.into(),
            longest: Some(LongestPhase {
                phase: Phase::Working,
                label: Phase::Working.label(),
                seconds: 3000.0,
                percent: 50,
                bead: "web-1".to_owned(),
                bead_seconds: 2000.0,
            }),
            targets: vec![TargetStrip {
                rig: "web".to_owned(),
                branch: "main".to_owned(),
                commits: [CommitState::Untested, CommitState::Green, CommitState::Red]
                    .map(commit)
                    .into(),
                red: Some(RedTarget {
                    commit: "0123456789".to_owned(),
                    since: at(90).to_string(),
                    broken_by: None,
                    broken_by_bead: Some("web-7".to_owned()),
                    repair: "web-8".to_owned(),
                    repair_assignee: None,
                }),
            }],
        }
    }

    #[test]
    fn a_timeline_fits_narrow_and_wide_screens() {
        for columns in [40, 60, 100, 200] {
            let mut page = Page::new(Some(columns), Style::plain()).with_now(at(120));
            write_timeline(&sample(), &mut page);
            let widest = page.text().lines().map(count_columns).max();
            assert!(columns < 60 || widest <= Some(columns), "{}", page.text());
            insta::assert_snapshot!(format!("timeline_{columns}_columns"), page.text());
        }
    }

    #[test]
    fn marks_in_one_place_are_counted() {
        let mut timeline = sample();
        timeline.lanes.truncate(1);
        let lane = &mut timeline.lanes[0];
        lane.marks = (0..3).map(|_| lane.marks[0].clone()).collect();
        let mut page = Page::new(Some(60), Style::plain()).with_now(at(120));
        write_timeline(&timeline, &mut page);
        let bar = page.text().lines().nth(2).unwrap();
        assert!(bar.contains('3') && !bar.contains('↻'), "{bar}");
        assert!(page.text().contains("  2 to 9, +  events in one place\n"));
        let mark = &timeline.lanes[0].marks[0];
        assert_eq!(draw_marks(&[mark; 10]), "+");
        assert_eq!(draw_marks(&[mark]), "↻");
    }

    #[test]
    fn a_single_lane_lists_its_marks() {
        let mut timeline = sample();
        timeline.lanes.truncate(1);
        let mut page = Page::new(Some(60), Style::plain()).with_now(at(120));
        write_timeline(&timeline, &mut page);
        assert!(
            page.text().contains("↻ Jan 1 00:40:00  restarted amber"),
            "{}",
            page.text()
        );
    }
}
