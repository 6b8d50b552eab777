//! Computes the order of requests: priority, then age, so that no request waits forever.

use std::collections::HashMap;

use bd::bead::Bead;
use jiff::Timestamp;

use crate::record;
use crate::record::merge_request;
use crate::town::Town;

/// Returns the score of a request. The highest goes first.
///
/// 1000, plus 100 per step of priority, plus 10 per hour of the convoy's age, plus 1 per hour of
/// the request's age, minus 50 per retry (at most 300). The growing ages bound the starvation.
pub fn score_request(request: &Bead, convoy_created: Option<Timestamp>, now: Timestamp) -> f64 {
    let hours = |since: Timestamp| (now.duration_since(since).as_secs_f64() / 3600.0).max(0.0);
    let retries: f64 = bd::bead::fields::get_field(&request.description, "retry_count")
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    // A negative priority means "not set".
    let levels = if (0..=4).contains(&request.priority) {
        4 - request.priority
    } else {
        0
    };
    let steps = f64::from(u8::try_from(levels).unwrap_or_default());
    1000.0 + 10.0 * convoy_created.map_or(0.0, hours) + 100.0 * steps - (50.0 * retries).min(300.0)
        + hours(request.created_at.instant())
}

/// The creation time of the oldest open convoy of each bead.
#[derive(Debug, Default)]
pub struct ConvoyAges(HashMap<String, Timestamp>);

impl ConvoyAges {
    pub fn read(town: &Town) -> anyhow::Result<Self> {
        let convoys = town.open_town_store()?.snapshot()?;
        let mut tracked_since = HashMap::new();
        // The list is sorted by age.
        for convoy in record::convoy::list_convoys(&convoys, false) {
            for id in record::convoy::tracked_ids(convoy) {
                tracked_since
                    .entry(id.to_owned())
                    .or_insert_with(|| convoy.created_at.instant());
            }
        }
        Ok(Self(tracked_since))
    }

    /// Returns the creation time of the convoy of a request's bead.
    pub fn convoy_of(&self, request: &Bead) -> Option<Timestamp> {
        self.0.get(&merge_request::source_bead_of(request)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bd::bead::Stamp;

    fn request(priority: i64, created: &str, retries: u32) -> Bead {
        Bead {
            priority,
            created_at: Stamp::parse(created),
            description: format!("retry_count: {retries}"),
            ..Bead::default()
        }
    }

    #[test]
    fn priority_age_and_retries_determine_the_score() {
        let now: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
        let at = |priority, created, retries| {
            score_request(&request(priority, created, retries), None, now)
        };
        let fresh = "2026-01-02T00:00:00Z";
        assert!((at(2, fresh, 0) - 1200.0).abs() < 1e-9);
        assert!(at(1, fresh, 0) > at(2, fresh, 0));
        assert!((at(2, "2026-01-01T00:00:00Z", 0) - 1224.0).abs() < 1e-9);
        assert!((at(0, fresh, 9) - 1100.0).abs() < 1e-9);
        assert!((at(-1, fresh, 0) - 1000.0).abs() < 1e-9);
    }

    #[test]
    fn an_old_convoy_raises_the_score_of_its_requests() {
        let now: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
        let request = request(4, "2026-01-02T00:00:00Z", 0);
        let convoy = "2026-01-01T00:00:00Z".parse().ok();
        assert!((score_request(&request, convoy, now) - 1240.0).abs() < 1e-9);
    }
}
