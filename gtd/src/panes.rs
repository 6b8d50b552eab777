//! Detects the end of session processes with one pidfd each, without polling.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

use gt::host::LiveSession;
use tokio::net::unix::pipe::Receiver;
use tokio::task::JoinHandle;

use crate::wake::{WakeReason, WakeSender};

/// The waits for session processes, by session name.
#[derive(Default)]
pub(crate) struct SessionWaits {
    waits: BTreeMap<String, (i32, JoinHandle<()>)>,
}

impl SessionWaits {
    /// Waits for the processes of exactly these sessions.
    pub(crate) fn follow(&mut self, sessions: &[LiveSession], waker: &WakeSender) {
        self.waits.retain(|name, (pid, wait)| {
            let goes_on = sessions
                .iter()
                .any(|live| live.name == *name && live.pid == *pid);
            if !goes_on {
                wait.abort();
            }
            goes_on && !wait.is_finished()
        });
        for live in sessions {
            if self.waits.contains_key(&live.name) {
                continue;
            }
            // Without such handles on this system, the heartbeat finds the end.
            let Some(process) = &live.process else {
                continue;
            };
            let handle = match process.open_handle() {
                Ok(Some(handle)) => handle,
                Ok(None) => {
                    // The process has ended since the sessions were listed.
                    waker.wake(WakeReason::Pane);
                    continue;
                }
                Err(_) => continue,
            };
            let waker = waker.clone();
            let wait = tokio::spawn(async move {
                if wait_for_end(handle).await.is_ok() {
                    waker.wake(WakeReason::Pane);
                }
            });
            self.waits.insert(live.name.clone(), (live.pid, wait));
        }
    }
}

/// Waits until a pidfd becomes readable, because its process has ended. The reactor treats it as a
/// pipe: tokio's general wrapper for descriptors needs unsafe code.
async fn wait_for_end(handle: OwnedFd) -> std::io::Result<()> {
    Receiver::from_owned_fd_unchecked(handle)?.readable().await
}

impl Drop for SessionWaits {
    fn drop(&mut self) {
        for (_, wait) in self.waits.values() {
            wait.abort();
        }
    }
}
