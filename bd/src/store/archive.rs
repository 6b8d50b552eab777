//! Old closed beads: `archive/YYYY.jsonl`, beside the issues and in git like them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::StoreError;
use crate::merge;
use crate::store::lines;
use crate::sys::file;

/// The ids of all archived beads of a beads folder.
pub fn ids(dir: &Path) -> Result<BTreeSet<String>, StoreError> {
    let folder = dir.join("archive");
    let mut found = BTreeSet::new();
    let Ok(entries) = fs::read_dir(&folder) else {
        return Ok(found);
    };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.extension().is_none_or(|kind| kind != "jsonl") {
            continue;
        }
        let text = file::read(&path).map_err(|source| StoreError::io("read", &path, source))?;
        let text = text.unwrap_or_default();
        let lines = lines::spans(&text, 0);
        found.extend(lines.filter_map(|(_, span)| merge::id_of(&text[span])));
    }
    Ok(found)
}
