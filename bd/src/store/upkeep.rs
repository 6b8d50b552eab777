//! What a process still has to do for its stores once it has answered: folding a journal that has grown, and telling
//! what was noticed while reading.
//!
//! Nothing depends on it: what is not done here is done by a later writer.

use super::Store;
use super::disk::reports;
use crate::sys::Clock;
pub use reports::{failure, notices};

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
    let unsettled = reports::take_unsettled();
    for store in unsettled.iter().filter_map(|dir| Store::open(dir).ok()) {
        store.wait_until_settled();
        store.fold(clock).ok();
        store
            .take_notices()
            .into_iter()
            .for_each(reports::report_notice);
    }
    let stores = reports::take_old();
    for store in stores.iter().filter_map(|dir| Store::open(dir).ok()) {
        store.fold_when_old(clock).ok();
        store
            .take_notices()
            .into_iter()
            .for_each(reports::report_notice);
    }
}
