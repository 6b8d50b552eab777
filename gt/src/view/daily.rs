//! Reads the costs, tokens, merges, waits, red gates and restarts of the last days.
//!
//! The plot of `gt costs`, `gt top` and the page draw the same [`DailyNumbers`]. Costs are computed
//! from the recorded tokens by today's prices, as in `gt costs`. The recorded costs count for models
//! that have no price any more.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use kit::sys::env::local_time_zone;
use serde::Serialize;

use crate::flow::agent::costs::PriceList;
use crate::flow::agent::costs::daily::{
    DailyCosts, DailyCounts, DailyLine, DailySums, refresh_daily_sums,
};
use crate::flow::agent::seance::usage::RequestCache;
use crate::town::Town;

/// The number of days that are shown without a choice.
pub const USUAL_DAYS: usize = 30;
/// The maximum number of days.
pub const MAX_DAYS: usize = 366;
/// The number of days before today with which today is compared.
const COMPARED_DAYS: usize = 7;

/// A number that is plotted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum DailyMetric {
    #[default]
    Cost,
    Tokens,
    Merges,
    /// The mean time from the submission of a request to the begin of its merge
    Waits,
    /// Failed runs of gates
    RedGates,
    /// Restarted sessions of workers, also by handoffs
    Restarts,
}

impl DailyMetric {
    pub const ALL: [Self; 6] = [
        Self::Cost,
        Self::Tokens,
        Self::Merges,
        Self::Waits,
        Self::RedGates,
        Self::Restarts,
    ];
}

/// The property by which the numbers are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum DailyGroup {
    Model,
    Rig,
}

/// The sums of some days, models and rigs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct NumberSums {
    pub cost_usd: f64,
    pub tokens: u64,
    /// The tokens of models without a price.
    pub unpriced_tokens: u64,
    pub requests: u64,
    pub merges: u64,
    /// The number of requests that the queue began with.
    pub waits: u64,
    /// The mean of their times from the submission to that begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_wait_seconds: Option<f64>,
    /// Their sum.
    pub wait_seconds: f64,
    pub red_gates: u64,
    pub restarts: u64,
}

impl NumberSums {
    /// Returns the value of a number. None for the mean of no waits.
    pub fn value(&self, metric: DailyMetric) -> Option<f64> {
        match metric {
            DailyMetric::Cost => Some(self.cost_usd),
            DailyMetric::Tokens => Some(to_float(self.tokens)),
            DailyMetric::Merges => Some(to_float(self.merges)),
            DailyMetric::Waits => self.mean_wait_seconds,
            DailyMetric::RedGates => Some(to_float(self.red_gates)),
            DailyMetric::Restarts => Some(to_float(self.restarts)),
        }
    }

    fn add_costs(&mut self, costs: &DailyCosts, prices: &PriceList) {
        self.tokens = self.tokens.saturating_add(costs.tokens.total());
        self.requests = self.requests.saturating_add(costs.requests);
        match prices.cost_of(&costs.model, &costs.tokens) {
            Some(cost) => self.cost_usd += cost,
            None => {
                self.cost_usd += costs.cost_usd;
                self.unpriced_tokens = self.unpriced_tokens.saturating_add(costs.unpriced_tokens);
            }
        }
    }

    fn add_counts(&mut self, counts: &DailyCounts) {
        self.merges = self.merges.saturating_add(counts.merges);
        self.red_gates = self.red_gates.saturating_add(counts.red_gates);
        self.restarts = self.restarts.saturating_add(counts.restarts);
        self.add_waits(counts.waits, counts.wait_seconds);
    }

    fn add_waits(&mut self, waits: u64, seconds: f64) {
        self.waits = self.waits.saturating_add(waits);
        self.wait_seconds += seconds;
        self.mean_wait_seconds = (self.waits > 0).then(|| self.wait_seconds / to_float(self.waits));
    }

    fn add(&mut self, other: &Self) {
        self.cost_usd += other.cost_usd;
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.unpriced_tokens = self.unpriced_tokens.saturating_add(other.unpriced_tokens);
        self.requests = self.requests.saturating_add(other.requests);
        self.merges = self.merges.saturating_add(other.merges);
        self.red_gates = self.red_gates.saturating_add(other.red_gates);
        self.restarts = self.restarts.saturating_add(other.restarts);
        self.add_waits(other.waits, other.wait_seconds);
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "only counts beyond 2^53 lose digits"
)]
fn to_float(count: u64) -> f64 {
    count as f64
}

/// The numbers of one day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DayNumbers {
    pub day: Date,
    /// False for a day that was never read. Its sums are 0.
    pub recorded: bool,
    #[serde(flatten)]
    pub sums: NumberSums,
}

/// The numbers of one model or rig.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupNumbers {
    /// Empty for agents without a rig.
    pub key: String,
    pub total: NumberSums,
    /// The sums of each day of [`DailyNumbers::days`].
    pub days: Vec<NumberSums>,
}

/// Today and the seven days before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DailyComparison {
    pub today: Option<f64>,
    /// The sum of the seven days before today. The mean of their waits.
    pub last_week: Option<f64>,
    /// A seventh of the sum. The mean of the waits.
    pub daily_average: Option<f64>,
}

/// The numbers of the last days.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DailyNumbers {
    pub metric: DailyMetric,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<DailyGroup>,
    /// The comparison of the plotted number.
    pub comparison: DailyComparison,
    pub total: NumberSums,
    pub today: NumberSums,
    /// The sums of the seven days before today.
    pub last_week: NumberSums,
    /// The days, today last.
    pub days: Vec<DayNumbers>,
    /// The models or rigs, the largest first. Empty without a group.
    pub groups: Vec<GroupNumbers>,
    /// Descriptions of damaged records.
    pub problems: Vec<String>,
}

/// A choice of numbers.
#[derive(Debug, Clone, Copy)]
pub struct DailyChoice {
    pub days: usize,
    pub metric: DailyMetric,
    pub by: Option<DailyGroup>,
}

impl Default for DailyChoice {
    fn default() -> Self {
        Self {
            days: USUAL_DAYS,
            metric: DailyMetric::default(),
            by: None,
        }
    }
}

/// Reads the numbers of the last days, and records those of days that were not complete. `cache`
/// has earlier readings of transcripts.
pub fn read_daily_numbers(
    town: &Town,
    choice: DailyChoice,
    cache: &mut RequestCache,
) -> anyhow::Result<DailyNumbers> {
    let prices = PriceList::load(&town.layout)?;
    let wanted = choice.days.clamp(1, MAX_DAYS).max(COMPARED_DAYS + 1);
    let recent = refresh_daily_sums(town, wanted, &local_time_zone(), cache)?;
    build_numbers(recent.sums, choice, recent.today, &prices)
}

fn build_numbers(
    sums: DailySums,
    choice: DailyChoice,
    today: Date,
    prices: &PriceList,
) -> anyhow::Result<DailyNumbers> {
    let count = choice.days.clamp(1, MAX_DAYS);
    let day_before = |days: usize| -> anyhow::Result<Date> {
        Ok(today.checked_sub(i64::try_from(days)?.days())?)
    };
    let mut last_week = NumberSums::default();
    let mut is_week_recorded = false;
    for days in 1..=COMPARED_DAYS {
        if let Some(line) = sums.days.get(&day_before(days)?) {
            last_week.add(&sum_line(line, prices));
            is_week_recorded = true;
        }
    }
    let mut days = Vec::with_capacity(count);
    let mut total = NumberSums::default();
    let mut groups: BTreeMap<String, GroupNumbers> = BTreeMap::new();
    for place in 0..count {
        let day = day_before(count - 1 - place)?;
        let line = sums.days.get(&day);
        let day_sums = line.map_or_else(NumberSums::default, |line| sum_line(line, prices));
        total.add(&day_sums);
        days.push(DayNumbers {
            day,
            recorded: line.is_some(),
            sums: day_sums,
        });
        if let (Some(by), Some(line)) = (choice.by, line) {
            for (key, part) in sum_groups(line, by, prices) {
                let group = groups.entry(key.clone()).or_insert_with(|| GroupNumbers {
                    key,
                    total: NumberSums::default(),
                    days: vec![NumberSums::default(); count],
                });
                group.total.add(&part);
                group.days[place] = part;
            }
        }
    }
    let mut groups: Vec<GroupNumbers> = groups.into_values().collect();
    groups.sort_by(|a, b| {
        let value = |group: &GroupNumbers| group.total.value(choice.metric).unwrap_or(0.0);
        value(b)
            .total_cmp(&value(a))
            .then_with(|| a.key.cmp(&b.key))
    });
    let today = days.last().map_or_else(NumberSums::default, |day| day.sums);
    Ok(DailyNumbers {
        metric: choice.metric,
        by: choice.by,
        comparison: compare(
            choice.metric,
            &today,
            is_week_recorded.then_some(&last_week),
        ),
        total,
        today,
        last_week,
        days,
        groups,
        problems: sums.problems,
    })
}

fn compare(
    metric: DailyMetric,
    today: &NumberSums,
    last_week: Option<&NumberSums>,
) -> DailyComparison {
    let week = last_week.and_then(|sums| sums.value(metric));
    DailyComparison {
        today: today.value(metric),
        last_week: week,
        daily_average: match metric {
            DailyMetric::Waits => week,
            _ => week.map(|week| week / to_float(COMPARED_DAYS as u64)),
        },
    }
}

fn sum_line(line: &DailyLine, prices: &PriceList) -> NumberSums {
    let mut sums = NumberSums::default();
    for costs in &line.costs {
        sums.add_costs(costs, prices);
    }
    for counts in &line.counts {
        sums.add_counts(counts);
    }
    sums
}

fn sum_groups(
    line: &DailyLine,
    by: DailyGroup,
    prices: &PriceList,
) -> BTreeMap<String, NumberSums> {
    let key = |rig: &str, model: &str| match by {
        DailyGroup::Model => model.to_owned(),
        DailyGroup::Rig => rig.to_owned(),
    };
    let mut groups: BTreeMap<String, NumberSums> = BTreeMap::new();
    for costs in &line.costs {
        let group = groups.entry(key(&costs.rig, &costs.model)).or_default();
        group.add_costs(costs, prices);
    }
    for counts in &line.counts {
        let group = groups.entry(key(&counts.rig, &counts.model)).or_default();
        group.add_counts(counts);
    }
    groups
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::TestTown;
    use crate::view::costs::{CostGroup, read_costs};

    const MODELS: [&str; 3] = ["claude-sonnet-4-5", "claude-opus-4-1", "house-model"];

    /// A request some hours before now, of one of [`MODELS`].
    type AgedRequest = (u32, usize, u32);

    /// Writes a transcript of the mayor.
    fn write_transcript(place: &TestTown, name: &str, requests: &[AgedRequest]) {
        let town = &place.town;
        let now = town.clock.now();
        let home = town.layout.mayor().canonicalize().unwrap();
        let folder: String = home
            .to_str()
            .unwrap()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let folder = place.path_beside(".claude/projects").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let lines: Vec<String> = requests
            .iter()
            .enumerate()
            .map(|(number, (hours, model, tokens))| {
                let at = now - SignedDuration::from_hours(i64::from(*hours));
                json!({ "type": "assistant", "timestamp": at, "message": {
                    "id": format!("{name}-{number}"), "model": MODELS[*model],
                    "usage": { "input_tokens": tokens, "output_tokens": 1 } } })
                .to_string()
            })
            .collect();
        std::fs::write(folder.join(format!("{name}.jsonl")), lines.join("\n")).unwrap();
    }

    fn remove_transcripts(place: &TestTown) {
        std::fs::remove_dir_all(place.path_beside(".claude")).unwrap();
    }

    fn read(place: &TestTown, by: Option<DailyGroup>) -> DailyNumbers {
        let choice = DailyChoice {
            by,
            ..DailyChoice::default()
        };
        read_daily_numbers(&place.town, choice, &mut RequestCache::default()).unwrap()
    }

    fn is_near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn daily_numbers_are_those_of_the_costs_by_day_and_outlive_transcripts(
            requests in prop::collection::vec((0..24 * 29_u32, 0..3_usize, 1..1_000_000_u32), 0..60),
        ) {
            let place = TestTown::new();
            write_transcript(&place, "one", &requests);
            let town = &place.town;
            let zone = local_time_zone();
            let by_day = read_costs(town, None, CostGroup::Day, &zone, &mut RequestCache::default());
            let by_day = by_day.unwrap();
            let numbers = read(&place, Some(DailyGroup::Model));
            prop_assert!(is_near(numbers.total.cost_usd, by_day.total_usd));
            prop_assert_eq!(numbers.total.tokens, by_day.total.tokens.total());
            prop_assert_eq!(numbers.total.unpriced_tokens, by_day.total.unpriced_tokens);
            prop_assert_eq!(numbers.total.requests, by_day.total.requests as u64);
            for (place, day) in numbers.days.iter().enumerate() {
                let name = day.day.to_string();
                let row = by_day.rows.iter().find(|row| row.key == name);
                let cost = row.map_or(0.0, |row| row.sum.cost_usd);
                prop_assert!(is_near(day.sums.cost_usd, cost), "{}", name);
                let parts: f64 = numbers.groups.iter().map(|group| group.days[place].cost_usd).sum();
                prop_assert!(is_near(parts, cost));
            }
            let seven = &numbers.days[22..29];
            let week: f64 = seven.iter().map(|day| day.sums.cost_usd).sum();
            prop_assert!(is_near(numbers.comparison.daily_average.unwrap_or(0.0) * 7.0, week));
            remove_transcripts(&place);
            let later = read(&place, Some(DailyGroup::Model));
            prop_assert!(is_near(later.total.cost_usd, numbers.total.cost_usd));
            prop_assert_eq!(later.total.tokens, numbers.total.tokens);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn each_request_counts_once_whatever_the_time_zones_of_the_readings(
            hours in prop::collection::vec(0..120_u32, 1..40),
            readings in prop::collection::vec((1..30_i64, -12..=14_i8), 1..10),
        ) {
            let mut place = TestTown::new();
            let end = place.town.clock.now();
            let requests: Vec<AgedRequest> = hours.iter().map(|hour| (*hour, 0, 1)).collect();
            write_transcript(&place, "one", &requests);
            let mut now = end - SignedDuration::from_hours(130);
            // The last reading is at the end.
            for (hours, offset) in readings.into_iter().chain([(130, 0)]) {
                now = end.min(now + SignedDuration::from_hours(hours));
                place.town.town.clock = kit::sys::Clock::choose(Some(&now.to_string()));
                let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(offset));
                let cache = &mut RequestCache::default();
                let recent = refresh_daily_sums(&place.town, 30, &zone, cache).unwrap();
                let counted = recent.sums.days.values().flat_map(|line| &line.costs);
                let counted: u64 = counted.map(|costs| costs.requests).sum();
                let past = requests.iter().filter(|(hours, ..)| {
                    end - SignedDuration::from_hours(i64::from(*hours)) <= now
                });
                // Requests of the rest of today count, too.
                prop_assert!(counted >= past.count() as u64);
                prop_assert!(counted <= requests.len() as u64);
            }
            let recent = refresh_daily_sums(
                &place.town, 30, &jiff::tz::TimeZone::UTC, &mut RequestCache::default(),
            ).unwrap();
            let counted = recent.sums.days.values().flat_map(|line| &line.costs);
            prop_assert_eq!(counted.map(|costs| costs.requests).sum::<u64>(), requests.len() as u64);
        }
    }

    #[test]
    fn a_reading_in_another_time_zone_counts_nothing_twice() {
        let mut place = TestTown::new();
        let zone = |hours: i8| jiff::tz::TimeZone::fixed(jiff::tz::offset(hours));
        let date = place.town.clock.now().to_zoned(zone(0)).date();
        let evening = date.saturating_sub(3.days()).at(20, 0, 0, 0);
        let evening = evening.to_zoned(zone(0)).unwrap().timestamp();
        let set_clock = |place: &mut TestTown, hours: i64| {
            let now = evening + SignedDuration::from_hours(hours);
            place.town.town.clock = kit::sys::Clock::choose(Some(&now.to_string()));
        };
        set_clock(&mut place, 0);
        write_transcript(&place, "one", &[(0, 0, 1); 10]);
        let count = |place: &TestTown, hours: i8| {
            let cache = &mut RequestCache::default();
            let recent = refresh_daily_sums(&place.town, 30, &zone(hours), cache).unwrap();
            let costs = recent.sums.days.values().flat_map(|line| &line.costs);
            costs.map(|costs| costs.requests).sum::<u64>()
        };
        set_clock(&mut place, 1);
        assert_eq!([0, 9, -8, 0].map(|hours| count(&place, hours)), [10; 4]);
        set_clock(&mut place, 40);
        assert_eq!([9, 0, -8, 14].map(|hours| count(&place, hours)), [10; 4]);
    }

    #[test]
    fn a_day_is_read_again_until_it_is_over() {
        let mut place = TestTown::new();
        write_transcript(&place, "one", &[(0, 0, 1_000_000), (30, 0, 1_000_000)]);
        assert_eq!(read(&place, None).today.requests, 1);
        // The same day grew after the last reading.
        write_transcript(&place, "two", &[(0, 0, 1_000_000), (31, 0, 1_000_000)]);
        let numbers = read(&place, None);
        assert_eq!(numbers.today.requests, 2);
        // The day before was complete: what a worker writes into it now does not count.
        assert_eq!(numbers.total.requests, 3);
        let later = place.town.clock.now() + SignedDuration::from_hours(40 * 24);
        remove_transcripts(&place);
        place.town.town.clock = kit::sys::Clock::choose(Some(&later.to_string()));
        let choice = DailyChoice {
            days: 60,
            ..DailyChoice::default()
        };
        let numbers = read_daily_numbers(&place.town, choice, &mut RequestCache::default());
        let numbers = numbers.unwrap();
        assert_eq!(numbers.total.requests, 3);
        let unread = numbers.days.iter().filter(|day| !day.recorded).count();
        assert!((1..60).contains(&unread), "{unread}");
    }

    #[test]
    fn a_request_of_tomorrow_and_endless_tokens_break_nothing() {
        let place = TestTown::new();
        let folder = place.town.layout.mayor().canonicalize().unwrap();
        write_transcript(&place, "one", &[(0, 0, 1)]);
        let name = folder.to_str().unwrap().replace(['/', '.', '_'], "-");
        let path = place
            .path_beside(".claude/projects")
            .join(name)
            .join("two.jsonl");
        let request = |id: &str, at: Timestamp| {
            json!({ "type": "assistant", "timestamp": at, "message": { "id": id, "model": "m",
                "usage": { "input_tokens": u64::MAX, "output_tokens": u64::MAX } } })
        };
        let now = place.town.clock.now();
        let tomorrow = now + SignedDuration::from_hours(48);
        let lines = [request("a", now), request("b", now), request("c", tomorrow)];
        std::fs::write(&path, lines.map(|line| line.to_string()).join("\n")).unwrap();
        let numbers = read(&place, None);
        assert_eq!(numbers.today.tokens, u64::MAX);
        assert_eq!(numbers.today.requests, 3);
    }
}
