//! Reads and writes the daily sums of the town: one line per day in one file per year.
//!
//! Agent programs delete their transcripts after a while, and these sums stay. A newer reading of a
//! day never lowers its costs, because its transcripts may be gone. Damaged lines and unknown fields
//! are kept.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Context as _;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use kit::sys::{file, foreign};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::day_spans::DaySpan;
use crate::flow::agent::seance::transcript::TokenCounts;
use crate::town::TownLayout;
use crate::town::lock::Lock;

/// The time that a change waits for another one.
const CHANGE_WAIT: Duration = Duration::from_secs(10);
/// The maximum number of models and rigs of one day. The names of models come from transcripts, so
/// their number is bounded.
const MAX_KEYS_PER_DAY: usize = 100;
/// The maximum length of the name of a model in bytes.
const MAX_NAME_LENGTH: usize = 120;
/// The number of days before and after a day whose spans can overlap its span.
pub(super) const NEAR_DAYS: i64 = 3;
/// The model of the sums beyond the maximum number.
pub(super) const OTHER_MODELS: &str = "(other models)";

/// The costs of a rig's agents with a model on one day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DailyCosts {
    /// Empty for agents without a rig.
    pub rig: String,
    pub model: String,
    /// The costs by the prices at the time of the reading.
    pub cost_usd: f64,
    pub tokens: TokenCounts,
    pub unpriced_tokens: u64,
    pub requests: u64,
}

/// A rig and a model.
type CostsKey = (String, String);

impl DailyCosts {
    fn key(&self) -> CostsKey {
        (self.rig.clone(), self.model.clone())
    }

    fn add(&mut self, other: &Self) {
        self.cost_usd += other.cost_usd;
        self.tokens += other.tokens;
        self.unpriced_tokens = self.unpriced_tokens.saturating_add(other.unpriced_tokens);
        self.requests = self.requests.saturating_add(other.requests);
    }
}

/// The merges, waits, red gates and restarts of a rig on one day, of beads that a model worked on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DailyCounts {
    pub rig: String,
    pub model: String,
    /// The number of merged requests.
    pub merges: u64,
    /// The number of requests that the queue began with.
    pub waits: u64,
    /// The sum of their times from the submission to that begin.
    pub wait_seconds: f64,
    /// The number of failed runs of gates.
    pub red_gates: u64,
    /// The number of restarted sessions of workers.
    pub restarts: u64,
}

impl DailyCounts {
    fn size(&self) -> u64 {
        [self.merges, self.waits, self.red_gates, self.restarts]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

/// The sums of one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DailyLine {
    pub day: Date,
    pub read_at: Timestamp,
    /// The span of the day in the time zone of its first reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<DaySpan>,
    #[serde(default)]
    pub costs: Vec<DailyCosts>,
    #[serde(default)]
    pub counts: Vec<DailyCounts>,
    #[serde(flatten)]
    pub other_fields: Map<String, Value>,
}

impl DailyLine {
    pub(super) fn new(day: Date, read_at: Timestamp) -> Self {
        Self {
            day,
            read_at,
            span: None,
            costs: Vec::new(),
            counts: Vec::new(),
            other_fields: Map::new(),
        }
    }

    /// Returns the recorded span, unless it cannot be that of the day.
    pub(super) fn recorded_span(&self) -> Option<DaySpan> {
        self.span.filter(|span| span.is_possible_for(self.day))
    }

    /// Takes over a newer reading of the same day. A reading of another span is ignored. Costs with fewer requests than the recorded ones
    /// come from an incomplete set of transcripts, and fewer events of a rig from an incomplete file
    /// of events: both are ignored.
    pub(super) fn take_reading(&mut self, newer: Self) {
        let span = self.recorded_span();
        if span.is_some_and(|span| newer.span.is_some_and(|other| other != span)) {
            return;
        }
        self.span = span.or(newer.span);
        self.read_at = newer.read_at;
        self.take_costs(newer.costs);
        let size_of = |counts: &[DailyCounts], rig: &str| {
            let own = counts.iter().filter(|counts| counts.rig == rig);
            own.map(DailyCounts::size).fold(0, u64::saturating_add)
        };
        let rigs: BTreeSet<String> = newer
            .counts
            .iter()
            .map(|counts| counts.rig.clone())
            .collect();
        for rig in rigs {
            if size_of(&newer.counts, &rig) >= size_of(&self.counts, &rig) {
                self.counts.retain(|counts| counts.rig != rig);
                let own = newer.counts.iter().filter(|counts| counts.rig == rig);
                self.counts.extend(own.cloned().map(|mut counts| {
                    shorten_name(&mut counts.model);
                    counts
                }));
            }
        }
        self.counts.truncate(MAX_KEYS_PER_DAY);
    }

    /// Takes over newer costs. Each request is in one sum only: the sum of its model, or the sum of
    /// the other models of its rig. A model moves from one to the other only in a reading that has
    /// all recorded requests.
    fn take_costs(&mut self, mut newer: Vec<DailyCosts>) {
        for costs in &mut newer {
            shorten_name(&mut costs.model);
        }
        sort_by_size(&mut newer);
        let mut named: BTreeSet<CostsKey> = self.costs.iter().map(DailyCosts::key).collect();
        let found = group_costs(&newer, &named);
        let has_all = self.costs.iter().all(|known| {
            let same = found.get(&known.key());
            same.is_some_and(|same| same.requests >= known.requests)
        });
        let mut sums = BTreeMap::new();
        if has_all {
            named.clear();
        } else {
            sums = self.costs.drain(..).map(|sum| (sum.key(), sum)).collect();
        }
        // A model without a name is in the sum of the others, and stays there.
        if !named.iter().any(|(_, model)| model == OTHER_MODELS) {
            let free = MAX_KEYS_PER_DAY.saturating_sub(named.len());
            let mut unnamed: Vec<CostsKey> = newer.iter().map(DailyCosts::key).collect();
            unnamed.retain(|key| !named.contains(key));
            named.extend(unnamed.into_iter().take(free));
        }
        for (key, costs) in group_costs(&newer, &named) {
            let known = sums.entry(key).or_insert_with(|| costs.clone());
            if known.requests <= costs.requests {
                *known = costs;
            }
        }
        self.costs = sums.into_values().collect();
        sort_by_size(&mut self.costs);
    }
}

/// Sums costs by rig and model. Models without a name are joined per rig.
fn group_costs(costs: &[DailyCosts], named: &BTreeSet<CostsKey>) -> BTreeMap<CostsKey, DailyCosts> {
    let mut sums: BTreeMap<CostsKey, DailyCosts> = BTreeMap::new();
    for costs in costs {
        let mut key = costs.key();
        if !named.contains(&key) {
            OTHER_MODELS.clone_into(&mut key.1);
        }
        let sum = sums.entry(key.clone()).or_insert_with(|| DailyCosts {
            rig: key.0,
            model: key.1,
            ..DailyCosts::default()
        });
        sum.add(costs);
    }
    sums
}

/// Sorts the largest costs first.
fn sort_by_size(costs: &mut [DailyCosts]) {
    costs.sort_by(|a, b| {
        b.cost_usd
            .total_cmp(&a.cost_usd)
            .then(b.tokens.total().cmp(&a.tokens.total()))
            .then_with(|| (&a.rig, &a.model).cmp(&(&b.rig, &b.model)))
    });
}

fn shorten_name(name: &mut String) {
    let end = name.floor_char_boundary(MAX_NAME_LENGTH);
    name.truncate(end);
}

/// The recorded days of some years.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DailySums {
    pub days: BTreeMap<Date, DailyLine>,
    /// Descriptions of damaged lines, which are ignored and kept.
    pub problems: Vec<String>,
}

/// One year's file.
#[derive(Default)]
struct YearFile {
    days: BTreeMap<Date, DailyLine>,
    damaged: Vec<Vec<u8>>,
    problems: Vec<String>,
}

impl YearFile {
    fn load(layout: &TownLayout, year: i16) -> anyhow::Result<Self> {
        let path = layout.daily_sums(year);
        let bytes = foreign::read_small_file(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let Some(bytes) = bytes else {
            return Ok(Self::default());
        };
        let mut found = Self::default();
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match serde_json::from_slice::<DailyLine>(line) {
                Ok(line) if line.day.year() == year => match found.days.get_mut(&line.day) {
                    Some(known) => known.take_reading(line),
                    None => {
                        found.days.insert(line.day, line);
                    }
                },
                _ => {
                    let place = path.display();
                    let problem = format!("line {} of {place} is damaged and ignored", number + 1);
                    found.problems.push(problem);
                    found.damaged.push(line.to_vec());
                }
            }
        }
        Ok(found)
    }

    fn save(&self, layout: &TownLayout, year: i16) -> anyhow::Result<()> {
        let path = layout.daily_sums(year);
        let mut content = Vec::new();
        for line in self.days.values() {
            serde_json::to_writer(&mut content, line)?;
            content.push(b'\n');
        }
        for line in &self.damaged {
            content.extend_from_slice(line);
            content.push(b'\n');
        }
        path.parent()
            .map_or(Ok(()), |folder| file::create_folder(folder, 0o700))
            // The transcripts of the past days may be gone.
            .and_then(|()| file::replace_file(&path, &content, 0o600))
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

impl DailySums {
    /// Reads the recorded days of a range.
    pub fn load(layout: &TownLayout, first: Date, last: Date) -> anyhow::Result<Self> {
        let mut found = Self::default();
        for year in first.year()..=last.year() {
            let file = YearFile::load(layout, year)?;
            found.problems.extend(file.problems);
            found.days.extend(file.days);
        }
        found.days.retain(|day, _| (first..=last).contains(day));
        Ok(found)
    }

    /// Records readings of whole days. A reading that overlaps another recorded day is ignored: its
    /// process read the records before that day was recorded in another time zone.
    pub(super) fn record(layout: &TownLayout, mut lines: Vec<DailyLine>) -> anyhow::Result<()> {
        let _lock = Lock::take(&layout.daily_sums_lock(), CHANGE_WAIT)?;
        let days = || lines.iter().map(|line| line.day);
        let (Some(first), Some(last)) = (days().min(), days().max()) else {
            return Ok(());
        };
        let first = first.saturating_sub(NEAR_DAYS.days());
        let recorded = Self::load(layout, first, last.saturating_add(NEAR_DAYS.days()))?;
        lines.retain(|line| {
            let overlaps = |known: &DailyLine| {
                let spans = known.recorded_span().zip(line.span);
                known.day != line.day && spans.is_some_and(|(known, own)| known.overlaps(&own))
            };
            !recorded.days.values().any(overlaps)
        });
        let mut years: BTreeMap<i16, Vec<DailyLine>> = BTreeMap::new();
        for line in lines {
            years.entry(line.day.year()).or_default().push(line);
        }
        for (year, lines) in years {
            let mut file = YearFile::load(layout, year)?;
            for line in lines {
                file.days
                    .entry(line.day)
                    .or_insert_with(|| DailyLine::new(line.day, line.read_at))
                    .take_reading(line);
            }
            file.save(layout, year)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(model: &str, requests: u64, cost_usd: f64) -> DailyCosts {
        DailyCosts {
            rig: "web".to_owned(),
            model: model.to_owned(),
            cost_usd,
            requests,
            ..DailyCosts::default()
        }
    }

    fn line(day: &str, costs: Vec<DailyCosts>) -> DailyLine {
        DailyLine {
            costs,
            ..DailyLine::new(day.parse().unwrap(), Timestamp::UNIX_EPOCH)
        }
    }

    fn load(layout: &TownLayout) -> DailySums {
        let day = |text: &str| text.parse().unwrap();
        DailySums::load(layout, day("2025-12-01"), day("2026-12-31")).unwrap()
    }

    #[test]
    fn a_reading_of_fewer_transcripts_never_lowers_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let record = |lines| DailySums::record(&layout, lines).unwrap();
        record(vec![line(
            "2026-01-02",
            vec![costs("a", 5, 5.0), costs("b", 1, 1.0)],
        )]);
        record(vec![line(
            "2026-01-02",
            vec![costs("a", 2, 2.0), costs("c", 1, 0.5)],
        )]);
        record(vec![line("2026-01-02", Vec::new())]);
        let sums = load(&layout);
        let day = sums.days.values().next().unwrap();
        assert_eq!(
            day.costs,
            [costs("a", 5, 5.0), costs("b", 1, 1.0), costs("c", 1, 0.5)]
        );
        record(vec![line("2026-01-02", vec![costs("a", 6, 7.0)])]);
        let day = load(&layout).days.into_values().next().unwrap();
        assert_eq!(day.costs[0], costs("a", 6, 7.0));
    }

    #[test]
    fn counts_of_a_rig_are_replaced_as_a_whole_unless_events_are_gone() {
        let counts = |rig: &str, model: &str, merges: u64| DailyCounts {
            rig: rig.to_owned(),
            model: model.to_owned(),
            merges,
            ..DailyCounts::default()
        };
        let reading = |counts: Vec<DailyCounts>| DailyLine {
            counts,
            ..line("2026-01-02", Vec::new())
        };
        let mut day = reading(vec![counts("web", "unknown", 2), counts("api", "a", 3)]);
        // The model became known, and a rig has lost its events.
        day.take_reading(reading(vec![counts("web", "a", 2), counts("api", "a", 1)]));
        assert_eq!(day.counts, [counts("api", "a", 3), counts("web", "a", 2)]);
    }

    #[test]
    fn a_damaged_line_is_reported_and_kept_and_unknown_fields_survive() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let path = layout.daily_sums(2026);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let known = r#"{"day":"2026-01-01","read_at":"2026-01-02T03:00:00Z","costs":[],"counts":[],"later":[1]}"#;
        std::fs::write(&path, format!("{{ torn\n{known}\n")).unwrap();
        let sums = load(&layout);
        assert_eq!(sums.days.len(), 1);
        assert!(
            sums.problems[0].starts_with("line 1 of "),
            "{:?}",
            sums.problems
        );
        let other = line("2025-12-31", vec![costs("a", 1, 1.0)]);
        DailySums::record(&layout, vec![other, line("2026-01-03", Vec::new())]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(known) && text.contains("{ torn\n"), "{text}");
        assert_eq!(load(&layout).days.len(), 3);
    }

    #[test]
    fn invented_names_of_models_do_not_make_a_day_long() {
        let many = (0..1000).map(|number| costs(&format!("{number}{}", "x".repeat(5000)), 1, 1.0));
        let mut day = line("2026-01-02", Vec::new());
        day.take_reading(line("2026-01-02", many.collect()));
        assert_eq!(day.costs.len(), MAX_KEYS_PER_DAY + 1);
        let total: f64 = day.costs.iter().map(|costs| costs.cost_usd).sum();
        assert!((total - 1000.0).abs() < 1e-6);
        assert!(
            day.costs
                .iter()
                .all(|costs| costs.model.len() <= MAX_NAME_LENGTH)
        );
    }

    #[test]
    fn a_repeated_reading_of_many_models_changes_nothing() {
        let many = |requests: u64| -> Vec<DailyCosts> {
            let models = (0..150_u32).map(|number| {
                let cost_usd = f64::from(number);
                costs(&format!("model-{number}"), requests, cost_usd)
            });
            models.collect()
        };
        let reading = line("2026-01-02", many(2));
        let mut day = line("2026-01-02", Vec::new());
        day.take_reading(reading.clone());
        let first = day.clone();
        let count = |day: &DailyLine| -> u64 { day.costs.iter().map(|sum| sum.requests).sum() };
        assert_eq!(count(&first), 300);
        day.take_reading(reading);
        assert!(day == first);
        // Half of the transcripts are gone.
        day.take_reading(line("2026-01-02", many(1)));
        assert!(day == first);
        // A joined model grows, and a named one has lost its transcripts.
        let mut grown = many(2);
        grown.pop();
        grown[0] = costs("model-0", 5, 500.0);
        for _ in 0..2 {
            day.take_reading(line("2026-01-02", grown.clone()));
            assert_eq!(count(&day), 303);
        }
        // The largest models have names again in a whole reading.
        grown.push(costs("model-149", 2, 149.0));
        for _ in 0..2 {
            day.take_reading(line("2026-01-02", grown.clone()));
            assert_eq!(count(&day), 303);
            assert!(day.costs.contains(&grown[0]));
        }
    }

    #[test]
    fn new_models_beyond_the_maximum_are_counted_once() {
        let range = |numbers: std::ops::Range<u32>| {
            let models = numbers.map(|number| costs(&format!("model-{number}"), 1, 1.0));
            line("2026-01-02", models.collect())
        };
        let mut day = range(0..80);
        // The transcripts of the first models are gone.
        for _ in 0..3 {
            day.take_reading(range(40..120));
        }
        let requests: u64 = day.costs.iter().map(|sum| sum.requests).sum();
        assert_eq!(requests, 120);
    }

    #[test]
    fn a_concurrent_reading_in_another_time_zone_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let reading = |day: &str, begin: &str, end: &str| DailyLine {
            span: Some(DaySpan {
                begin: begin.parse().unwrap(),
                end: end.parse().unwrap(),
            }),
            ..line(day, vec![costs("a", 10, 1.0)])
        };
        let record = |lines| DailySums::record(&layout, lines).unwrap();
        let utc = reading("2026-11-28", "2026-11-28T00:00:00Z", "2026-11-29T00:00:00Z");
        record(vec![utc.clone()]);
        record(vec![
            reading("2026-11-28", "2026-11-27T15:00:00Z", "2026-11-28T15:00:00Z"),
            reading("2026-11-29", "2026-11-28T15:00:00Z", "2026-11-29T15:00:00Z"),
        ]);
        let days: Vec<DailyLine> = load(&layout).days.into_values().collect();
        assert_eq!(days, [utc]);
    }

    #[test]
    fn a_damaged_line_is_kept_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let path = layout.daily_sums(2026);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, b"{\"day\":\"2026-\xff\xfe\r\n").unwrap();
        DailySums::record(&layout, vec![line("2026-01-03", Vec::new())]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.ends_with(b"\n{\"day\":\"2026-\xff\xfe\r\n"));
    }
}
