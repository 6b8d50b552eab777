//! The overlay: lays the journal over the files and computes the state of each bead that the
//! journal changed.
//!
//! Per bead, the changes up to the last one whose resulting line is in the file are already folded
//! and are skipped. A change that was made to the line in the file gives its new record. In any
//! other case another program changed the file in the meantime, and both states are merged field by
//! field.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use crate::bead::record::{self, RecordFields};
use crate::bead::{Bead, Dep};
use crate::merge;
use crate::store::StoreError;
use crate::store::index::BeadFacts;
use crate::store::log::event::{BeadChange, BeadFile, Event};
use crate::store::log::history::MergedBead;
use crate::store::log::journal::hash_text;

/// A bead whose current record is not in the files.
#[derive(Debug, Clone)]
pub(crate) struct PendingBead {
    pub id: String,
    /// Parsed on first use, because most changes in a journal are never looked at.
    bead: OnceLock<Box<Bead>>,
    pub home: BeadFile,
    pub raw: Vec<u8>,
    pub hash: u64,
}

impl PendingBead {
    /// Creates a pending bead from a line of the bead with this id.
    pub(crate) fn parse(raw: &[u8], id: &str, home: BeadFile) -> Option<Self> {
        let pending = Self {
            id: id.to_owned(),
            bead: OnceLock::new(),
            home,
            raw: raw.to_vec(),
            hash: xxhash_rust::xxh3::xxh3_64(raw),
        };
        if begins_with_id(raw, id) {
            return Some(pending);
        }
        let bead = record::parse_bead(raw).ok()?;
        Some(Self {
            id: bead.id.clone(),
            bead: OnceLock::from(Box::new(pending.with_home(bead))),
            ..pending
        })
    }

    pub(crate) fn bead(&self) -> &Bead {
        self.bead.get_or_init(|| {
            // Every line that `begins_with_id` accepts can be parsed, because values of a wrong
            // type are preserved like unknown ones.
            let bead = record::parse_bead(&self.raw).unwrap_or_else(|_| Bead {
                id: self.id.clone(),
                ..Bead::default()
            });
            Box::new(self.with_home(bead))
        })
    }

    /// Returns the facts for the index; `None` if the line is not a bead.
    pub(crate) fn facts(&self) -> Option<BeadFacts> {
        match self.bead.get() {
            Some(bead) => Some(BeadFacts::from_bead(bead, &self.raw)),
            None => BeadFacts::parse(&self.raw).ok(),
        }
    }

    fn with_home(&self, mut bead: Bead) -> Bead {
        bead.ephemeral |= self.home == BeadFile::Wisps;
        bead
    }

    /// The edges. A record without the key has none, and is not parsed.
    pub(crate) fn dependencies(&self) -> &[Dep] {
        let has_some = memchr::memmem::find(&self.raw, b"\"dependencies\"").is_some();
        if has_some {
            &self.bead().dependencies
        } else {
            &[]
        }
    }

    /// Creates a pending bead from a merge with one of the files.
    fn from_merge(mut bead: Bead, home: BeadFile) -> Self {
        bead.ephemeral = home == BeadFile::Wisps;
        Self::from_bead(bead)
    }

    /// Creates a pending bead from a new bead.
    pub(crate) fn from_bead(bead: Bead) -> Self {
        Self::from_line(record::serialize_bead(&bead), Box::new(bead))
    }

    /// Creates a pending bead from a bead and its line.
    pub(crate) fn from_line(raw: Vec<u8>, bead: Box<Bead>) -> Self {
        Self {
            home: if bead.ephemeral {
                BeadFile::Wisps
            } else {
                BeadFile::Issues
            },
            hash: xxhash_rust::xxh3::xxh3_64(&raw),
            id: bead.id.clone(),
            bead: OnceLock::from(bead),
            raw,
        }
    }
}

/// Returns true if a record begins in our canonical form with this id, which needs no escapes, and
/// contains no unpaired surrogates, which would make even a key unreadable.
fn begins_with_id(raw: &[u8], id: &str) -> bool {
    let rest = raw.strip_prefix(b"{\"id\":\"");
    let rest = rest.and_then(|rest| rest.strip_prefix(id.as_bytes()));
    let may_have_half = |half: &[u8; 3]| memchr::memmem::find(raw, half).is_some();
    !id.is_empty()
        && id
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
        && rest.is_some_and(|rest| rest.starts_with(b"\""))
        && !may_have_half(br"\ud")
        && !may_have_half(br"\uD")
}

/// The earlier state of a bead in a snapshot, for a rollback to it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EarlierState {
    /// The state in the index.
    Indexed,
    Gone,
    /// The pending bead in this slot, which remains there.
    Pending(u32),
}

/// The state of beads in the files below an overlay.
pub(crate) trait OverlayBase {
    /// Returns the hash of a bead's line in the file of this home.
    fn hash(&self, id: &str, home: BeadFile) -> Option<u64>;
    /// Returns the bead in the file of this home.
    fn bead(&self, id: &str, home: BeadFile) -> Result<Option<Bead>, StoreError>;
}

/// The states that journaled changes lead to: a bead, or `None` if it is gone.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    pub beads: BTreeMap<String, Option<PendingBead>>,
    pub merged: Vec<MergedBead>,
    /// Our beads that got another id, because an external bead has theirs.
    renamed: Vec<(String, String)>,
}

impl Overlay {
    /// Merges another line of a durable bead, which a merge driver other than ours left in the
    /// file.
    pub(crate) fn merge_version(
        &mut self,
        version: Bead,
        files: &impl OverlayBase,
    ) -> Result<(), StoreError> {
        let mut rest = Some(version);
        while let Some(version) = rest.take() {
            let id = version.id.clone();
            let (there, from) = match self.beads.get(&id) {
                Some(pending) => (
                    pending.as_ref().map(|own| own.bead().clone()),
                    pending.as_ref().map(|own| own.hash),
                ),
                None => (
                    files.bead(&id, BeadFile::Issues)?,
                    files.hash(&id, BeadFile::Issues),
                ),
            };
            let result = merge::merge_beads(None, there.as_ref(), Some(&version));
            rest = result.moved.map(|moved| moved.bead);
            let bead = result.bead.map(|bead| *bead);
            let line_of = |bead: Option<&Bead>| bead.map(record::serialize_bead);
            if result.lost.is_empty() && line_of(bead.as_ref()) == line_of(there.as_ref()) {
                continue;
            }
            let pending = bead.map(|bead| PendingBead::from_merge(bead, BeadFile::Issues));
            self.merged.push(MergedBead {
                id: id.clone(),
                lost: result.lost,
                from,
                to: pending.as_ref().map(|own| own.hash),
            });
            self.beads.insert(id, pending);
        }
        Ok(())
    }
}

/// Lays a journal over the files.
pub(crate) fn lay_journal(
    entries: &[Event],
    files: &impl OverlayBase,
) -> Result<Overlay, StoreError> {
    let mut overlay = Overlay::default();
    let mut order: Vec<(&str, BeadFile)> = Vec::new();
    let mut by_bead: HashMap<(&str, BeadFile), Vec<&BeadChange>> = HashMap::new();
    for change in entries.iter().flat_map(|entry| &entry.changes) {
        let key = (change.id.as_str(), change.home());
        let changes = by_bead.entry(key).or_default();
        if changes.is_empty() {
            order.push(key);
        }
        changes.push(change);
    }
    // Durable records come first, because they win over a wisp with the same id.
    order.sort_by_key(|(_, home)| *home);
    for (id, home) in order {
        let changes = by_bead.remove(&(id, home)).unwrap_or_default();
        let in_file = files.hash(id, home);
        match compute_state(&changes, id, home, in_file, files, &mut overlay)? {
            PendingState::AsInFile => {}
            PendingState::Is(pending) => {
                // A durable bead that is in the file and was not removed wins.
                let is_second = home == BeadFile::Wisps
                    && files.hash(id, BeadFile::Issues).is_some()
                    && !overlay.beads.contains_key(id);
                if is_second {
                    continue;
                }
                overlay
                    .beads
                    .entry(id.to_owned())
                    .and_modify(|known| {
                        known.get_or_insert_with(|| pending.clone());
                    })
                    .or_insert(Some(pending));
            }
            PendingState::Gone => {
                if in_file.is_some() {
                    overlay.beads.entry(id.to_owned()).or_insert(None);
                }
            }
        }
    }
    redirect_edges(&mut overlay);
    Ok(overlay)
}

/// Redirects the edges of our beads to those of our beads that got another id.
fn redirect_edges(overlay: &mut Overlay) {
    for (from, to) in std::mem::take(&mut overlay.renamed) {
        for pending in overlay.beads.values_mut().flatten() {
            if !pending
                .dependencies()
                .iter()
                .any(|edge| edge.depends_on_id == from)
            {
                continue;
            }
            let mut bead = pending.bead().clone();
            for edge in &mut bead.dependencies {
                if edge.depends_on_id == from {
                    edge.depends_on_id.clone_from(&to);
                }
            }
            *pending = PendingBead::from_merge(bead, pending.home);
        }
    }
}

enum PendingState {
    AsInFile,
    Is(PendingBead),
    Gone,
}

fn compute_state(
    changes: &[&BeadChange],
    id: &str,
    home: BeadFile,
    in_file: Option<u64>,
    files: &impl OverlayBase,
    overlay: &mut Overlay,
) -> Result<PendingState, StoreError> {
    let there = in_file.map(hash_text);
    let done = changes.iter().rposition(|change| change.after == there);
    let rest = &changes[done.map_or(0, |done| done + 1)..];
    // Of consecutive changes only the record of the last one is parsed.
    let mut last: Option<&BeadChange> = None;
    let mut now = PendingState::AsInFile;
    for change in rest.iter().copied() {
        let follows_last =
            last.is_some_and(|last| last.after.is_some() && change.before == last.after);
        if follows_last {
            last = Some(change);
            continue;
        }
        now = apply_last_change(last.take(), now, home);
        let from = match &now {
            PendingState::AsInFile => in_file,
            PendingState::Is(own) => Some(own.hash),
            PendingState::Gone => None,
        };
        if change.before == from.map(hash_text) {
            last = Some(change);
            continue;
        }
        let theirs = match &now {
            PendingState::AsInFile => files.bead(id, home)?,
            PendingState::Is(own) => Some(own.bead().clone()),
            PendingState::Gone => None,
        };
        let merged = MergedBead {
            id: id.to_owned(),
            lost: Vec::new(),
            from: from.filter(|_| home == BeadFile::Issues),
            to: None,
        };
        now = merge_change(change, home, theirs.as_ref(), merged, overlay);
    }
    Ok(apply_last_change(last, now, home))
}

/// Returns the state after a change that was made to the state before.
fn apply_last_change(
    change: Option<&BeadChange>,
    before: PendingState,
    home: BeadFile,
) -> PendingState {
    let Some(change) = change else {
        return before;
    };
    match change.line.as_ref() {
        Some(line) => PendingBead::parse(line.get().as_bytes(), &change.id, home)
            .map_or(before, PendingState::Is),
        None => PendingState::Gone,
    }
}

/// Merges our change with a bead that is not in the state that the change was made to.
fn merge_change(
    change: &BeadChange,
    home: BeadFile,
    theirs: Option<&Bead>,
    mut merged: MergedBead,
    overlay: &mut Overlay,
) -> PendingState {
    let line = change.line.as_ref();
    let ours = line.and_then(|line| record::parse_bead(line.get().as_bytes()).ok());
    let base = base_of_change(change);
    let result = merge::merge_beads(base.as_ref(), ours.as_ref(), theirs);
    if let Some(moved) = result.moved {
        if moved.is_left {
            // Our bead has a new id, and our edges follow it.
            let names = (moved.from.clone(), moved.bead.id.clone());
            overlay.renamed.push(names);
        }
        let moved_bead = PendingBead::from_merge(moved.bead, home);
        overlay
            .beads
            .insert(moved_bead.id.clone(), Some(moved_bead));
    }
    merged.lost = result.lost;
    let pending = result.bead.map(|bead| PendingBead::from_merge(*bead, home));
    let to = pending.as_ref().map(|own| own.hash);
    merged.to = to.filter(|_| home == BeadFile::Issues);
    overlay.merged.push(merged);
    pending.map_or(PendingState::Gone, PendingState::Is)
}

/// Returns the bead before a change.
fn base_of_change(change: &BeadChange) -> Option<Bead> {
    let old = change.old.as_ref()?;
    let line = match change.line.as_ref() {
        Some(line) => RecordFields::parse(line.get()).patched_with(old),
        None => old.clone(),
    };
    line.to_bead()
}

/// Returns the fields in which two lines of a bead differ, with their old values, for the journal.
pub(crate) fn old_fields(before: Option<&[u8]>, after: Option<&[u8]>) -> Option<RecordFields> {
    let text = |line: &[u8]| RecordFields::parse(&record::decode_line(line));
    let old = text(before?);
    Some(match after {
        Some(after) => old.difference(&text(after)).0,
        None => old,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_starts_with_its_id_can_be_parsed_whatever_follows() {
        for rest in [
            "",
            r#","title":null,"priority":"high","labels":{"a":1}"#,
            r#","dependencies":"none","comments":[[]],"created_at":5"#,
            r#","pinned":[],"x":1e999,"\u0041":"\u00e4""#,
            r#","title":"a","title":7"#,
        ] {
            let line = format!("{{\"id\":\"bd-1\"{rest}}}");
            assert!(begins_with_id(line.as_bytes(), "bd-1"));
            let read = record::parse_bead(line.as_bytes());
            assert_eq!(
                read.map(|bead| bead.id).ok().as_deref(),
                Some("bd-1"),
                "{line}"
            );
        }
    }

    #[test]
    fn a_record_that_does_not_start_with_its_id_is_parsed_at_once() {
        let read = |line: &str, id| PendingBead::parse(line.as_bytes(), id, BeadFile::Issues);
        for (line, id) in [
            (r#"{"id":"bd-10"}"#, "bd-1"),
            (r#"{"title":"a","id":"bd-1"}"#, "bd-1"),
            (r#"{"id":"bd-\u0031"}"#, r"bd-\u0031"),
            (r#"{"id":"bd-1","title":"\ud83d\ude00"}"#, "bd-1"),
        ] {
            assert!(!begins_with_id(line.as_bytes(), id), "{line}");
            let own = read(line, id).unwrap();
            assert_eq!(own.id, own.bead().id);
        }
        assert!(read(r#"{"id":""}"#, "").is_none());
        assert!(read("7", "bd-1").is_none());
        assert!(read(r#"{"id":"bd-1","\ud800":1}"#, "bd-1").is_none());
    }

    #[test]
    fn a_wisp_is_ephemeral_whether_parsed_early_or_late() {
        for line in [r#"{"id":"bd-1"}"#, r#"{"title":"a","id":"bd-1"}"#] {
            let own = PendingBead::parse(line.as_bytes(), "bd-1", BeadFile::Wisps).unwrap();
            assert!(own.bead().ephemeral, "{line}");
        }
    }
}
