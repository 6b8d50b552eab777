//! The ids of the archive, without reading it: `archive.bin`, an index over its years.
//!
//! Derived and disposable, as `index.bin` is: it counts where it was made from these very files, and is made
//! anew on any doubt. A new bead asks it whether its id was ever in use.

use crate::store::disk::files;
use crate::store::disk::identity::{self, FileKey, RACY_WINDOW};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;
use zerocopy::IntoBytes;

use crate::bead::Bead;
use crate::bead::lines;
use crate::merge;
use crate::store::StoreError;
use crate::store::index::{Builder, Facts, ISSUES, Index, Keys, LinePlace};
use crate::store::log::archive;
use crate::sys::file;

/// The ids of the archive.
#[derive(Debug, Default)]
pub(crate) struct Archived(Option<Index>);

impl Archived {
    /// Finds or makes the index; without an archive there are no ids.
    pub(crate) fn read(dir: &Path) -> Result<Self, StoreError> {
        let paths = archive::years(dir);
        if paths.is_empty() {
            return Ok(Self::default());
        }
        let path = dir.join("archive.bin");
        let (key, changed) = identity(&paths)?;
        if let Some(index) = Index::open(&path).filter(|index| index.keys().issues == key) {
            return Ok(Self(Some(index)));
        }
        let made = identity::file_time_now();
        let index = make(&paths, key)?;
        // A file that just changed may change again without looking other than now.
        if let Some(index) = &index
            && changed < made.saturating_sub(RACY_WINDOW)
        {
            // Where it cannot be written every command makes it for itself.
            file::replace_derived(&path, index.bytes(), 0o644).ok();
        }
        Ok(Self(index))
    }

    /// Whether the archive has this id.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0
            .as_ref()
            .is_some_and(|index| index.find(id).is_some())
    }

    /// The ids that begin so.
    pub(crate) fn ids_from<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().flat_map(move |index| {
            let rows = index.first_from(start)..index.len();
            let ids = rows.map(|row| index.id(row));
            ids.take_while(move |id| id.starts_with(start))
        })
    }
}

/// What the index is made from, and when any of it changed last.
fn identity(paths: &[PathBuf]) -> Result<(FileKey, i64), StoreError> {
    let mut hash = Xxh3::new();
    let mut latest = i64::MIN;
    for path in paths {
        let meta =
            std::fs::metadata(path).map_err(|error| StoreError::io("look at", path, error))?;
        let key = identity::file_key(&meta);
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update(key.as_bytes());
        latest = latest.max(identity::modified(&key));
    }
    let key = FileKey {
        exists: 1,
        content: hash.digest(),
        ..FileKey::default()
    };
    Ok((key, latest))
}

fn make(paths: &[PathBuf], key: FileKey) -> Result<Option<Index>, StoreError> {
    let mut beads = BTreeMap::new();
    for path in paths {
        let text = files::read(path)?;
        for (_, span) in lines::spans(&text, 0) {
            let line = &text[span];
            // Of a damaged line the id may be left: it is in use until `bd doctor` has mended it.
            if let Ok(facts) = Facts::read(line) {
                beads.insert(facts.id.clone().into_owned(), facts.own());
            } else if let Some(id) = merge::id_of(line) {
                let bead = Bead {
                    id: id.clone(),
                    ..Bead::default()
                };
                beads.insert(id, Facts::of(&bead).own());
            }
        }
    }
    let place = LinePlace {
        file: ISSUES,
        offset: 0,
        length: 0,
        hash: 0,
    };
    let mut builder = Builder::over(None);
    for facts in beads.values() {
        builder.push_new(facts, place);
    }
    let keys = Keys {
        issues: key,
        ..Keys::default()
    };
    Ok(builder.finish(&keys, &[]))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    fn put(dir: &Path, year: &str, ids: &[&str]) {
        let lines: String = ids
            .iter()
            .map(|id| format!("{{\"id\":\"{id}\"}}\n"))
            .collect();
        let path = dir.join("archive").join(format!("{year}.jsonl"));
        fs::write(&path, lines).unwrap();
        age(&path);
    }

    /// Makes a file an old one.
    fn age(path: &Path) {
        let old = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(old).unwrap();
    }

    #[test]
    fn ids_of_all_years_are_known_and_a_change_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert!(!Archived::read(dir).unwrap().has("a-1"));
        fs::create_dir(dir.join("archive")).unwrap();
        put(dir, "2025", &["a-2", "a-1.3", "a-9\",\"title\":\"broken"]);
        let year = dir.join("archive/2025.jsonl");
        let broken = fs::read_to_string(&year)
            .unwrap()
            .replace("broken\"}", "broken");
        fs::write(&year, broken).unwrap();
        age(&year);
        put(dir, "2026", &["a-1.1", "b-1"]);
        for _ in 0..2 {
            let archived = Archived::read(dir).unwrap();
            assert!(
                archived.has("a-2")
                    && archived.has("a-9")
                    && archived.has("b-1")
                    && !archived.has("a-1")
            );
            let children: Vec<&str> = archived.ids_from("a-1.").collect();
            assert_eq!(children, ["a-1.1", "a-1.3"]);
            assert!(dir.join("archive.bin").is_file());
        }
        put(dir, "2026", &["b-2", "b-3"]);
        let archived = Archived::read(dir).unwrap();
        assert!(archived.has("b-2") && !archived.has("b-1"));
        fs::write(dir.join("archive.bin"), "nonsense").unwrap();
        assert!(Archived::read(dir).unwrap().has("a-2"));
    }

    #[test]
    fn of_a_year_that_just_changed_nothing_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let years = folder.path().join("archive");
        fs::create_dir(&years).unwrap();
        put(folder.path(), "2026", &["a-1"]);
        let far = UNIX_EPOCH + Duration::from_secs(9_000_000_000);
        let path = years.join("2026.jsonl");
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(far).unwrap();
        assert!(Archived::read(folder.path()).unwrap().has("a-1"));
        assert!(!folder.path().join("archive.bin").exists());
    }
}
