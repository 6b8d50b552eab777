//! A consistent view of all beads, durable ones and wisps.
//!
//! Readers take no lock. They open the journal, then the files, use the index of the files (or
//! build it), lay the journal over it, and start over if the journal was replaced in the meantime.
//! A bead is parsed from its line on demand; lists are selected by the values in the index.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::OnceLock;

use elsa::sync::FrozenMap;

use crate::bead::{Bead, Dep, DepKind, record};
use crate::config::Config;
use crate::store::StoreError;
use crate::store::disk::error::copy_of;
use crate::store::disk::reports::StoreReports;
use crate::store::index::NonBeadLine;
use crate::store::index::{ISSUES, Index, NONE};
use crate::store::log::archive::Archive;
use crate::store::log::event::BeadFile;
use crate::store::view::bead_ref::{BeadNode, BeadRef};
use crate::store::view::marks::MarkGroups;
use crate::store::view::overlay::{EarlierState, PendingBead};
use crate::store::view::source::{OpenFiles, StoreRead, home_of};

/// A line that could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableLine {
    pub file: PathBuf,
    /// The line's number, from 1.
    pub line: usize,
    /// The reason why the line could not be parsed.
    pub reason: String,
}

/// The line of a bead.
#[derive(Debug, Clone)]
pub(crate) struct BeadLine<'a> {
    pub home: BeadFile,
    pub hash: u64,
    pub bytes: Cow<'a, [u8]>,
}

/// All beads at one moment.
#[derive(Debug)]
pub struct Snapshot {
    pub(in crate::store) index: Index,
    pub(in crate::store) source: OpenFiles,
    /// The beads that differ from the index: pending, or gone (`None`).
    pub(in crate::store) over: BTreeMap<String, Option<u32>>,
    /// The pending beads. The last one of an id counts.
    pub(in crate::store) slots: Vec<PendingBead>,
    /// The pending beads with an edge to an id, by that id.
    pointing: HashMap<String, BTreeSet<String>>,
    pub(in crate::store) hidden: BTreeSet<u32>,
    pub(in crate::store) touched: OnceLock<BTreeSet<u32>>,
    pub(super) groups: OnceLock<MarkGroups<BeadNode>>,
    pub(super) open_groups: OnceLock<MarkGroups<BeadNode>>,
    loaded: FrozenMap<u32, Box<Bead>>,
    /// All beads of the files, fully parsed; only if the index turns out to be wrong.
    fallback: OnceLock<HashMap<String, Bead>>,
    /// The first existing record that could not be read.
    failed: OnceLock<StoreError>,
    damaged: Vec<UnreadableLine>,
    config: Config,
    reports: StoreReports,
    /// Read on first use.
    archive: OnceLock<Archive>,
}

impl Snapshot {
    pub(in crate::store) fn new(read: StoreRead, config: Config, reports: StoreReports) -> Self {
        let StoreRead {
            index,
            source,
            overlay,
            ..
        } = read;
        let damaged = list_unreadable_lines(&source, &index.notes());
        let mut snapshot = Self {
            index,
            source,
            over: BTreeMap::new(),
            slots: Vec::new(),
            pointing: HashMap::new(),
            hidden: BTreeSet::new(),
            touched: OnceLock::new(),
            groups: OnceLock::new(),
            open_groups: OnceLock::new(),
            loaded: FrozenMap::new(),
            fallback: OnceLock::new(),
            failed: OnceLock::new(),
            damaged,
            config,
            reports,
            archive: OnceLock::new(),
        };
        for (id, pending) in overlay.beads {
            snapshot.set(&id, pending);
        }
        snapshot
    }

    /// Sets a bead that differs from the index; `None` if it is gone.
    pub(in crate::store) fn set(&mut self, id: &str, pending: Option<PendingBead>) {
        let slot = pending.map(|own| {
            self.slots.push(own);
            u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
        });
        self.place_bead(id, slot);
    }

    /// Sets a bead to the content of a slot, or to gone.
    fn place_bead(&mut self, id: &str, slot: Option<u32>) {
        self.touched = OnceLock::new();
        self.groups = OnceLock::new();
        self.open_groups = OnceLock::new();
        if let Some(Some(slot)) = self.over.get(id) {
            for target in list_targets(&self.slots[*slot as usize]) {
                if let Some(holders) = self.pointing.get_mut(&target) {
                    holders.remove(id);
                }
            }
        }
        if let Some(row) = self.index.find(id) {
            self.hidden.insert(row);
        }
        if let Some(slot) = slot {
            for target in list_targets(&self.slots[slot as usize]) {
                self.pointing
                    .entry(target)
                    .or_default()
                    .insert(id.to_owned());
            }
        }
        self.over.insert(id.to_owned(), slot);
    }

    /// Restores an earlier state of a bead.
    pub(in crate::store) fn restore(&mut self, id: &str, earlier: EarlierState) {
        match earlier {
            EarlierState::Pending(slot) => self.place_bead(id, Some(slot)),
            EarlierState::Gone => self.place_bead(id, None),
            EarlierState::Indexed => {
                self.place_bead(id, None);
                self.over.remove(id);
                if let Some(row) = self.index.find(id) {
                    self.hidden.remove(&row);
                }
            }
        }
    }

    /// Returns the current state of a bead, to be restored later.
    pub(in crate::store) fn earlier(&self, id: &str) -> EarlierState {
        match self.over.get(id) {
            None => EarlierState::Indexed,
            Some(None) => EarlierState::Gone,
            Some(Some(slot)) => EarlierState::Pending(*slot),
        }
    }

    /// Loads the bead of a row from the files.
    pub(in crate::store) fn load(&self, at: u32) -> Option<&Bead> {
        if let Some(bead) = self.loaded.get(&at) {
            return Some(bead);
        }
        let row = &self.index.row_alone(at)?;
        let id = self.index.id(at);
        let line = self.source.line(row);
        if let Err(error) = &line
            && error.kind() != std::io::ErrorKind::UnexpectedEof
        {
            // Only the first failure counts, and finding its line number takes a read.
            if self.failed.get().is_none() {
                self.fail(self.source.unreadable(row, id, copy_of(error)));
            }
            return None;
        }
        let parsed = line
            .ok()
            .filter(|line| xxhash_rust::xxh3::xxh3_64(line) == row.hash)
            .and_then(|line| record::parse_bead(&line).ok());
        let mut bead = match parsed.filter(|bead| bead.id == id) {
            Some(bead) => bead,
            None => self.full_read(id)?,
        };
        bead.ephemeral |= row.file & 1 == 1;
        Some(self.loaded.insert(at, Box::new(bead)))
    }

    /// Finds a bead by parsing the files completely, because the index does not match them. The
    /// next command rebuilds the index.
    fn full_read(&self, id: &str) -> Option<Bead> {
        let all = self.fallback.get_or_init(|| {
            self.source.remove_index();
            self.source.all_beads().unwrap_or_else(|error| {
                self.fail(error);
                HashMap::new()
            })
        });
        all.get(id).cloned()
    }

    /// Keeps the first failure for writers, which then refuse, and for the end of the command, so
    /// that an unreadable bead is never reported as missing.
    fn fail(&self, error: StoreError) {
        self.reports.fail(error.copy_error());
        // Only the first failure counts.
        self.failed.set(error).ok();
    }

    /// The reports of the snapshot's store.
    pub(crate) fn reports(&self) -> &StoreReports {
        &self.reports
    }

    /// Fails if an existing record could not be read.
    pub(in crate::store) fn failure(&self) -> Result<(), StoreError> {
        self.failed
            .get()
            .map_or(Ok(()), |error| Err(error.copy_error()))
    }

    pub(in crate::store) fn line(&self, id: &str) -> Result<Option<BeadLine<'_>>, StoreError> {
        if let Some(slot) = self.over.get(id) {
            let pending = slot.and_then(|slot| self.slots.get(slot as usize));
            return Ok(pending.map(|own| BeadLine {
                home: own.home,
                hash: own.hash,
                bytes: Cow::Borrowed(&own.raw),
            }));
        }
        let Some(row) = self.index.find(id).and_then(|at| self.index.row(at)) else {
            return Ok(None);
        };
        let bytes = self.source.checked_line(row, id)?;
        Ok(Some(BeadLine {
            home: home_of(row.file),
            hash: row.hash,
            bytes: Cow::Owned(bytes),
        }))
    }

    /// Returns a reference to a bead, which can be selected without being read.
    pub fn bead_ref(&self, id: &str) -> Option<BeadRef<'_>> {
        let node = match self.over.get(id) {
            Some(slot) => BeadNode::Pending((*slot)?),
            None => BeadNode::Row(self.index.find(id)?),
        };
        Some(self.bead_ref_at(node))
    }

    /// Returns a reference to a bead by its node.
    pub fn bead_ref_at(&self, node: BeadNode) -> BeadRef<'_> {
        BeadRef {
            snapshot: self,
            node,
        }
    }

    /// Returns references to all beads by id, including deleted ones, without reading them.
    pub fn bead_refs(&self) -> impl Iterator<Item = BeadRef<'_>> {
        let mut hidden = self.hidden.iter().peekable();
        let mut rows = (0..self.index.len())
            .filter(move |row| hidden.next_if_eq(&row).is_none())
            .peekable();
        let mut pending = self
            .over
            .iter()
            .filter_map(|(id, slot)| Some((id.as_str(), (*slot)?)))
            .peekable();
        std::iter::from_fn(move || {
            let node = match (rows.peek(), pending.peek()) {
                (Some(row), Some((id, _))) if self.index.id_bytes(*row) < id.as_bytes() => {
                    BeadNode::Row(rows.next()?)
                }
                (_, Some(_)) => BeadNode::Pending(pending.next()?.1),
                (Some(_), None) => BeadNode::Row(rows.next()?),
                (None, None) => return None,
            };
            Some(self.bead_ref_at(node))
        })
    }

    /// Returns the beads that `wanted` accepts, without deleted ones.
    pub fn select<'a>(
        &'a self,
        wanted: impl Fn(&BeadRef<'a>) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Bead> + 'a {
        self.bead_refs()
            .filter(|bead_ref| !bead_ref.is_tombstone())
            .filter(move |bead_ref| wanted(bead_ref))
            .filter_map(|bead_ref| bead_ref.bead())
    }

    /// Returns a bead by its exact id, even a deleted one.
    pub fn get(&self, id: &str) -> Option<&Bead> {
        self.bead_ref(id)?.bead()
    }

    /// Takes a bead out of the snapshot by its exact id, without a copy if it came from a file, for
    /// an answer that outlives the snapshot.
    pub fn take(&mut self, id: &str) -> Option<Bead> {
        match self.bead_ref(id)?.node() {
            BeadNode::Row(at) => {
                self.load(at)?;
                self.loaded.as_mut().remove(&at).map(|bead| *bead)
            }
            BeadNode::Pending(slot) => self
                .slots
                .get(slot as usize)
                .map(|pending| pending.bead().clone()),
        }
    }

    /// Returns a bead by its exact id, unless it was deleted.
    pub fn get_live(&self, id: &str) -> Option<&Bead> {
        self.bead_ref(id)
            .filter(|bead_ref| !bead_ref.is_tombstone())
            .and_then(|bead_ref| bead_ref.bead())
    }

    /// Returns all beads by id, including deleted ones. Reads every line.
    pub fn all(&self) -> impl Iterator<Item = &Bead> {
        self.bead_refs().filter_map(|bead_ref| bead_ref.bead())
    }

    /// Returns all beads by id except deleted ones. Reads every line.
    pub fn live(&self) -> impl Iterator<Item = &Bead> {
        self.select(|_| true)
    }

    /// The lines that could not be parsed.
    pub fn damaged(&self) -> &[UnreadableLine] {
        &self.damaged
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The archive of old closed beads. Its unreadable lines count as missing; `bd doctor` reports
    /// them.
    pub fn archive(&self) -> &Archive {
        self.archive.get_or_init(|| {
            Archive::read(self.source.paths.dir()).unwrap_or_else(|_| Archive::default())
        })
    }

    /// Reads the beads of the archive that were closed in a year or later.
    pub fn read_archive_since(&self, year: i16) -> Result<Archive, StoreError> {
        Archive::read_since(self.source.paths.dir(), year)
    }

    /// Returns true if an id is or was in use: in the issues, the wisps or the archive.
    pub fn is_taken(&self, id: &str) -> bool {
        self.bead_ref(id).is_some() || self.is_archived(id)
    }

    pub fn is_archived(&self, id: &str) -> bool {
        self.archive().has(id)
    }

    /// Returns the beads with an edge to this id, including deleted ones, by id.
    pub(in crate::store) fn holders(&self, id: &str) -> Vec<BeadNode> {
        self.holders_at(self.index.find(id), id)
    }

    /// Like [`Self::holders`], if the row of the id is already determined.
    fn holders_at(&self, row: Option<u32>, id: &str) -> Vec<BeadNode> {
        let mut found: Vec<BeadNode> = Vec::new();
        let mut add = |row: u32| {
            if !self.hidden.contains(&row) {
                found.push(BeadNode::Row(row));
            }
        };
        if let Some(row) = row {
            for link in self.index.incoming(row) {
                add(link.holder);
            }
        } else {
            for link in self.index.dangling() {
                let edge = self.index.edge(link.edge);
                if edge.is_some_and(|edge| self.index.target(edge) == id) {
                    add(link.holder);
                }
            }
        }
        for holder in self.pointing.get(id).into_iter().flatten() {
            if let Some(Some(slot)) = self.over.get(holder) {
                found.push(BeadNode::Pending(*slot));
            }
        }
        found.sort_by(|a, b| self.id_order(*a, *b));
        found.dedup();
        found
    }

    /// Returns the edges that point at a bead, with the beads that hold them, by id.
    pub fn dependents_of(&self, id: &str) -> Vec<(&Bead, &Dep)> {
        self.live_holders(id)
            .filter_map(|holder| holder.bead())
            .flat_map(|bead| bead.dependencies.iter().map(move |edge| (bead, edge)))
            .filter(|(_, edge)| edge.depends_on_id == id)
            .collect()
    }

    /// Returns the live beads with an edge to a bead, once per edge, with the code of the edge's
    /// kind.
    pub fn dependents(&self, id: &str) -> Vec<(BeadRef<'_>, u8)> {
        let mut found = Vec::new();
        for holder in self.live_holders(id) {
            for (kind, target) in holder.edges() {
                if target == id {
                    found.push((holder, kind));
                }
            }
        }
        found
    }

    /// The number of live beads with an edge to a bead.
    pub fn dependent_count(&self, id: &str) -> usize {
        self.live_holders(id).count()
    }

    /// Returns the live beads with an edge to a bead.
    pub(in crate::store) fn live_holders(&self, id: &str) -> impl Iterator<Item = BeadRef<'_>> {
        self.holders(id)
            .into_iter()
            .map(|node| self.bead_ref_at(node))
            .filter(|bead_ref| !bead_ref.is_tombstone())
    }

    /// Returns the children of a bead by parent-child edges.
    pub fn children_of(&self, id: &str) -> Vec<&Bead> {
        self.child_refs(id)
            .into_iter()
            .filter_map(|child| child.bead())
            .collect()
    }

    /// Returns the children of a bead, without reading them.
    pub fn child_refs(&self, id: &str) -> Vec<BeadRef<'_>> {
        self.holder_refs(id, &DepKind::ParentChild)
    }

    /// Returns the live beads with an edge of this kind to a bead, without reading them.
    pub fn holder_refs(&self, id: &str, kind: &DepKind) -> Vec<BeadRef<'_>> {
        self.holder_refs_at(self.index.find(id), id, kind)
    }

    /// Like [`Self::holder_refs`], if the row of the bead is already determined.
    pub(super) fn holder_refs_at(
        &self,
        row: Option<u32>,
        id: &str,
        kind: &DepKind,
    ) -> Vec<BeadRef<'_>> {
        let mut holders = self.every_holder(row, id, kind);
        holders.retain(|holder| !holder.is_tombstone());
        holders
    }

    /// Returns the number of edges of this kind that point at a bead, including those of deleted
    /// beads; `None` if the index alone does not suffice.
    pub(crate) fn count_holders(&self, of: BeadNode, kind: &DepKind) -> Option<usize> {
        let BeadNode::Row(row) = of else {
            return None;
        };
        self.over.is_empty().then(|| {
            self.index
                .incoming(row)
                .iter()
                .filter_map(|link| self.index.edge(link.edge))
                .filter(|edge| edge.kind == kind.code())
                .count()
        })
    }

    /// Returns the children of a bead, including deleted ones.
    pub(crate) fn every_child(&self, id: &str) -> Vec<BeadRef<'_>> {
        self.every_holder(self.index.find(id), id, &DepKind::ParentChild)
    }

    fn every_holder(&self, row: Option<u32>, id: &str, kind: &DepKind) -> Vec<BeadRef<'_>> {
        let Some(row) = row.filter(|_| self.over.is_empty()) else {
            return self
                .holders_at(row, id)
                .into_iter()
                .map(|node| self.bead_ref_at(node))
                .filter(|bead_ref| bead_ref.has_edge(kind, id))
                .collect();
        };
        let mut rows: Vec<u32> = self
            .index
            .incoming(row)
            .iter()
            .filter(|link| {
                let edge = self.index.edge(link.edge);
                edge.is_some_and(|edge| edge.kind == kind.code())
            })
            .map(|link| link.holder)
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows.into_iter()
            .map(BeadNode::Row)
            .map(|node| self.bead_ref_at(node))
            .collect()
    }

    /// Returns the number of the first line of the issues with a conflict marker.
    pub fn conflict(&self) -> Option<usize> {
        let notes = self.index.notes();
        let marker = notes
            .iter()
            .find(|note| note.conflict && note.file == ISSUES);
        marker.map(|note| note.line)
    }

    /// Fails if a merge of the issues is not finished.
    pub(in crate::store) fn refuse_conflict(&self) -> Result<(), StoreError> {
        let path = self.source.paths.issues();
        self.conflict().map_or(Ok(()), |line| {
            let path = path.to_owned();
            Err(StoreError::Conflict { path, line })
        })
    }
}

fn list_targets(pending: &PendingBead) -> Vec<String> {
    pending
        .dependencies()
        .iter()
        .map(|edge| edge.depends_on_id.clone())
        .collect()
}

fn list_unreadable_lines(source: &OpenFiles, notes: &[NonBeadLine]) -> Vec<UnreadableLine> {
    notes
        .iter()
        .filter_map(|note| {
            Some(UnreadableLine {
                file: source.path(note.file),
                line: note.line,
                reason: note.reason.clone()?,
            })
        })
        .collect()
}
