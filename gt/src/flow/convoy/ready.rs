//! Keeps briefings ready. gtd writes the briefing items of each open convoy with the identity of
//! the files that they were built from, and a reader uses them only while those files are
//! unchanged. The files are derived: deleting them changes no answer.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::briefing::{self, BriefingItem};
use crate::record;
use crate::town::Town;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PreparedBriefing {
    made_from: Vec<FileVersion>,
    entries: Vec<BriefingItem>,
}

/// Identifies one version of a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileVersion {
    path: PathBuf,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

/// Writes the briefing of every open convoy. Returns the number of rewritten briefings.
pub fn prepare_briefings(town: &Town) -> anyhow::Result<usize> {
    // Read before the beads: a concurrent change makes the briefing stale, never wrong.
    let before = list_file_versions(town)?;
    let stores = town.read_stores()?;
    let mut fresh = 0;
    for convoy in record::convoy::list_convoys(&stores.town, false) {
        let path = town.layout.briefing(&convoy.id);
        if read_prepared(&path).is_some_and(|old| old.made_from == before) {
            continue;
        }
        let made_from = list_file_versions(town)?;
        if made_from != before {
            return Ok(fresh);
        }
        let entries = briefing::collect_items(&stores, convoy);
        if let Some(folder) = path.parent() {
            file::create_folder(folder, 0o700)?;
        }
        file::replace_file_relaxed(
            &path,
            &serde_json::to_vec(&PreparedBriefing { made_from, entries })?,
            0o600,
        )?;
        fresh += 1;
    }
    Ok(fresh)
}

/// Returns the prepared items of a convoy, if they are as new as the beads.
pub fn load_items(town: &Town, convoy: &str) -> Option<Vec<BriefingItem>> {
    let ready = read_prepared(&town.layout.briefing(convoy))?;
    (ready.made_from == list_file_versions(town).ok()?).then_some(ready.entries)
}

fn read_prepared(path: &Path) -> Option<PreparedBriefing> {
    serde_json::from_slice(&file::read_file_if_exists(path).ok()??).ok()
}

/// Returns the version of every file that beads are read from.
fn list_file_versions(town: &Town) -> anyhow::Result<Vec<FileVersion>> {
    let mut folders = vec![town.layout.beads()];
    folders.extend(town.list_rigs()?.iter().map(|rig| rig.beads()));
    let files = folders
        .iter()
        .flat_map(|folder| ["issues.jsonl", "journal.jsonl"].map(|name| folder.join(name)));
    Ok(files
        .filter_map(|path| {
            let meta = std::fs::metadata(&path).ok()?;
            let changed = (meta.mtime(), meta.mtime_nsec());
            Some(FileVersion {
                path,
                inode: meta.ino(),
                size: meta.size(),
                changed,
            })
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use bd::bead::{Bead, Stamp, Status};

    use super::*;
    use crate::testing::TestTown;

    fn close(town: &Town, id: &str) {
        let bead = Bead {
            id: id.to_owned(),
            title: id.to_owned(),
            status: Status::Closed,
            closed_at: Some(Stamp::parse("2026-01-01T00:00:00Z")),
            ..Bead::default()
        };
        let store = town.open_town_store().unwrap();
        town.transact(&store, |tx| Ok(tx.put(bead)?)).unwrap();
    }

    #[test]
    fn the_ready_cache_is_correct_and_invalidated_by_the_next_close() {
        let place = TestTown::new();
        let town = &place.town;
        close(town, "hq-one");
        let new = super::super::NewConvoy {
            title: "C".to_owned(),
            beads: vec!["hq-one".to_owned()],
            ..super::super::NewConvoy::default()
        };
        let id = super::super::create_convoy(town, &new).unwrap().id;
        super::super::add_beads(town, &id, &["hq-one".to_owned()]).unwrap();
        assert_eq!(load_items(town, &id), None);
        let computed = || {
            let stores = town.read_stores().unwrap();
            briefing::collect_items(&stores, stores.town.get(&id).unwrap())
        };
        assert_eq!(prepare_briefings(town).unwrap(), 1);
        assert_eq!(load_items(town, &id), Some(computed()));
        assert_eq!(prepare_briefings(town).unwrap(), 0, "it is ready already");
        close(town, "hq-two");
        super::super::add_beads(town, &id, &["hq-two".to_owned()]).unwrap();
        assert_eq!(load_items(town, &id), None, "beads have changed since");
        assert_eq!(prepare_briefings(town).unwrap(), 1);
        assert_eq!(load_items(town, &id), Some(computed()));
        assert_eq!(computed().len(), 2);
    }
}
