//! A transaction in progress: a snapshot that can be changed, under the writers' lock.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use crate::bead::validate::{self, ValidationError, Vocabulary};
use crate::bead::{Bead, DepKind, Kind, Stamp, attempt, record};
use crate::merge;
use crate::store::log::event::{BeadChange, BeadFile};
use crate::store::log::journal::hash_text;
use crate::store::view::overlay::{self, EarlierState, PendingBead};
use crate::store::view::snapshot::{BeadLine, Snapshot};
use crate::store::{Author, StoreError};
use kit::sys::Clock;

/// A bead before the transaction.
#[derive(Debug)]
struct OriginalBead {
    home: BeadFile,
    raw: Vec<u8>,
    hash: u64,
    fingerprint: Option<QuickFingerprint>,
}

/// The values that nearly every change affects. If they differ, the lines differ.
type QuickFingerprint = (Stamp, [usize; 3]);

/// A transaction. It reads its own writes. Other processes see nothing of it before the commit.
#[derive(Debug)]
pub struct Tx<'a> {
    snapshot: Snapshot,
    /// The changed beads in their original state; `None` for new beads.
    before: BTreeMap<String, Option<OriginalBead>>,
    /// The beads before each step, to roll steps back.
    steps: Vec<(String, EarlierState)>,
    words: Vocabulary,
    author: &'a Author,
    clock: &'a Clock,
    verb: String,
    undoes: String,
    scratch: Vec<u8>,
}

/// The result of a transaction.
pub(crate) struct FinishedTx {
    pub changes: Vec<BeadChange>,
    pub verb: String,
    pub undoes: String,
    pub snapshot: Snapshot,
}

impl Deref for Tx<'_> {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl<'a> Tx<'a> {
    pub(in crate::store) fn new(snapshot: Snapshot, author: &'a Author, clock: &'a Clock) -> Self {
        let words = snapshot.config().vocabulary();
        Self {
            snapshot,
            before: BTreeMap::new(),
            steps: Vec::new(),
            words,
            author,
            clock,
            verb: String::new(),
            undoes: String::new(),
            scratch: Vec::new(),
        }
    }

    /// The current time, as it is written into beads.
    pub fn now(&self) -> Stamp {
        Stamp::from(self.clock.now())
    }

    pub fn author(&self) -> &'a Author {
        self.author
    }

    /// The name of the author of this change.
    pub fn actor(&self) -> &'a str {
        &self.author.actor
    }

    /// The statuses and kinds of this project.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.words
    }

    /// Adds types and statuses that the settings will have.
    pub fn add_vocabulary(&mut self, more: Vocabulary) {
        self.words.kinds.extend(more.kinds);
        self.words.statuses.extend(more.statuses);
    }

    /// Sets the verb of the event if the changed fields do not imply it, and the event that this
    /// one undoes.
    pub fn describe(&mut self, verb: &str, undoes: &str) {
        verb.clone_into(&mut self.verb);
        undoes.clone_into(&mut self.undoes);
    }

    /// Writes a new or changed bead after checking it. Leaves its `updated_at` unchanged, unless
    /// the bead was updated later than that: a change is later than the state that it was made to,
    /// even if a clock was ahead, because other clones take the later state.
    pub fn put(&mut self, bead: impl Into<Box<Bead>>) -> Result<(), StoreError> {
        let mut bead = bead.into();
        self.complete_bead(&mut bead);
        validate::validate_change(self.snapshot.get(&bead.id), &bead, &self.words)?;
        self.write_bead(bead)
    }

    /// Writes a bead that had another id. Values that were wrong under that id may stay.
    pub fn put_renamed(
        &mut self,
        before: &Bead,
        bead: impl Into<Box<Bead>>,
    ) -> Result<(), StoreError> {
        let mut bead = bead.into();
        self.complete_bead(&mut bead);
        validate::validate_change(Some(before), &bead, &self.words)?;
        self.write_bead(bead)
    }

    /// Writes a bead of another program, with any values that the file of a clone may have. Returns
    /// the rules that the values break.
    pub fn put_imported(
        &mut self,
        bead: impl Into<Box<Bead>>,
    ) -> Result<Vec<ValidationError>, StoreError> {
        let mut bead = bead.into();
        self.complete_bead(&mut bead);
        let before = self.snapshot.get(&bead.id);
        let problems = validate::find_new_violations(before, &bead, &self.words);
        if let Some(id) = problems
            .iter()
            .find(|problem| matches!(problem, ValidationError::Id(_)))
        {
            return Err(id.clone().into());
        }
        self.write_bead(bead)?;
        Ok(problems)
    }

    /// Checks that an agent of a town writes nothing by which workers are compared, and that a
    /// worker changes its own bead, or one below it. Everyone may comment.
    fn check_author(&self, id: &str, after: Option<&Bead>) -> Result<(), StoreError> {
        let Some(agent) = &self.author.agent else {
            return Ok(());
        };
        let before = self.snapshot.get(id);
        let states = || [before, after].into_iter().flatten();
        // A worker has created the beads of its own record by its `gt done`.
        let is_record = states().any(Bead::is_worker_record)
            || before.and_then(Bead::old_record) != after.and_then(Bead::old_record);
        let refused = || StoreError::WorkerRecord {
            id: id.to_owned(),
            agent: agent.clone(),
        };
        let worker = self.author.worker();
        // The town acts by such beads, and keeps what it knows about workers in them. `gt` makes them.
        let is_of_town = || {
            states().any(|bead| bead.issue_type == Kind::Slot)
                || before.is_some_and(Bead::is_of_town) != after.is_some_and(Bead::is_of_town)
        };
        if is_record || worker.is_some() && is_of_town() {
            return Err(refused());
        }
        let (Some(worker), Some(before)) = (worker, before) else {
            return Ok(());
        };
        let only_commented = after.is_some_and(|after| {
            let commented = Bead {
                comments: after.comments.clone(),
                updated_at: after.updated_at.clone(),
                ..before.clone()
            };
            record::serialize_bead(&commented) == record::serialize_bead(after)
        });
        if only_commented {
            return Ok(());
        }
        // A worker could hide that the work that it handed in fails.
        if before.is_merge_request() {
            return Err(refused());
        }
        if self.is_own_bead(before, worker) {
            return Ok(());
        }
        Err(StoreError::NotOwnBead {
            id: id.to_owned(),
            worker: worker.to_owned(),
        })
    }

    /// Returns true if a bead, or one that it is a part of, is assigned to the worker, was created
    /// by it, or is the molecule of its work.
    fn is_own_bead(&self, bead: &Bead, worker: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = Some(bead);
        while let Some(bead) = next.filter(|bead| seen.insert(bead.id.clone())) {
            // The root of a molecule tracks the bead whose work it describes.
            let is_followed = bead.edges(&DepKind::Tracks).any(|edge| {
                let followed = self.snapshot.get(&edge.depends_on_id);
                followed.is_some_and(|followed| followed.assignee == worker)
            });
            if bead.assignee == worker || bead.created_by == worker || is_followed {
                return true;
            }
            let parent = bead.edges(&DepKind::ParentChild).next();
            next = parent.and_then(|edge| self.snapshot.get(&edge.depends_on_id));
        }
        false
    }

    /// Sorts the parts of a bead and carries over what a change must not lose.
    fn complete_bead(&self, bead: &mut Bead) {
        bead.sort_parts();
        if let Some(before) = self.snapshot.get(&bead.id) {
            record::drop_replaced(before, bead);
            if bead.updated_at < before.updated_at {
                bead.updated_at = before.updated_at.just_after();
            }
            if attempt::is_attempt_dropped(before, bead) {
                bead.set_metadata(attempt::KEY, attempt::read_attempt(before))
                    .ok();
            }
            if attempt::is_attempt_ended(before, bead, &self.author.actor) {
                // The metadata already holds a number, so reading and writing it cannot fail.
                attempt::raise_attempt(bead).ok();
            }
        }
    }

    fn write_bead(&mut self, bead: Box<Bead>) -> Result<(), StoreError> {
        self.check_author(&bead.id, Some(&bead))?;
        self.record_original(&bead.id)?;
        let id = bead.id.clone();
        let line = record::serialize_bead_with(&mut self.scratch, &bead);
        self.set(&id, Some(PendingBead::from_line(line, bead)));
        Ok(())
    }

    /// Writes a durable bead with the exact bytes of a line.
    pub(in crate::store) fn put_line(&mut self, line: &[u8]) -> Result<(), StoreError> {
        if let Some(pending) =
            merge::id_of_line(line).and_then(|id| PendingBead::parse(line, &id, BeadFile::Issues))
        {
            let id = pending.id.clone();
            self.record_original(&id)?;
            self.set(&id, Some(pending));
        }
        Ok(())
    }

    /// Runs a part of the transaction that is all or nothing. If it fails, its writes are rolled
    /// back and the transaction can continue.
    pub fn attempt<T, E>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let start = self.steps.len();
        let result = work(self);
        if result.is_err() {
            for (id, earlier) in self.steps.split_off(start).into_iter().rev() {
                self.snapshot.restore(&id, earlier);
            }
        }
        result
    }

    /// Writes a bead and sets its `updated_at` to the current time.
    pub fn put_updated(&mut self, mut bead: Bead) -> Result<(), StoreError> {
        bead.updated_at = self.now();
        self.put(bead)
    }

    pub fn erase_wisp(&mut self, id: &str) -> Result<(), StoreError> {
        match self.bead_ref(id).map(|bead| bead.is_ephemeral()) {
            Some(true) => self.erase(id),
            Some(false) => Err(StoreError::NotAWisp(id.to_owned())),
            None => Ok(()),
        }
    }

    /// Removes any bead without a trace, as a hard delete that the user requested.
    pub fn erase(&mut self, id: &str) -> Result<(), StoreError> {
        self.check_author(id, None)?;
        self.erase_unchecked(id)
    }

    /// Removes a bead that is in the archive.
    pub(in crate::store) fn erase_archived(&mut self, id: &str) -> Result<(), StoreError> {
        if self.author.worker().is_some() {
            self.check_author(id, None)?;
        }
        self.erase_unchecked(id)
    }

    fn erase_unchecked(&mut self, id: &str) -> Result<(), StoreError> {
        self.record_original(id)?;
        self.set(id, None);
        Ok(())
    }

    fn set(&mut self, id: &str, pending: Option<PendingBead>) {
        let earlier = self.snapshot.earlier(id);
        self.steps.push((id.to_owned(), earlier));
        self.snapshot.set(id, pending);
    }

    fn record_original(&mut self, id: &str) -> Result<(), StoreError> {
        if self.before.contains_key(id) {
            return Ok(());
        }
        let line = self.snapshot.line(id)?;
        let before = line.map(|BeadLine { home, hash, bytes }| OriginalBead {
            home,
            raw: bytes.into_owned(),
            hash,
            fingerprint: self.fingerprint_of(id),
        });
        self.before.insert(id.to_owned(), before);
        Ok(())
    }

    fn fingerprint_of(&self, id: &str) -> Option<QuickFingerprint> {
        let bead = self.snapshot.get(id)?;
        let parts = [
            bead.labels.len(),
            bead.dependencies.len(),
            bead.comments.len(),
        ];
        Some((bead.updated_at.clone(), parts))
    }

    /// Returns the changes and the snapshot that contains them.
    pub(in crate::store) fn finish(mut self) -> Result<FinishedTx, StoreError> {
        let mut changes = Vec::new();
        let mut same = BTreeSet::new();
        for (id, old) in &self.before {
            let new = self.snapshot.line(id)?;
            if self.has_same_content(id, old.as_ref(), new.as_ref()) {
                same.insert(id.as_str());
                continue;
            }
            let new_home = new.as_ref().map(|line| line.home);
            if let Some(old) = old
                && new_home != Some(old.home)
            {
                changes.push(BeadChange {
                    store: Some(old.home),
                    id: id.clone(),
                    before: Some(hash_text(old.hash)),
                    old: overlay::old_fields(Some(&old.raw), None),
                    ..BeadChange::default()
                });
            }
            if let Some(line) = new {
                let here = old.as_ref().filter(|old| old.home == line.home);
                let raw = here.map(|old| old.raw.as_slice());
                let text = record::decode_line(&line.bytes).into_owned();
                changes.push(BeadChange {
                    store: Some(line.home),
                    id: id.clone(),
                    before: here.map(|old| hash_text(old.hash)),
                    after: Some(hash_text(line.hash)),
                    old: overlay::old_fields(raw, Some(&line.bytes)),
                    // A line that we wrote is valid JSON.
                    line: serde_json::value::RawValue::from_string(text).ok(),
                    ..BeadChange::default()
                });
            }
        }
        // The line keeps its original bytes.
        for (id, earlier) in self.steps.iter().rev() {
            if same.contains(id.as_str()) {
                self.snapshot.restore(id, *earlier);
            }
        }
        Ok(FinishedTx {
            changes,
            verb: self.verb,
            undoes: self.undoes,
            snapshot: self.snapshot,
        })
    }

    /// Returns true if a bead is unchanged, even if its line was written differently.
    fn has_same_content(
        &self,
        id: &str,
        old: Option<&OriginalBead>,
        new: Option<&BeadLine<'_>>,
    ) -> bool {
        let (Some(old), Some(new)) = (old, new) else {
            return old.is_none() && new.is_none();
        };
        if old.home != new.home {
            return false;
        }
        old.hash == new.hash
            || old.fingerprint == self.fingerprint_of(id)
                && record::parse_bead(&old.raw).is_ok_and(|bead| {
                    record::serialize_bead(&bead).as_slice() == new.bytes.as_ref()
                })
    }
}
