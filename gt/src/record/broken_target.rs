//! The record of a target that fails its own gates, in each request that waits for it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The shortest and the longest pause between two runs of the gates on one commit of a target.
const FIRST_TEST_PAUSE: SignedDuration = SignedDuration::from_mins(2);
const MAX_TEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// A target that fails its own gates, for a request that waits until it moves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenTarget {
    /// The failing commit of the target.
    pub target: String,
    /// The task that was created for it.
    #[serde(default)]
    pub task: String,
    /// The time of the last check, RFC 3339.
    pub at: String,
    /// The times of the first and the last run of its gates on the commit, RFC 3339.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub since: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tested: String,
}

impl BrokenTarget {
    /// Returns the time of the first failure, RFC 3339. Records of older versions have only the
    /// time of the last check.
    pub fn known_since(&self) -> &str {
        if self.since.is_empty() {
            &self.at
        } else {
            &self.since
        }
    }

    /// Returns the time of the next run of the gates on the same commit, because what it lacked on
    /// the machine may be there then. The pause doubles each time. None in records of older
    /// versions.
    pub fn next_test(&self) -> Option<Timestamp> {
        let [since, tested] = [&self.since, &self.tested].map(|at| at.parse::<Timestamp>());
        let tested = tested.ok()?;
        let pause = tested
            .duration_since(since.ok()?)
            .clamp(FIRST_TEST_PAUSE, MAX_TEST_PAUSE);
        tested.checked_add(pause).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_between_two_tests_of_one_commit_doubles_up_to_an_hour() {
        let mut broken = BrokenTarget {
            since: Timestamp::UNIX_EPOCH.to_string(),
            tested: Timestamp::UNIX_EPOCH.to_string(),
            ..BrokenTarget::default()
        };
        let mut pauses = Vec::new();
        for _ in 0..8 {
            let next = broken.next_test().unwrap();
            let tested: Timestamp = broken.tested.parse().unwrap();
            pauses.push(next.duration_since(tested).as_mins());
            broken.tested = next.to_string();
        }
        assert_eq!(pauses, [2, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(BrokenTarget::default().next_test(), None);
    }
}
