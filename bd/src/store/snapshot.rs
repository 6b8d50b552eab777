//! One consistent view of all beads, durable ones and wisps.
//!
//! Readers take no lock: they open the journal, read the files, put the journal's entries over them, and
//! start over if the journal was replaced or grew meanwhile. Each bead keeps the bytes of its line, so a
//! rewrite leaves what nobody touched as it was.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::identity::{Identity, OpenJournal};
use super::journal::{self, Entry, Home};
use super::lines::{self, Lines};
use super::paths::Paths;
use super::{StoreError, lock};
use crate::bead::id::{self, ResolveError};
use crate::bead::{Bead, Dep, DepKind, record};
use crate::config::Config;

/// How often a reader starts over before it asks the writers to wait.
const TRIES: usize = 20;

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// The file.
    pub file: PathBuf,
    /// The line's number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// One bead and the bytes of its line.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub bead: Box<Bead>,
    pub home: Home,
    pub raw: RawLine,
}

/// Where the bytes of a line are.
#[derive(Debug, Clone)]
pub(super) enum RawLine {
    Span(Range<usize>),
    Own(Vec<u8>),
}

/// One file as it was read.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub text: Vec<u8>,
    /// The ids of all beads in it.
    pub ids: Vec<String>,
    pub foreign: Vec<Range<usize>>,
    pub damaged: Vec<lines::Damage>,
    pub conflict: Option<usize>,
    pub identity: Option<Identity>,
}

/// All beads at one moment.
#[derive(Debug, Default)]
pub struct Snapshot {
    pub(super) rows: BTreeMap<String, Row>,
    pub(super) issues: Source,
    pub(super) wisps: Source,
    pub(super) pending: Vec<Entry>,
    pub(super) torn: Vec<Vec<u8>>,
    damaged: Vec<Damaged>,
    config: Config,
    folder_name: String,
    incoming: OnceLock<HashMap<String, Vec<(String, usize)>>>,
}

impl Snapshot {
    /// Reads without a lock.
    pub(super) fn read(paths: &Paths) -> Result<Self, StoreError> {
        for _ in 0..TRIES {
            let journal = OpenJournal::open(&paths.journal())?;
            let snapshot = Self::assemble(paths, &journal.text)?;
            if journal.is_current(&paths.journal()) {
                return Ok(snapshot);
            }
        }
        // Writers come too thick; they wait while we read. Where there is no lock to be had (a read-only
        // folder) there are no writers either.
        let _guard = lock::acquire(&paths.lock(), lock::PATIENCE);
        Self::read_locked(paths)
    }

    /// Reads while no one can write.
    pub(super) fn read_locked(paths: &Paths) -> Result<Self, StoreError> {
        let journal = OpenJournal::open(&paths.journal())?;
        Self::assemble(paths, &journal.text)
    }

    fn assemble(paths: &Paths, journal: &[u8]) -> Result<Self, StoreError> {
        let mut snapshot = Self {
            config: Config::of_dir(paths.dir())?,
            folder_name: folder_name(paths.dir()),
            ..Self::default()
        };
        snapshot.issues = snapshot.take_file(paths.issues(), Home::Issues)?;
        snapshot.wisps = snapshot.take_file(&paths.wisps(), Home::Wisps)?;
        let (entries, torn) = journal::decode(journal);
        snapshot.torn = torn
            .into_iter()
            .map(|span| journal[span].to_vec())
            .collect();
        for entry in &entries {
            snapshot.apply(entry);
        }
        snapshot.pending = entries;
        Ok(snapshot)
    }

    /// Reads one file into the rows. Of two lines with one id the later updated one counts; the other is
    /// damage.
    fn take_file(&mut self, path: &Path, home: Home) -> Result<Source, StoreError> {
        let identity = Identity::of(path);
        let text = crate::sys::file::read(path)
            .map_err(|source| StoreError::io("read", path, source))?
            .unwrap_or_default();
        let Lines {
            text,
            beads,
            foreign,
            mut damaged,
            conflict,
        } = lines::read(text);
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut ids = Vec::with_capacity(beads.len());
        for (span, number, mut bead) in beads {
            ids.push(bead.id.clone());
            bead.ephemeral |= home == Home::Wisps;
            let id = bead.id.clone();
            let row = Row {
                bead: Box::new(bead),
                home,
                raw: RawLine::Span(span.clone()),
            };
            let Some(other) = self.rows.get(&id) else {
                numbers.insert(id.clone(), number);
                self.rows.insert(id, row);
                continue;
            };
            let (mut loser, mut place) = (span, number);
            let first = numbers.get(&id).copied();
            if let (RawLine::Span(old), Some(first)) = (other.raw.clone(), first)
                && row.bead.updated_at > other.bead.updated_at
            {
                (loser, place) = (old, first);
                numbers.insert(id.clone(), number);
                self.rows.insert(id.clone(), row);
            }
            damaged.push(lines::Damage {
                line: place,
                span: loser,
                reason: format!("a second record of {id}"),
            });
        }
        damaged.sort_by_key(|damage| damage.line);
        self.damaged.extend(damaged.iter().map(|damage| Damaged {
            file: path.to_owned(),
            line: damage.line,
            reason: damage.reason.clone(),
        }));
        Ok(Source {
            text,
            ids,
            foreign,
            damaged,
            conflict,
            identity,
        })
    }

    /// Puts an entry of the journal over what is there.
    fn apply(&mut self, entry: &Entry) {
        for change in &entry.changes {
            let parsed = change
                .line
                .as_ref()
                .and_then(|raw| Some((record::parse(raw.get().as_bytes()).ok()?, raw)));
            if let Some((mut bead, raw)) = parsed {
                bead.ephemeral |= change.store == Home::Wisps;
                let row = Row {
                    bead: Box::new(bead),
                    home: change.store,
                    raw: RawLine::Own(raw.get().as_bytes().to_vec()),
                };
                self.rows.insert(change.id.clone(), row);
            } else if self
                .rows
                .get(&change.id)
                .is_some_and(|row| row.home == change.store)
            {
                self.rows.remove(&change.id);
            }
        }
    }

    /// The bytes of a row's line.
    pub(super) fn raw<'a>(&'a self, row: &'a Row) -> &'a [u8] {
        let text = match row.home {
            Home::Issues => &self.issues.text,
            Home::Wisps => &self.wisps.text,
        };
        match &row.raw {
            RawLine::Span(span) => &text[span.clone()],
            RawLine::Own(bytes) => bytes,
        }
    }

    /// Sets or removes a row.
    pub(super) fn set_row(&mut self, id: &str, row: Option<Row>) {
        self.incoming = OnceLock::new();
        match row {
            Some(row) => {
                self.rows.insert(id.to_owned(), row);
            }
            None => {
                self.rows.remove(id);
            }
        }
    }

    /// One bead by its exact id, deleted ones too.
    pub fn get(&self, id: &str) -> Option<&Bead> {
        self.rows.get(id).map(|row| row.bead.as_ref())
    }

    /// One bead by its exact id, unless it was deleted.
    pub fn get_live(&self, id: &str) -> Option<&Bead> {
        self.get(id).filter(|bead| !bead.is_tombstone())
    }

    /// All beads by id, deleted ones too.
    pub fn all(&self) -> impl Iterator<Item = &Bead> {
        self.rows.values().map(|row| row.bead.as_ref())
    }

    /// All beads by id that were not deleted.
    pub fn live(&self) -> impl Iterator<Item = &Bead> {
        self.all().filter(|bead| !bead.is_tombstone())
    }

    /// Lines that could not be read.
    pub fn damaged(&self) -> &[Damaged] {
        &self.damaged
    }

    /// The settings of this store.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The prefix of new ids: the configured one, else the one that all beads share, else the name of the
    /// project's folder.
    pub fn prefix(&self) -> Result<String, StoreError> {
        if let Some(prefix) = self.config.get("issue-prefix") {
            return Ok(prefix.trim_end_matches('-').to_owned());
        }
        let mut found: Option<&str> = None;
        for bead in self.live() {
            let own = id::prefix_of(&bead.id);
            match (found, own) {
                (Some(first), Some(own)) if first != own => return Err(StoreError::MixedPrefixes),
                (None, Some(own)) => found = Some(own),
                _ => {}
            }
        }
        Ok(found.map_or_else(|| id::clean_prefix(&self.folder_name), str::to_owned))
    }

    /// Finds the one live bead that a full or partial id means.
    pub fn resolve(&self, given: &str) -> Result<&Bead, ResolveError> {
        let prefix = self.prefix().unwrap_or_default();
        let exists = |id: &str| self.get_live(id).is_some();
        let all = self.live().map(|bead| bead.id.as_str());
        let id = id::resolve(given, &prefix, exists, all)?;
        self.get_live(&id)
            .ok_or_else(|| ResolveError::NotFound(given.to_owned()))
    }

    /// The edges that point at a bead, with the beads that hold them, by their ids.
    pub fn dependents_of(&self, id: &str) -> Vec<(&Bead, &Dep)> {
        let places = self.incoming().get(id).map_or(&[][..], Vec::as_slice);
        places
            .iter()
            .filter_map(|(holder, index)| {
                let bead = self.get_live(holder)?;
                Some((bead, bead.dependencies.get(*index)?))
            })
            .collect()
    }

    /// The children of a bead by their parent-child edges.
    pub fn children_of(&self, id: &str) -> Vec<&Bead> {
        self.dependents_of(id)
            .into_iter()
            .filter(|(_, edge)| edge.kind == DepKind::ParentChild)
            .map(|(bead, _)| bead)
            .collect()
    }

    /// The highest number that a child of a bead ever had; deleted children count.
    pub fn last_child_number(&self, parent: &str) -> u64 {
        let start = format!("{parent}.");
        self.rows
            .range(start.clone()..)
            .take_while(|(id, _)| id.starts_with(&start))
            .filter_map(|(id, _)| id::split_child(id))
            .filter(|(own, _)| *own == parent)
            .map(|(_, number)| number)
            .max()
            .unwrap_or(0)
    }

    /// How many ids have this prefix and are no child's; deleted ones count.
    pub fn count_top_level(&self, prefix: &str) -> usize {
        let start = format!("{prefix}-");
        self.rows
            .range(start.clone()..)
            .take_while(|(id, _)| id.starts_with(&start))
            .filter(|(id, _)| !id[start.len()..].contains('.'))
            .count()
    }

    /// Who points at whom, made when first asked for.
    fn incoming(&self) -> &HashMap<String, Vec<(String, usize)>> {
        self.incoming.get_or_init(|| {
            let mut incoming: HashMap<String, Vec<(String, usize)>> = HashMap::new();
            for bead in self.all() {
                for (index, edge) in bead.dependencies.iter().enumerate() {
                    let place = (bead.id.clone(), index);
                    incoming
                        .entry(edge.depends_on_id.clone())
                        .or_default()
                        .push(place);
                }
            }
            incoming
        })
    }
}

/// The name of the project: of the folder that holds `.beads`.
fn folder_name(dir: &Path) -> String {
    let project = if dir.file_name().is_some_and(|name| name == ".beads") {
        dir.parent().unwrap_or(dir)
    } else {
        dir
    };
    project
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
