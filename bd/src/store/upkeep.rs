//! The remaining work of a program for its stores after it has answered: folds grown journals and
//! reports notices.
//!
//! Upkeep is optional: a later writer does the same work.

use super::Store;
use super::disk::reports::StoreReports;
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
    let open = |dir: std::path::PathBuf| Some(Store::open(&dir).ok()?.reporting_to(reports));
    for store in reports.take_unsettled().into_iter().filter_map(open) {
        store.wait_until_settled();
        store.fold_when_due(clock).ok();
    }
    for store in reports.take_doubled().into_iter().filter_map(open) {
        store.fold_versions(clock).ok();
    }
    for store in reports.take_old().into_iter().filter_map(open) {
        store.fold_when_old(clock).ok();
    }
}
