//! Keeps briefings ready. gtd writes the briefing items of each open convoy, again only if a bead
//! that the convoy tracks has changed. One file has the versions of all files that beads are read
//! from, and a reader uses the briefings only while those files are unchanged. The files are
//! derived: deleting them changes no answer.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bd::store::BeadRef;
use kit::sys::file;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::briefing::{self, BriefingItem};
use crate::record;
use crate::town::Town;
use crate::town::beads::TownStores;

/// The state of the beads for which all briefings are ready.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PreparedState {
    made_from: Vec<FileVersion>,
    /// The fingerprint of the beads in the briefing of each open convoy.
    convoys: BTreeMap<String, u64>,
}

/// Identifies one version of a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileVersion {
    path: PathBuf,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

/// Writes the briefings of the open convoys whose beads have changed. Returns their number.
pub fn prepare_briefings(town: &Town) -> anyhow::Result<usize> {
    // Read before the beads: a concurrent change makes the briefings stale, never wrong.
    let made_from = list_file_versions(town)?;
    let before: PreparedState = read_json(&town.layout.briefing_state()).unwrap_or_default();
    if before.made_from == made_from {
        return Ok(0);
    }
    let stores = town.read_stores()?;
    let mut fresh = 0;
    let mut convoys = BTreeMap::new();
    for convoy in stores.town.marked_open(&record::convoy::MARKS) {
        let id = convoy.id();
        let path = town.layout.briefing(id);
        let fingerprint = fingerprint_of(&stores, &convoy);
        convoys.insert(id.to_owned(), fingerprint);
        if before.convoys.get(id) == Some(&fingerprint) && path.exists() {
            continue;
        }
        let Some(convoy) = convoy.bead() else {
            continue;
        };
        write_json(&path, &briefing::collect_items(&stores, convoy))?;
        fresh += 1;
    }
    let state = PreparedState { made_from, convoys };
    write_json(&town.layout.briefing_state(), &state)?;
    Ok(fresh)
}

/// Returns the prepared items of a convoy, if they are as new as the beads.
pub fn load_items(town: &Town, convoy: &str) -> Option<Vec<BriefingItem>> {
    let state: PreparedState = read_json(&town.layout.briefing_state())?;
    let is_ready =
        state.convoys.contains_key(convoy) && state.made_from == list_file_versions(town).ok()?;
    is_ready.then(|| read_json(&town.layout.briefing(convoy)))?
}

/// Returns a hash of the lines of the beads that a convoy tracks. Another version of the program
/// may write other items.
fn fingerprint_of(stores: &TownStores, convoy: &BeadRef) -> u64 {
    let mut bytes = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
    for id in record::convoy::tracked_refs(convoy) {
        let hash = stores.find_ref(id).as_ref().and_then(BeadRef::line_hash);
        bytes.extend_from_slice(id.as_bytes());
        bytes.extend_from_slice(&hash.unwrap_or(0).to_le_bytes());
    }
    xxh3_64(&bytes)
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&file::read_file_if_exists(path).ok()??).ok()
}

fn write_json(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o700)?;
    }
    Ok(file::replace_file_relaxed(
        path,
        &serde_json::to_vec(value)?,
        0o600,
    )?)
}

/// Returns the version of every file that beads are read from.
fn list_file_versions(town: &Town) -> anyhow::Result<Vec<FileVersion>> {
    let mut folders = vec![town.layout.beads()];
    folders.extend(town.list_rigs()?.iter().map(|rig| rig.beads()));
    Ok(folders
        .iter()
        .flat_map(|folder| ["issues.jsonl", "journal.jsonl"].map(|name| folder.join(name)))
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

    #[test]
    fn only_the_briefing_of_a_convoy_with_a_changed_bead_is_rewritten() {
        let place = TestTown::new();
        let town = &place.town;
        let mut convoys = Vec::new();
        for bead in ["hq-one", "hq-two", "hq-three"] {
            close(town, bead);
            let new = super::super::NewConvoy {
                title: "C".to_owned(),
                beads: vec![bead.to_owned()],
                ..super::super::NewConvoy::default()
            };
            convoys.push(super::super::create_convoy(town, &new).unwrap().id);
        }
        assert_eq!(prepare_briefings(town).unwrap(), 3);
        let store = town.open_town_store().unwrap();
        let reason = |tx: &mut bd::store::Tx| {
            let mut bead = tx.get("hq-two").cloned().unwrap();
            bead.close_reason = "Failed: no way".to_owned();
            Ok(tx.put(bead)?)
        };
        town.transact(&store, reason).unwrap();
        assert_eq!(load_items(town, &convoys[0]), None);
        assert_eq!(prepare_briefings(town).unwrap(), 1);
        let stores = town.read_stores().unwrap();
        for id in &convoys {
            let computed = briefing::collect_items(&stores, stores.town.get(id).unwrap());
            assert_eq!(load_items(town, id), Some(computed));
        }
        std::fs::remove_file(town.layout.briefing(&convoys[2])).unwrap();
        assert_eq!(load_items(town, &convoys[2]), None);
        close(town, "hq-four");
        assert_eq!(prepare_briefings(town).unwrap(), 1, "it was deleted");
    }
}
