//! Deletes what stores derive from their beads, so that the suite shows that nobody leans on it.
//!
//! With `GASTOWN_E2E_FORGET=1` in the environment of the tests this happens before every program
//! that the harness runs. Derived are the index and the mark for older clients; not the journal,
//! wisps, history that waits for its commit, and what was last touched, which nothing else knows.

#![expect(
    clippy::disallowed_methods,
    reason = "the harness asks how the suite is to run"
)]

use std::path::Path;

/// The first bytes of a database of another client.
const DATABASE: &[u8] = b"SQLite format 3";

/// Whether everything derived is to be forgotten between any two commands.
pub(crate) fn is_wanted() -> bool {
    std::env::var_os("GASTOWN_E2E_FORGET").is_some_and(|value| value == "1")
}

/// Deletes what is derived in every store below a folder.
pub(crate) fn derived_below(folder: &Path) {
    // A folder may go away at any time: its session ends, its sandbox is removed.
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let (path, name) = (entry.path(), entry.file_name());
        if name == ".beads" {
            derived_in(&path);
        } else if name != ".git" && !name.to_string_lossy().ends_with(".git") {
            derived_below(&path);
        }
    }
}

fn derived_in(store: &Path) {
    std::fs::remove_file(store.join("index.bin")).ok();
    let mark = store.join("beads.db");
    let foreign = std::fs::read(&mark).is_ok_and(|bytes| bytes.starts_with(DATABASE));
    if !foreign {
        std::fs::remove_file(&mark).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_derived_files_are_deleted_in_every_store() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("town/web/mayor/rig/.beads");
        std::fs::create_dir_all(&store).unwrap();
        let names = ["index.bin", "beads.db", "journal.jsonl", "wisps.jsonl"];
        for name in names {
            std::fs::write(store.join(name), "x").unwrap();
        }
        derived_below(folder.path());
        let left = names.map(|name| store.join(name).exists());
        assert_eq!(left, [false, false, true, true]);
        std::fs::write(store.join("beads.db"), DATABASE).unwrap();
        derived_below(folder.path());
        assert!(store.join("beads.db").exists());
    }
}
