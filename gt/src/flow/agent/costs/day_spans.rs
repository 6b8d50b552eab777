//! The begin and the end of each day of the daily sums.
//!
//! A day lasts from midnight to midnight in the time zone of its first reading, which records the
//! span of the day. Later readings in other time zones keep the span, and the days without a record
//! fill the time between the recorded ones. So each request belongs to one day only.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

/// The maximum distance of local midnight from midnight in UTC.
const MAX_OFFSET: SignedDuration = SignedDuration::from_hours(26);

/// The time from the begin of a day up to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaySpan {
    pub begin: Timestamp,
    pub end: Timestamp,
}

impl DaySpan {
    /// Returns true if a day can have this span in some time zones.
    pub(super) fn is_possible_for(&self, day: Date) -> bool {
        let is_near = |at: Timestamp, day: Date| {
            let midnight = find_midnight(day, &TimeZone::UTC);
            midnight.is_ok_and(|midnight| at.duration_since(midnight).abs() <= MAX_OFFSET)
        };
        self.begin <= self.end
            && is_near(self.begin, day)
            && day.tomorrow().is_ok_and(|next| is_near(self.end, next))
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.begin.max(other.begin) < self.end.min(other.end)
    }

    fn contains(&self, at: Timestamp) -> bool {
        (self.begin..self.end).contains(&at)
    }
}

/// The spans of successive days, without a gap between them.
#[derive(Debug)]
pub(super) struct DaySpans(BTreeMap<Date, DaySpan>);

impl DaySpans {
    /// Takes over the recorded spans, unless one cannot be that of its day. The other days begin and end at midnight in a time zone, or at
    /// the recorded days beside them.
    pub(super) fn new(
        recorded: BTreeMap<Date, DaySpan>,
        days: &RangeInclusive<Date>,
        zone: &TimeZone,
    ) -> anyhow::Result<Self> {
        let mut spans = recorded;
        spans.retain(|day, span| span.is_possible_for(*day));
        for day in days.start().series(1.day()) {
            if day > *days.end() {
                break;
            }
            if spans.contains_key(&day) {
                continue;
            }
            let next = day.tomorrow()?;
            let begin = if let Some(before) = spans.get(&day.yesterday()?) {
                before.end
            } else {
                let ends = spans.range(..day).map(|(_, span)| span.end);
                ends.fold(find_midnight(day, zone)?, Timestamp::max)
            };
            let end = if let Some(after) = spans.get(&next) {
                after.begin
            } else {
                let begins = spans.range(next..).map(|(_, span)| span.begin);
                begins.fold(find_midnight(next, zone)?, Timestamp::min)
            };
            let end = end.max(begin);
            spans.insert(day, DaySpan { begin, end });
        }
        spans.retain(|day, _| days.contains(day));
        Ok(Self(spans))
    }

    /// Returns the day to which a time belongs.
    pub(super) fn find_day(&self, at: Timestamp) -> Option<Date> {
        let mut days = self.0.iter().rev();
        days.find(|(_, span)| span.contains(at))
            .map(|(day, _)| *day)
    }

    pub(super) fn get(&self, day: Date) -> Option<DaySpan> {
        self.0.get(&day).copied()
    }

    /// Removes the other days.
    pub(super) fn retain(&mut self, days: &RangeInclusive<Date>) {
        self.0.retain(|day, _| days.contains(day));
    }

    pub(super) fn begin(&self) -> Option<Timestamp> {
        self.0.values().next().map(|span| span.begin)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Date, DaySpan)> {
        self.0.iter().map(|(day, span)| (*day, *span))
    }
}

fn find_midnight(day: Date, zone: &TimeZone) -> anyhow::Result<Timestamp> {
    Ok(day.to_zoned(zone.clone())?.timestamp())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::offset;

    use super::*;

    #[test]
    fn days_fill_the_time_between_recorded_days() {
        let span = |begin: &str, end: &str| DaySpan {
            begin: begin.parse().unwrap(),
            end: end.parse().unwrap(),
        };
        let utc = span("2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z");
        let forged = span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
        let recorded = BTreeMap::from([(date(2026, 3, 2), utc), (date(2026, 3, 5), forged)]);
        let zone = TimeZone::fixed(offset(9));
        let days = date(2026, 3, 1)..=date(2026, 3, 5);
        let spans = DaySpans::new(recorded, &days, &zone).unwrap();
        let spans: Vec<DaySpan> = spans.iter().map(|(_, span)| span).collect();
        assert_eq!(
            spans,
            [
                span("2026-02-28T15:00:00Z", "2026-03-02T00:00:00Z"),
                utc,
                span("2026-03-03T00:00:00Z", "2026-03-03T15:00:00Z"),
                span("2026-03-03T15:00:00Z", "2026-03-04T15:00:00Z"),
                span("2026-03-04T15:00:00Z", "2026-03-05T15:00:00Z"),
            ]
        );
    }
}
