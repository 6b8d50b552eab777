//! Instants that keep their source text.
//!
//! Files mix offsets and fractions of seconds. Two stamps are compared as instants, and an
//! unchanged stamp is written with its original text.

use std::cmp::Ordering;
use std::fmt;
use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The text of the stamp that means "no time".
const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

/// An instant with its source text.
#[derive(Debug, Clone)]
pub struct Stamp {
    text: Box<str>,
    /// Computed on first use, because most stamps are never asked for their instant.
    instant: OnceLock<Timestamp>,
}

impl Stamp {
    /// Parses a stamp. Text that is not a time is preserved, and its instant is the epoch.
    pub fn parse(text: &str) -> Self {
        Self::from_boxed_text(text.into())
    }

    fn from_boxed_text(text: Box<str>) -> Self {
        Self {
            text,
            instant: OnceLock::new(),
        }
    }

    /// Returns the instant of a text, or the epoch if the text is not a time.
    pub(crate) fn instant_of(text: &str) -> Timestamp {
        parse_timestamp(text).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    pub fn instant(&self) -> Timestamp {
        *self.instant.get_or_init(|| Self::instant_of(&self.text))
    }

    /// Returns the earliest later instant.
    #[must_use]
    pub fn just_after(&self) -> Self {
        let nanosecond = jiff::SignedDuration::from_nanos(1);
        Self::from(
            self.instant()
                .saturating_add(nanosecond)
                .unwrap_or(Timestamp::MAX),
        )
    }

    /// The text as written in the file.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The day in UTC, such as `2026-03-01`.
    pub fn day(&self) -> String {
        self.instant().strftime("%Y-%m-%d").to_string()
    }
}

/// Parses RFC 3339, or `YYYY-MM-DD HH:MM:SS` as UTC.
fn parse_timestamp(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(instant);
    }
    let civil = text.parse::<DateTime>().ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

impl Default for Stamp {
    fn default() -> Self {
        Self::parse(ZERO_TIME)
    }
}

impl From<Timestamp> for Stamp {
    fn from(instant: Timestamp) -> Self {
        Self {
            text: instant.to_string().into(),
            instant: OnceLock::from(instant),
        }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Stamp {
    fn eq(&self, other: &Self) -> bool {
        self.instant() == other.instant()
    }
}

impl Eq for Stamp {}

impl PartialOrd for Stamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stamp {
    fn cmp(&self, other: &Self) -> Ordering {
        self.instant().cmp(&other.instant())
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from_boxed_text(Box::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_compare_as_instants_and_keep_their_text() {
        let (a, b) = (
            Stamp::parse("2026-03-01T09:15:30.120-08:00"),
            Stamp::parse("2026-03-01T17:15:30.12Z"),
        );
        assert_eq!(a, b);
        assert_eq!(a.as_str(), "2026-03-01T09:15:30.120-08:00");
    }

    #[test]
    fn the_old_form_with_a_space_is_read_as_utc() {
        assert_eq!(
            Stamp::parse("2026-03-01 17:15:30"),
            Stamp::parse("2026-03-01T17:15:30Z")
        );
    }

    #[test]
    fn text_that_is_not_a_time_is_kept() {
        let stamp = Stamp::parse("yesterday");
        assert_eq!(stamp.instant(), Timestamp::UNIX_EPOCH);
        assert_eq!(stamp.as_str(), "yesterday");
    }
}
