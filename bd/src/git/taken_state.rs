//! Remembers which state of a worker's repository was taken over last, and which one could not be.

use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::GitError;
use super::separate::SeparateRepository;

/// The record of the state that was taken over last, beside the index.
pub(super) const RECORD_NAME: &str = "gt-taken.json";

/// The record of a state that could not be taken over, beside the index.
const FAILURE_NAME: &str = "gt-taking-failed.json";

/// The pause before a state that could not be taken over is tried again, and the number of times
/// that the pause doubles.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(60);
const MAX_DOUBLINGS: u32 = 6;

/// The state of a worker's repository, as its files show it.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TakenState {
    /// The hash of the refs.
    pub refs: String,
    /// The size, times and inode of the index.
    pub index: String,
}

/// The record of a taking that failed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FailedTaking {
    /// The state that could not be taken over.
    pub state: TakenState,
    pub problem: String,
    at: Timestamp,
    /// The number of times that this state has failed.
    tries: u32,
}

impl FailedTaking {
    /// Reads the record of a repository. An unreadable one only costs another try.
    pub(super) fn read(separate: &SeparateRepository) -> Option<Self> {
        let path = separate.git_dir.join(FAILURE_NAME);
        let bytes = file::read_file_if_exists(&path).ok().flatten()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Records a failure after an earlier one with the same state. Without the record, the next
    /// opening tries at once.
    pub(super) fn record(
        separate: &SeparateRepository,
        earlier: Option<Self>,
        state: TakenState,
        error: &GitError,
        at: Timestamp,
    ) {
        let failed = Self {
            state,
            problem: describe_problem(error),
            at,
            tries: earlier.map_or(1, |earlier| earlier.tries.saturating_add(1)),
        };
        let path = separate.git_dir.join(FAILURE_NAME);
        serde_json::to_vec(&failed)
            .map_err(io::Error::other)
            .and_then(|text| file::replace_file_relaxed(&path, &text, 0o600))
            .ok();
    }

    /// Returns the problem, and when the same state is tried again.
    pub(super) fn describe(&self) -> String {
        format!(
            "{} (the same state is tried again {}s after {})",
            self.problem,
            self.pause().as_secs(),
            self.at.strftime("%Y-%m-%dT%H:%M:%SZ")
        )
    }

    /// Removes the record, because a state was taken over.
    pub(super) fn remove(separate: &SeparateRepository) {
        // A record that stays is about another state.
        file::remove_file(&separate.git_dir.join(FAILURE_NAME)).ok();
    }

    /// Returns the pause before the same state is tried again, which doubles with each failure.
    fn pause(&self) -> SignedDuration {
        let doublings = self.tries.saturating_sub(1).min(MAX_DOUBLINGS);
        FIRST_PAUSE * (1 << doublings)
    }

    /// Returns true if the same state is not to be tried again yet.
    pub(super) fn is_pausing(&self, now: Timestamp) -> bool {
        // A time in the future was written under a wrong clock.
        let passed = now.duration_since(self.at);
        !passed.is_negative() && passed < self.pause()
    }
}

/// Describes an error without the path, which the error of a later opening names again.
fn describe_problem(error: &GitError) -> String {
    match error {
        GitError::Foreign { problem, .. } => problem.clone(),
        other => other.to_string(),
    }
}

/// Reads the record of the last taking. An unreadable one only costs another taking.
pub(super) fn read_record(path: &Path) -> TakenState {
    let bytes = file::read_file_if_exists(path).ok().flatten();
    bytes
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_after_a_failure_doubles_and_a_clock_that_was_wrong_ends_it() {
        let failed = |tries| FailedTaking {
            state: TakenState::default(),
            problem: String::new(),
            at: Timestamp::UNIX_EPOCH,
            tries,
        };
        let after = |seconds| Timestamp::from_second(seconds).unwrap();
        assert!(failed(1).is_pausing(after(59)) && !failed(1).is_pausing(after(60)));
        assert!(failed(3).is_pausing(after(239)) && !failed(3).is_pausing(after(240)));
        assert!(!failed(u32::MAX).is_pausing(after(60 * 64)));
        assert!(!failed(1).is_pausing(after(-1)));
    }
}
