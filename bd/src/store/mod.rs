//! The store: beads in JSONL files under git, safe for many concurrent writers.
//!
//! Readers never wait. An acknowledged write survives the death of the process and of the machine.
//! A transaction over many beads, including wisps, is all or nothing. Unchanged lines keep their
//! bytes. No data that was read is dropped.
//!
//! The layers, each of which imports only from those below it; a test reads the imports:
//!
//! - this handle and its operations: [`exchange`], [`compact`], [`create`], [`upkeep`], `repair`,
//!   `past`
//! - `commit`: transactions ([`Tx`]), folds, the detection of a [`rollback`] by git
//! - `view`: the files as one reader has them open, with the journal as overlay ([`Snapshot`]),
//!   beads to choose by ([`BeadRef`])
//! - `index`: the place of each line, derived
//! - `log`: the [`journal`], history, the [`archive`]
//! - `disk`: names of files ([`paths`]), identity of their versions, errors
//!
//! The steps of a write:
//! 1. Take the lock.
//! 2. Open the index and lay the journal over it ([`Snapshot`]).
//! 3. Run the change ([`Tx`]).
//! 4. Append one line to the [`journal`] and sync it, which is the acknowledgement.
//! 5. Fold the journal into the files: at once while the store is small, otherwise later.
//!
//! The steps of a read:
//! 1. Open the files.
//! 2. Use the index that was built from them, or build it.
//! 3. Choose beads by their [`BeadRef`]s.
//! 4. Read the lines of the chosen beads.

mod commit;
pub mod compact;
pub mod create;
mod disk;
pub mod exchange;
mod index;
mod log;
mod past;
mod repair;
pub mod route;
pub mod upkeep;
mod view;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::time::Duration;

pub use commit::rollback;
pub use commit::transaction::Tx;
pub use disk::entries::is_tracked_link;
pub use disk::error::StoreError;
pub use disk::find::find_beads_folder;
pub use disk::ignore::remove_excludes;
pub use disk::reports::StoreReports;
pub use disk::{find, mark, paths};
pub use index::BeadCounts;
#[doc(hidden)]
pub use index::seal_index;
pub(crate) use log::damage;
pub use log::event::Event;
pub(crate) use log::history::ARCHIVE;
pub use log::{archive, event, journal};
pub use route::Routes;
pub(crate) use view::bead_ref::ExactValues;
pub use view::bead_ref::{BeadNode, BeadRef, ListRow, TimeField};
pub use view::marks::BeadMark;
pub use view::snapshot::{Snapshot, UnreadableLine};

use crate::bead::Stamp;
use crate::config::Config;
use commit::fold::{Fold, FoldOutcome};
use commit::policy::{self, FoldDue, FoldPolicy};
use disk::ignore;
use disk::paths::StorePaths;
use disk::reports::PostponedFold;
use kit::sys::{Clock, clock, lock};
use view::source::{self, OpenFiles, SETTLE_PAUSE, SETTLE_TRIES};

/// The maximum number of repetitions of a fold that was overtaken by another program.
const FOLD_TRIES: usize = 5;
/// The number of attempts of a reader before it makes the writers wait.
const READ_TRIES: usize = 20;

/// The author of changes.
#[derive(Debug, Clone, Default)]
pub struct Author {
    /// The name for `created_by` and comments.
    pub actor: String,
    /// The agent session; empty if there is none.
    pub session: String,
    /// The e-mail address for the `owner` of new beads.
    pub owner: String,
    /// The address of the agent of a town that makes the changes. It may write no record of work,
    /// and as a worker it may change its own beads only.
    pub agent: Option<String>,
}

impl Author {
    /// Returns the address of the agent if it is a worker.
    fn worker(&self) -> Option<&str> {
        self.agent
            .as_deref()
            .filter(|agent| agent.contains("/polecats/"))
    }
}

/// A handle on one beads folder: its paths and, optionally, settings for readers.
#[derive(Debug, Clone)]
pub struct Store {
    paths: StorePaths,
    policy: FoldPolicy,
    /// The settings from the folder's files, if they were already read. Readers use them for the
    /// life of the handle.
    settings: Option<Config>,
    reports: StoreReports,
}

impl Store {
    /// Opens a beads folder. The caller has already followed redirects.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        if !paths::is_project(dir) {
            return Err(StoreError::NotAProject(dir.to_owned()));
        }
        disk::entries::check_entries(dir)?;
        let store = Self::at(dir);
        store.paths.check_backend()?;
        Ok(store)
    }

    /// Creates a beads folder with all its files; see [`create`].
    pub fn create(dir: &Path, prefix: &str) -> Result<Self, StoreError> {
        create::create_store(dir, prefix)?;
        Ok(Self::at(dir))
    }

    fn at(dir: &Path) -> Self {
        Self {
            paths: StorePaths::for_folder(dir),
            policy: FoldPolicy::USUAL,
            settings: None,
            reports: StoreReports::default(),
        }
    }

    /// Returns the store with immediate folds only up to this size; 0 means never.
    #[cfg(test)]
    fn with_fold_limit(mut self, size: u64) -> Self {
        self.policy = FoldPolicy::with_limit(size);
        self
    }

    /// Returns the store with settings that were already read from its files, for its readers.
    /// Writers read the settings under the lock, which every change of the settings holds too.
    #[must_use]
    pub fn with_settings(mut self, settings: Option<Config>) -> Self {
        self.settings = settings;
        self
    }

    fn settings(&self) -> Result<Config, StoreError> {
        match &self.settings {
            Some(settings) => Ok(settings.clone()),
            None => Ok(Config::from_dir(self.dir())?),
        }
    }

    pub fn dir(&self) -> &Path {
        self.paths.dir()
    }

    /// The path of the file of durable beads.
    pub fn issues_file(&self) -> &Path {
        self.paths.issues()
    }

    /// The name of the file of durable beads.
    pub(crate) fn issues_name(&self) -> Cow<'_, str> {
        let name = self.paths.issues().file_name();
        name.unwrap_or_default().to_string_lossy()
    }

    /// The prefix of new ids.
    pub fn prefix(&self) -> Result<String, StoreError> {
        match self.settings()?.get("issue-prefix") {
            Some(prefix) => Ok(prefix.trim_end_matches('-').to_owned()),
            None => self.snapshot()?.prefix(),
        }
    }

    /// Returns all current beads, without waiting for writers.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        for attempt in 0..READ_TRIES {
            match OpenFiles::read_unwritten(&self.paths) {
                Ok(read) if read.source.is_current() => {
                    if let Some(notice) = damage::describe_damage(
                        read.source.state.damaged_inside(),
                        &self.paths.journal(),
                    ) {
                        self.reports.notice(notice);
                    }
                    if attempt == 0
                        && !self.reports.are_unread()
                        && rollback::is_due(&read.source, false)
                        && let Ok(_guard) = lock::acquire_lock(&self.paths.lock(), Duration::ZERO)
                    {
                        // Another program may have replaced the issues before the lock was
                        // acquired.
                        if !read.source.is_current() || read.source.is_overtaken(index::ISSUES) {
                            continue;
                        }
                        // The next command compares again, and so does every writer before it
                        // writes.
                        if let Err(error) = self.report_rollback(&read) {
                            self.reports.notice(with_source(&error));
                        }
                    }
                    read.write_index();
                    if read.source.state.has_versions && !read.source.is_unsettled() {
                        self.postpone(PostponedFold::Versions);
                    }
                    return self.build_snapshot(read);
                }
                Ok(_) => {}
                // The file was replaced during the read. The next attempt reads the new one.
                Err(StoreError::Io { source, .. })
                    if source.kind() == io::ErrorKind::UnexpectedEof => {}
                Err(error) => return Err(error),
            }
        }
        // Writers are too frequent, so they have to wait during this read. If the lock cannot be
        // acquired (a read-only folder), there are no writers either.
        let _guard = lock::acquire_lock(&self.paths.lock(), lock::PATIENCE);
        self.build_snapshot(OpenFiles::read(&self.paths)?)
    }

    fn build_snapshot(&self, read: source::StoreRead) -> Result<Snapshot, StoreError> {
        Ok(Snapshot::new(read, self.settings()?, self.reports.clone()))
    }

    fn postpone(&self, fold: PostponedFold) {
        self.reports.postpone(fold, self.dir());
    }

    /// Keeps writers of the store waiting until the guard is dropped.
    pub fn hold_writers(&self) -> Result<lock::LockGuard, StoreError> {
        Ok(lock::acquire_lock(&self.paths.lock(), lock::PATIENCE)?)
    }

    /// Returns the store with another collection of reports.
    #[must_use]
    pub fn reporting_to(mut self, reports: &StoreReports) -> Self {
        self.reports = reports.clone();
        self
    }

    /// Changes beads. `change` sees all beads, with exclusive access. Its writes are committed
    /// together if it returns `Ok`, and discarded if it returns `Err`.
    pub fn transact<T>(
        &self,
        author: &Author,
        clock: &Clock,
        change: impl FnOnce(&mut Tx<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let _guard = self.hold_writers()?;
        let snapshot = self.prepare(clock)?;
        let mut tx = Tx::new(snapshot, author, clock);
        let answer = change(&mut tx);
        // A decision that was made without an unreadable record must not be committed.
        tx.failure()?;
        let answer = answer?;
        let at = tx.now();
        let done = tx.finish()?;
        if done.changes.is_empty() {
            return Ok(answer);
        }
        let event = Event {
            id: self.event_id(&at, author, &done.changes),
            at: at.to_string(),
            actor: author.actor.clone(),
            session: author.session.clone(),
            verb: done.verb,
            undoes: done.undoes,
            wisps: false,
            changes: done.changes,
        };
        let size = done.snapshot.source.key(index::ISSUES)?.size;
        let entry_size = self.acknowledge(&event)?;
        self.after_write(done.snapshot, event, (size, entry_size), &at);
        Ok(answer)
    }

    /// Folds at once while the store is small, and otherwise postpones the fold until after the
    /// answer. The sizes are those of the issues and of the entry.
    fn after_write(&self, snapshot: Snapshot, event: Event, sizes: (u64, u64), now: &Stamp) {
        let (issues, own) = sizes;
        let journal = std::fs::metadata(self.paths.journal()).map_or(0, |meta| meta.len());
        let began = snapshot.source.state.began();
        let due = self.policy.due(issues, journal, own, began.as_ref(), now);
        if due != FoldDue::Now {
            mark::touch_mark(&self.paths);
        }
        match due {
            FoldDue::Now => self.fold_acknowledged(snapshot, event, now),
            FoldDue::Soon => self.postpone(PostponedFold::WhenSettled),
            FoldDue::WhenOld => self.postpone(PostponedFold::WhenOld),
            FoldDue::No => {}
        }
    }

    /// Folds the remaining journal, and nothing else.
    pub fn fold(&self, clock: &Clock) -> Result<(), StoreError> {
        let _guard = self.hold_writers()?;
        self.fold_locked(clock)
    }

    /// Like [`Self::fold`], if the journal is still too long. Of many processes that notice this,
    /// only the first one folds.
    pub(crate) fn fold_when_due(&self, clock: &Clock) -> Result<(), StoreError> {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
        let now = Stamp::from(clock.now());
        let is_due = || {
            let issues = size(self.paths.issues());
            let journal = size(&self.paths.journal());
            let due = self.policy.due(issues, journal, 0, None, &now);
            journal > 0 && matches!(due, FoldDue::Now | FoldDue::Soon)
        };
        if !is_due() {
            return Ok(());
        }
        let _guard = self.hold_writers()?;
        if !is_due() {
            return Ok(());
        }
        self.fold_locked(clock)
    }

    fn fold_locked(&self, clock: &Clock) -> Result<(), StoreError> {
        let snapshot = self.prepare(clock)?;
        if !snapshot.source.state.text.is_empty() {
            self.run_folds(snapshot, &Stamp::from(clock.now()))?;
        }
        self.remove_old_leftovers();
        Ok(())
    }

    /// Waits, without blocking other writers, until no other program seems to be writing the
    /// issues, for a limited time.
    fn wait_until_settled(&self) {
        clock::wait_for(SETTLE_PAUSE * SETTLE_TRIES, || {
            OpenFiles::is_settled(&self.paths)
                .is_ok_and(|is_settled| is_settled)
                .then_some(())
        });
    }

    /// Folds the journal if its oldest entry is older than half a minute, and returns true if it
    /// did. For the idle time of a long-running process.
    pub fn fold_when_old(&self, clock: &Clock) -> Result<bool, StoreError> {
        let is_empty = std::fs::metadata(self.paths.journal()).map_or(true, |meta| meta.len() == 0);
        if is_empty {
            return Ok(false);
        }
        let now = Stamp::from(clock.now());
        let is_old = |source: &OpenFiles| policy::is_old(source.state.began().as_ref(), &now);
        if !is_old(&OpenFiles::read(&self.paths)?.source) {
            return Ok(false);
        }
        let _guard = self.hold_writers()?;
        let snapshot = self.prepare(clock)?;
        // Several processes may notice this at once. The first one folds.
        if !is_old(&snapshot.source) {
            return Ok(false);
        }
        self.run_folds(snapshot, &now)?;
        self.remove_old_leftovers();
        Ok(true)
    }

    /// Folds the lines of beads that have several, unless a writer is active, which does the same.
    pub(crate) fn fold_versions(&self, clock: &Clock) -> Result<(), StoreError> {
        let _guard = lock::acquire_lock(&self.paths.lock(), Duration::ZERO)?;
        self.prepare(clock).map(drop)
    }

    /// Loads the beads under the lock, after repairing what an earlier writer left unfinished.
    fn prepare(&self, clock: &Clock) -> Result<Snapshot, StoreError> {
        if self.settings.is_some() {
            // The settings may have changed while this process waited for the lock.
            return self.clone().with_settings(None).prepare(clock);
        }
        for _ in 0..SETTLE_TRIES {
            let snapshot = self.build_snapshot(self.read_compared()?)?;
            snapshot.refuse_conflict()?;
            let state = &snapshot.source.state;
            let now = Stamp::from(clock.now());
            let is_whole = state.journal.torn.is_empty();
            let is_unmerged = state.merged.is_empty() && !state.has_versions;
            if is_whole && !state.journal.was_folding && is_unmerged {
                return Ok(snapshot);
            }
            if (is_whole || !self.cut_torn_end(&snapshot, &now)?)
                && self.run_fold(snapshot, &now, false)? == FoldOutcome::Unsettled
            {
                clock::pause_thread(SETTLE_PAUSE);
            }
        }
        let snapshot = self.build_snapshot(OpenFiles::read(&self.paths)?)?;
        if snapshot.source.state.journal.torn.is_empty() {
            return Ok(snapshot);
        }
        // No line may be appended after a torn line.
        Err(StoreError::Restless(self.paths.issues().to_owned()))
    }

    /// Appends an entry durably and returns the length of its line.
    fn acknowledge(&self, entry: &Event) -> Result<u64, StoreError> {
        let path = self.paths.journal();
        if !path.exists() {
            ignore::exclude_local_files(self.paths.dir());
        }
        journal::append_record(&path, entry).map_err(|failed| StoreError::Append {
            path: path.clone(),
            undone: failed.undone,
            source: failed.source,
        })
    }

    /// Computes an id for an event that no other clone gives.
    fn event_id(&self, at: &Stamp, author: &Author, changes: &[event::BeadChange]) -> String {
        let mut text = format!("{}\0{}\0{}\0", at, author.actor, self.dir().display());
        for change in changes {
            for part in [&Some(change.id.clone()), &change.before, &change.after] {
                text.push_str(part.as_deref().unwrap_or("-"));
                text.push('\0');
            }
        }
        journal::line_hash(text.as_bytes())
            .chars()
            .take(12)
            .collect()
    }

    /// Folds the journal and the entry that was just added to it. If the fold fails, the entry
    /// stays in the journal, readers find it there, and the next writer folds it.
    fn fold_acknowledged(&self, mut snapshot: Snapshot, event: Event, now: &Stamp) {
        if snapshot.source.is_unsettled() {
            // The change is safe in the journal until the issues are no longer being written.
            self.postpone(PostponedFold::WhenSettled);
            return;
        }
        // The snapshot contains the entry's changes, and under the lock no other process adds one.
        snapshot.source.state.journal.entries.push(event);
        if let Err(error) = self.run_folds(snapshot, now) {
            self.reports.notice(format!(
                "the change is saved in {}, but not yet in {}: {}",
                self.paths.journal().display(),
                self.paths.issues().display(),
                with_source(&error)
            ));
        }
    }

    /// Folds until no other program overtakes the fold.
    fn run_folds(&self, snapshot: Snapshot, now: &Stamp) -> Result<(), StoreError> {
        let mut snapshot = snapshot;
        let mut tries = 0;
        for _ in 0..SETTLE_TRIES {
            match self.run_fold(snapshot, now, false)? {
                FoldOutcome::Done => return Ok(()),
                FoldOutcome::Unsettled => clock::pause_thread(SETTLE_PAUSE),
                FoldOutcome::Overtaken => tries += 1,
            }
            if tries >= FOLD_TRIES {
                break;
            }
            snapshot = self.build_snapshot(self.read_compared()?)?;
        }
        Err(StoreError::Restless(self.paths.issues().to_owned()))
    }

    /// Reads the files under the lock, and reports a rollback before a writer replaces the issues.
    fn read_compared(&self) -> Result<source::StoreRead, StoreError> {
        let read = OpenFiles::read_unwritten(&self.paths)?;
        if rollback::is_due(&read.source, true) {
            self.report_rollback(&read)?;
            read.write_index();
            return OpenFiles::read(&self.paths);
        }
        read.write_index();
        Ok(read)
    }

    /// Reports the lines that left the issues without bd.
    fn report_rollback(&self, read: &source::StoreRead) -> Result<(), StoreError> {
        if let Some(notice) = rollback::compare_with_kept(read)? {
            self.reports.notice(notice);
        }
        Ok(())
    }

    /// Folds the journal that a snapshot has over the files. With `all`, both files are rewritten
    /// even without a change.
    fn run_fold(
        &self,
        snapshot: Snapshot,
        now: &Stamp,
        all: bool,
    ) -> Result<FoldOutcome, StoreError> {
        snapshot.refuse_conflict()?;
        let mut notices = Vec::new();
        let fold = Fold {
            snapshot,
            now,
            all,
            notices: &mut notices,
        };
        let folded = fold.run();
        self.reports.notice_all(notices);
        folded
    }
}

/// Formats an error and its cause on one line.
fn with_source(error: &StoreError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
