//! Explains a thing for `gt why`: its current state and the next steps (`conclusion`), the last
//! rule that acted on it, and the events that name it.
//!
//! A name that nothing in the town has is an error that lists the searched stores and similar
//! names. A thing without events is no error.

mod conclusion;

use std::collections::BTreeSet;

use bd::store::Snapshot;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::flow::townwide::plugin::load_plugins;
use crate::host::LiveTown;
use crate::record::plugin::PluginError;
use crate::record::polecat::PolecatIds;
use crate::record::town_view::TownView;
use crate::town::Town;
use crate::town::beads::TownStores;
use crate::town::event::{self, EventLine};
use crate::town::identity::Address;
use crate::view::feed;
use crate::view::past;
use crate::view::plugin::explain_plugin;

/// The maximum number of names that an error proposes.
const MAX_PROPOSALS: usize = 3;
/// The maximum edit distance of a proposed name.
const MAX_EDIT_DISTANCE: usize = 2;

/// The explanation of a thing.
#[derive(Debug, Default, Serialize)]
pub struct Explanation {
    /// The instant that is explained, if it is not the present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The state, the most important line first.
    pub now: Vec<String>,
    /// Commands, each of which advances it.
    pub next_steps: Vec<String>,
    /// The last rule that acted on it, with the time and the facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The events that name it, oldest first.
    pub events: Vec<EventLine>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "nothing here is called `{what}`: no event names it, and it is no rig, agent or plugin and no bead {}{}: not found",
    describe_searched(stores),
    describe_similar(near)
)]
pub struct UnknownName {
    pub what: String,
    /// The stores that were searched.
    pub stores: Vec<String>,
    /// Similar ids.
    pub near: Vec<String>,
}

fn describe_searched(stores: &[String]) -> String {
    format!("among those of {}", stores.join(", "))
}

fn describe_similar(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!(" (did you mean {}?)", near.join(", ")),
    }
}

/// Explains a bead, convoy, merge request, agent, rig or plugin.
pub fn explain_name(town: &LiveTown, what: &str) -> anyhow::Result<Explanation> {
    let mut events = event::read_events_about(&town.layout, &feed::resolve_actor(town, what))?;
    remove_missing_refs(town, &mut events)?;
    let view = TownView::read(town)?;
    let mut found = conclusion::explain_state(town, &view, what, &events);
    if found.now.is_empty() {
        match load_plugins(town)?.find(what, town.actor.rig()) {
            Ok(plugin) => {
                events = event::read_events_about(&town.layout, &plugin.key())?;
                let explained = explain_plugin(town, plugin)?;
                (found.now, found.next_steps) = (explained.now, explained.next_steps);
            }
            Err(PluginError::Unknown { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if events.is_empty() && found.now.is_empty() && !is_known_name(town, what)? {
        return Err(build_unknown_error(&view.stores, what).into());
    }
    remove_repeated(&mut found.next_steps);
    found.rule = describe_last_rule(&events, view.now);
    found.events = events;
    Ok(found)
}

/// Explains a bead, convoy, merge request or agent at an instant, from the events until then and
/// the history of beads.
pub fn explain_name_at(town: &Town, what: &str, at: Timestamp) -> anyhow::Result<Explanation> {
    let stores = town.read_stores_at(at)?;
    let mut events = event::read_events_about(&town.layout, &feed::resolve_actor(town, what))?;
    events.retain(|line| line.ts.parse().is_ok_and(|then: Timestamp| then <= at));
    let now = past::describe_past_state(town, &stores, what);
    anyhow::ensure!(
        !(now.is_empty() && events.is_empty()),
        "no event until then names `{}`, and no bead had the name: not found",
        kit::ui::escape::escape_line(what)
    );
    Ok(Explanation {
        at: Some(at),
        now,
        next_steps: Vec::new(),
        rule: describe_last_rule(&events, at),
        events,
    })
}

/// Removes next steps that several reasons name: the first one stays.
fn remove_repeated(steps: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    steps.retain(|step| seen.insert(step.clone()));
}

/// Describes the last rule that acted, with the time before `now`.
fn describe_last_rule(events: &[EventLine], now: Timestamp) -> Option<String> {
    let acted = events.iter().rev().find(|line| line.kind == "patrol");
    acted.map(|line| {
        let [rule, saw] =
            ["rule", "saw"].map(|key| line.payload.get(key).and_then(Value::as_str).unwrap_or(""));
        let ago = line.ts.parse().map_or_else(
            |_| line.ts.clone(),
            |then| kit::ui::time::format_ago(now, then),
        );
        format!("{rule} acted {ago}: {saw}")
    })
}

/// Removes the names of missing polecat refs from events: pruned snapshots and dropped rescues.
fn remove_missing_refs(town: &Town, events: &mut [EventLine]) -> anyhow::Result<()> {
    for rig in town.list_rigs()? {
        let ours =
            ["rescue", "snap"].map(|kind| format!("refs/gt/{kind}/{}/polecats/", rig.name()));
        let is_ours = |value: &Value| {
            let name = value.as_str().unwrap_or("");
            ours.iter().any(|folder| name.starts_with(folder))
        };
        if !events.iter().any(|line| line.payload.values().any(is_ours)) {
            continue;
        }
        let git = rig.git();
        let refs = git
            .plumbing(["for-each-ref", "--format=%(refname)"])
            .args(&ours);
        let Ok(there) = refs.text() else {
            continue;
        };
        let there: BTreeSet<&str> = there.lines().collect();
        for line in events.iter_mut() {
            line.payload.retain(|_, value| {
                !is_ours(value) || value.as_str().is_some_and(|name| there.contains(name))
            });
        }
    }
    Ok(())
}

/// Returns true if anything in the town has this name.
fn is_known_name(town: &Town, what: &str) -> anyhow::Result<bool> {
    if town.list_rigs()?.iter().any(|rig| rig.name() == what) {
        return Ok(true);
    }
    let stores = town.read_stores()?;
    let town_addresses = [
        Address::Mayor,
        Address::Deacon,
        Address::Boot,
        Address::Overseer,
    ];
    let is_agent = match town.parse_address(what) {
        Ok(address) if town_addresses.contains(&address) => true,
        Ok(Address::Polecat(rig, name)) => {
            let id = PolecatIds::for_polecat(&town.rig(&rig), &name).agent;
            stores.get(&id).is_some()
        }
        Ok(address @ Address::Crew(..)) => crate::town::agent_home(town, &address).is_dir(),
        _ => false,
    };
    Ok(is_agent
        || std::iter::once(&stores.town)
            .chain(stores.rigs.values())
            .any(|beads| beads.is_taken(what)))
}

fn build_unknown_error(stores: &TownStores, what: &str) -> UnknownName {
    let rigs = stores.rigs.keys().map(|rig| format!("rig {rig}"));
    let mut near: Vec<(usize, String)> = std::iter::once(&stores.town)
        .chain(stores.rigs.values())
        .flat_map(|beads| find_similar(beads, what))
        .collect();
    near.sort();
    near.truncate(MAX_PROPOSALS);
    UnknownName {
        what: kit::ui::escape::escape_line(what),
        stores: std::iter::once("the town".to_owned()).chain(rigs).collect(),
        near: near.into_iter().map(|(_, id)| id).collect(),
    }
}

/// Returns the ids of a store that are similar to this one, each with its edit distance.
fn find_similar(beads: &Snapshot, what: &str) -> Vec<(usize, String)> {
    let part = beads.resolve(what).ok().map(|bead| (0, bead.id.clone()));
    let close = beads
        .bead_refs()
        .filter(|bead| !bead.is_tombstone() && !bead.id().contains("-wisp-"))
        .filter_map(|bead| {
            let distance = strsim::levenshtein(bead.id(), what);
            (distance <= MAX_EDIT_DISTANCE).then(|| (distance, bead.id().to_owned()))
        });
    part.into_iter().chain(close).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_reported_with_searched_places_and_similar_names() {
        let error = UnknownName {
            what: "web-k3".to_owned(),
            stores: vec!["the town".to_owned(), "rig web".to_owned()],
            near: vec!["web-k3f".to_owned()],
        };
        assert_eq!(
            error.to_string(),
            "nothing here is called `web-k3`: no event names it, and it is no rig, agent or plugin and no bead among those of \
             the town, rig web (did you mean web-k3f?): not found"
        );
    }

    #[test]
    fn a_next_step_of_several_reasons_is_named_once() {
        let mut steps = ["gt why a", "gt sling b web", "gt why a"]
            .map(str::to_owned)
            .to_vec();
        remove_repeated(&mut steps);
        assert_eq!(steps, ["gt why a", "gt sling b web"]);
    }
}
