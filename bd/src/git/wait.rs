//! Limits the waiting time for remotes, and reports long waits.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::{Git, redact_urls};

/// The duration after which a wait is reported.
const SLOW_WAIT: Duration = Duration::from_secs(10);

/// The time limit of remotes for the whole process, in milliseconds.
static LIMIT: AtomicU64 = AtomicU64::new(60_000);
static REPORT: OnceLock<fn(&str)> = OnceLock::new();

/// Sets the time limit of a fetch, a push or a query of a remote, for every [`Git`] created from
/// now on.
pub fn limit_remotes(limit: Duration) {
    let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    LIMIT.store(millis, Ordering::Relaxed);
}

/// Calls `report` with the remote's address when git has waited for a remote for ten seconds. Only
/// the first call of this function has an effect.
pub fn report_slow_remotes(report: fn(&str)) {
    REPORT.get_or_init(|| report);
}

pub(super) fn remote_limit() -> Duration {
    Duration::from_millis(LIMIT.load(Ordering::Relaxed))
}

/// Returns the address of a remote, given by name or URL, without secrets.
pub(super) fn display_address(git: &Git, remote: &str) -> String {
    let url = git.remote_url(remote).ok().flatten();
    redact_urls(url.as_deref().unwrap_or(remote))
}

/// Reports a long wait, until it is dropped.
pub(super) struct RemoteWait {
    _ended: Sender<()>,
}

impl RemoteWait {
    /// Starts the wait. A short limit is reported at half of it, so that the report precedes the
    /// failure.
    pub(super) fn begin(git: &Git, remote: &str, limit: Duration) -> Self {
        let (ended, is_over) = mpsc::channel::<()>();
        let slow = SLOW_WAIT.min(limit / 2);
        let git = git.clone();
        let remote = remote.to_owned();
        if let Some(report) = REPORT.get() {
            thread::spawn(move || {
                if is_over.recv_timeout(slow) == Err(RecvTimeoutError::Timeout) {
                    report(&display_address(&git, &remote));
                }
            });
        }
        Self { _ended: ended }
    }
}
