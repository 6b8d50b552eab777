//! Parses times as users write them: `+2d`, `2026-03-01`, RFC 3339, `tomorrow`, `next monday`, `in
//! 3 days`.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, SpanRelativeTo, Timestamp, ToSpan, Zoned};

/// Parses a time. A day means its midnight in the reader's time zone.
pub fn parse_time(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    let here = now.to_zoned(zone.clone());
    if let Some(span) = parse_compact(text) {
        return Some(here.checked_add(span).ok()?.timestamp());
    }
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(instant);
    }
    if let Ok(at) = text.parse::<DateTime>() {
        return Some(at.to_zoned(zone.clone()).ok()?.timestamp());
    }
    if let Ok(day) = text.parse::<Date>() {
        return midnight_of(day, zone);
    }
    parse_phrase(&text.to_lowercase(), &here)
}

/// Parses a past time like [`parse_time`], but a time without a sign is an age (`90m`, `1d12h`, `2
/// days`), and `5m` means minutes. Days and longer units follow the calendar, including clock
/// changes. A time of day (`06:00`) means its last occurrence.
pub fn parse_past_time(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    // `18:30:15` would also be an age of hours, minutes and seconds.
    if let Some(time) = parse_time_of_day(text.trim()) {
        let today = now.to_zoned(zone.clone()).date();
        return [Ok(today), today.yesterday()]
            .into_iter()
            .flatten()
            .filter_map(|day| day.to_datetime(time).to_zoned(zone.clone()).ok())
            .map(|then| then.timestamp())
            .find(|then| *then <= now);
    }
    if let Ok(age) = text.trim().parse::<Span>() {
        let then = now.to_zoned(zone.clone()).checked_sub(age.abs()).ok()?;
        return Some(then.timestamp());
    }
    parse_time(text, now, zone)
}

/// Parses a time of day such as `6:00` or `18:30:15`.
fn parse_time_of_day(text: &str) -> Option<Time> {
    let (hour, rest) = text.split_once(':')?;
    format!("{hour:0>2}:{rest}").parse().ok()
}

/// Parses a duration, such as `30m`, `1h30m` or `2d`, into nanoseconds. A day has 24 hours.
pub fn parse_duration(text: &str) -> Option<i64> {
    let span: Span = text.trim().parse().ok()?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    i64::try_from(length.as_nanos()).ok()
}

/// Parses `[+-]N` with a unit: h, d, w, m (months), y.
fn parse_compact(text: &str) -> Option<Span> {
    let unit = text.chars().next_back()?;
    let number = &text[..text.len() - unit.len_utf8()];
    let count: i64 = number.parse().ok()?;
    build_span(count, unit)
}

fn build_span(count: i64, unit: char) -> Option<Span> {
    let empty = Span::new();
    match unit {
        'h' => empty.try_hours(count).ok(),
        'd' => empty.try_days(count).ok(),
        'w' => empty.try_weeks(count).ok(),
        'm' => empty.try_months(count).ok(),
        'y' => empty.try_years(count).ok(),
        _ => None,
    }
}

fn midnight_of(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    Some(day.to_zoned(zone.clone()).ok()?.timestamp())
}

fn parse_phrase(text: &str, here: &Zoned) -> Option<Timestamp> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let shift_date = |span: Span| here.date().checked_add(span).ok();
    let found = match words.as_slice() {
        ["now"] => return Some(here.timestamp()),
        ["today"] => Some(here.date()),
        ["tomorrow"] => shift_date(1.day()),
        ["yesterday"] => shift_date(-1.day()),
        ["next", "week"] => shift_date(1.week()),
        ["next", "month"] => shift_date(1.month()),
        ["next", "year"] => shift_date(1.year()),
        ["next", name] | [name] => here.date().nth_weekday(1, parse_weekday(name)?).ok(),
        ["in", count, unit] => return parse_offset(count, unit, 1, here),
        [count, unit, "ago"] => return parse_offset(count, unit, -1, here),
        _ => None,
    };
    midnight_of(found?, here.time_zone())
}

/// Parses `in 3 days` and `2 hours ago`.
fn parse_offset(count: &str, unit: &str, sign: i64, here: &Zoned) -> Option<Timestamp> {
    let count: i64 = if matches!(count, "a" | "an" | "one") {
        1
    } else {
        count.parse().ok()?
    };
    let letter = match unit.trim_end_matches('s') {
        "hour" => 'h',
        "day" => 'd',
        "week" => 'w',
        "month" => 'm',
        "year" => 'y',
        "minute" => {
            let span = Span::new().try_minutes(count * sign).ok()?;
            return Some(here.checked_add(span).ok()?.timestamp());
        }
        _ => return None,
    };
    let span = build_span(count * sign, letter)?;
    Some(here.checked_add(span).ok()?.timestamp())
}

fn parse_weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn format_parsed(text: &str) -> Option<String> {
        // A Wednesday.
        let now: Timestamp = "2026-03-11T10:00:00Z".parse().unwrap();
        parse_time(text, now, &TimeZone::UTC).map(|instant| instant.to_string())
    }

    #[test]
    fn an_unsigned_duration_is_in_the_past_for_past_only_options() {
        let now: Timestamp = "2026-03-11T10:00:00Z".parse().unwrap();
        let past = |text: &str| parse_past_time(text, now, &TimeZone::UTC).map(|at| at.to_string());
        for text in ["2h", "-2h", "2h ago", "2 hours ago", " 120m "] {
            assert_eq!(
                past(text).as_deref(),
                Some("2026-03-11T08:00:00Z"),
                "{text}"
            );
        }
        assert_eq!(past("5m").as_deref(), Some("2026-03-11T09:55:00Z"));
        for text in ["1d12h", "1 day 12 hours ago", "36h"] {
            assert_eq!(
                past(text).as_deref(),
                Some("2026-03-09T22:00:00Z"),
                "{text}"
            );
        }
        assert_eq!(
            past("2 days").as_deref(),
            Some("2026-03-09T10:00:00Z"),
            "an age"
        );
        assert_eq!(past("1w").as_deref(), Some("2026-03-04T10:00:00Z"));
        assert_eq!(past("yesterday").as_deref(), Some("2026-03-10T00:00:00Z"));
        assert_eq!(past("2026-03-01").as_deref(), Some("2026-03-01T00:00:00Z"));
        assert_eq!(past("6:00").as_deref(), Some("2026-03-11T06:00:00Z"));
        assert_eq!(past("18:30").as_deref(), Some("2026-03-10T18:30:00Z"));
        assert_eq!(past("9:30:15").as_deref(), Some("2026-03-11T09:30:15Z"));
        for text in ["soon", "25:00", "2026-03-01T"] {
            assert_eq!(past(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_parsed() {
        for (text, minutes) in [("30m", 30), ("1h30m", 90), ("2d", 2880), ("1w", 10_080)] {
            assert_eq!(
                parse_duration(text),
                Some(minutes * 60_000_000_000),
                "{text}"
            );
        }
        assert_eq!(parse_duration("soon"), None);
    }

    #[test]
    fn every_form_is_parsed() {
        for (text, wanted) in [
            ("+2d", "2026-03-13T10:00:00Z"),
            ("-1h", "2026-03-11T09:00:00Z"),
            ("1m", "2026-04-11T10:00:00Z"),
            ("2026-05-01", "2026-05-01T00:00:00Z"),
            ("2026-05-01T08:30:00", "2026-05-01T08:30:00Z"),
            ("2026-05-01 08:30:00", "2026-05-01T08:30:00Z"),
            ("2026-05-01T08:30:00+02:00", "2026-05-01T06:30:00Z"),
            ("tomorrow", "2026-03-12T00:00:00Z"),
            ("next monday", "2026-03-16T00:00:00Z"),
            ("wednesday", "2026-03-18T00:00:00Z"),
            ("in 3 days", "2026-03-14T10:00:00Z"),
            ("2 hours ago", "2026-03-11T08:00:00Z"),
        ] {
            assert_eq!(format_parsed(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "soon", "not-a-date", "5", "d", "+99999999999999999999d"] {
            assert_eq!(format_parsed(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_input_makes_the_parser_panic(text in any::<String>()) {
            format_parsed(&text);
        }
    }
}
