//! Acknowledged changes of this clone that are in no file any more: what [`super::lost`] finds, with the events.

use std::collections::{BTreeMap, HashMap};

use xxhash_rust::xxh3::xxh3_64;

use super::event::{Difference, Event, Lacking, Losses};
use super::journal::{self, Home};
use super::lost::{self, Asked, Missing, Trace};
use super::snapshot::{Snapshot, home_of};
use super::{Node, Store, StoreError, history};
use crate::bead::record;

impl Store {
    /// Acknowledged changes of this clone that are in no file any more, and where that cannot be told.
    pub fn lost(&self) -> Result<Losses, StoreError> {
        self.lost_beside(&BTreeMap::new())
    }

    /// The same as if some beads had these lines.
    pub fn lost_beside(&self, given: &BTreeMap<String, Vec<u8>>) -> Result<Losses, StoreError> {
        let snapshot = self.snapshot()?;
        let text = history::local(&self.paths)?;
        let journal = journal::decode(&snapshot.source.whole_journal()?);
        let entries = journal.entries.iter();
        let waiting: Vec<Event> = entries.filter_map(|(_, entry)| Event::of(entry)).collect();
        let (lines, mut traces): (Vec<&[u8]>, Vec<Trace<'_>>) = lost::traces(&text).unzip();
        traces.extend(waiting.iter().map(Trace::of));
        let merged = snapshot.source.state.merged.iter();
        traces.extend(merged.map(Trace::of_merge));
        let line = |id: &str| match given.get(id) {
            Some(line) => Asked::Is {
                hash: xxh3_64(line),
                deleted: record::parse(line).is_ok_and(|bead| bead.is_tombstone()),
            },
            None => asked(&snapshot, id),
        };
        let mut lost = lost::lost(&traces, line);
        let mut untold = lost::untold(&traces, line);
        if !untold.is_empty() {
            self.ask_all(&traces, &line, &mut lost, &mut untold)?;
        }
        let mut events = Events {
            read: |at: usize| match lines.get(at) {
                Some(line) => journal::open(line),
                None => waiting.get(at - lines.len()).cloned(),
            },
            opened: HashMap::new(),
        };
        Ok(Losses {
            lacking: events.lacking(lost),
            untold: events.lacking(untold),
        })
    }

    /// The histories of other clones may say of changes of which ours does not tell that they are missing, or that
    /// nothing is.
    fn ask_all(
        &self,
        traces: &[Trace<'_>],
        line: &impl Fn(&str) -> Asked,
        lost: &mut BTreeMap<String, Missing>,
        untold: &mut BTreeMap<String, Missing>,
    ) -> Result<(), StoreError> {
        // Others may have led from one of our lines to what there is now.
        let descent = self.descent(&untold.keys().cloned().collect())?;
        for (id, open) in untold.iter_mut() {
            let Asked::Is { hash, .. } = line(id) else {
                continue;
            };
            let left_out = descent.left_out(id, hash, traces, &open.at);
            if left_out.is_empty() {
                continue;
            }
            open.at.retain(|at| !left_out.contains(at));
            let missing = lost.entry(id.clone()).or_default();
            missing.at.extend(left_out);
            missing.at.sort_unstable();
            missing.at.dedup();
            missing.edited = true;
        }
        untold.retain(|_, open| !open.at.is_empty());
        let events = self.events()?;
        let traces: Vec<Trace<'_>> = events.iter().map(Trace::of).collect();
        let by_all = (lost::lost(&traces, line), lost::untold(&traces, line));
        untold.retain(|id, _| by_all.0.contains_key(id) || by_all.1.contains_key(id));
        Ok(())
    }
}

/// Events by their numbers. One may be about thousands of beads, and is read once.
struct Events<R> {
    read: R,
    opened: HashMap<usize, (Event, HashMap<String, Difference>)>,
}

impl<R: Fn(usize) -> Option<Event>> Events<R> {
    /// What these beads lack, each event only as far as it is about that bead.
    fn lacking(&mut self, found: BTreeMap<String, Missing>) -> BTreeMap<String, Lacking> {
        let mut lacking = BTreeMap::new();
        for (id, missing) in found {
            let mut events = Vec::new();
            for at in missing.at {
                let read = &self.read;
                let opened = self.opened.entry(at);
                let (whole, changes) = opened.or_insert_with(|| by_id(read(at)));
                let own = changes.get(&id).cloned();
                events.extend(own.map(|own| Event {
                    changes: vec![own],
                    ..whole.clone()
                }));
            }
            let edited = missing.edited;
            lacking.insert(id, Lacking { events, edited });
        }
        lacking
    }
}

/// The changes of an event by the ids of their beads, apart from it.
fn by_id(event: Option<Event>) -> (Event, HashMap<String, Difference>) {
    let mut event = event.unwrap_or_default();
    let changes = std::mem::take(&mut event.changes).into_iter();
    let changes = changes.map(|change| (change.id.clone(), change)).collect();
    (event, changes)
}

/// A bead's line now, with the journal over the files.
fn asked(snapshot: &Snapshot, id: &str) -> Asked {
    let Some(head) = snapshot.head(id) else {
        return Asked::Gone;
    };
    let line = match head.node() {
        Node::Row(at) => snapshot
            .index
            .row(at)
            .map(|row| (row.hash, home_of(row.file))),
        Node::Own(slot) => {
            let own = snapshot.slots.get(slot as usize);
            own.map(|own| (own.hash, own.home))
        }
    };
    match line {
        Some((hash, Home::Issues)) => Asked::Is {
            hash,
            deleted: head.is_tombstone(),
        },
        _ => Asked::Gone,
    }
}
