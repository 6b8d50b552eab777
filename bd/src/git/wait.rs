//! Owns how long git waits for a remote, and who hears that it is waiting.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::{Git, redact_urls};

/// A wait of this length is reported.
const SLOW: Duration = Duration::from_secs(10);

/// How long a remote may take, for the whole process, in milliseconds.
static LIMIT: AtomicU64 = AtomicU64::new(60_000);
static REPORT: OnceLock<fn(&str)> = OnceLock::new();

/// Sets how long a fetch, a push or a look at a remote may take, for every [`Git`] made from now on.
pub fn limit_remotes(limit: Duration) {
    let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    LIMIT.store(millis, Ordering::Relaxed);
}

/// Calls `report` with the remote's address when git has waited for a remote for ten seconds. The first caller
/// counts.
pub fn report_slow_remotes(report: fn(&str)) {
    REPORT.get_or_init(|| report);
}

pub(super) fn remote_limit() -> Duration {
    Duration::from_millis(LIMIT.load(Ordering::Relaxed))
}

/// The address of a remote, which may be a name or a URL, fit for the screen.
pub(super) fn display_address(git: &Git, remote: &str) -> String {
    let url = git.remote_url(remote).ok().flatten();
    redact_urls(url.as_deref().unwrap_or(remote))
}

/// Reports a wait that takes long, until it is dropped.
pub(super) struct RemoteWait {
    _ended: Sender<()>,
}

impl RemoteWait {
    /// A short limit is reported at half of it, so that giving up is never the first word.
    pub(super) fn begin(git: &Git, remote: &str, limit: Duration) -> Self {
        let (ended, is_over) = mpsc::channel::<()>();
        let slow = SLOW.min(limit / 2);
        let (git, remote) = (git.clone(), remote.to_owned());
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
