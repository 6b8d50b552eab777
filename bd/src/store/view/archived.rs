//! The ids that the archive has: a new bead asks whether its id was ever in use.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::Path;

use crate::bead::lines;
use crate::merge;
use crate::store::StoreError;
use crate::store::disk::files;
use crate::store::log::archive;

/// The ids of the archive.
#[derive(Debug, Default)]
pub(crate) struct Archived(BTreeSet<String>);

impl Archived {
    /// Reads the years for their ids. Also of a damaged line the id may be left: it is in use until `bd doctor` has
    /// mended it.
    pub(crate) fn read(dir: &Path) -> Result<Self, StoreError> {
        let mut ids = BTreeSet::new();
        for path in archive::years(dir) {
            let text = files::read(&path)?;
            ids.extend(lines::spans(&text, 0).filter_map(|(_, span)| merge::id_of(&text[span])));
        }
        Ok(Self(ids))
    }

    /// Whether the archive has this id.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    /// The ids that begin so.
    pub(crate) fn ids_from<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .range::<str, _>((Bound::Included(start), Bound::Unbounded))
            .map(String::as_str)
            .take_while(move |id| id.starts_with(start))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ids_of_all_years_are_known_also_that_of_a_damaged_line() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert!(!Archived::read(dir).unwrap().has("a-1"));
        fs::create_dir(dir.join("archive")).unwrap();
        let put = |year: &str, text: &str| fs::write(dir.join("archive").join(year), text).unwrap();
        put(
            "2025.jsonl",
            "{\"id\":\"a-2\"}\n{\"id\":\"a-1.3\"}\n{\"id\":\"a-9\",\"title\":\"broken\n",
        );
        put(
            "2026.jsonl",
            "{\"title\":\"x\",\"id\":\"a-1.1\"}\n{\"id\":\"b-1\"}\n",
        );
        let archived = Archived::read(dir).unwrap();
        for id in ["a-2", "a-9", "b-1", "a-1.1"] {
            assert!(archived.has(id), "{id}");
        }
        assert!(!archived.has("a-1"));
        let children: Vec<&str> = archived.ids_from("a-1.").collect();
        assert_eq!(children, ["a-1.1", "a-1.3"]);
    }
}
