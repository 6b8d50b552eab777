//! Reads the flags `--since` and `--at` of commands that show the past.

use anyhow::Context as _;
use bd::query::when;
use jiff::Timestamp;
use kit::sys::env;

/// Reads the past time of the flag `--at`.
pub(crate) fn parse_at(text: &str, now: Timestamp) -> anyhow::Result<Timestamp> {
    let at = parse_since(Some(text), now)?.unwrap_or(now);
    anyhow::ensure!(at <= now, "`{text}` is not in the past");
    Ok(at)
}

/// Reads a time: an age such as `2h`, a date, or a word such as `yesterday`.
pub(crate) fn parse_since(text: Option<&str>, now: Timestamp) -> anyhow::Result<Option<Timestamp>> {
    text.map(|text| parse_past_time(text, now)).transpose()
}

pub(crate) fn parse_past_time(text: &str, now: Timestamp) -> anyhow::Result<Timestamp> {
    when::parse_past_time(text, now, &env::local_time_zone()).with_context(|| {
        format!("`{text}` is not a time: use 5m, 2h, 14:32, 2026-03-01 or yesterday")
    })
}
