//! What a bd that keeps its beads in SQLite left in a beads folder.

use std::path::Path;

use super::{Check, Level};
use crate::store::mark;

/// Files beside a database that are of no use without the program that made them.
const COMPANIONS: [&str; 5] = ["bd.sock", "daemon.lock", "daemon.log", "daemon.pid", "dolt"];

/// Names the databases, and what they may hold that no file has.
pub(super) fn check(dir: &Path) -> Check {
    let found = mark::databases(dir);
    let [first, ..] = found.as_slice() else {
        return Check::ok("Database", "none of another bd");
    };
    let mut detail: Vec<String> = found
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    detail.push("wisps, settings and notes of that bd may be only there".to_owned());
    let companions = COMPANIONS.map(|name| dir.join(name)).into_iter();
    detail.extend(
        companions
            .filter(|path| path.exists())
            .map(|path| format!("{} belongs to it", path.display())),
    );
    Check::bad(
        "Database",
        Level::Warning,
        format!(
            "{} is a database of another bd; it is not used and not touched",
            first.display()
        ),
        detail,
        format!(
            "`bd import {}` takes over its beads, wisps, types, statuses, kept values and notes; then move it out of .beads",
            first.display()
        ),
    )
}
