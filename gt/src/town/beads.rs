//! Combines the town's store and the rigs' stores: finds the store of a bead, and the prefix of a
//! rig.
//!
//! An operation across two stores writes to the rig's store first. The next patrol recomputes what
//! the town's store records about the work.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use bd::bead::{Bead, DepKind};
use bd::store::{BeadRef, Snapshot, Store};
use jiff::Timestamp;

use crate::town::hold::{self, EmergencyStop, Hold};
use crate::town::queue_pause::QueuePause;
use crate::town::target_loss::TargetLoss;
use crate::town::{Rig, Town};

/// The store of a bead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeadsHome {
    /// The town's own beads.
    Town,
    Rig(String),
}

impl fmt::Display for BeadsHome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Town => f.write_str("the town"),
            Self::Rig(rig) => write!(f, "rig {rig}"),
        }
    }
}

/// A store whose file git rolled back, with changes that the user has not decided about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreRollback {
    pub home: BeadsHome,
    /// The folder in which to run `bd`.
    pub folder: PathBuf,
    /// The beads with rolled-back changes.
    pub beads: BTreeSet<String>,
    /// A description in one sentence.
    pub what: String,
}

impl StoreRollback {
    /// Returns the rollback of a store. Costs one check for a file if there is none.
    fn find(home: BeadsHome, store: &Store) -> Option<Self> {
        if !store.may_have_rolled_back() {
            return None;
        }
        let (beads, what) = match store.rolled_back() {
            Ok(left) if left.is_empty() => return None,
            Ok(left) => {
                let beads: BTreeSet<String> = left.into_iter().map(|bead| bead.id).collect();
                let count = kit::ui::counted(beads.len(), "bead");
                let file = store.issues_file();
                let what = format!(
                    "{} was rolled back, and changes to {count} are no longer in it",
                    file.display()
                );
                (beads, what)
            }
            Err(error) => (BTreeSet::new(), error.to_string()),
        };
        let folder = store.dir().parent().unwrap_or(store.dir()).to_owned();
        Some(Self {
            home,
            folder,
            beads,
            what,
        })
    }

    /// Returns the commands, each of which decides about the changes.
    pub fn next_steps(&self) -> [String; 2] {
        let folder = self.folder.display();
        ["--lost", "--discard"].map(|how| format!("bd -C {folder} restore {how}"))
    }
}

/// No store of the town has the bead.
#[derive(Debug, thiserror::Error)]
#[error("bead not found in this town: \"{id}\"")]
pub struct UnknownBead {
    pub id: String,
}

/// A bead with its store.
pub struct FoundBead {
    pub home: BeadsHome,
    pub store: Store,
    pub bead: Bead,
}

/// All stores of a town, each read once.
pub struct TownStores {
    pub town: Snapshot,
    /// The rigs' beads by rig. A rig with an unreadable store is left out and named in
    /// `unreadable`.
    pub rigs: BTreeMap<String, Snapshot>,
    /// The rigs with unreadable beads, with the reason.
    pub unreadable: BTreeMap<String, String>,
    /// The stores with a rollback.
    pub rollbacks: Vec<StoreRollback>,
    /// The rigs in which nothing is started, with the reason.
    pub holds: BTreeMap<String, Hold>,
    /// The rigs whose merge queue is paused.
    pub queue_pauses: BTreeMap<String, QueuePause>,
    /// The merges that targets of the rigs have lost, and that need a user.
    pub target_losses: BTreeMap<String, Vec<TargetLoss>>,
    /// The emergency stop, if the town is stopped.
    pub stopped: Option<EmergencyStop>,
}

impl TownStores {
    /// Returns the names of all rigs, with and without readable beads.
    pub fn rig_names(&self) -> impl Iterator<Item = &str> {
        let names: BTreeSet<&String> = self.rigs.keys().chain(self.unreadable.keys()).collect();
        names.into_iter().map(String::as_str)
    }
}

impl Town {
    /// Returns the prefix of a rig's beads without hyphen: from its route, otherwise from the
    /// registry, otherwise `gt`.
    pub fn prefix_of_rig(&self, rig: &str) -> String {
        let routes = bd::store::Routes::load(&self.layout.beads());
        let inside = format!("{rig}/");
        routes
            .all()
            .iter()
            .find(|route| route.path == rig || route.path.starts_with(&inside))
            .map(|route| route.prefix.trim_end_matches('-').to_owned())
            .or_else(|| {
                let entry = self.read_registry().ok()?.rigs.remove(rig)?;
                Some(entry.beads?.prefix).filter(|prefix| !prefix.is_empty())
            })
            .unwrap_or_else(|| "gt".to_owned())
    }

    /// Finds a bead in any store: first in the one that its prefix routes to, then in all others.
    pub fn find_bead(&self, id: &str) -> anyhow::Result<FoundBead> {
        let id = strip_external(id);
        let mut homes: Vec<BeadsHome> = self
            .list_rigs()?
            .iter()
            .map(|rig| BeadsHome::Rig(rig.name().into()))
            .collect();
        homes.insert(0, BeadsHome::Town);
        homes.sort_by_key(|home| match home {
            BeadsHome::Town => !id.starts_with("hq-"),
            BeadsHome::Rig(rig) => !id.starts_with(&format!("{}-", self.prefix_of_rig(rig))),
        });
        for home in homes {
            // A store that cannot be opened must not hide the beads of the others.
            let Ok(store) = self.open_store_at(&home) else {
                continue;
            };
            let snapshot = store.snapshot()?;
            if let Some(bead) = snapshot.get(id).filter(|bead| !bead.is_tombstone()) {
                let bead = bead.clone();
                return Ok(FoundBead { home, store, bead });
            }
        }
        Err(UnknownBead { id: id.to_owned() }.into())
    }

    /// Opens the store of a home.
    pub fn open_store_at(&self, home: &BeadsHome) -> anyhow::Result<Store> {
        match home {
            BeadsHome::Town => self.open_town_store(),
            BeadsHome::Rig(rig) => self.rig(rig).store(),
        }
    }

    /// Reads the durable beads of every store at an instant, from their history. Holds, pauses and
    /// rollbacks of that time are unknown.
    pub fn read_stores_at(&self, at: Timestamp) -> anyhow::Result<TownStores> {
        let mut stores = TownStores {
            town: self.open_town_store()?.snapshot_at(at)?,
            rigs: BTreeMap::new(),
            unreadable: BTreeMap::new(),
            rollbacks: Vec::new(),
            holds: BTreeMap::new(),
            queue_pauses: BTreeMap::new(),
            target_losses: BTreeMap::new(),
            stopped: None,
        };
        for rig in self.list_rigs()? {
            let name = rig.name().to_owned();
            let read = rig.store().and_then(|store| Ok(store.snapshot_at(at)?));
            match read {
                Ok(snapshot) => drop(stores.rigs.insert(name, snapshot)),
                Err(error) => drop(stores.unreadable.insert(name, format!("{error:#}"))),
            }
        }
        Ok(stores)
    }

    /// Reads every store once.
    pub fn read_stores(&self) -> anyhow::Result<TownStores> {
        let town_store = self.open_town_store()?;
        let mut stores = TownStores {
            town: town_store.snapshot()?,
            rigs: BTreeMap::new(),
            unreadable: BTreeMap::new(),
            rollbacks: StoreRollback::find(BeadsHome::Town, &town_store)
                .into_iter()
                .collect(),
            holds: BTreeMap::new(),
            queue_pauses: BTreeMap::new(),
            target_losses: BTreeMap::new(),
            stopped: EmergencyStop::load(&self.layout),
        };
        for rig in self.list_rigs()? {
            let name = rig.name().to_owned();
            match read_rig(&rig) {
                Ok((snapshot, rollback)) => {
                    stores.rigs.insert(name, snapshot);
                    stores.rollbacks.extend(rollback);
                }
                Err(error) => drop(stores.unreadable.insert(name, format!("{error:#}"))),
            }
            let beads = stores.rigs.get(rig.name());
            let hold = hold::find_hold_in(&rig, beads, stores.stopped.as_ref());
            let held = hold.map(|hold| (rig.name().to_owned(), hold));
            stores.holds.extend(held);
            // The next fetch of the queue reports a file that cannot be read.
            let mut losses = TargetLoss::load(&rig).unwrap_or_else(|_| Vec::new());
            losses.retain(TargetLoss::is_open);
            if !losses.is_empty() {
                stores.target_losses.insert(rig.name().to_owned(), losses);
            }
            let pause = QueuePause::load(&rig).map(|pause| (rig.name().to_owned(), pause));
            stores.queue_pauses.extend(pause);
        }
        Ok(stores)
    }
}

fn read_rig(rig: &Rig) -> anyhow::Result<(Snapshot, Option<StoreRollback>)> {
    let store = rig.store()?;
    let snapshot = store.snapshot()?;
    let home = BeadsHome::Rig(rig.name().to_owned());
    Ok((snapshot, StoreRollback::find(home, &store)))
}

impl TownStores {
    /// Returns a bead of any store, by its id or an external reference to it.
    pub fn get(&self, id: &str) -> Option<&Bead> {
        let id = strip_external(id);
        std::iter::once(&self.town)
            .chain(self.rigs.values())
            .find_map(|store| store.get(id))
    }

    /// Returns the index entry of a bead without reading the bead.
    pub fn find_ref(&self, id: &str) -> Option<BeadRef<'_>> {
        let id = strip_external(id);
        std::iter::once(&self.town)
            .chain(self.rigs.values())
            .find_map(|store| store.bead_ref(id))
    }

    /// Returns the open beads of other stores that a bead's `blocks` edges name, and those of
    /// unreadable rigs.
    pub fn external_blockers(&self, bead: &Bead) -> Vec<String> {
        bead.edges(&DepKind::Blocks)
            .filter(|edge| edge.is_external())
            .filter(|edge| match self.find_ref(&edge.depends_on_id) {
                Some(blocker) => blocker.is_open(),
                None => edge
                    .depends_on_id
                    .split(':')
                    .nth(1)
                    .is_some_and(|rig| self.unreadable.contains_key(rig)),
            })
            .map(|edge| strip_external(&edge.depends_on_id).to_owned())
            .collect()
    }

    /// Returns the rig that has a bead.
    pub fn rig_of(&self, id: &str) -> Option<&str> {
        let id = strip_external(id);
        self.rigs
            .iter()
            .find(|(_, store)| store.get(id).is_some())
            .map(|(rig, _)| rig.as_str())
    }
}

/// Returns the id in `external:<project>:<id>`, or the text itself.
pub fn strip_external(reference: &str) -> &str {
    match reference
        .strip_prefix("external:")
        .and_then(|rest| rest.split_once(':'))
    {
        Some((_, id)) => id,
        None => reference,
    }
}

/// Returns the reference to a bead of another store in the town's store: `external:<a-b>:<id>` with
/// the first two hyphen segments. Town beads and ids without a hyphen stay unchanged.
pub fn external_ref(id: &str) -> String {
    let mut segments = id.splitn(3, '-');
    match (segments.next(), segments.next()) {
        (Some("hq"), _) | (_, None) => id.to_owned(),
        (Some(first), Some(second)) => format!("external:{first}-{second}:{id}"),
        (None, _) => id.to_owned(),
    }
}

/// Returns true if a path of the repository is a beads file, or has the name of the beads folder as
/// a link, a file or a submodule.
pub(crate) fn is_beads_file(file: &str) -> bool {
    file.split('/').next() == Some(".beads")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn external_references_round_trip() {
        assert_eq!(external_ref("gt-mol-abc"), "external:gt-mol:gt-mol-abc");
        assert_eq!(external_ref("foo-bar"), "external:foo-bar:foo-bar");
        assert_eq!(external_ref("orphan"), "orphan");
        assert_eq!(external_ref("hq-12"), "hq-12");
        for id in ["gt-mol-abc", "foo-bar", "orphan", "hq-12", ""] {
            assert_eq!(strip_external(&external_ref(id)), id);
        }
    }
}
