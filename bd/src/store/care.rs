//! Whether the files are as they should be, and putting them so.

use super::fold::{Fold, Folded};
use super::source::Source;
use super::{Store, StoreError, index, lock};
use crate::bead::Stamp;
use crate::sys::{Clock, file};

impl Store {
    /// Whether the issues are sorted by id, each id once and every line readable.
    pub fn is_canonical(&self) -> Result<bool, StoreError> {
        let snapshot = self.snapshot()?;
        let rows = snapshot.index.rows();
        let durable = rows[..snapshot.index.len() as usize]
            .iter()
            .filter(|row| row.file == index::ISSUES);
        let notes = snapshot.index.notes();
        let damaged = notes
            .iter()
            .any(|note| note.file == index::ISSUES && note.reason.is_some());
        Ok(!damaged && durable.map(|row| row.offset).is_sorted())
    }

    /// Writes the issues anew where they are not as they should be; says whether it did.
    pub fn rewrite(&self, clock: &Clock) -> Result<bool, StoreError> {
        self.wait_until_settled();
        let _guard = lock::acquire(&self.paths.lock(), lock::PATIENCE)?;
        let snapshot = self.prepare(clock)?;
        let notes = snapshot.index.notes();
        let is_sound = !notes.iter().any(|note| note.reason.is_some()) && self.is_canonical()?;
        if is_sound {
            return Ok(false);
        }
        let mut fold = Fold {
            snapshot: &snapshot,
            now: &Stamp::from(clock.now()),
            all: true,
            notices: Vec::new(),
        };
        if fold.run()? != Folded::Done {
            return Err(StoreError::Restless(self.paths.issues().to_owned()));
        }
        self.notices().append(&mut fold.notices);
        Ok(true)
    }

    /// Whether the index says of every bead what a new reading of the files says.
    pub fn index_agrees(&self) -> Result<bool, StoreError> {
        let Some(now) = index::Index::open(&self.paths.index()) else {
            return Ok(true);
        };
        let new = Source::fresh_index(&self.paths)?;
        // Rows whose lines are in the journal are checked against it whenever they are read.
        let is_filed = |index: &index::Index, at: u32| {
            let row = index.row(at);
            row.is_some_and(|row| row.file & index::JOURNALED == 0)
        };
        // Behind a journal beads of the files may be gone.
        let has_journal = now.keys().journal.2 > 0;
        let knows_all = (0..new.len()).all(|at| has_journal || now.find(new.id(at)).is_some());
        let mut filed = (0..now.len()).filter(|at| is_filed(&now, *at));
        Ok(knows_all
            && filed.all(|at| {
                let there = new.find(now.id(at)).and_then(|at| new.row(at));
                let (Some(own), Some(there)) = (now.row(at), there) else {
                    return false;
                };
                (own.hash, own.offset, own.status, own.priority)
                    == (there.hash, there.offset, there.status, there.priority)
            }))
    }

    /// Takes an index away that does not say what the files say; says whether it did.
    pub fn forget_wrong_index(&self) -> Result<bool, StoreError> {
        let _guard = lock::acquire(&self.paths.lock(), lock::PATIENCE)?;
        if self.index_agrees()? {
            return Ok(false);
        }
        let path = self.paths.index();
        file::remove(&path).map_err(|error| StoreError::io("remove", &path, error))?;
        Ok(true)
    }
}
