//! The town's store and the rigs' stores together: which store holds a bead, and what its prefix is.
//!
//! Where an operation spans two stores the truth about work is written in the rig's store first; what the
//! town's store says about it is recomputed by the next patrol.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use bd::bead::{Bead, DepKind};
use bd::store::{BeadRef, Snapshot, Store};

use crate::town::{RigLayout, Town};

/// Where a bead lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeadsHome {
    /// In the town's own beads.
    Town,
    /// In a rig's beads.
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

/// A store whose file was taken back to an older state, where nobody has decided yet what becomes of the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreRollback {
    /// Whose store.
    pub home: BeadsHome,
    /// The folder to run `bd` in.
    pub folder: PathBuf,
    /// The beads whose changes are gone.
    pub beads: BTreeSet<String>,
    /// What happened, in a sentence.
    pub what: String,
}

impl StoreRollback {
    /// What a store has to report; looks for one file where that is nothing.
    fn find(home: BeadsHome, store: &Store) -> Option<Self> {
        if !store.may_have_rolled_back() {
            return None;
        }
        let (beads, what) = match store.rolled_back() {
            Ok(left) if left.is_empty() => return None,
            Ok(left) => {
                let beads: BTreeSet<String> = left.into_iter().map(|one| one.id).collect();
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

    /// The commands, one of which decides.
    pub fn next_steps(&self) -> [String; 2] {
        let folder = self.folder.display();
        ["--lost", "--discard"].map(|how| format!("bd -C {folder} restore {how}"))
    }
}

/// No store of the town holds such a bead.
#[derive(Debug, thiserror::Error)]
#[error("no issue found matching \"{id}\" in this town: bead not found")]
pub struct UnknownBead {
    /// What was asked for.
    pub id: String,
}

/// A bead with the store that holds it.
pub struct FoundBead {
    /// Where it lives.
    pub home: BeadsHome,
    /// The store that holds it.
    pub store: Store,
    /// As it is now.
    pub bead: Bead,
}

/// All stores of a town, each read once.
pub struct TownStores {
    /// The town's own beads.
    pub town: Snapshot,
    /// The rigs' beads by rig. A rig whose store cannot be read is left out and named in `unreadable`.
    pub rigs: BTreeMap<String, Snapshot>,
    /// Rigs whose beads could not be read, with the reason.
    pub unreadable: BTreeMap<String, String>,
    /// Stores whose file was rolled back.
    pub rollbacks: Vec<StoreRollback>,
}

impl Town {
    /// The prefix of a rig's beads without hyphen: of its route, else of the registry, else `gt`.
    pub fn prefix_of_rig(&self, rig: &str) -> String {
        let routes = bd::store::Routes::load(&self.layout.beads());
        let inside = format!("{rig}/");
        let by_route = routes
            .all()
            .iter()
            .find(|route| route.path == rig || route.path.starts_with(&inside))
            .map(|route| route.prefix.trim_end_matches('-').to_owned());
        by_route
            .or_else(|| {
                let entry = self.read_registry().ok()?.rigs.remove(rig)?;
                Some(entry.beads?.prefix).filter(|prefix| !prefix.is_empty())
            })
            .unwrap_or_else(|| "gt".to_owned())
    }

    /// Finds a bead in any store: the one its prefix routes to first, then all others.
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

    /// The store of a home.
    pub fn open_store_at(&self, home: &BeadsHome) -> anyhow::Result<Store> {
        match home {
            BeadsHome::Town => self.open_town_store(),
            BeadsHome::Rig(rig) => self.open_rig_store(&self.layout.rig(rig)),
        }
    }

    /// Reads every store once.
    pub fn read_stores(&self) -> anyhow::Result<TownStores> {
        let own = self.open_town_store()?;
        let mut stores = TownStores {
            town: own.snapshot()?,
            rigs: BTreeMap::new(),
            unreadable: BTreeMap::new(),
            rollbacks: StoreRollback::find(BeadsHome::Town, &own)
                .into_iter()
                .collect(),
        };
        for rig in self.list_rigs()? {
            let name = rig.name().to_owned();
            match self.read_rig(&rig) {
                Ok((snapshot, rollback)) => {
                    stores.rigs.insert(name, snapshot);
                    stores.rollbacks.extend(rollback);
                }
                Err(error) => drop(stores.unreadable.insert(name, format!("{error:#}"))),
            }
        }
        Ok(stores)
    }

    fn read_rig(&self, rig: &RigLayout) -> anyhow::Result<(Snapshot, Option<StoreRollback>)> {
        let store = self.open_rig_store(rig)?;
        let snapshot = store.snapshot()?;
        let home = BeadsHome::Rig(rig.name().to_owned());
        Ok((snapshot, StoreRollback::find(home, &store)))
    }
}

impl TownStores {
    /// A bead of any store, by its id or an external reference to it.
    pub fn get(&self, id: &str) -> Option<&Bead> {
        let id = strip_external(id);
        std::iter::once(&self.town)
            .chain(self.rigs.values())
            .find_map(|store| store.get(id))
    }

    /// What the index of its store knows of a bead, without reading it.
    pub fn find_ref(&self, id: &str) -> Option<BeadRef<'_>> {
        let id = strip_external(id);
        std::iter::once(&self.town)
            .chain(self.rigs.values())
            .find_map(|store| store.bead_ref(id))
    }

    /// The open beads of other stores that a bead's `blocks` edges name, and those of rigs that cannot be read.
    pub fn external_blockers(&self, bead: &Bead) -> Vec<String> {
        let edges = bead.edges(&DepKind::Blocks);
        let targets = edges.filter(|edge| edge.is_external());
        targets
            .filter(|edge| match self.find_ref(&edge.depends_on_id) {
                Some(head) => head.is_open(),
                None => {
                    let rig = edge.depends_on_id.split(':').nth(1).unwrap_or_default();
                    self.unreadable.contains_key(rig)
                }
            })
            .map(|edge| strip_external(&edge.depends_on_id).to_owned())
            .collect()
    }

    /// The rig that holds a bead.
    pub fn rig_of(&self, id: &str) -> Option<&str> {
        let id = strip_external(id);
        self.rigs
            .iter()
            .find(|(_, store)| store.get(id).is_some())
            .map(|(rig, _)| rig.as_str())
    }
}

/// The id in `external:<project>:<id>`, or the text itself.
pub fn strip_external(reference: &str) -> &str {
    match reference
        .strip_prefix("external:")
        .and_then(|rest| rest.split_once(':'))
    {
        Some((_, id)) => id,
        None => reference,
    }
}

/// The reference under which the town's store names a bead of another store: `external:<a-b>:<id>` with
/// the first two hyphen segments; town beads and ids without a hyphen stay as they are.
pub fn external_ref(id: &str) -> String {
    let mut segments = id.splitn(3, '-');
    match (segments.next(), segments.next()) {
        (Some("hq"), _) | (_, None) => id.to_owned(),
        (Some(first), Some(second)) => format!("external:{first}-{second}:{id}"),
        (None, _) => id.to_owned(),
    }
}

/// Whether a file of the repository holds beads, or has the name of their folder: as a link, a file or a submodule.
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
