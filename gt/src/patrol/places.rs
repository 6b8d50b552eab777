//! Rule P8: removes the places that an engine made for workers, after their work.

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::agent::seance::transcript::far::take_transcripts;
use crate::flow::place::engine::{find_unneeded_places, remove_unneeded_place};
use crate::host::LiveTown;
use crate::host::far::{find_place_end, load_place};
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::identity::Address;

/// Returns the places that no worker needs. Those of a rig whose beads cannot be read stay.
pub(super) fn facts(layout: &TownLayout, view: &TownView) -> Vec<String> {
    find_unneeded_places(layout, |rig| {
        let is_unreadable = view.stores.unreadable.iter().any(|(name, _)| name == rig);
        (!is_unreadable).then(|| view.polecats_of(rig))
    })
}

/// Removes a place with what it cost. Costs are no reason to keep it.
pub(super) fn remove_place(town: &LiveTown, name: &str) -> anyhow::Result<Option<String>> {
    if let Some((_, place)) = load_place(&town.layout, name)?
        && let Some(worker) = &place.worker
        && find_place_end(&town.layout, name).is_none()
    {
        let agent = Address::Polecat(worker.rig.to_string(), worker.name.clone());
        take_transcripts(&town.env, town.layout.root(), &agent, name).ok();
    }
    remove_unneeded_place(town, name)
}

/// P8: each is removed.
pub(super) fn decide(facts: &[String]) -> Vec<Decision> {
    facts
        .iter()
        .map(|place| Decision {
            rule: rule::P8_REMOVE_PLACE,
            saw: format!("no worker needs {place}"),
            action: Action::RemovePlace {
                place: place.clone(),
            },
        })
        .collect()
}
