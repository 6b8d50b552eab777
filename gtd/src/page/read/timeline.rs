//! Reads timelines.

use gt::host::LiveTown;
use gt::view::timeline::{Timeline, TimelineSubject, find_subject};
use jiff::SignedDuration;
use serde::Deserialize;

/// The range of the timeline of an agent, a rig or the town, in hours.
const DEFAULT_HOURS: i64 = 24;
const MAX_HOURS: i64 = 30 * 24;

/// Selects a timeline.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::page) struct TimelineQuery {
    /// A bead, a convoy, an agent or a rig. The town without it.
    name: Option<String>,
    hours: Option<i64>,
}

/// Reads a timeline, the object of `gt timeline --json`.
pub(in crate::page) fn read_timeline(
    town: &LiveTown,
    query: &TimelineQuery,
) -> anyhow::Result<Timeline> {
    let subject = match &query.name {
        Some(name) => find_subject(town, name)?,
        None => TimelineSubject::Town,
    };
    let has_own_range = matches!(
        subject,
        TimelineSubject::Bead(_) | TimelineSubject::Convoy(_)
    );
    let hours = query.hours.or((!has_own_range).then_some(DEFAULT_HOURS));
    let since = hours
        .map(|hours| {
            let range = SignedDuration::from_hours(hours.clamp(1, MAX_HOURS));
            town.clock.now().checked_sub(range)
        })
        .transpose()?;
    gt::view::timeline::read_timeline(town, &subject, since)
}
