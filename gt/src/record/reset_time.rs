//! Parses the time at which a refusing API answers again, from the words of an agent program.

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan, Zoned};

/// The longest plausible time until a reset.
const MAX_RESET_WAIT: SignedDuration = SignedDuration::from_hours(24 * 31);

/// A time of day that has passed for less than this time names no later day.
const PASSED_TOLERANCE: SignedDuration = SignedDuration::from_hours(1);

/// The words before a duration.
const BEFORE_WAIT: [&str; 7] = [
    "retry after ",
    "retry-after: ",
    "again in ",
    "again after ",
    "resets in ",
    "reset in ",
    "resets after ",
];

/// The words before a date or a time of day.
const BEFORE_TIME: [&str; 3] = ["resets ", "reset ", "again "];

const MONTH_NAMES: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

const WEEKDAY_NAMES: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// Parses the time at which a refusing API answers again: `…|1749924000`, a time in RFC 3339, `try
/// again in 3 hours 20 minutes`, `retry after 30s`, `resets 3pm (Europe/Berlin)`, `resets Nov 30 at
/// 3am`, `try again at Dec 4th, 2026 3:05 PM`. A time without a zone is local. A time of day that
/// has just passed is none, because a program may still show it.
pub fn parse_reset_time(words: &str, now: Timestamp) -> Option<Timestamp> {
    let found = parse_epoch(words)
        .or_else(|| parse_timestamp(words))
        .or_else(|| parse_wait(words, now))
        .or_else(|| parse_date_or_time(words, now));
    found.filter(|at| {
        let wait = at.duration_since(now);
        wait.is_positive() && wait < MAX_RESET_WAIT
    })
}

fn parse_epoch(words: &str) -> Option<Timestamp> {
    let (_, rest) = words.rsplit_once('|')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Timestamp::from_second(digits.parse().ok()?).ok()
}

fn parse_timestamp(words: &str) -> Option<Timestamp> {
    words
        .split_whitespace()
        .map(|word| word.trim_matches(|c| matches!(c, '(' | ')' | ',' | '"' | '\'' | ';')))
        .find_map(|word| word.trim_end_matches('.').parse().ok())
}

/// Returns the parts of a text behind each place of a mark, in their own letters.
fn parts_behind<'a>(words: &'a str, marks: &[&str]) -> Vec<&'a str> {
    let lower = words.to_ascii_lowercase();
    let mut starts: Vec<usize> = marks
        .iter()
        .flat_map(|mark| lower.match_indices(mark).map(|(at, _)| at + mark.len()))
        .collect();
    starts.sort_unstable();
    starts
        .into_iter()
        .map(|start| words[start..].trim_start())
        .collect()
}

fn parse_wait(words: &str, now: Timestamp) -> Option<Timestamp> {
    let parts = parts_behind(words, &BEFORE_WAIT);
    let wait = parts.into_iter().find_map(parse_duration)?;
    now.checked_add(wait).ok()
}

/// Parses `90s`, `3h 20m`, `3 days 6 hours 57 minutes`. A number without a unit is in seconds.
fn parse_duration(text: &str) -> Option<SignedDuration> {
    let lower = text.to_ascii_lowercase();
    let mut rest = lower.as_str();
    let mut total = None;
    while let Some((number, behind)) = split_number(rest) {
        let behind = behind.trim_start();
        let letters = behind.len() - behind.trim_start_matches(|c: char| c.is_alphabetic()).len();
        let (unit, next) = behind.split_at(letters);
        let seconds = match unit {
            "ms" => return None,
            unit if unit.starts_with('w') => 7 * 24 * 3600,
            unit if unit.starts_with('d') => 24 * 3600,
            unit if unit.starts_with('h') => 3600,
            unit if unit.starts_with('m') => 60,
            _ => 1,
        };
        let part = SignedDuration::from_secs(number.checked_mul(seconds)?);
        total = Some(total.unwrap_or(SignedDuration::ZERO).checked_add(part)?);
        let next = next.trim_start_matches([' ', ',']);
        rest = next.strip_prefix("and ").unwrap_or(next);
    }
    total
}

fn split_number(text: &str) -> Option<(i64, &str)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}

fn parse_date_or_time(words: &str, now: Timestamp) -> Option<Timestamp> {
    let parts = parts_behind(words, &BEFORE_TIME);
    parts.into_iter().find_map(|part| parse_moment(part, now))
}

/// The day that a text names.
enum NamedDay {
    None,
    Tomorrow,
    Weekday(Weekday),
    Date {
        year: Option<i16>,
        month: i8,
        day: i8,
    },
}

fn parse_moment(text: &str, now: Timestamp) -> Option<Timestamp> {
    let (day, rest) = split_day(skip_words(text));
    let (time, rest) = match split_time(skip_words(rest)) {
        Some((time, rest)) => (time, rest),
        None if matches!(day, NamedDay::Date { .. }) => (Time::midnight(), rest),
        None => return None,
    };
    let here = now.to_zoned(parse_zone(rest)?);
    let to_moment = |date: Date| date.to_datetime(time).to_zoned(here.time_zone().clone());
    let found: Zoned = match day {
        NamedDay::None => {
            let today = to_moment(here.date()).ok()?;
            let passed = now.duration_since(today.timestamp());
            if passed.is_negative() {
                today
            } else if passed < PASSED_TOLERANCE {
                return None;
            } else {
                to_moment(here.date().tomorrow().ok()?).ok()?
            }
        }
        NamedDay::Tomorrow => to_moment(here.date().tomorrow().ok()?).ok()?,
        NamedDay::Weekday(weekday) => {
            let days = here.date().weekday().until(weekday);
            let next = to_moment(here.date().checked_add(days.days()).ok()?).ok()?;
            if next.timestamp() > now {
                next
            } else {
                next.checked_add(1.week()).ok()?
            }
        }
        NamedDay::Date { year, month, day } => {
            let this_year =
                to_moment(Date::new(year.unwrap_or(here.year()), month, day).ok()?).ok()?;
            let is_over = this_year.timestamp() <= now;
            if year.is_none() && is_over && here.month() == 12 {
                to_moment(Date::new(here.year() + 1, month, day).ok()?).ok()?
            } else {
                this_year
            }
        }
    };
    Some(found.timestamp())
}

/// Skips the words and signs between the parts of a time.
fn skip_words(text: &str) -> &str {
    let mut rest = text.trim_start_matches([' ', ',', '\u{a0}']);
    for word in ["at ", "on ", "by "] {
        rest = rest.strip_prefix(word).map_or(rest, str::trim_start);
    }
    rest
}

/// Splits the day off a text: `Nov 30`, `Dec 4th, 2026`, `2026-05-09`, `Monday`, `tomorrow`.
fn split_day(text: &str) -> (NamedDay, &str) {
    split_date(text)
        .or_else(|| split_day_name(text))
        .unwrap_or((NamedDay::None, text))
}

fn split_date(text: &str) -> Option<(NamedDay, &str)> {
    if let Some(date) = text.get(..10).and_then(|date| date.parse::<Date>().ok()) {
        let month = date.month();
        let day = date.day();
        let year = Some(date.year());
        return Some((NamedDay::Date { year, month, day }, &text[10..]));
    }
    let (word, rest) = split_word(text);
    let place = MONTH_NAMES
        .iter()
        .position(|month| word.to_ascii_lowercase().starts_with(month))?;
    let month = i8::try_from(place + 1).ok()?;
    let (day, rest) = split_number(rest.trim_start_matches(['.', ' ']))?;
    let day = i8::try_from(day).ok()?;
    let (ending, behind) = split_word(rest);
    let rest = match ending {
        "st" | "nd" | "rd" | "th" => behind,
        _ => rest,
    };
    let behind = rest.trim_start_matches([' ', ',']);
    let (year, rest) = match split_number(behind) {
        Some((year @ 2000..10_000, rest)) => (i16::try_from(year).ok(), rest),
        _ => (None, rest),
    };
    Some((NamedDay::Date { year, month, day }, rest))
}

fn split_day_name(text: &str) -> Option<(NamedDay, &str)> {
    let (word, rest) = split_word(text);
    let word = word.to_ascii_lowercase();
    let day = match word.as_str() {
        "tomorrow" => NamedDay::Tomorrow,
        "today" => NamedDay::None,
        word => NamedDay::Weekday(
            WEEKDAY_NAMES
                .iter()
                .find(|(name, _)| word.starts_with(name))?
                .1,
        ),
    };
    Some((day, rest))
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches(|c: char| c.is_alphabetic()).len())
}

/// Splits a time of day off a text: `3am`, `10:30pm`, `3:05 PM`, `15:00`.
fn split_time(text: &str) -> Option<(Time, &str)> {
    let (hour, rest) = split_number(text)?;
    let mut hour = i8::try_from(hour).ok()?;
    let minute = rest.strip_prefix(':').and_then(split_number);
    let (minute, rest) = match minute {
        Some((minute, rest)) => (Some(i8::try_from(minute).ok()?), rest),
        None => (None, rest),
    };
    // Seconds say nothing.
    let rest = rest
        .strip_prefix(':')
        .and_then(split_number)
        .map_or(rest, |(_, rest)| rest);
    let (half, behind) = split_word(rest.trim_start());
    let half = half.to_ascii_lowercase();
    let rest = match half.as_str() {
        "am" | "pm" if !(1..=12).contains(&hour) => return None,
        "am" => {
            hour %= 12;
            behind
        }
        "pm" => {
            hour = hour % 12 + 12;
            behind
        }
        _ if minute.is_none() => return None,
        _ => rest,
    };
    let time = Time::new(hour, minute.unwrap_or(0), 0, 0).ok()?;
    Some((time, rest))
}

/// Parses the zone behind a time: `(Europe/Berlin)`, `UTC`. None for a zone that is not known.
fn parse_zone(text: &str) -> Option<TimeZone> {
    let text = text.trim_start();
    if let Some(inside) = text.strip_prefix('(') {
        let (name, _) = inside.split_once(')')?;
        return TimeZone::get(name.trim()).ok();
    }
    match split_word(text).0 {
        "UTC" | "GMT" => Some(TimeZone::UTC),
        _ => Some(kit::sys::env::local_time_zone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn the_retry_time_of_an_api_is_parsed() {
        let now = at("2026-01-01T12:00:00Z");
        for (words, expected) in [
            ("usage limit reached|1767283200", "2026-01-01T16:00:00Z"),
            ("Please try again in 90s.", "2026-01-01T12:01:30Z"),
            ("try again in 2 hours", "2026-01-01T14:00:00Z"),
            ("limit reached, resets 3pm (UTC)", "2026-01-01T15:00:00Z"),
            ("resets at 09:30 (UTC)", "2026-01-02T09:30:00Z"),
            ("until 2026-01-01T13:00:00Z.", "2026-01-01T13:00:00Z"),
        ] {
            assert_eq!(parse_reset_time(words, now), Some(at(expected)), "{words}");
        }
        for words in ["overloaded", "resets soon", "|12", "in 400 ms", "limit|1"] {
            assert_eq!(parse_reset_time(words, now), None, "{words}");
        }
    }

    #[test]
    fn reset_times_in_the_words_of_todays_programs_are_parsed() {
        let now = at("2026-11-28T21:00:00Z");
        for (words, expected) in [
            (
                "You've hit your limit · resets 3am (Europe/Berlin)",
                "2026-11-29T02:00:00Z",
            ),
            (
                "You've hit your session limit · resets 10:30pm (America/New_York)",
                "2026-11-29T03:30:00Z",
            ),
            (
                "5-hour limit reached ∙ resets 12am (UTC)",
                "2026-11-29T00:00:00Z",
            ),
            (
                "Claude usage limit reached. Your limit will reset at 11pm (Europe/Berlin)",
                "2026-11-28T22:00:00Z",
            ),
            (
                "You're out of extra usage · resets Nov 30 at 3am (Asia/Kolkata)",
                "2026-11-29T21:30:00Z",
            ),
            (
                "You've hit your limit · resets Dec 3, 3pm (UTC)",
                "2026-12-03T15:00:00Z",
            ),
            (
                "You've hit your usage limit. Upgrade to Pro (https://e.com/pro) or try again in 3 hours 20 minutes.",
                "2026-11-29T00:20:00Z",
            ),
            (
                "try again in 3 days 6 hours 57 minutes",
                "2026-12-02T03:57:00Z",
            ),
            ("resets in 3h 20m", "2026-11-29T00:20:00Z"),
            ("try again at 11:05 PM UTC", "2026-11-28T23:05:00Z"),
            (
                "try again at Dec 4th, 2026 3:05 PM (UTC)",
                "2026-12-04T15:05:00Z",
            ),
            (
                "Your limit will reset at 2026-12-01 18:00:00 UTC",
                "2026-12-01T18:00:00Z",
            ),
            ("resets Monday at 9am (UTC)", "2026-11-30T09:00:00Z"),
            ("resets tomorrow at 9am (UTC)", "2026-11-29T09:00:00Z"),
        ] {
            assert_eq!(parse_reset_time(words, now), Some(at(expected)), "{words}");
        }
        for words in [
            "resets 3am (Nowhere/Town)",
            "Stop and wait for limit to reset",
            "resets 13pm (UTC)",
            "resets 25:00 (UTC)",
            "resets Nov 31 at 3am (UTC)",
            "resets Feb 1 at 3am (UTC)",
            "try again later",
            "resets in a while",
        ] {
            assert_eq!(parse_reset_time(words, now), None, "{words}");
        }
    }

    #[test]
    fn a_time_of_day_that_has_just_passed_names_no_later_day() {
        let words = "You've hit your limit · resets 9pm (UTC)";
        let parse = |now: &str| parse_reset_time(words, at(now));
        assert_eq!(parse("2026-11-28T21:10:00Z"), None);
        assert_eq!(
            parse("2026-11-28T23:00:00Z"),
            Some(at("2026-11-29T21:00:00Z"))
        );
    }

    #[test]
    fn a_date_without_a_year_may_be_in_the_next_one() {
        let found = parse_reset_time("resets Jan 2 at 3am (UTC)", at("2026-12-30T12:00:00Z"));
        assert_eq!(found, Some(at("2027-01-02T03:00:00Z")));
    }
}
