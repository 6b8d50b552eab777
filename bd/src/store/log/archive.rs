//! The archive of old closed beads: `archive/YYYY.jsonl` by the year of closing, beside the issues
//! and in git like them.
//!
//! A bead is added to the archive before it leaves the issues, and is back in the issues before it
//! leaves the archive. After a crash in between it is in both, and the one in the issues counts.

use std::collections::BTreeMap;
use std::fs;
use std::ops::{Bound, Range};
use std::path::{Path, PathBuf};

use crate::bead::lines;
use crate::bead::{Bead, record};
use crate::merge;
use crate::store::StoreError;
use crate::store::disk::files;

/// The archive of a beads folder, read once. Its beads are parsed on demand.
#[derive(Debug, Default)]
pub struct Archive {
    texts: Vec<Vec<u8>>,
    places: BTreeMap<String, (usize, Range<usize>)>,
}

impl Archive {
    /// Reads all years. The result is empty if there is no archive.
    pub fn read(dir: &Path) -> Result<Self, StoreError> {
        let mut archive = Self::default();
        for path in list_year_files(dir) {
            archive.add(files::read_or_empty(&path)?);
        }
        Ok(archive)
    }

    /// Reads the beads that were closed in a year or later, so that the reading is bounded however
    /// old the archive is. A file whose name is no year is left out.
    pub fn read_since(dir: &Path, year: i16) -> Result<Self, StoreError> {
        let mut archive = Self::default();
        for path in list_year_files(dir) {
            let name = path.file_stem().and_then(|stem| stem.to_str());
            let closed: Option<i16> = name.and_then(|name| name.parse().ok());
            if closed.is_some_and(|closed| closed >= year) {
                archive.add(files::read_or_empty(&path)?);
            }
        }
        Ok(archive)
    }

    fn add(&mut self, text: Vec<u8>) {
        let number = self.texts.len();
        for (_, span) in lines::iter_line_spans(&text, 0) {
            if let Some(id) = merge::id_of_line(&text[span.clone()]) {
                self.places.insert(id, (number, span));
            }
        }
        self.texts.push(text);
    }

    /// Returns true if the archive has this id.
    pub fn has(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// Returns the ids with this prefix. The id of a damaged line may be included: it is in use
    /// until `bd doctor` has repaired the line.
    pub fn ids_from<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a str> {
        self.places
            .range::<str, _>((Bound::Included(start), Bound::Unbounded))
            .map(|(id, _)| id.as_str())
            .take_while(move |id| id.starts_with(start))
    }

    /// Returns all beads, sorted by id.
    pub fn beads(&self) -> Vec<Bead> {
        self.ids_from("").filter_map(|id| self.get(id)).collect()
    }

    pub fn get(&self, id: &str) -> Option<Bead> {
        let (number, span) = self.places.get(id)?;
        record::parse_bead(&self.texts[*number][span.clone()]).ok()
    }
}

/// Lists the files of an archive, sorted by name.
fn list_year_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("archive")).into_iter().flatten();
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"))
        .collect();
    paths.sort();
    paths
}

/// Returns the file name for the closing year of a bead.
pub(crate) fn year_file_name(bead: &Bead) -> String {
    let closed = bead.closing_time();
    let year = closed.day().chars().take(4).collect::<String>();
    format!("{year}.jsonl")
}

/// Adds beads with their lines, and replaces existing ones.
pub(crate) fn add_to_archive(dir: &Path, beads: &[(Bead, Vec<u8>)]) -> Result<(), StoreError> {
    let folder = dir.join("archive");
    let mut by_file: BTreeMap<PathBuf, Vec<(&str, &[u8])>> = BTreeMap::new();
    for (bead, line) in beads {
        let path = folder.join(year_file_name(bead));
        by_file.entry(path).or_default().push((&bead.id, line));
    }
    files::create_store_folder(&folder)?;
    for (path, new) in by_file {
        rewrite_year(
            &path,
            |id| new.iter().any(|(added_id, _)| *added_id == id),
            &new,
        )?;
    }
    Ok(())
}

/// Removes beads from the files of all years.
pub(crate) fn remove_from_archive(dir: &Path, ids: &[String]) -> Result<(), StoreError> {
    for path in list_year_files(dir) {
        rewrite_year(
            &path,
            |id| ids.iter().any(|removed_id| removed_id == id),
            &[],
        )?;
    }
    Ok(())
}

/// Rewrites one file without some ids and with new lines, sorted by id. Unreadable lines stay, at
/// the end.
fn rewrite_year(
    path: &Path,
    is_out: impl Fn(&str) -> bool,
    new: &[(&str, &[u8])],
) -> Result<(), StoreError> {
    let text = files::read_or_empty(path)?;
    let mut kept: Vec<(String, &[u8])> = new
        .iter()
        .map(|(id, line)| ((*id).to_owned(), *line))
        .collect();
    let mut others: Vec<&[u8]> = Vec::new();
    let mut changed = !new.is_empty();
    for (_, span) in lines::iter_line_spans(&text, 0) {
        let line = &text[span];
        match merge::id_of_line(line) {
            Some(id) if is_out(&id) => changed = true,
            Some(id) => kept.push((id, line)),
            None => others.push(line),
        }
    }
    if !changed {
        return Ok(());
    }
    kept.sort_by(|a, b| a.0.cmp(&b.0));
    let mut content = Vec::with_capacity(text.len() + 4096);
    for line in kept.iter().map(|(_, line)| *line).chain(others) {
        content.extend_from_slice(line);
        content.push(b'\n');
    }
    files::replace_store_file(path, &content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archived_beads_of_all_years_are_found() {
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
