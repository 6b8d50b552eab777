//! Records the costs and counts of each day.
//!
//! 1. The recorded days are read. A day is complete if it was read an hour after its end or later.
//! 2. Transcripts and events are read from the first incomplete day of the last 30 on. Older
//!    transcripts may be deleted.
//! 3. The sums of these days are recorded: all of them are whole, except today.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::daily_counts::count_events;
use super::daily_file::NEAR_DAYS;
pub use super::daily_file::{DailyCosts, DailyCounts, DailyLine, DailySums};
use super::day_spans::{DaySpan, DaySpans};
use super::{PriceList, count_requests};
use crate::flow::agent::seance;
use crate::flow::agent::seance::usage::RequestCache;
use crate::town::Town;
use crate::town::identity::Address;

/// The number of days before today whose transcripts are read.
const READ_DAYS: i64 = 30;
/// The age, at the begin of the read days, of the oldest session that is known from its event only.
const MAX_SESSION_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The time after the end of a day at which its transcripts are complete.
const SETTLING_TIME: SignedDuration = SignedDuration::from_hours(1);

/// The recorded days up to today.
#[derive(Debug)]
pub struct RecentSums {
    /// The day to which the present belongs: the local date, unless the span of a day was recorded
    /// in another time zone.
    pub today: Date,
    pub sums: DailySums,
}

/// Reads and records the incomplete days, and returns the last `count` days up to today. Days that
/// were never read are those of `zone`. `cache` has earlier readings of transcripts.
pub fn refresh_daily_sums(
    town: &Town,
    count: usize,
    zone: &TimeZone,
    cache: &mut RequestCache,
) -> anyhow::Result<RecentSums> {
    let now = town.clock.now();
    let local_date = now.to_zoned(zone.clone()).date();
    let oldest = local_date.checked_sub(READ_DAYS.days())?;
    let latest = local_date.checked_add(NEAR_DAYS.days())?;
    let known = DailySums::load(&town.layout, oldest.checked_sub(NEAR_DAYS.days())?, latest)?;
    let recorded = known
        .days
        .iter()
        .filter_map(|(day, line)| Some((*day, line.span?)))
        .collect();
    let mut spans = DaySpans::new(recorded, &(oldest..=latest), zone)?;
    let today = spans.find_day(now).unwrap_or(local_date);
    let begin = oldest
        .series(1.day())
        .take_while(|day| *day < today)
        .find(|day| {
            let line = known.days.get(day);
            let line_and_span = line.zip(spans.get(*day));
            !line_and_span.is_some_and(|(line, span)| is_complete(line, span, now))
        })
        .unwrap_or(today);
    spans.retain(&(begin..=today));
    let lines = read_days(town, &spans, cache)?;
    // A reading that changes nothing about today is not written again.
    let has_news = lines.iter().any(|line| {
        line.day != today
            || known.days.get(&line.day).is_none_or(|known| {
                let mut merged = known.clone();
                merged.take_reading(line.clone());
                (&merged.costs, &merged.counts) != (&known.costs, &known.counts)
            })
    });
    if has_news {
        DailySums::record(&town.layout, lines)?;
    }
    let span = i64::try_from(count.saturating_sub(1))?;
    let first = today.checked_sub(span.days())?;
    let sums = DailySums::load(&town.layout, first, today)?;
    Ok(RecentSums { today, sums })
}

/// Returns true if a day was read after its end. A reading in the future is one of a wrong clock.
fn is_complete(line: &DailyLine, span: DaySpan, now: Timestamp) -> bool {
    line.read_at <= now && line.read_at.duration_since(span.end) >= SETTLING_TIME
}

/// Reads the sums of whole days from transcripts and events.
fn read_days(
    town: &Town,
    spans: &DaySpans,
    cache: &mut RequestCache,
) -> anyhow::Result<Vec<DailyLine>> {
    let now = town.clock.now();
    let Some(begin) = spans.begin() else {
        return Ok(Vec::new());
    };
    let prices = PriceList::load(&town.layout)?;
    let mut sessions = seance::list_recent_sessions(town, begin.saturating_sub(MAX_SESSION_AGE)?)?;
    // Oldest first, because later sessions repeat the requests of earlier ones.
    sessions.reverse();
    let mut sums: BTreeMap<(Date, String, String), DailyCosts> = BTreeMap::new();
    let mut models: BTreeMap<String, String> = BTreeMap::new();
    count_requests(&prices, &sessions, Some(begin), cache, |counted| {
        let request = counted.request;
        // A program can write any time into its transcript.
        let Some(day) = spans.find_day(request.at) else {
            return;
        };
        let session = counted.session;
        if !session.bead.is_empty() {
            models.insert(session.bead.clone(), request.model.clone());
        }
        let agent: Option<Address> = session.actor.parse().ok();
        let rig = agent.as_ref().and_then(Address::rig).unwrap_or("");
        let key = (day, rig.to_owned(), request.model.clone());
        let sum = sums.entry(key).or_insert_with(|| DailyCosts {
            rig: rig.to_owned(),
            model: request.model.clone(),
            ..DailyCosts::default()
        });
        sum.tokens += request.tokens;
        sum.requests += 1;
        match counted.cost_usd {
            Some(cost) => sum.cost_usd += cost,
            None => {
                let tokens = request.tokens.total();
                sum.unpriced_tokens = sum.unpriced_tokens.saturating_add(tokens);
            }
        }
    });
    let mut lines: BTreeMap<Date, DailyLine> = BTreeMap::new();
    for (day, span) in spans.iter() {
        let mut line = DailyLine::new(day, now);
        line.span = Some(span);
        lines.insert(day, line);
    }
    for ((day, ..), costs) in sums {
        if let Some(line) = lines.get_mut(&day) {
            line.costs.push(costs);
        }
    }
    for (day, counts) in count_events(town, begin, spans, &models)? {
        if let Some(line) = lines.get_mut(&day) {
            line.counts = counts;
        }
    }
    Ok(lines.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_complete_an_hour_after_its_end_by_a_right_clock() {
        let line =
            |read_at: &str| DailyLine::new(jiff::civil::date(2026, 3, 1), read_at.parse().unwrap());
        let now = "2026-03-09T00:00:00Z".parse().unwrap();
        let span = DaySpan {
            begin: "2026-03-01T00:00:00Z".parse().unwrap(),
            end: "2026-03-02T00:00:00Z".parse().unwrap(),
        };
        let check = |read_at: &str| is_complete(&line(read_at), span, now);
        assert!(!check("2026-03-01T23:00:00Z"));
        assert!(!check("2026-03-02T00:59:00Z"));
        assert!(check("2026-03-02T01:00:00Z"));
        assert!(!check("2027-03-02T01:00:00Z"));
    }
}
