//! How long an action that failed waits before it is tried again: longer each time in a row.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

/// The first wait, and the longest.
const FIRST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(300);
/// The first wait of an action that someone else was busy with.
const BUSY: Duration = Duration::from_secs(1);

/// The waits of the actions that failed, by the key of the action.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    waits: BTreeMap<String, Wait>,
}

#[derive(Debug, Clone, Copy)]
struct Wait {
    length: Duration,
    until: Instant,
}

impl Backoff {
    /// Makes an action wait: twice as long as the last time if it failed again soon after that wait.
    pub(crate) fn failed(&mut self, key: String, busy: bool, now: Instant) {
        // What failed long ago says nothing about this failure.
        self.waits
            .retain(|_, wait| now.duration_since(wait.until) < LONGEST);
        let first = if busy { BUSY } else { FIRST };
        let before = self.waits.get(&key).map(|wait| wait.length * 2);
        let length = before.unwrap_or(first).min(LONGEST);
        let until = now + length;
        self.waits.insert(key, Wait { length, until });
    }

    /// Forgets the failures of an action.
    pub(crate) fn succeeded(&mut self, key: &str) {
        self.waits.remove(key);
    }

    /// Whether an action waits no more.
    pub(crate) fn is_due(&self, key: &str, now: Instant) -> bool {
        self.waits.get(key).is_none_or(|wait| wait.until <= now)
    }

    /// How long until the next wait ends.
    pub(crate) fn next(&self, now: Instant) -> Option<Duration> {
        let ends = self.waits.values().map(|wait| wait.until);
        ends.filter(|until| *until > now)
            .min()
            .map(|until| until - now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_in_a_row_waits_twice_as_long_up_to_a_limit() {
        let mut backoff = Backoff::default();
        let mut now = Instant::now();
        let mut waits = Vec::new();
        for _ in 0..9 {
            backoff.failed("a".to_owned(), false, now);
            let wait = backoff.next(now).unwrap();
            assert!(!backoff.is_due("a", now) && backoff.is_due("b", now));
            now += wait;
            assert!(backoff.is_due("a", now));
            waits.push(wait.as_secs());
        }
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
    }

    #[test]
    fn a_failure_of_yesterday_does_not_lengthen_the_first_wait_of_today() {
        let mut backoff = Backoff::default();
        let now = Instant::now();
        backoff.failed("a".to_owned(), false, now);
        backoff.failed("a".to_owned(), false, now);
        let later = now + Duration::from_secs(24 * 3600);
        backoff.failed("a".to_owned(), false, later);
        assert_eq!(backoff.next(later), Some(FIRST));
    }

    #[test]
    fn a_success_ends_the_row_and_who_was_busy_is_asked_again_soon() {
        let mut backoff = Backoff::default();
        let now = Instant::now();
        backoff.failed("a".to_owned(), false, now);
        backoff.succeeded("a");
        assert!(backoff.is_due("a", now));
        backoff.failed("a".to_owned(), true, now);
        assert_eq!(backoff.next(now), Some(BUSY));
    }
}
