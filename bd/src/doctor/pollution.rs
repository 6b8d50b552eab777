//! Finds beads that look like leftovers of tests.

use super::{CheckLevel, DoctorCheck};
use crate::store::Snapshot;
use kit::ui::counted;

/// The words that titles of test beads begin with.
const TEST_TITLE_WORDS: [&str; 8] = [
    "test",
    "testing",
    "benchmark",
    "sample",
    "tmp",
    "temp",
    "dummy",
    "asdf",
];

fn is_test_title(title: &str) -> bool {
    let title = title.to_lowercase();
    let first = title.split(|c: char| !c.is_alphanumeric()).next();
    first.is_some_and(|word| TEST_TITLE_WORDS.contains(&word))
}

pub(super) fn check_pollution(snapshot: &Snapshot) -> DoctorCheck {
    let found: Vec<String> = snapshot
        .all()
        .filter(|bead| !bead.is_tombstone())
        .filter(|bead| is_test_title(&bead.title))
        .map(|bead| format!("{}: {}", bead.id, bead.title))
        .collect();
    if found.is_empty() {
        return DoctorCheck::ok("Pollution", "no bead looks like test data");
    }
    let message = format!("{} may be test data", counted(found.len(), "bead"));
    DoctorCheck::bad(
        "Pollution",
        CheckLevel::Warning,
        message,
        found,
        "`bd delete ID` deletes one",
    )
}
