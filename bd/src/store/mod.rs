//! The store: beads in JSONL files under git, safe for many writers at once.
//!
//! What is promised: readers never wait; a write that was acknowledged survives the death of the process
//! and of the machine; a transaction over many beads, wisps among them, happens whole or not at all; lines
//! that nobody changed keep their bytes; nothing that was read is dropped.
//!
//! The layers, each importing only from those below it; a test reads the imports:
//!
//! - this handle, and what is done with it: [`exchange`], [`compact`], [`create`], [`upkeep`], `repair`
//! - `commit`: transactions ([`Tx`]), folds, what a [`rollback`] by git took
//! - `view`: the files as one reader has them open, the journal laid over them ([`Snapshot`]), beads to choose by ([`BeadRef`])
//! - `index`: where each line is, derived
//! - `log`: the [`journal`], history, the [`archive`]
//! - `disk`: names of files ([`paths`]), which version of one is there, errors
//!
//! A write, step by step: take the lock; open the index and lay the journal over it ([`Snapshot`]); run the change ([`Tx`]);
//! append one line to the [`journal`] and sync it, which is the acknowledgement; fold it into the files: at once while the
//! store is small, else later.
//!
//! A read: open the files; take the index that was made from them, or make it; choose by [`BeadRef`]s; read the lines of what
//! was chosen.

mod commit;
pub mod compact;
pub mod create;
mod disk;
pub mod exchange;
mod index;
mod log;
mod repair;
pub mod route;
pub mod upkeep;
mod view;

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::time::Duration;

pub use commit::rollback;
pub use commit::tx::Tx;
pub use disk::error::StoreError;
pub use disk::find::find_beads_folder;
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
pub(crate) use view::bead_ref::UsualRank;
pub use view::bead_ref::{BeadNode, BeadRef, ListRow, TimeField};
pub use view::marks::BeadMark;
pub use view::snapshot::{Snapshot, UnreadableLine};

use crate::bead::Stamp;
use crate::config::Config;
use commit::fold::{Fold, FoldOutcome};
use commit::policy::{self, FoldDue, FoldPolicy};
use disk::ignore;
use disk::paths::StorePaths;
use kit::sys::{Clock, clock, lock};
use view::source::{self, OpenFiles, SETTLE_PAUSE, SETTLE_TRIES};

/// How often a fold that someone else overtook is done again.
const FOLD_TRIES: usize = 5;
/// How often a reader starts over before it asks the writers to wait.
const READ_TRIES: usize = 20;
/// Who writes.
#[derive(Debug, Clone, Default)]
pub struct Author {
    /// The name that goes into `created_by` and comments.
    pub actor: String,
    /// The agent session, where there is one.
    pub session: String,
    /// The e-mail address that goes into `owner` of new beads.
    pub owner: String,
}

/// A handle on one beads folder: paths, and perhaps the settings that readers go by.
#[derive(Debug, Clone)]
pub struct Store {
    paths: StorePaths,
    policy: FoldPolicy,
    /// The settings of its files, where they were read before; for readers, as long as it lives.
    settings: Option<Config>,
    reports: StoreReports,
}

impl Store {
    /// Opens a beads folder; redirects were followed before.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        if !paths::is_project(dir) {
            return Err(StoreError::NotAProject(dir.to_owned()));
        }
        Ok(Self::at(dir))
    }

    /// Makes a beads folder with all that belongs into it; see [`create`].
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

    /// The same store, folding at once up to this size only; 0 is never.
    #[cfg(test)]
    fn with_fold_limit(mut self, size: u64) -> Self {
        self.policy = FoldPolicy::with_limit(size);
        self
    }

    /// The same store, whose readers go by settings that were read from its files already. Writers read them under
    /// the lock, which those who change them hold, too.
    #[must_use]
    pub fn with_settings(mut self, settings: Option<Config>) -> Self {
        self.settings = settings;
        self
    }

    fn settings(&self) -> Result<Config, StoreError> {
        let known = self.settings.clone().map(Ok);
        Ok(known.unwrap_or_else(|| Config::from_dir(self.dir()))?)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        self.paths.dir()
    }

    /// The file of durable beads.
    pub fn issues_file(&self) -> &Path {
        self.paths.issues()
    }

    /// The prefix of new ids.
    pub fn prefix(&self) -> Result<String, StoreError> {
        match self.settings()?.get("issue-prefix") {
            Some(prefix) => Ok(prefix.trim_end_matches('-').to_owned()),
            None => self.snapshot()?.prefix(),
        }
    }

    /// All beads now, without waiting for anyone.
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
                        // Someone may have put others there before we had the lock.
                        if !read.source.is_current() || read.source.is_overtaken(index::ISSUES) {
                            continue;
                        }
                        // It is compared again by the next command, and before anything is written.
                        if let Err(error) = self.report_rollback(&read) {
                            self.reports.notice(with_source(&error));
                        }
                    }
                    read.write_index();
                    return self.build_snapshot(read);
                }
                Ok(_) => {}
                // A file that was replaced while it was read; the next try has the new one.
                Err(StoreError::Io { source, .. })
                    if source.kind() == io::ErrorKind::UnexpectedEof => {}
                Err(error) => return Err(error),
            }
        }
        // Writers come too thick; they wait while we read. Where there is no lock to be had (a read-only
        // folder) there are no writers either.
        let _guard = lock::acquire_lock(&self.paths.lock(), lock::PATIENCE);
        self.build_snapshot(OpenFiles::read(&self.paths)?)
    }

    fn build_snapshot(&self, read: source::StoreRead) -> Result<Snapshot, StoreError> {
        Ok(Snapshot::new(read, self.settings()?, self.reports.clone()))
    }

    /// Waits for the writers' lock.
    fn lock(&self) -> Result<lock::LockGuard, StoreError> {
        Ok(lock::acquire_lock(&self.paths.lock(), lock::PATIENCE)?)
    }

    /// The same store, which reports to others' reports.
    #[must_use]
    pub fn reporting_to(mut self, reports: &StoreReports) -> Self {
        self.reports = reports.clone();
        self
    }

    /// Changes beads: `change` sees all of them, alone, and what it did happens whole when it returns `Ok`
    /// and not at all when it returns `Err`.
    pub fn transact<T>(
        &self,
        author: &Author,
        clock: &Clock,
        change: impl FnOnce(&mut Tx<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let _guard = self.lock()?;
        let snapshot = self.prepare(clock)?;
        let mut tx = Tx::new(snapshot, author, clock);
        let answer = change(&mut tx);
        // What was decided without a record that is there is not done.
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
        let own = self.acknowledge(&event)?;
        self.after_write(done.snapshot, event, (size, own), &at);
        Ok(answer)
    }

    /// Folds at once while the store is small, and puts off to after the answer what takes longer. The sizes are
    /// those of the issues and of the entry.
    fn after_write(&self, snapshot: Snapshot, event: Event, sizes: (u64, u64), now: &Stamp) {
        let (issues, own) = sizes;
        let journal = std::fs::metadata(self.paths.journal()).map_or(0, |meta| meta.len());
        let began = snapshot.source.state.began();
        let due = self.policy.due(issues, (journal, own), began.as_ref(), now);
        if due != FoldDue::Now {
            mark::touch_mark(&self.paths);
        }
        match due {
            FoldDue::Now => self.fold_acknowledged(snapshot, event, now),
            FoldDue::Soon => self.reports.fold_when_settled(self.dir()),
            FoldDue::WhenOld => self.reports.fold_when_old(self.dir()),
            FoldDue::No => {}
        }
    }

    /// Folds what is left in the journal, and nothing else.
    pub fn fold(&self, clock: &Clock) -> Result<(), StoreError> {
        let _guard = self.lock()?;
        self.fold_locked(clock)
    }

    /// The same, if the journal is still too long: of many who found it so the first one folds it.
    pub(crate) fn fold_when_due(&self, clock: &Clock) -> Result<(), StoreError> {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
        let now = Stamp::from(clock.now());
        let is_due = || {
            let (issues, journal) = (size(self.paths.issues()), size(&self.paths.journal()));
            let due = self.policy.due(issues, (journal, 0), None, &now);
            journal > 0 && matches!(due, FoldDue::Now | FoldDue::Soon)
        };
        if !is_due() {
            return Ok(());
        }
        let _guard = self.lock()?;
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
        Ok(())
    }

    /// Waits, without holding up other writers, until nobody else seems to be writing the issues; not for
    /// ever.
    fn wait_until_settled(&self) {
        clock::wait_for(SETTLE_PAUSE * SETTLE_TRIES, || {
            OpenFiles::is_settled(&self.paths)
                .is_ok_and(|is_settled| is_settled)
                .then_some(())
        });
    }

    /// Folds the journal where its oldest entry is older than half a minute; says whether it did. For a
    /// process that stays, when it has nothing else to do.
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
        let _guard = self.lock()?;
        let snapshot = self.prepare(clock)?;
        // Many may have found it old at once; the first one folds.
        if !is_old(&snapshot.source) {
            return Ok(false);
        }
        self.run_folds(snapshot, &now).map(|()| true)
    }

    /// The beads under the lock, after what an earlier writer left unfinished was brought in order.
    fn prepare(&self, clock: &Clock) -> Result<Snapshot, StoreError> {
        if self.settings.is_some() {
            // They may have been changed while the lock was waited for.
            return self.clone().with_settings(None).prepare(clock);
        }
        for _ in 0..SETTLE_TRIES {
            let snapshot = self.build_snapshot(self.read_compared()?)?;
            snapshot.refuse_conflict()?;
            let state = &snapshot.source.state;
            let now = Stamp::from(clock.now());
            let is_whole = state.journal.torn.is_empty();
            if is_whole && !state.journal.was_folding && state.merged.is_empty() {
                return Ok(snapshot);
            }
            if (is_whole || !self.cut_torn_end(&snapshot, &now)?)
                && self.run_fold(snapshot, &now)? == FoldOutcome::Unsettled
            {
                clock::pause_thread(SETTLE_PAUSE);
            }
        }
        let snapshot = self.build_snapshot(OpenFiles::read(&self.paths)?)?;
        if snapshot.source.state.journal.torn.is_empty() {
            return Ok(snapshot);
        }
        // A line that is not whole must not get another one behind it.
        Err(StoreError::Restless(self.paths.issues().to_owned()))
    }

    /// Appends an entry, safely; says how long its line is.
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

    /// A name for an event that no other clone gives.
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

    /// Folds what is safe in the journal, with the entry that was just added to it. Where that fails the entry stays
    /// there, is read from there, and the next writer folds it.
    fn fold_acknowledged(&self, mut snapshot: Snapshot, event: Event, now: &Stamp) {
        if snapshot.source.is_unsettled() {
            // It is safe in the journal until the issues hold still.
            self.reports.fold_when_settled(self.dir());
            return;
        }
        // The snapshot has what the entry changed, and under the lock nobody else adds one.
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

    /// Folds until nobody overtakes.
    fn run_folds(&self, snapshot: Snapshot, now: &Stamp) -> Result<(), StoreError> {
        let mut snapshot = snapshot;
        let mut tries = 0;
        for _ in 0..SETTLE_TRIES {
            match self.run_fold(snapshot, now)? {
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

    /// Reads the files under the lock, and reports what left the issues without us before a writer replaces them.
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

    /// Reports what left the issues without us.
    fn report_rollback(&self, read: &source::StoreRead) -> Result<(), StoreError> {
        if let Some(notice) = rollback::compare_with_kept(read)? {
            self.reports.notice(notice);
        }
        Ok(())
    }

    /// Folds the journal that a snapshot has over the files.
    fn run_fold(&self, snapshot: Snapshot, now: &Stamp) -> Result<FoldOutcome, StoreError> {
        snapshot.refuse_conflict()?;
        self.run_single_fold(snapshot, now, false)
    }

    /// Runs one fold; of all, both files are written anew whether something changed or not.
    fn run_single_fold(
        &self,
        snapshot: Snapshot,
        now: &Stamp,
        all: bool,
    ) -> Result<FoldOutcome, StoreError> {
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

/// An error and its cause on one line.
fn with_source(error: &StoreError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
