//! Old closed beads: `archive/YYYY.jsonl` by the year in which they were closed, beside the issues and in git
//! like them.
//!
//! A bead goes into the archive before it leaves the issues, and comes back to the issues before it leaves
//! the archive: after a crash between the two it is in both, and the one in the issues counts.

use std::collections::BTreeMap;
use std::fs;
use std::ops::{Bound, Range};
use std::path::{Path, PathBuf};

use crate::bead::lines;
use crate::bead::{Bead, record};
use crate::merge;
use crate::store::StoreError;
use crate::store::disk::files;

/// The archive of a beads folder, read once; its beads are parsed when asked for.
#[derive(Debug, Default)]
pub struct Archive {
    texts: Vec<Vec<u8>>,
    places: BTreeMap<String, (usize, Range<usize>)>,
}

impl Archive {
    /// Reads all years; where there is no archive it is empty.
    pub fn read(dir: &Path) -> Result<Self, StoreError> {
        let mut archive = Self::default();
        for path in list_year_files(dir) {
            archive.add(files::read_or_empty(&path)?);
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

    /// Whether the archive has this id.
    pub fn has(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// The ids that begin so. Also of a damaged line the id may be left: it is in use until `bd doctor` has mended it.
    pub fn ids_from<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a str> {
        self.places
            .range::<str, _>((Bound::Included(start), Bound::Unbounded))
            .map(|(id, _)| id.as_str())
            .take_while(move |id| id.starts_with(start))
    }

    /// All beads by id.
    pub fn beads(&self) -> Vec<Bead> {
        self.ids_from("").filter_map(|id| self.get(id)).collect()
    }

    /// A bead of the archive by its id.
    pub fn get(&self, id: &str) -> Option<Bead> {
        let (number, span) = self.places.get(id)?;
        record::parse_bead(&self.texts[*number][span.clone()]).ok()
    }
}

/// The files of an archive, by their names.
fn list_year_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("archive")).into_iter().flatten();
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"))
        .collect();
    paths.sort();
    paths
}

/// The file of the beads that were closed in a year.
fn year_path(dir: &Path, bead: &Bead) -> PathBuf {
    dir.join("archive").join(year_file_name(bead))
}

/// The name of the file of the beads that were closed in the year of this one.
pub(crate) fn year_file_name(bead: &Bead) -> String {
    let closed = bead.closed_at.as_ref().unwrap_or(&bead.updated_at);
    let year = closed.day().chars().take(4).collect::<String>();
    format!("{year}.jsonl")
}

/// Adds beads with their lines; those that are there already are replaced.
pub(crate) fn add_to_archive(dir: &Path, beads: &[(Bead, Vec<u8>)]) -> Result<(), StoreError> {
    let mut by_file: BTreeMap<PathBuf, Vec<(&str, &[u8])>> = BTreeMap::new();
    for (bead, line) in beads {
        let lines = by_file.entry(year_path(dir, bead)).or_default();
        lines.push((&bead.id, line));
    }
    let folder = dir.join("archive");
    files::create_store_folder(&folder)?;
    for (path, new) in by_file {
        rewrite_year(&path, |id| new.iter().any(|(own, _)| *own == id), &new)?;
    }
    Ok(())
}

/// Takes beads out, from whichever year they are in.
pub(crate) fn remove_from_archive(dir: &Path, ids: &[String]) -> Result<(), StoreError> {
    for path in list_year_files(dir) {
        rewrite_year(&path, |id| ids.iter().any(|own| own == id), &[])?;
    }
    Ok(())
}

/// Writes one file without some ids and with new lines, by id. Lines that cannot be read stay, at the end.
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
