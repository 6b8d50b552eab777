//! Counts the finished work of workers, models and agent programs, and compares them.
//!
//! Only work of the same kind is compared, by the part that was merged as submitted. That part has
//! an interval, because a few pieces of work prove little: the Wilson interval of 95 percent. Work
//! without a merge counts against its worker also if it was given up, abandoned or ended without a
//! change. Otherwise a worker would look better by finishing less.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::polecat::{MergeResult, WorkCompletion, WorkOutcome, WorkerCompletion};

/// The number of finished pieces of work of one kind from which on a group is compared.
pub const MIN_COMPARED: usize = 5;
/// The age, in days, up to which finished work counts if no time is given.
pub const CAREER_DAYS: i64 = 90;
/// The number of pieces of work on each side of a trend.
const TREND_LENGTH: usize = 10;
/// The quantile of the normal distribution for an interval of 95 percent.
const NORMAL_QUANTILE: f64 = 1.959_964;

/// The property by which finished work is grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum CareerGroup {
    /// The model that the agent program reported.
    Model,
    /// The agent program.
    Program,
    Worker,
}

impl CareerGroup {
    /// Returns the name of what is compared.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Program => "program",
            Self::Worker => "worker",
        }
    }

    /// Returns the group of an entry.
    pub fn key_of(self, entry: &WorkerCompletion) -> &str {
        match self {
            Self::Model => entry.done.model_name(),
            Self::Program => &entry.done.agent,
            Self::Worker => &entry.worker,
        }
    }
}

/// The counts of some pieces of work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CareerCounts {
    /// The work that cannot have another result. The sum of all numbers below but those that wait.
    pub finished: usize,
    /// As submitted or reworked.
    pub merged: usize,
    /// Merged without a repair and without a failed gate.
    pub as_submitted: usize,
    /// Merged after a repair or a failed gate.
    pub reworked: usize,
    /// Not merged, because the target had the change by the work of someone else.
    pub already_there: usize,
    pub no_change: usize,
    /// Submitted and not merged.
    pub failed: usize,
    /// Given up by the worker.
    pub given_up: usize,
    /// Taken from a worker that had stalled, or closed without `gt done`.
    pub abandoned: usize,
    /// Submitted, without a result yet. Not finished.
    pub waiting: usize,
    /// The number of restarts of sessions that had ended or made no progress.
    pub stalls: usize,
}

impl CareerCounts {
    pub fn count<'a>(entries: impl IntoIterator<Item = &'a WorkCompletion>) -> Self {
        let mut counts = Self::default();
        for entry in entries {
            counts.add(entry);
        }
        counts
    }

    fn add(&mut self, entry: &WorkCompletion) {
        self.stalls += usize::try_from(entry.stalls).unwrap_or(usize::MAX);
        let count = match (entry.outcome, entry.result) {
            (_, Some(MergeResult::Merged)) => &mut self.as_submitted,
            (_, Some(MergeResult::Reworked)) => &mut self.reworked,
            (_, Some(MergeResult::AlreadyThere)) => &mut self.already_there,
            (_, Some(MergeResult::Failed)) => &mut self.failed,
            (WorkOutcome::Submitted, None) => {
                self.waiting += 1;
                return;
            }
            (WorkOutcome::NoChange, None) => &mut self.no_change,
            (WorkOutcome::Failed, None) => &mut self.given_up,
            (WorkOutcome::Abandoned, None) => &mut self.abandoned,
        };
        *count += 1;
        self.finished += 1;
        self.merged = self.as_submitted + self.reworked;
    }

    /// Returns the interval of the part that was merged as submitted.
    pub fn interval(&self) -> Option<SuccessInterval> {
        SuccessInterval::new(self.as_submitted, self.finished)
    }
}

/// The range in which the true part of successes is, with 95 percent probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SuccessInterval {
    #[serde(skip)]
    pub low: f64,
    #[serde(skip)]
    pub high: f64,
    /// Rounded down.
    pub low_percent: u8,
    /// Rounded up.
    pub high_percent: u8,
}

impl SuccessInterval {
    /// Computes the Wilson interval. None without a try.
    pub fn new(successes: usize, tries: usize) -> Option<Self> {
        if tries == 0 {
            return None;
        }
        let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
        let part = count(successes) / count(tries);
        let tries = count(tries);
        let square = NORMAL_QUANTILE * NORMAL_QUANTILE;
        let scale = 1.0 + square / tries;
        let middle = (part + square / (2.0 * tries)) / scale;
        let spread = (part * (1.0 - part) / tries + square / (4.0 * tries * tries)).sqrt();
        let half = NORMAL_QUANTILE * spread / scale;
        let low = (middle - half).max(0.0);
        let high = (middle + half).min(1.0);
        Some(Self {
            low,
            high,
            low_percent: to_percent((low * 100.0).floor()),
            high_percent: to_percent((high * 100.0).ceil()),
        })
    }

    /// Returns true if this interval is above another one.
    fn is_above(&self, other: &Self) -> bool {
        self.low > other.high
    }
}

/// Converts a whole number of percent.
fn to_percent(percent: f64) -> u8 {
    (0..=100)
        .rev()
        .find(|whole| f64::from(*whole) <= percent)
        .unwrap_or(0)
}

/// One group in a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedGroup {
    pub key: String,
    #[serde(flatten)]
    pub counts: CareerCounts,
    /// None before the first finished work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<SuccessInterval>,
    /// True if it has finished enough to be compared.
    pub is_compared: bool,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// No group has finished enough.
    TooFew,
    /// One group alone has finished enough.
    OnlyOne { key: String },
    /// The intervals of the first group and of another one overlap.
    NoDifference { first: String, others: Vec<String> },
    /// The interval of one group is above all others.
    Best { key: String },
}

/// The groups of one kind of work, the best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KindComparison {
    pub kind: String,
    #[serde(flatten)]
    pub verdict: Verdict,
    pub groups: Vec<ComparedGroup>,
}

impl KindComparison {
    /// Compares the groups of entries that are all of one kind.
    fn new(kind: &str, entries: &[&WorkerCompletion], by: CareerGroup) -> Self {
        let groups = compare_groups(entries.iter().copied(), by);
        Self {
            kind: kind.to_owned(),
            verdict: find_verdict(&groups),
            groups,
        }
    }

    /// Describes the result in one sentence.
    pub fn describe(&self, by: CareerGroup) -> String {
        let name = by.name();
        match &self.verdict {
            Verdict::TooFew => {
                format!("too few to compare: no {name} has finished {MIN_COMPARED}")
            }
            Verdict::OnlyOne { key } => {
                format!("too few to compare: only {key} has finished {MIN_COMPARED}")
            }
            Verdict::NoDifference { .. } => "no difference shown: the intervals overlap".to_owned(),
            Verdict::Best { key } => format!("best is {key}"),
        }
    }
}

/// Groups entries that are all of one kind, the best first: those with enough work, by the lower
/// ends of their intervals.
pub fn compare_groups<'a>(
    entries: impl IntoIterator<Item = &'a WorkerCompletion>,
    by: CareerGroup,
) -> Vec<ComparedGroup> {
    let mut by_key: BTreeMap<&str, CareerCounts> = BTreeMap::new();
    for entry in entries {
        by_key.entry(by.key_of(entry)).or_default().add(&entry.done);
    }
    let groups = by_key.into_iter().map(|(key, counts)| ComparedGroup {
        key: key.to_owned(),
        interval: counts.interval(),
        is_compared: counts.finished >= MIN_COMPARED,
        counts,
    });
    let mut groups: Vec<ComparedGroup> = groups.collect();
    groups.sort_by(|one, other| {
        let low = |group: &ComparedGroup| group.interval.map_or(0.0, |found| found.low);
        other
            .is_compared
            .cmp(&one.is_compared)
            .then(low(other).total_cmp(&low(one)))
            .then(other.counts.finished.cmp(&one.counts.finished))
            .then(one.key.cmp(&other.key))
    });
    groups
}

/// Compares groups that are sorted by the lower ends of their intervals.
fn find_verdict(groups: &[ComparedGroup]) -> Verdict {
    let mut compared = groups
        .iter()
        .filter(|group| group.is_compared)
        .filter_map(|group| Some((group.key.clone(), group.interval?)));
    let Some((key, best)) = compared.next() else {
        return Verdict::TooFew;
    };
    let rivals: Vec<(String, SuccessInterval)> = compared.collect();
    if rivals.is_empty() {
        return Verdict::OnlyOne { key };
    }
    let others: Vec<String> = rivals
        .into_iter()
        .filter(|(_, rival)| !best.is_above(rival))
        .map(|(other, _)| other)
        .collect();
    if others.is_empty() {
        Verdict::Best { key }
    } else {
        Verdict::NoDifference { first: key, others }
    }
}

/// Compares the groups for each kind of work: bugs first, which most users ask for, then the most
/// frequent kind. Work whose kind is unknown is not compared.
pub fn compare_by_kind(entries: &[WorkerCompletion], by: CareerGroup) -> Vec<KindComparison> {
    let mut kinds: BTreeMap<&str, Vec<&WorkerCompletion>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !entry.done.kind.is_empty()) {
        kinds.entry(&entry.done.kind).or_default().push(entry);
    }
    let mut found: Vec<KindComparison> = kinds
        .into_iter()
        .map(|(kind, entries)| KindComparison::new(kind, &entries, by))
        .collect();
    let total = |kind: &KindComparison| -> usize {
        kind.groups.iter().map(|group| group.counts.finished).sum()
    };
    let rank = |kind: &KindComparison| (kind.kind != "bug", Reverse(total(kind)));
    found.sort_by(|one, other| rank(one).cmp(&rank(other)).then(one.kind.cmp(&other.kind)));
    found
}

/// The last finished pieces of work beside those before them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CareerTrend {
    pub last: TrendSide,
    pub before: TrendSide,
    pub change: TrendChange,
}

/// One side of a trend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TrendSide {
    pub finished: usize,
    pub as_submitted: usize,
}

/// The direction of a trend. One is only shown if the intervals of both sides do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrendChange {
    Better,
    Worse,
    NotShown,
}

impl CareerTrend {
    /// Compares the last finished work with that before it. `entries` begins with the oldest. None
    /// before there is anything on both sides.
    pub fn new(entries: &[&WorkCompletion]) -> Option<Self> {
        let finished: Vec<CareerCounts> = entries
            .iter()
            .rev()
            .map(|entry| CareerCounts::count([*entry]))
            .filter(|counts| counts.finished > 0)
            .take(2 * TREND_LENGTH)
            .collect();
        let (last, before) = finished.split_at_checked(TREND_LENGTH)?;
        let count = |side: &[CareerCounts]| TrendSide {
            finished: side.len(),
            as_submitted: side.iter().map(|counts| counts.as_submitted).sum(),
        };
        let (last, before) = (count(last), count(before));
        let interval = |side: TrendSide| SuccessInterval::new(side.as_submitted, side.finished);
        let (now, then) = (interval(last)?, interval(before)?);
        let change = match (now.is_above(&then), then.is_above(&now)) {
            (true, _) => TrendChange::Better,
            (_, true) => TrendChange::Worse,
            _ => TrendChange::NotShown,
        };
        Some(Self {
            last,
            before,
            change,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Builds a piece of work of one model.
    pub(crate) fn completion(
        model: &str,
        kind: &str,
        outcome: WorkOutcome,
        result: Option<MergeResult>,
    ) -> WorkerCompletion {
        WorkerCompletion {
            worker: format!("web/polecats/{model}"),
            done: WorkCompletion {
                bead: "web-1".to_owned(),
                outcome,
                at: "2026-01-01T00:00:00Z".to_owned(),
                seconds: 60,
                sessions: 1,
                agent: model.to_owned(),
                kind: kind.to_owned(),
                labels: Vec::new(),
                stalls: 0,
                model: Some(model.to_owned()),
                request: None,
                result,
                gate_failures: 0,
                merged_after: None,
            },
        }
    }

    /// Builds `merged` bugs that were merged as submitted, and `reworked` others.
    fn bugs(model: &str, merged: usize, reworked: usize) -> Vec<WorkerCompletion> {
        let bug = |result| completion(model, "bug", WorkOutcome::Submitted, Some(result));
        let mut all = vec![bug(MergeResult::Merged); merged];
        all.extend(vec![bug(MergeResult::Reworked); reworked]);
        all
    }

    fn verdict(entries: &[Vec<WorkerCompletion>]) -> Verdict {
        let all = entries.concat();
        compare_by_kind(&all, CareerGroup::Model).remove(0).verdict
    }

    #[test]
    fn an_interval_is_that_of_wilson_and_rounded_outwards() {
        let percent = |successes, tries| {
            let found = SuccessInterval::new(successes, tries).unwrap();
            (found.low_percent, found.high_percent)
        };
        assert_eq!(SuccessInterval::new(0, 0), None);
        // Values of a published table: 0.0 to 0.278, 0.722 to 1.0, 0.237 to 0.763.
        assert_eq!(percent(0, 10), (0, 28));
        assert_eq!(percent(10, 10), (72, 100));
        assert_eq!(percent(5, 10), (23, 77));
        assert_eq!(percent(3, 3), (43, 100));
    }

    #[test]
    fn a_perfect_record_of_few_proves_nothing() {
        assert_eq!(
            verdict(&[bugs("a", 3, 0), bugs("b", 0, 3)]),
            Verdict::TooFew
        );
        let alone = [bugs("a", 5, 0), bugs("b", 0, 4)];
        assert_eq!(verdict(&alone), Verdict::OnlyOne { key: "a".into() });
        let close = [bugs("a", 5, 0), bugs("b", 4, 1)];
        let (first, others) = ("a".to_owned(), vec!["b".to_owned()]);
        assert_eq!(verdict(&close), Verdict::NoDifference { first, others });
        let clear = [bugs("a", 19, 1), bugs("b", 2, 18), bugs("c", 4, 0)];
        assert_eq!(verdict(&clear), Verdict::Best { key: "a".into() });
    }

    #[test]
    fn few_successes_are_behind_many_with_a_failure() {
        let all = [bugs("few", 5, 0), bugs("many", 40, 2)].concat();
        let compared = compare_by_kind(&all, CareerGroup::Model).remove(0);
        assert_eq!(compared.groups[0].key, "many");
    }

    #[test]
    fn other_kinds_of_work_do_not_count() {
        let mut all = bugs("a", 6, 0);
        let chore = |model| {
            let merged = Some(MergeResult::Merged);
            completion(model, "chore", WorkOutcome::Submitted, merged)
        };
        all.extend(vec![chore("b"); 50]);
        all.push(completion("b", "", WorkOutcome::NoChange, None));
        let compared = compare_by_kind(&all, CareerGroup::Model);
        let kinds: Vec<&str> = compared.iter().map(|found| &*found.kind).collect();
        assert_eq!(kinds, ["bug", "chore"]);
        assert_eq!(compared[0].groups.len(), 1);
    }

    #[test]
    fn work_that_is_not_brought_to_an_end_counts_against_its_worker() {
        let lazy = |outcome| completion("lazy", "bug", outcome, None);
        let entries = [
            lazy(WorkOutcome::Abandoned),
            lazy(WorkOutcome::Failed),
            lazy(WorkOutcome::NoChange),
            lazy(WorkOutcome::Submitted),
            bugs("lazy", 1, 0).remove(0),
        ];
        let counts = CareerCounts::count(entries.iter().map(|entry| &entry.done));
        assert_eq!((counts.finished, counts.as_submitted), (4, 1));
        assert_eq!((counts.waiting, counts.abandoned), (1, 1));
    }

    #[test]
    fn a_trend_needs_two_sides_and_shows_only_a_clear_change() {
        let trend = |sides: &[Vec<WorkerCompletion>]| {
            let all = sides.concat();
            let entries: Vec<&WorkCompletion> = all.iter().map(|entry| &entry.done).collect();
            CareerTrend::new(&entries)
        };
        assert_eq!(trend(&[bugs("a", 10, 0)]), None);
        let short = trend(&[bugs("a", 1, 0), bugs("a", 9, 1)]).unwrap();
        assert_eq!((short.last.finished, short.before.finished), (10, 1));
        assert_eq!(short.change, TrendChange::NotShown);
        let better = trend(&[bugs("a", 0, 10), bugs("a", 10, 0)]).unwrap();
        assert_eq!(better.change, TrendChange::Better);
        let worse = trend(&[bugs("a", 30, 0), bugs("a", 0, 10)]).unwrap();
        assert_eq!(worse.before.finished, 10);
        assert_eq!(worse.change, TrendChange::Worse);
    }
}
