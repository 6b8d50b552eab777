//! Waits for files to change.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::{RecursiveMode, Watcher};

/// Folders that are watched.
pub struct FolderWatch {
    /// Kept, because dropping it ends the watch.
    _watcher: notify::RecommendedWatcher,
    events: Receiver<()>,
}

impl FolderWatch {
    /// Watches folders, without their subfolders.
    pub fn start<'a>(folders: impl IntoIterator<Item = &'a Path>) -> notify::Result<Self> {
        let (send, events) = channel();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                let is_reading = event.is_ok_and(|event| event.kind.is_access());
                if !is_reading {
                    // The receiver is gone, because the watch is about to be dropped.
                    send.send(()).ok();
                }
            })?;
        for folder in folders {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
        }
        Ok(Self {
            _watcher: watcher,
            events,
        })
    }

    /// Waits for a change. Several changes since the last call count as one. Returns false if there
    /// will be no more.
    pub fn wait(&self) -> bool {
        let more = self.events.recv().is_ok();
        while self.events.try_recv().is_ok() {}
        more
    }

    /// Waits for a change for at most `limit`. Changes in quick succession count as one. Returns
    /// false if there was none.
    pub fn wait_at_most(&self, limit: Duration) -> bool {
        /// The pause that ends a burst of changes, because one write changes several files.
        const SETTLE_TIME: Duration = Duration::from_millis(100);
        /// The maximum length of a burst, so that a program that writes continuously does not block
        /// this wait.
        const MAX_ROUNDS: usize = 10;
        let has_changed = self.events.recv_timeout(limit).is_ok();
        if has_changed {
            for _ in 0..MAX_ROUNDS {
                if self.events.recv_timeout(SETTLE_TIME).is_err() {
                    break;
                }
                while self.events.try_recv().is_ok() {}
            }
        }
        has_changed
    }
}
