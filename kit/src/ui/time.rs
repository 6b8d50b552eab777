//! Formats times for users: relative, and in the local zone.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Formats the distance of `then` from `now`: `just now`, `5m ago`, `3h ago`, `2d ago`, or `in 5m`.
pub fn format_ago(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.as_second() - then.as_second();
    let text = format_span(seconds.unsigned_abs());
    match (seconds, text) {
        (_, None) => "just now".to_owned(),
        (0.., Some(text)) => format!("{text} ago"),
        (_, Some(text)) => format!("in {text}"),
    }
}

/// Formats a duration in its largest unit; `None` below five seconds.
fn format_span(seconds: u64) -> Option<String> {
    Some(match seconds {
        0..5 => return None,
        5..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        86_400..2_592_000 => format!("{}d", seconds / 86_400),
        2_592_000..31_536_000 => format!("{}mo", seconds / 2_592_000),
        _ => format!("{}y", seconds / 31_536_000),
    })
}

/// Formats a duration, cut to its last unit: `4.2s`, `12m`, `3h 5m`. The page does the same.
pub fn format_seconds(seconds: f64) -> String {
    if seconds < 60.0 {
        let tenths = (seconds * 10.0).floor() / 10.0;
        return format!("{tenths:.1}s");
    }
    let time = SignedDuration::try_from_secs_f64(seconds).unwrap_or(SignedDuration::MAX);
    let hours = time.as_hours();
    let minutes = time.as_mins() % 60;
    match hours {
        0 => format!("{minutes}m"),
        hours => format!("{hours}h {minutes}m"),
    }
}

/// Formats an estimate: `less than a minute`, `about 12m`, `about 3h 5m`.
pub fn format_estimate(seconds: f64) -> String {
    if seconds < 60.0 {
        return "less than a minute".to_owned();
    }
    format!("about {}", format_seconds(seconds))
}

/// Formats an instant in a zone with seconds, `Mar 1 18:02:07`; in another year than `now`,
/// `2025-03-01 18:02:07`.
pub fn format_moment(now: Timestamp, instant: Timestamp, zone: &TimeZone) -> String {
    let now = now.to_zoned(zone.clone());
    let instant = instant.to_zoned(zone.clone());
    let format = if now.year() == instant.year() {
        "%b %-d %H:%M:%S"
    } else {
        "%Y-%m-%d %H:%M:%S"
    };
    instant.strftime(format).to_string()
}

/// Formats an instant in a zone, with the name of the zone: `2026-03-01 18:02 CET`.
pub fn format_local(instant: Timestamp, zone: &TimeZone) -> String {
    instant
        .to_zoned(zone.clone())
        .strftime("%Y-%m-%d %H:%M %Z")
        .to_string()
}

/// Formats the name of a zone at an instant, such as `CET`, or `+09` if it has none.
pub fn format_zone(instant: Timestamp, zone: &TimeZone) -> String {
    instant.to_zoned(zone.clone()).strftime("%Z").to_string()
}

/// Formats the day of an instant in a zone, `2026-03-01`.
pub fn format_day(instant: Timestamp, zone: &TimeZone) -> String {
    instant
        .to_zoned(zone.clone())
        .strftime("%Y-%m-%d")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_shown_in_their_largest_unit() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let ago = |text: &str| format_ago(now, text.parse().unwrap());
        assert_eq!(ago("2026-03-10T11:59:58Z"), "just now");
        assert_eq!(ago("2026-03-10T11:55:00Z"), "5m ago");
        assert_eq!(ago("2026-03-10T15:00:00Z"), "in 3h");
        assert_eq!(ago("2026-03-08T11:00:00Z"), "2d ago");
    }

    #[test]
    fn seconds_are_cut_and_never_rounded_up() {
        let shown = [0.0, 4.25, 59.99, 60.0, 119.9, 3599.0, 3600.0, 11_159.0].map(format_seconds);
        let expected = ["0.0s", "4.2s", "59.9s", "1m", "1m", "59m", "1h 0m", "3h 5m"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_day_is_that_of_the_zone() {
        let midnight: Timestamp = "2026-03-04T15:00:00Z".parse().unwrap();
        let tokyo = TimeZone::fixed(jiff::tz::offset(9));
        assert_eq!(format_day(midnight, &tokyo), "2026-03-05");
        assert_eq!(format_local(midnight, &tokyo), "2026-03-05 00:00 +09");
    }

    #[test]
    fn a_time_shows_its_year_only_if_it_differs() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let shown = |text: &str| format_moment(now, text.parse().unwrap(), &TimeZone::UTC);
        assert_eq!(shown("2026-03-01T18:02:07.123Z"), "Mar 1 18:02:07");
        assert_eq!(shown("2025-03-01T18:02:07Z"), "2025-03-01 18:02:07");
    }
}
