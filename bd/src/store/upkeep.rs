//! The remaining work of a program for its stores after it has answered: folds grown journals and
//! reports notices.
//!
//! Upkeep is optional: a later writer does the same work.

use super::Store;
use super::disk::reports::{PostponedFold, StoreReports};
use kit::sys::Clock;

/// Ends a command, successful or not: prints the notices, then, if there is a clock, does the due
/// work and prints its notices.
pub fn finish_command(reports: &StoreReports, clock: Option<&Clock>, mut warn: impl FnMut(&str)) {
    let mut report = || {
        for notice in reports.take_notices() {
            warn(&notice);
        }
    };
    report();
    if let Some(clock) = clock {
        run_upkeep(reports, clock);
        report();
    }
}

/// Does the due work. Failures are left to the next writer, which reports them.
pub fn run_upkeep(reports: &StoreReports, clock: &Clock) {
    for (fold, dir) in reports.take_postponed() {
        let Ok(store) = Store::open(&dir) else {
            continue;
        };
        let store = store.reporting_to(reports);
        match fold {
            PostponedFold::WhenSettled => {
                store.wait_until_settled();
                store.fold_when_due(clock).ok();
            }
            PostponedFold::Versions => drop(store.fold_versions(clock)),
            PostponedFold::WhenOld => drop(store.fold_when_old(clock)),
        }
    }
}
