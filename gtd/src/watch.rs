//! Watches the folders of beads: a change of a known file wakes the loop, which then looks for itself.
//!
//! Folders, never files: a file that is replaced by rename would take its watch along. Reading and locking
//! make events, too; they are left out, or the daemon would wake itself for ever.

use std::path::{Path, PathBuf};

use gt::host::LiveTown;
use notify::event::{EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::wake::{Wake, Waker};

/// Files whose change means work.
const KNOWN: [&str; 5] = [
    "issues.jsonl",
    "wisps.jsonl",
    "journal.jsonl",
    "rigs.json",
    "routes.jsonl",
];

/// The watcher and what it watches.
pub(crate) struct Watch {
    watcher: RecommendedWatcher,
    folders: Vec<PathBuf>,
}

impl Watch {
    /// Begins to watch a town. Where the system has no watches left the tick must do: that is an error
    /// to mention, not to end on.
    pub(crate) fn begin(town: &LiveTown, waker: &Waker) -> notify::Result<Self> {
        let waker = waker.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // An error is an overflow: something was missed, so look.
            if event.as_ref().map_or(true, means_work) {
                waker.wake(Wake::Files);
            }
        })?;
        let mut watch = Self {
            watcher,
            folders: Vec::new(),
        };
        watch.refresh(town)?;
        Ok(watch)
    }

    /// Watches folders that are new, such as those of a rig that was added.
    pub(crate) fn refresh(&mut self, town: &LiveTown) -> notify::Result<()> {
        let mut wanted = vec![town.layout.beads(), town.layout.mayor()];
        let rigs = town.rigs().unwrap_or_default();
        wanted.extend(rigs.iter().map(gt::town::RigLayout::beads));
        for folder in wanted {
            if folder.is_dir() && !self.folders.contains(&folder) {
                self.watcher.watch(&folder, RecursiveMode::NonRecursive)?;
                self.folders.push(folder);
            }
        }
        Ok(())
    }
}

fn means_work(event: &notify::Event) -> bool {
    let changes = match event.kind {
        EventKind::Create(_) | EventKind::Remove(_) => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        EventKind::Access(_) | EventKind::Any | EventKind::Other => false,
    };
    changes && event.paths.iter().any(|path| is_known(path))
}

fn is_known(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| KNOWN.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, CreateKind, RenameMode};

    fn event(kind: EventKind, path: &str) -> notify::Event {
        notify::Event::new(kind).add_path(PathBuf::from(path))
    }

    #[test]
    fn replacing_a_known_file_means_work_and_reading_it_does_not() {
        let replaced = EventKind::Modify(ModifyKind::Name(RenameMode::To));
        assert!(means_work(&event(replaced, "/t/.beads/issues.jsonl")));
        assert!(means_work(&event(
            EventKind::Create(CreateKind::File),
            "/t/.beads/wisps.jsonl"
        )));
        assert!(!means_work(&event(replaced, "/t/.beads/.lock")));
        let opened = EventKind::Access(AccessKind::Any);
        assert!(!means_work(&event(opened, "/t/.beads/issues.jsonl")));
    }
}
