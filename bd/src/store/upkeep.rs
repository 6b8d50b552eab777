//! What a process still has to do for its stores once it has answered: folding a journal that has grown, and telling
//! what was noticed while reading.
//!
//! Nothing depends on it: what is not done here is done by a later writer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Store, StoreError};
use crate::sys::Clock;

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
pub(super) fn fold_later(dir: &Path) {
    due().stores.insert(dir.to_owned());
}

/// The journal of a store is to be folded once nobody else seems to be writing the issues.
pub(super) fn fold_settled(dir: &Path) {
    due().unsettled.insert(dir.to_owned());
}

/// Something that people should know.
pub(super) fn tell(notice: String) {
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
pub(super) fn fail(error: StoreError) {
    due().failure.get_or_insert(error);
}

/// The first failure since the last time: the command's answer is then not to be trusted.
pub fn failure() -> Option<StoreError> {
    due().failure.take()
}

/// The end of a command, whether it succeeded or not: what was noticed is told, then what is due is done
/// where there is a clock, and what comes up by that is told.
pub fn finish(clock: Option<&Clock>, mut warn: impl FnMut(&str)) {
    for notice in &notices() {
        warn(notice);
    }
    if let Some(clock) = clock {
        run(clock);
        for notice in &notices() {
            warn(notice);
        }
    }
}

/// Does what is due. Failures are left to the next writer, who tells of them.
pub fn run(clock: &Clock) {
    let unsettled = std::mem::take(&mut due().unsettled);
    for store in unsettled.iter().filter_map(|dir| Store::open(dir).ok()) {
        store.wait_until_settled();
        store.fold(clock).ok();
        store.take_notices().into_iter().for_each(tell);
    }
    let stores = std::mem::take(&mut due().stores);
    for store in stores.iter().filter_map(|dir| Store::open(dir).ok()) {
        store.fold_when_old(clock).ok();
        store.take_notices().into_iter().for_each(tell);
    }
}
