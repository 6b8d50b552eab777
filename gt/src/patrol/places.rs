//! Rule P8: removes the places that an engine made for workers, after their work.

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::place::engine::find_unneeded_places;
use crate::record::town_view::TownView;
use crate::town::TownLayout;

/// Returns the places that no worker needs. Those of a rig whose beads cannot be read stay.
pub(super) fn facts(layout: &TownLayout, view: &TownView) -> Vec<String> {
    find_unneeded_places(layout, |rig| {
        let is_unreadable = view.stores.unreadable.iter().any(|(name, _)| name == rig);
        (!is_unreadable).then(|| view.polecats_of(rig))
    })
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
