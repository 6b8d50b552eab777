//! Computes the order of requests: priority, then age. A request that has waited for the bound of
//! its priority goes before all that have not.

use std::collections::HashMap;

use bd::bead::Bead;
use bd::store::TimeField;
use jiff::{SignedDuration, Timestamp};

use crate::record;
use crate::record::merge_request;
use crate::town::config::RigSettings;
use crate::town::{Rig, Town};

/// Returns the score of a request. The highest goes first.
///
/// 1000, plus 100 per step of priority, plus 10 per hour of the convoy's age, plus 1 per hour of
/// the request's age, minus 50 per retry (at most 300). The growing ages bound the starvation.
fn score_request(request: &Bead, convoy_created: Option<Timestamp>, now: Timestamp) -> f64 {
    let count_hours =
        |since: Timestamp| (now.duration_since(since).as_secs_f64() / 3600.0).max(0.0);
    let retries: f64 = bd::bead::fields::get_field(&request.description, "retry_count")
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.0);
    // A negative priority means "not set".
    let steps = match request.priority {
        0 => 4.0,
        1 => 3.0,
        2 => 2.0,
        3 => 1.0,
        _ => 0.0,
    };
    1000.0 + 10.0 * convoy_created.map_or(0.0, count_hours) + 100.0 * steps
        - (50.0 * retries).min(300.0)
        + count_hours(request.created_at.instant())
}

/// The addition to the score of a request that has waited for its bound. More than any other score
/// of a request that is younger than a year.
const OVERDUE_SCORE: f64 = 100_000.0;

/// The order of a rig's requests at a time.
#[derive(Debug)]
pub struct RequestOrder {
    ages: ConvoyAges,
    max_wait: SignedDuration,
    now: Timestamp,
}

impl RequestOrder {
    pub fn read(rig: &Rig, settings: &RigSettings) -> anyhow::Result<Self> {
        Ok(Self {
            ages: ConvoyAges::read(rig.town())?,
            max_wait: SignedDuration::try_from(settings.max_wait())?,
            now: rig.town().clock.now(),
        })
    }

    /// Returns the score of a request. The highest goes first.
    pub fn score(&self, request: &Bead) -> f64 {
        let score = score_request(request, self.ages.convoy_of(request), self.now);
        let waited = self.now.duration_since(request.created_at.instant());
        match wait_bound(self.max_wait, request.priority) {
            Some(bound) if waited > bound => OVERDUE_SCORE + waited.as_secs_f64() / 3600.0,
            _ => score,
        }
    }
}

/// Returns how long a request of a priority may wait behind better ones: once, twice … the setting
/// for the priorities 0, 1 …. `None` if there is no bound.
pub fn wait_bound(max_wait: SignedDuration, priority: i64) -> Option<SignedDuration> {
    let steps = if (0..=4).contains(&priority) {
        priority + 1
    } else {
        5
    };
    let bound = max_wait.checked_mul(i32::try_from(steps).ok()?)?;
    bound.is_positive().then_some(bound)
}

/// The creation time of the oldest open convoy of each bead.
#[derive(Debug, Default)]
struct ConvoyAges(HashMap<String, Timestamp>);

impl ConvoyAges {
    fn read(town: &Town) -> anyhow::Result<Self> {
        let convoys = town.open_town_store()?.snapshot()?;
        let mut tracked_since: HashMap<String, Timestamp> = HashMap::new();
        for convoy in convoys.marked_open(&record::convoy::MARKS) {
            let created_at = convoy
                .time(TimeField::Created)
                .unwrap_or(Timestamp::UNIX_EPOCH);
            for id in record::convoy::tracked_refs(&convoy) {
                let since = tracked_since.entry(id.to_owned()).or_insert(created_at);
                *since = created_at.min(*since);
            }
        }
        Ok(Self(tracked_since))
    }

    /// Returns the creation time of the convoy of a request's bead.
    fn convoy_of(&self, request: &Bead) -> Option<Timestamp> {
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
        for outside in [-1, 5, i64::MAX] {
            assert!((at(outside, fresh, 0) - 1000.0).abs() < 1e-9, "{outside}");
        }
    }

    #[test]
    fn a_request_that_waited_for_its_bound_goes_before_every_younger_one() {
        let now: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
        let order = |hours| RequestOrder {
            ages: ConvoyAges::default(),
            max_wait: SignedDuration::from_hours(hours),
            now,
        };
        let urgent = request(0, "2026-01-02T00:00:00Z", 0);
        let waiting = request(3, "2026-01-01T00:00:00Z", 9);
        let longer = request(4, "2025-12-01T00:00:00Z", 0);
        assert!(order(5).score(&waiting) > order(5).score(&urgent));
        assert!(order(5).score(&longer) > order(5).score(&waiting));
        // 4 times 6 hours are not over.
        assert!(order(6).score(&waiting) < order(6).score(&urgent));
        assert!(order(0).score(&longer) < OVERDUE_SCORE);
        assert_eq!(wait_bound(SignedDuration::ZERO, 2), None);
    }

    #[test]
    fn an_old_convoy_raises_the_score_of_its_requests() {
        let now: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
        let request = request(4, "2026-01-02T00:00:00Z", 0);
        let convoy = "2026-01-01T00:00:00Z".parse().ok();
        assert!((score_request(&request, convoy, now) - 1240.0).abs() < 1e-9);
    }
}
