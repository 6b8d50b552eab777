//! Waiting for a condition, with a limit that only a broken program reaches.

#![expect(
    clippy::disallowed_methods,
    reason = "the harness waits for the programs under test"
)]

use std::time::{Duration, Instant};

/// Waits until `probe` answers, at most five minutes; `what` is named when it does not.
pub fn eventually<T>(what: &str, probe: impl FnMut() -> Option<T>) -> T {
    within(Duration::from_secs(300), probe).unwrap_or_else(|| panic!("never came true: {what}"))
}

/// Waits until `probe` answers, at most `limit`.
pub fn within<T>(limit: Duration, mut probe: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    loop {
        if let Some(found) = probe() {
            return Some(found);
        }
        if started.elapsed() > limit {
            return None;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
