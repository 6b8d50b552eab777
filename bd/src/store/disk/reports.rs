//! What commands have noticed, and what they still have to do once they have answered: kept until their end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::disk::error::StoreError;

/// What is still to be done.
#[derive(Debug, Default)]
struct Due {
    /// Stores with a journal that may have grown old.
    stores: BTreeSet<PathBuf>,
    /// Stores to be folded once nobody else seems to be writing them.
    unsettled: BTreeSet<PathBuf>,
    notices: Vec<String>,
    failure: Option<StoreError>,
}

static DUE: Mutex<Due> = Mutex::new(Due {
    stores: BTreeSet::new(),
    unsettled: BTreeSet::new(),
    notices: Vec::new(),
    failure: None,
});

fn due() -> MutexGuard<'static, Due> {
    // A panic between two pushes leaves sound lists.
    DUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The journal of a store is to be folded.
pub(in crate::store) fn fold_later(dir: &Path) {
    due().stores.insert(dir.to_owned());
}

/// The journal of a store is to be folded once nobody else seems to be writing the issues.
pub(in crate::store) fn fold_settled(dir: &Path) {
    due().unsettled.insert(dir.to_owned());
}

/// Something that people should know.
pub(in crate::store) fn report_notice(notice: String) {
    let mut due = due();
    if !due.notices.contains(&notice) {
        due.notices.push(notice);
    }
}

/// What was noticed since the last time.
pub fn notices() -> Vec<String> {
    std::mem::take(&mut due().notices)
}

/// A record that is there could not be read.
pub(in crate::store) fn fail(error: StoreError) {
    due().failure.get_or_insert(error);
}

/// The first failure since the last time: the command's answer is then not to be trusted.
pub fn failure() -> Option<StoreError> {
    due().failure.take()
}

/// Stores to be folded once nobody else seems to be writing them, taken.
pub(in crate::store) fn take_unsettled() -> BTreeSet<PathBuf> {
    std::mem::take(&mut due().unsettled)
}

/// Stores with a journal that may have grown old, taken.
pub(in crate::store) fn take_old() -> BTreeSet<PathBuf> {
    std::mem::take(&mut due().stores)
}
