//! Watches the folders of beads and settings: a change of a known file wakes the loop, which reads
//! the facts itself.
//!
//! Folders are watched, never files, because a file that is replaced by rename would lose its
//! watch. Events of reads and locks are ignored, because the daemon would wake itself forever. If
//! the system has no watches left, the files are polled once per second.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gt::town::Town;
use notify::event::{EventKind, ModifyKind, RemoveKind};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::task::JoinHandle;

use crate::wake::{WakeReason, WakeSender};

/// The files whose changes wake the loop.
const KNOWN_FILES: [&str; 6] = [
    "config.json",
    "issues.jsonl",
    "wisps.jsonl",
    "journal.jsonl",
    "rigs.json",
    "routes.jsonl",
];

/// The interval at which files are polled without watches.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The watcher with its folders.
pub(crate) struct FolderWatch {
    /// None if the system has no watches left.
    watcher: Option<Box<dyn Watcher + Send>>,
    folders: Vec<PathBuf>,
    waker: WakeSender,
    polling: Option<JoinHandle<()>>,
}

impl FolderWatch {
    /// Starts to watch a town.
    pub(crate) fn start(town: &Town, waker: &WakeSender) -> Self {
        let watcher = RecommendedWatcher::new(event_handler(waker), Config::default())
            .inspect_err(warn_no_watches)
            .ok();
        let mut watch = Self::with_watcher(watcher.map(|watcher| Box::new(watcher) as _), waker);
        watch.refresh(town);
        watch
    }

    fn with_watcher(watcher: Option<Box<dyn Watcher + Send>>, waker: &WakeSender) -> Self {
        Self {
            watcher,
            folders: Vec::new(),
            waker: waker.clone(),
            polling: None,
        }
    }

    /// Watches new folders, such as those of an added rig.
    pub(crate) fn refresh(&mut self, town: &Town) {
        // The root is watched only for its own removal.
        self.watch_folders(gt::view::status::watched_folders(town));
    }

    fn watch_folders(&mut self, wanted: Vec<PathBuf>) {
        if let Some(watcher) = &mut self.watcher {
            match wanted
                .iter()
                .filter(|folder| !self.folders.contains(folder))
                .try_for_each(|folder| watcher.watch(folder, RecursiveMode::NonRecursive))
            {
                Ok(()) => {
                    self.folders = wanted;
                    return;
                }
                Err(error) => warn_no_watches(&error),
            }
        } else if self.folders == wanted {
            return;
        }
        self.watcher = None;
        self.folders = wanted;
        let looking = tokio::spawn(poll_files(self.folders.clone(), self.waker.clone()));
        if let Some(before) = self.polling.replace(looking) {
            before.abort();
        }
    }
}

impl Drop for FolderWatch {
    fn drop(&mut self) {
        if let Some(looking) = &self.polling {
            looking.abort();
        }
    }
}

fn warn_no_watches(error: &notify::Error) {
    tracing::warn!(%error, "the system watches no more files; looking at them every second");
}

/// Polls the known files, and wakes the loop when one has changed.
async fn poll_files(folders: Vec<PathBuf>, waker: WakeSender) {
    let mut before = read_stamps(&folders);
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let now = read_stamps(&folders);
        if now != before {
            waker.wake(WakeReason::Files);
            before = now;
        }
    }
}

/// Returns the metadata of the known files that changes with each write.
fn read_stamps(folders: &[PathBuf]) -> BTreeMap<PathBuf, [i64; 3]> {
    folders
        .iter()
        .flat_map(|folder| KNOWN_FILES.map(|name| folder.join(name)))
        .filter_map(|path| {
            let meta = fs::metadata(&path).ok()?;
            let inode = meta.ino().cast_signed();
            Some((path, [inode, meta.mtime(), meta.mtime_nsec()]))
        })
        .collect()
}

/// Returns a handler that wakes the loop on relevant events.
fn event_handler(waker: &WakeSender) -> impl FnMut(notify::Result<notify::Event>) + Send + 'static {
    let waker = waker.clone();
    move |event| {
        // After an error an event may have been missed, so the loop wakes.
        if event.as_ref().map_or(true, is_relevant) {
            waker.wake(WakeReason::Files);
        }
    }
}

fn is_relevant(event: &notify::Event) -> bool {
    // The system dropped events.
    if event.need_rescan() {
        return true;
    }
    let changes = match event.kind {
        EventKind::Create(_) | EventKind::Remove(_) => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        EventKind::Access(_) | EventKind::Any | EventKind::Other => false,
    };
    let is_end = matches!(event.kind, EventKind::Remove(RemoveKind::Folder));
    changes && (is_end || event.paths.iter().any(|path| is_known_file(path)))
}

fn is_known_file(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| KNOWN_FILES.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, CreateKind, RenameMode};

    fn event(kind: EventKind, path: &str) -> notify::Event {
        notify::Event::new(kind).add_path(PathBuf::from(path))
    }

    #[test]
    fn replacing_a_watched_file_wakes_the_loop_and_reading_it_does_not() {
        let replaced = EventKind::Modify(ModifyKind::Name(RenameMode::To));
        assert!(is_relevant(&event(replaced, "/t/.beads/issues.jsonl")));
        assert!(is_relevant(&event(
            EventKind::Create(CreateKind::File),
            "/t/.beads/wisps.jsonl"
        )));
        assert!(!is_relevant(&event(replaced, "/t/.beads/.lock")));
        let removed = EventKind::Remove(RemoveKind::Folder);
        assert!(is_relevant(&event(removed, "/t")));
        let opened = EventKind::Access(AccessKind::Any);
        assert!(!is_relevant(&event(opened, "/t/.beads/issues.jsonl")));
    }

    /// Hazard H6: the queue of events runs over.
    #[test]
    fn h6_lost_file_events_wake_the_loop() {
        use notify::event::Flag;
        let lost = notify::Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(is_relevant(&lost));
    }

    /// Hazard H6: no watches are left.
    #[tokio::test]
    async fn h6_files_are_polled_if_the_system_offers_no_watches() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("issues.jsonl");
        fs::write(&file, "{}").unwrap();
        let (waker, mut wakes) = crate::wake::create_wake_channel();
        let mut watch = FolderWatch::with_watcher(Some(Box::new(NoRoom)), &waker);
        watch.watch_folders(vec![folder.path().to_owned()]);
        assert!(watch.watcher.is_none());
        tokio::task::yield_now().await;
        fs::write(&file, "{} ").unwrap();
        assert_eq!(wakes.next(Duration::from_secs(60)).await, WakeReason::Files);
    }

    /// A watcher of a system that has no room.
    #[derive(Debug)]
    struct NoRoom;

    impl Watcher for NoRoom {
        fn new<F: notify::EventHandler>(_: F, _: Config) -> notify::Result<Self> {
            Ok(Self)
        }
        fn watch(&mut self, _: &Path, _: RecursiveMode) -> notify::Result<()> {
            Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch))
        }
        fn unwatch(&mut self, _: &Path) -> notify::Result<()> {
            Ok(())
        }
        fn kind() -> notify::WatcherKind {
            notify::WatcherKind::NullWatcher
        }
    }
}
