//! Owns waiting for files to change.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::{RecursiveMode, Watcher};

/// Folders that are watched.
pub struct FolderWatch {
    /// Kept, since it stops watching when it is dropped.
    _watcher: notify::RecommendedWatcher,
    events: Receiver<()>,
}

impl FolderWatch {
    /// Watches folders, without what is below them.
    pub fn start<'a>(folders: impl IntoIterator<Item = &'a Path>) -> notify::Result<Self> {
        let (send, events) = channel();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                let is_reading = event.is_ok_and(|event| event.kind.is_access());
                if !is_reading {
                    // Nobody listens any more: the watcher is about to be dropped.
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

    /// Waits until something changed; several changes since the last time are one. `false` when there will
    /// be no more.
    pub fn wait(&self) -> bool {
        let more = self.events.recv().is_ok();
        while self.events.try_recv().is_ok() {}
        more
    }

    /// Waits until something changed, at most so long. Changes that follow each other quickly are one.
    pub fn wait_at_most(&self, limit: Duration) {
        /// Writing one thing changes several files.
        const SETTLE: Duration = Duration::from_millis(100);
        /// Someone who writes all the time must not keep us waiting.
        const ROUNDS: usize = 10;
        if self.events.recv_timeout(limit).is_ok() {
            for _ in 0..ROUNDS {
                if self.events.recv_timeout(SETTLE).is_err() {
                    break;
                }
                while self.events.try_recv().is_ok() {}
            }
        }
    }
}
