//! Reads the beads of another program from its folder: `issues.jsonl` and SQLite databases of bd
//! (Go) and br, and the branch of beads-rs.
//!
//! Each bead is taken from the source that changed it last. A line that cannot be read is named
//! with its number, and the others are read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use kit::sys::file::find_real_path;
use serde::Serialize;
use serde_json::Value;

use super::{UnreadLine, beads_rs, sqlite};
use crate::bead::{Bead, lines, record};
use crate::git::Git;
use crate::store::{find, mark};

/// The names of issues files, most usual first.
const ISSUES_FILES: [&str; 2] = ["issues.jsonl", "beads.jsonl"];

/// The treatment of the fields of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FieldReport {
    /// The fields that are kept under their name.
    pub kept: BTreeSet<String>,
    /// The fields with another name here, under their name in the source.
    pub renamed: BTreeMap<String, String>,
    /// The fields that bd does not know and keeps, with the number of their beads.
    pub unknown: BTreeMap<String, usize>,
    /// The fields that have no meaning here, with the reason.
    pub left_out: BTreeMap<String, String>,
}

/// The beads in a folder of another program.
#[derive(Debug, Default)]
pub struct ForeignFolder {
    /// The files and branches that were read.
    pub sources: Vec<String>,
    pub beads: Vec<Box<Bead>>,
    pub fields: FieldReport,
    pub unread: Vec<UnreadLine>,
    pub settings: BTreeMap<String, String>,
    /// The notes for later sessions: keys and texts.
    pub memories: BTreeMap<String, String>,
    /// The lines of other kinds: their kind with their number.
    pub other_lines: BTreeMap<String, usize>,
}

/// Reads the beads of a project's folder or of a beads folder. The issues file of `own`, the store
/// in use, is not read.
pub fn read_folder(folder: &Path, own: &Path) -> anyhow::Result<ForeignFolder> {
    let inner = folder.join(".beads");
    let dir = if inner.is_dir() {
        inner.as_path()
    } else {
        folder
    };
    let mut found = ForeignFolder::default();
    let mut beads = Vec::new();
    let file = ISSUES_FILES
        .iter()
        .map(|name| dir.join(name))
        .into_iter()
        .find(|path| path.is_file());
    if let Some(path) = file
        && find_real_path(dir) != find_real_path(own)
    {
        beads.extend(found.read_lines(&path)?);
    }
    for path in mark::find_databases(dir) {
        beads.extend(found.read_database(&path)?);
    }
    if find::GitPlace::around(folder).root.is_some()
        && let Some(branch) = beads_rs::find_branch(&Git::at(folder))?
    {
        beads.extend(found.read_branch(&Git::at(folder), &branch)?);
    }
    let mut newest: BTreeMap<String, Box<Bead>> = BTreeMap::new();
    for bead in beads {
        let is_newer = newest
            .get(&bead.id)
            .is_none_or(|other| other.updated_at.instant() < bead.updated_at.instant());
        if is_newer {
            newest.insert(bead.id.clone(), bead);
        }
    }
    found.beads = newest.into_values().collect();
    for bead in &found.beads {
        let value = record::bead_to_json_value(bead);
        for key in value
            .as_object()
            .into_iter()
            .flat_map(|object| object.keys())
        {
            if bead.extra.iter().any(|(name, _)| name == key) {
                *found.fields.unknown.entry(key.clone()).or_default() += 1;
            } else {
                found.fields.kept.insert(key.clone());
            }
        }
    }
    let renamed: BTreeSet<&String> = found.fields.renamed.values().collect();
    found.fields.kept.retain(|name| !renamed.contains(name));
    Ok(found)
}

impl ForeignFolder {
    fn read_lines(&mut self, path: &Path) -> anyhow::Result<Vec<Box<Bead>>> {
        let name = self.add_source(path);
        let lines = lines::parse_lines(fs::read(path)?);
        let unread = lines.damaged.into_iter().map(|damage| UnreadLine {
            file: name.clone(),
            line: damage.line,
            reason: damage.reason,
        });
        self.unread.extend(unread);
        for span in lines.foreign {
            let Ok(line) = serde_json::from_slice::<Value>(&lines.text[span]) else {
                continue;
            };
            let kind = &line["_type"];
            let key = &line["key"];
            let value = &line["value"];
            match (kind.as_str(), key.as_str(), value.as_str()) {
                (Some("memory"), Some(key), Some(value)) if !key.is_empty() => {
                    self.memories.insert(key.to_owned(), value.to_owned());
                }
                (kind, ..) => {
                    let kind = kind.unwrap_or("").to_owned();
                    *self.other_lines.entry(kind).or_default() += 1;
                }
            }
        }
        Ok(lines.beads.into_iter().map(|(_, _, bead)| bead).collect())
    }

    fn read_database(&mut self, path: &Path) -> anyhow::Result<Vec<Box<Bead>>> {
        self.add_source(path);
        let database = sqlite::read_database(path)?;
        self.settings.extend(database.settings);
        self.fields.left_out.insert(
            "content_hash".to_owned(),
            "computed from the other fields".to_owned(),
        );
        if database.found.beads.iter().any(|bead| bead.timeout != 0) {
            let names = ("timeout_ns".to_owned(), "timeout".to_owned());
            self.fields.renamed.extend([names]);
        }
        Ok(database.found.beads)
    }

    fn read_branch(&mut self, git: &Git, branch: &str) -> anyhow::Result<Vec<Box<Bead>>> {
        self.sources.push(format!("branch {branch} of beads-rs"));
        let read = beads_rs::read_branch(git, branch)?;
        self.unread.extend(read.unread);
        for (from, to) in beads_rs::RENAMED {
            self.fields.renamed.insert(from.to_owned(), to.to_owned());
        }
        for (name, reason) in beads_rs::LEFT_OUT {
            self.fields
                .left_out
                .insert(name.to_owned(), reason.to_owned());
        }
        Ok(read.beads)
    }

    fn add_source(&mut self, path: &Path) -> String {
        let name = path
            .file_name()
            .map_or(String::new(), |name| name.display().to_string());
        self.sources.push(name.clone());
        name
    }
}
