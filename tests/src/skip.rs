//! Reports tests that cannot run on this machine.

use std::io::Write;

/// Reports why the calling test is skipped. Goes past the capture of a test's output, which hides
/// what a test prints that passes.
pub fn report_skip(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Without standard error there is nobody to report to.
    writeln!(std::io::stderr(), "skipped: {test}: {reason}").ok();
}
