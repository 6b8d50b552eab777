//! Owns time: the current time, and waiting.
//!
//! The clock is the system's unless `BD_NOW` holds an RFC 3339 instant. Then it starts there and
//! advances by one millisecond per reading, so that tests see stable and distinct times.
#![expect(
    clippy::disallowed_methods,
    reason = "this module is the owner of the clock"
)]

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// The source of the current time.
#[derive(Debug)]
pub enum Clock {
    System,
    /// A clock that starts at an instant and advances one millisecond per reading.
    Stepped {
        start: Timestamp,
        /// The number of readings.
        readings: AtomicI64,
    },
}

impl Clock {
    /// Chooses the clock: stepped if `now` is a valid instant, otherwise the system's.
    pub fn choose(now: Option<&str>) -> Self {
        match now.and_then(|text| text.parse::<Timestamp>().ok()) {
            Some(start) => Self::stepped(start),
            None => Self::System,
        }
    }

    pub fn stepped(start: Timestamp) -> Self {
        Self::Stepped {
            start,
            readings: AtomicI64::new(0),
        }
    }

    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => Timestamp::now(),
            Self::Stepped { start, readings } => {
                let millis = readings.fetch_add(1, Ordering::Relaxed);
                let step = jiff::SignedDuration::from_millis(millis);
                start.checked_add(step).unwrap_or(*start)
            }
        }
    }
}

/// Pauses the calling thread. Only for polling a state without events.
pub fn pause_thread(duration: Duration) {
    std::thread::sleep(duration);
}

/// Calls `probe` until it returns a value or `limit` has passed, with growing pauses from 5 to 100
/// ms.
pub fn wait_for<T>(limit: Duration, mut probe: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    let mut step = Duration::from_millis(5);
    loop {
        if let Some(found) = probe() {
            return Some(found);
        }
        if started.elapsed() >= limit {
            return None;
        }
        pause_thread(step);
        step = (step * 2).min(Duration::from_millis(100));
    }
}

/// Converts an instant to nanoseconds since 1970, clamped to the range of the type.
pub fn to_nanoseconds(instant: jiff::Timestamp) -> i64 {
    let exact = instant.as_nanosecond();
    i64::try_from(exact)
        .unwrap_or(if exact < 0 { i64::MIN + 1 } else { i64::MAX })
        .max(i64::MIN + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stepped_clock_advances_one_millisecond_per_reading() {
        let clock = Clock::choose(Some("2026-01-01T00:00:00Z"));
        assert_eq!(clock.now().to_string(), "2026-01-01T00:00:00Z");
        assert_eq!(clock.now().to_string(), "2026-01-01T00:00:00.001Z");
    }

    #[test]
    fn an_invalid_instant_falls_back_to_the_system_clock() {
        assert!(matches!(Clock::choose(Some("soon")), Clock::System));
    }
}
