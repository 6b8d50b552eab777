//! Tells when the process of a session ends: a pidfd for each, so that nobody has to ask.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

use gt::host::LiveSession;
use tokio::net::unix::pipe::Receiver;
use tokio::task::JoinHandle;

use crate::wake::{WakeReason, WakeSender};

/// The sessions that are waited for, by name.
#[derive(Default)]
pub(crate) struct SessionWaits {
    waits: BTreeMap<String, (i32, JoinHandle<()>)>,
}

impl SessionWaits {
    /// Waits for the processes of these sessions, and for no other any more.
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
            // Where the machine has no such handles the tick sees it.
            let Some(process) = &live.process else {
                continue;
            };
            let handle = match process.open_handle() {
                Ok(Some(handle)) => handle,
                Ok(None) => {
                    // It has ended since it was seen.
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

/// A pidfd becomes readable when its process has ended. The reactor waits for it as for a pipe: tokio's
/// general wrapper for descriptors can only be used with unsafe code.
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
