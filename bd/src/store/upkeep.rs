//! What a program still has to do for its stores once it has answered: folding a journal that has grown, and reporting
//! what was noticed.
//!
//! Nothing depends on it: what is not done here is done by a later writer.

use super::Store;
use super::disk::reports::StoreReports;
use kit::sys::Clock;

/// The end of a command, whether it succeeded or not: reports what was noticed, then, if there is a clock, does what is
/// due and reports what came up by that.
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

/// Does what is due. Failures are left to the next writer, who reports them.
pub fn run_upkeep(reports: &StoreReports, clock: &Clock) {
    let open = |dir: std::path::PathBuf| Some(Store::open(&dir).ok()?.reporting_to(reports));
    for store in reports.take_unsettled().into_iter().filter_map(open) {
        store.wait_until_settled();
        store.fold_when_due(clock).ok();
    }
    for store in reports.take_old().into_iter().filter_map(open) {
        store.fold_when_old(clock).ok();
    }
}
