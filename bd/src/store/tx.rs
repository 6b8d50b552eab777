//! One transaction in the making: a snapshot that can be changed, under the writers' lock.

use std::collections::BTreeMap;
use std::ops::Deref;

use super::journal::{Change, Home};
use super::snapshot::{RawLine, Row, Snapshot};
use super::{Author, StoreError};
use crate::bead::validate::{self, Vocabulary};
use crate::bead::{Bead, Stamp, record};
use crate::sys::Clock;

/// A transaction. It reads its own writes; nothing of it is seen by others before it is done.
#[derive(Debug)]
pub struct Tx<'a> {
    snapshot: Snapshot,
    /// The lines of changed beads as they were, and where.
    before: BTreeMap<String, Option<(Home, Vec<u8>)>>,
    /// Rows as they were before each step, to take steps back.
    undo: Vec<(String, Option<Row>)>,
    words: Vocabulary,
    author: &'a Author,
    clock: &'a Clock,
}

impl Deref for Tx<'_> {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl<'a> Tx<'a> {
    pub(super) fn new(snapshot: Snapshot, author: &'a Author, clock: &'a Clock) -> Self {
        let words = snapshot.config().vocabulary();
        Self {
            snapshot,
            before: BTreeMap::new(),
            undo: Vec::new(),
            words,
            author,
            clock,
        }
    }

    /// Now, as it is written into beads.
    pub fn now(&self) -> Stamp {
        Stamp::from(self.clock.now())
    }

    /// Who makes this change.
    pub fn author(&self) -> &'a Author {
        self.author
    }

    /// The name of the one who makes this change.
    pub fn actor(&self) -> &'a str {
        &self.author.actor
    }

    /// The statuses and kinds of this project.
    pub fn words(&self) -> &Vocabulary {
        &self.words
    }

    /// Writes a bead, new or changed, after checking it. Its `updated_at` is left as it is.
    pub fn put(&mut self, mut bead: Bead) -> Result<(), StoreError> {
        bead.sort_parts();
        if let Some(before) = self.snapshot.get(&bead.id) {
            record::drop_replaced(before, &mut bead);
        }
        validate::check_change(self.snapshot.get(&bead.id), &bead, &self.words)?;
        self.remember(&bead.id);
        let home = if bead.ephemeral {
            Home::Wisps
        } else {
            Home::Issues
        };
        let id = bead.id.clone();
        let row = Row {
            raw: RawLine::Own(record::line(&bead)),
            bead: Box::new(bead),
            home,
        };
        self.set(&id, Some(row));
        Ok(())
    }

    /// Runs a part of the transaction that happens whole or not at all: when it fails, what it did is taken
    /// back and the rest of the transaction can go on.
    pub fn attempt<T, E>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let start = self.undo.len();
        let result = work(self);
        if result.is_err() {
            for (id, row) in self.undo.split_off(start).into_iter().rev() {
                self.snapshot.set_row(&id, row);
            }
        }
        result
    }

    /// Writes a bead and sets its `updated_at` to now.
    pub fn put_updated(&mut self, mut bead: Bead) -> Result<(), StoreError> {
        bead.updated_at = self.now();
        self.put(bead)
    }

    /// Removes a wisp without a trace.
    pub fn erase_wisp(&mut self, id: &str) -> Result<(), StoreError> {
        match self.get(id) {
            Some(bead) if bead.ephemeral => {
                self.erase(id);
                Ok(())
            }
            Some(_) => Err(StoreError::NotAWisp(id.to_owned())),
            None => Ok(()),
        }
    }

    /// Removes any bead without a trace, as a hard delete that a person asked for.
    pub fn erase(&mut self, id: &str) {
        self.remember(id);
        self.set(id, None);
    }

    fn set(&mut self, id: &str, row: Option<Row>) {
        let old = self.snapshot.rows.get(id).cloned();
        self.undo.push((id.to_owned(), old));
        self.snapshot.set_row(id, row);
    }

    fn remember(&mut self, id: &str) {
        if self.before.contains_key(id) {
            return;
        }
        let row = self.snapshot.rows.get(id);
        let old = row.map(|row| (row.home, self.snapshot.raw(row).to_vec()));
        self.before.insert(id.to_owned(), old);
    }

    /// What changed, and the snapshot that has it.
    pub(super) fn finish(self) -> (Vec<Change>, Snapshot) {
        let mut changes = Vec::new();
        for (id, old) in &self.before {
            let row = self.snapshot.rows.get(id);
            let new = row.map(|row| (row.home, self.snapshot.raw(row)));
            if old.as_ref().map(|(home, raw)| (*home, raw.as_slice())) == new {
                continue;
            }
            let change = |store, line| Change {
                store,
                id: id.clone(),
                line,
            };
            if let Some((home, _)) = old
                && new.is_none_or(|(now, _)| now != *home)
            {
                changes.push(change(*home, None));
            }
            if let Some((home, raw)) = new {
                let text = String::from_utf8_lossy(raw).into_owned();
                // A line that we wrote ourselves is JSON.
                let line = serde_json::value::RawValue::from_string(text).ok();
                changes.push(change(home, line));
            }
        }
        (changes, self.snapshot)
    }
}
