//! A new index from a snapshot: rows of the old one and the beads that changed, each with the place that its
//! line has now.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::index::{Builder, Facts, Index, Item, JOURNALED, Keys, Place, Row, WISPS};
use super::journal::{self, Home};
use super::snapshot::{Snapshot, home_of};
use super::source::{self, Source};
use crate::store::index::Note;
use crate::store::{Node, Store, StoreError, ignore};
use crate::sys::file;
use crate::sys::lock::{self, LockError};

/// From a size between these on the journal behind the index goes into a new one: what is behind is read by
/// every command, and a large index costs more to write.
const INDEX_BEHIND: RangeInclusive<u64> = 32 << 10..=128 << 10;

/// What of the journal is not in the index.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Behind {
    /// Its length.
    pub bytes: u64,
    /// The length of its longest entry.
    pub longest: u64,
}

impl Behind {
    /// With one more entry.
    pub(super) fn and(self, entry: u64) -> Self {
        Self {
            bytes: self.bytes + entry,
            longest: self.longest.max(entry),
        }
    }

    /// Whether a new index is due. One change of many beads does not count where it is small beside the
    /// index: it is read in a fraction of the time that a new one takes.
    pub(super) fn is_too_much(self, index: u64) -> bool {
        let spared = if self.longest <= index / 64 {
            self.longest
        } else {
            0
        };
        self.bytes.saturating_sub(spared)
            > (index / 400).clamp(*INDEX_BEHIND.start(), *INDEX_BEHIND.end())
    }
}

/// The place of a row.
pub(super) fn place(row: &Row) -> Place {
    Place {
        file: row.file,
        offset: row.offset,
        length: row.length,
        hash: row.hash,
    }
}

/// The index of a snapshot's beads at new places; `None` where a place is not known.
pub(super) fn build(
    snapshot: &Snapshot,
    keys: &Keys,
    notes: &[Note],
    place_of: impl Fn(Home, Node) -> Option<Place>,
) -> Option<Index> {
    let mut builder = Builder::over(Some(&snapshot.index));
    let rows = snapshot.index.rows();
    for head in snapshot.heads() {
        let node = head.node();
        match node {
            Node::Row(at) => {
                let row = rows.get(at as usize);
                let place = row.and_then(|row| place_of(home_of(row.file), node));
                builder.push(&Item::Old(at, place?));
            }
            Node::Own(at) => {
                let own = snapshot.slots.get(at as usize);
                let facts = own.and_then(|own| Facts::read(&own.raw).ok());
                let place = own.and_then(|own| place_of(own.home, node));
                builder.push(&Item::Fresh(&facts?, place?));
            }
        }
    }
    builder.finish(keys, notes)
}

/// An index that has the journal too, written beside the one that it is to replace.
pub(super) struct Prepared {
    snapshot: Snapshot,
    file: file::Derived,
    _one: lock::Guard,
}

/// Makes an index that has the journal too, where that is `due`: rows then say that their line is in the
/// journal. `None` where it is not, or another process makes one already.
pub(super) fn prepare(
    store: &Store,
    due: impl FnOnce(Behind, u64) -> bool,
) -> Result<Option<Prepared>, StoreError> {
    let path = store.paths.index_lock();
    if !path.exists() {
        ignore::hide(store.dir());
    }
    let one = match lock::acquire_apart(&path, Duration::ZERO) {
        Ok(one) => one,
        Err(LockError::Held { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // What changes from here on is in doubt.
    let made = source::wall();
    let mut snapshot = Snapshot::new(Source::read(&store.paths)?, store.settings()?);
    if !snapshot.index.is_at(&store.paths.index()) {
        // To read it was to make it, or to make sure of it: the file is a new one, unless none can be written.
        drop(snapshot);
        snapshot = Snapshot::new(Source::read(&store.paths)?, store.settings()?);
        if !snapshot.index.is_at(&store.paths.index()) {
            return Ok(None);
        }
    }
    if !due(snapshot.source.state.behind, snapshot.index.size()) {
        return Ok(None);
    }
    let Some(index) = with_journal(&snapshot, made)? else {
        return Ok(None);
    };
    // Where it cannot be written readers go on with the old one.
    let beside = file::Derived::write(&store.paths.index(), index.bytes(), 0o644).ok();
    Ok(beside.map(|file| Prepared {
        snapshot,
        file,
        _one: one,
    }))
}

impl Prepared {
    /// Puts it in place, under the writers' lock: if the old index is still there, and the journal still has what
    /// was read; it may have grown.
    pub(super) fn put(self) {
        let Snapshot { index, source, .. } = &self.snapshot;
        if index.is_at(&source.paths.index()) && source.is_current() && source.has_behind() {
            self.file.put().ok();
        }
    }
}

/// The index of a snapshot with its journal; `None` where there is nothing to take, or it has to be folded first.
fn with_journal(snapshot: &Snapshot, made: i64) -> Result<Option<Index>, StoreError> {
    let source = &snapshot.source;
    let state = &source.state;
    // A journal that had to be merged, or is torn, is folded first.
    if !state.merged.is_empty()
        || !state.torn.is_empty()
        || state.was_folding
        || state.behind.bytes == 0
    {
        return Ok(None);
    }
    let places = places(source.behind(), source.keys.journal.2);
    let (device, inode) = source.journal_place()?;
    let keys = Keys {
        journal: (device, inode, state.sound),
        made,
        ..source.keys
    };
    let rows = snapshot.index.rows();
    let index = build(
        snapshot,
        &keys,
        &snapshot.index.notes(),
        |home, node| match node {
            Node::Row(at) => rows.get(at as usize).map(place),
            Node::Own(at) => {
                let hash = snapshot.slots.get(at as usize)?.hash;
                let (offset, length) = *places.get(&hash)?;
                Some(Place {
                    file: JOURNALED | if home == Home::Wisps { WISPS } else { 0 },
                    offset,
                    length,
                    hash,
                })
            }
        },
    );
    Ok(index)
}

/// Where the records of a part of a journal are, by their hashes; the part starts at `begin`.
fn places(text: &[u8], begin: u64) -> HashMap<u64, (u64, u32)> {
    let mut places = HashMap::new();
    for (start, entry) in journal::decode(text).entries {
        let mut from = start;
        for change in &entry.changes {
            let Some(line) = &change.line else {
                continue;
            };
            let key = [b"\"line\":", line.get().as_bytes()].concat();
            let Some(at) = memchr::memmem::find(&text[from..], &key) else {
                continue;
            };
            let offset = from + at + b"\"line\":".len();
            let hash = xxhash_rust::xxh3::xxh3_64(line.get().as_bytes());
            let length = u32::try_from(line.get().len()).unwrap_or(u32::MAX);
            places.insert(hash, (begin + offset as u64, length));
            from = offset;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: u64 = 13 << 20;
    const SMALL: u64 = 1 << 20;

    #[test]
    fn many_small_entries_make_a_new_index_due() {
        let mut behind = Behind::default();
        for _ in 0..34 {
            assert!(!behind.is_too_much(SMALL));
            behind = behind.and(1 << 10);
        }
        assert!(behind.is_too_much(SMALL));
    }

    #[test]
    fn one_long_entry_does_so_only_where_the_index_is_small() {
        let behind = Behind::default().and(1 << 10).and(120 << 10);
        assert!(behind.is_too_much(SMALL));
        assert!(!behind.is_too_much(LARGE));
        assert!(behind.and(120 << 10).is_too_much(LARGE));
    }
}
