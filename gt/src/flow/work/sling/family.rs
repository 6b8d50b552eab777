//! Slings an epic or a convoy: each of its beads in turn. The children of an epic get a convoy with
//! branches of its own, so that the epic lands as one commit per rig once all of them are done.

use std::collections::BTreeSet;
use std::time::Duration;

use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Kind, Status};
use bd::store::Snapshot;

use super::{SlingProgress, SlingRequest, SlingTurn, begin_sling, rig_of_home};
use crate::flow::work::convoy::{self, NewConvoy, review};
use crate::host::LiveTown;
use crate::record;
use crate::town::Town;
use crate::town::beads::FoundBead;
use crate::town::lock::Lock;

/// The maximum depth of nested epics.
const MAX_DEPTH: usize = 10;

/// The time to wait for another process that creates the convoy of the same epic.
const CONVOY_WAIT: Duration = Duration::from_secs(120);

/// The members of an epic or a convoy.
pub(super) struct BeadFamily {
    /// The open ones, which can be slung.
    pub open: Vec<String>,
    /// All work below the epic. None for a convoy.
    below_epic: Option<Vec<String>>,
}

/// Reads the members of an epic with children or a convoy. Returns `None` for any other bead.
pub(super) fn read_family(town: &Town, found: &FoundBead) -> anyhow::Result<Option<BeadFamily>> {
    if record::convoy::is_convoy(&found.bead) {
        let stores = town.read_stores()?;
        let open = record::convoy::tracked_ids(&found.bead)
            .filter(|id| {
                stores
                    .get(id)
                    .is_some_and(|bead| bead.status == Status::Open)
            })
            .map(str::to_owned)
            .collect();
        return Ok(Some(BeadFamily {
            open,
            below_epic: None,
        }));
    }
    // A molecule that is work itself is done by one worker, step by step.
    if found.bead.issue_type != Kind::Epic || record::molecule::is_molecule_root(&found.bead) {
        return Ok(None);
    }
    let beads = found.store.snapshot()?;
    let below = open_work_below(&beads, &found.bead.id);
    if below.is_empty() {
        return Ok(None);
    }
    Ok(Some(BeadFamily {
        open: below
            .iter()
            .filter(|bead| bead.status == Status::Open)
            .map(|bead| bead.id.clone())
            .collect(),
        below_epic: Some(below.iter().map(|bead| bead.id.clone()).collect()),
    }))
}

/// Returns the beads to sling for an epic with children or a convoy, and `None` for any other bead.
/// Creates the convoy of an epic that has none.
pub fn expand_family(town: &Town, id: &str) -> anyhow::Result<Option<Vec<String>>> {
    let found = town.find_bead(id)?;
    let Some(family) = read_family(town, &found)? else {
        return Ok(None);
    };
    if let Some(below) = &family.below_epic {
        ensure_epic_convoy(town, &found.bead, below)?;
    }
    Ok(Some(family.open))
}

/// Returns the open work below an epic, most urgent first.
fn open_work_below<'a>(beads: &'a Snapshot, epic: &str) -> Vec<&'a Bead> {
    let mut seen = BTreeSet::new();
    let mut found: Vec<&Bead> = Vec::new();
    let mut epics = vec![epic.to_owned()];
    for _ in 0..MAX_DEPTH {
        let mut deeper = Vec::new();
        for epic in epics {
            for child in beads.children_of(&epic) {
                if !child.is_open() || !seen.insert(child.id.clone()) {
                    continue;
                }
                if child.issue_type == Kind::Epic {
                    deeper.push(child.id.clone());
                } else if convoy::is_work(child) {
                    found.push(child);
                }
            }
        }
        epics = deeper;
    }
    found.sort_by_key(|bead| (bead.priority, bead.created_at.instant(), bead.id.clone()));
    found
}

/// Makes the open convoy of an epic track all work below it. Creates the convoy if there is none.
fn ensure_epic_convoy(town: &Town, epic: &Bead, beads: &[String]) -> anyhow::Result<()> {
    // A concurrent sling of the same epic finds the convoy that the first one creates.
    let _held = Lock::take(&town.layout.epic_lock(&epic.id), CONVOY_WAIT)?;
    let convoys = town.open_town_store()?.snapshot()?;
    let open = record::convoy::list_convoys(&convoys, false);
    let epic_convoy = open
        .iter()
        .find(|convoy| record::convoy::epic_of(convoy).as_deref() == Some(&epic.id));
    if let Some(epic_convoy) = epic_convoy {
        let tracked: BTreeSet<&str> = record::convoy::tracked_ids(epic_convoy).collect();
        let new: Vec<String> = beads
            .iter()
            .filter(|id| !tracked.contains(id.as_str()))
            .cloned()
            .collect();
        if !new.is_empty() {
            review::add_reviewed_beads(town, &epic_convoy.id, &new)?;
        }
        return Ok(());
    }
    let new = NewConvoy {
        title: fit_to_title(&epic.title),
        beads: beads.to_vec(),
        about: format!("Work of epic {}", epic.id),
        integration: true,
        epic: Some(epic.id.clone()),
        ..NewConvoy::default()
    };
    let purpose = review::ConvoyPurpose {
        spec: epic.description.clone(),
        then: None,
    };
    review::create_reviewed_convoy(town, &new, purpose).map(drop)
}

/// Claims one bead of a family, in its own rig if no target is named.
pub(super) fn claim_member<'t>(
    town: &'t LiveTown,
    request: &SlingRequest,
    turn: SlingTurn,
) -> anyhow::Result<SlingProgress<'t>> {
    let mut request = request.clone();
    if request.target.is_empty() {
        let found = town.find_bead(&request.bead)?;
        request.target = rig_of_home(&found.home).unwrap_or("").to_owned();
    }
    begin_sling(town, &request, turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn an_epic_slung_several_times_at_once_gets_one_convoy() {
        let place = TestTown::new();
        let town = &place.town;
        let store = town.open_town_store().unwrap();
        let bead = |id: &str, kind: Kind| Bead {
            id: id.to_owned(),
            title: id.to_owned(),
            issue_type: kind,
            ..Bead::default()
        };
        let epic = bead("hq-epic", Kind::Epic);
        for bead in [&epic, &bead("hq-one", Kind::Task)] {
            town.transact(&store, |tx| Ok(tx.put(bead.clone())?))
                .unwrap();
        }
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    start.wait();
                    ensure_epic_convoy(town, &epic, &["hq-one".to_owned()]).unwrap();
                });
            }
        });
        let snapshot = store.snapshot().unwrap();
        assert_eq!(record::convoy::list_convoys(&snapshot, false).len(), 1);
    }
}
