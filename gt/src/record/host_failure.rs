//! Remembers for a moment that a host could not be used, so that beads do not try it one by one.

use jiff::{SignedDuration, Timestamp};
use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::town::{Town, TownLayout};

/// The pause after which a host that could not be used is tried again.
pub const RETRY_PAUSE: SignedDuration = SignedDuration::from_secs(60);

#[derive(Debug, Serialize, Deserialize)]
struct HostFailure {
    at: Timestamp,
    reason: String,
}

fn failure_file(town: &TownLayout, host: &str) -> std::path::PathBuf {
    town.host(host).join("failure.json")
}

/// Records a failure. Without the record, the host is only tried again sooner.
pub fn record_host_failure(town: &Town, host: &str, reason: &str) {
    let failure = HostFailure {
        at: town.clock.now(),
        reason: reason.to_owned(),
    };
    file::create_folder(&town.layout.host(host), 0o700).ok();
    state_file::write_state(&failure_file(&town.layout, host), &failure).ok();
}

/// Forgets a failure of a host that answers again.
pub fn forget_host_failure(town: &TownLayout, host: &str) {
    file::remove_file(&failure_file(town, host)).ok();
}

/// Returns the reason of a failure that is not old.
pub(super) fn read_host_failure(town: &TownLayout, host: &str, now: Timestamp) -> Option<String> {
    let path = failure_file(town, host);
    let failure: HostFailure = state_file::read_state(&path).ok()??;
    // A clock that was set back must not keep a host from its work.
    let age = now.duration_since(failure.at);
    let is_recent = !age.is_negative() && age < RETRY_PAUSE;
    is_recent.then_some(failure.reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_failure_counts_for_a_minute_or_until_the_host_answers() {
        let place = TestTown::new();
        let town = &place.town;
        let read = |seconds| {
            let now = town.clock.now() + SignedDuration::from_secs(seconds);
            read_host_failure(&town.layout, "big", now)
        };
        assert_eq!(read(0), None);
        record_host_failure(town, "big", "no route");
        assert_eq!(read(1).as_deref(), Some("no route"));
        assert_eq!(read(61), None);
        assert_eq!(read(-60), None);
        forget_host_failure(&town.layout, "big");
        assert_eq!(read(1), None);
    }
}
