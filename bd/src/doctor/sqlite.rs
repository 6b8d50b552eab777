//! Finds what a bd that keeps its beads in SQLite left in a beads folder.

use std::path::Path;

use super::{CheckLevel, DoctorCheck};
use crate::foreign::sqlite;
use crate::store::mark;
use kit::ui::counted;

/// Files beside a database that only the program that created them can use.
const COMPANION_FILES: [&str; 5] = ["bd.sock", "daemon.lock", "daemon.log", "daemon.pid", "dolt"];

/// Names the databases, and the contents that may be in no file.
pub(super) fn check_sqlite(dir: &Path) -> DoctorCheck {
    let found = mark::find_databases(dir);
    let [first, ..] = found.as_slice() else {
        return DoctorCheck::ok("Database", "no database of another bd");
    };
    let mut detail: Vec<String> = found.iter().map(|path| describe_contents(path)).collect();
    detail.extend(
        COMPANION_FILES
            .iter()
            .map(|name| dir.join(name))
            .filter(|path| path.exists())
            .map(|path| format!("{} belongs to it", path.display())),
    );
    DoctorCheck::bad(
        "Database",
        CheckLevel::Warning,
        format!(
            "{} is a database of another bd, which is neither read nor changed",
            first.display()
        ),
        detail,
        format!(
            "`bd import {}` takes over its beads, wisps, types, statuses, kept values and notes; then move it out of .beads",
            first.display()
        ),
    )
}

/// Describes the contents of a database that may exist only there.
fn describe_contents(path: &Path) -> String {
    let path_text = path.display();
    let database = match sqlite::read_database(path) {
        Ok(database) => database,
        Err(error) => return format!("{path_text}: cannot read its contents: {error}"),
    };
    let beads = &database.found.beads;
    let wisps = beads.iter().filter(|bead| bead.ephemeral).count();
    let mut text = format!(
        "{path_text}: {}, {wisps} of them {}",
        counted(beads.len(), "bead"),
        if wisps == 1 { "a wisp" } else { "wisps" }
    );
    if !database.settings.is_empty() {
        let names: Vec<&str> = database.settings.keys().map(String::as_str).collect();
        text.push_str(&format!("; settings and notes: {}", names.join(", ")));
    }
    text
}
