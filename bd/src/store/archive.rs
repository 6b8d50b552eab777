//! Old closed beads: `archive/YYYY.jsonl`, beside the issues and in git like them.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use super::{StoreError, lines};
use crate::bead::{Bead, record};
use crate::merge;
use crate::sys::file;

/// The archive of a beads folder, read once; its beads are parsed when asked for.
#[derive(Debug, Default)]
pub struct Archive {
    texts: Vec<Vec<u8>>,
    places: HashMap<String, (usize, Range<usize>)>,
}

impl Archive {
    /// Reads all years; where there is no archive it is empty.
    pub fn read(dir: &Path) -> Result<Self, StoreError> {
        let mut archive = Self::default();
        let Ok(entries) = fs::read_dir(dir.join("archive")) else {
            return Ok(archive);
        };
        let mut paths: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"))
            .collect();
        paths.sort();
        for path in paths {
            let text = file::read(&path).map_err(|source| StoreError::io("read", &path, source))?;
            archive.add(text.unwrap_or_default());
        }
        Ok(archive)
    }

    fn add(&mut self, text: Vec<u8>) {
        let number = self.texts.len();
        for (_, span) in lines::spans(&text, 0) {
            if let Some(id) = merge::id_of(&text[span.clone()]) {
                self.places.insert(id, (number, span));
            }
        }
        self.texts.push(text);
    }

    /// A bead of the archive by its id.
    pub fn get(&self, id: &str) -> Option<Bead> {
        let (number, span) = self.places.get(id)?;
        record::parse(&self.texts[*number][span.clone()]).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beads_of_all_years_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let years = folder.path().join("archive");
        fs::create_dir(&years).unwrap();
        fs::write(
            years.join("2025.jsonl"),
            "{\"id\":\"a-1\",\"title\":\"old\"}\n{broken\n",
        )
        .unwrap();
        fs::write(
            years.join("2026.jsonl"),
            "{\"title\":\"new\",\"id\":\"a-2\"}\n",
        )
        .unwrap();
        let archive = Archive::read(folder.path()).unwrap();
        assert_eq!(archive.get("a-1").unwrap().title, "old");
        assert_eq!(archive.get("a-2").unwrap().title, "new");
        assert!(archive.get("a-3").is_none());
    }
}
