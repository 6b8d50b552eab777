//! What `gt why` tells of a thing: the events that name it, and where it stands now, as far as no event says that.
//!
//! What must always hold: a name that nothing in the town has is an error that says where it was looked for, and
//! what has nearly that name. What was only never told of is none.

use bd::bead::Bead;
use bd::store::Snapshot;

use crate::host::LiveTown;
use crate::patrol::PatrolSettings;
use crate::patrol::attention::{self, Attention};
use crate::record::convoy;
use crate::record::escalation::{self, Escalation};
use crate::record::polecat::Ids;
use crate::record::queued_sling;
use crate::record::town_view::TownView;
use crate::town::beads::{BeadsHome, Stores};
use crate::town::event::{self, EventLine};
use crate::town::identity::Address;

/// How many names an error proposes.
const PROPOSED: usize = 3;
/// In how many letters such a name may differ.
const DISTANCE: usize = 2;

/// What is told of a thing.
#[derive(Debug, Default)]
pub struct Explanation {
    /// The events that name it, oldest first.
    pub events: Vec<EventLine>,
    /// Its present state: queued, or with a stuck worker.
    pub now: Vec<String>,
}

/// Nothing in the town has this name.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "nothing here is called `{what}`: no event names it, and it is no rig or agent and no bead {}{}: not found",
    looked(stores),
    proposal(near)
)]
pub struct UnknownName {
    /// What was asked for.
    pub what: String,
    /// Whose beads were looked at.
    pub stores: Vec<String>,
    /// Ids that are nearly the same.
    pub near: Vec<String>,
}

fn looked(stores: &[String]) -> String {
    format!("among those of {}", stores.join(", "))
}

fn proposal(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!(" (did you mean {}?)", near.join(", ")),
    }
}

/// Tells of a bead, convoy, merge request, agent or rig.
pub fn why(town: &LiveTown, what: &str) -> anyhow::Result<Explanation> {
    // Agents are shown as `<rig>/<name>` and recorded by their whole address.
    let address = town.address(what).ok().filter(|_| what.contains('/'));
    let name = address.map_or_else(|| what.to_owned(), |address| address.to_string());
    let events = event::about(&event::read(&town.layout)?, &name);
    let now = now(town, what)?;
    if events.is_empty() && now.is_empty() && !is_known(town, what)? {
        return Err(unknown(&town.stores()?, what).into());
    }
    Ok(Explanation { events, now })
}

/// The present state of a bead that is queued, or whose worker is stuck.
fn now(town: &LiveTown, what: &str) -> anyhow::Result<Vec<String>> {
    let Ok(found) = town.find_bead(what) else {
        return Ok(Vec::new());
    };
    let BeadsHome::Rig(rig) = &found.home else {
        return Ok(of_town(&town.store()?.snapshot()?, &found.bead));
    };
    let (beads, id) = (found.store.snapshot()?, &found.bead.id);
    let mut now = Vec::new();
    let line = queued_sling::queued_slings(&beads);
    if let Some(waiting) = line.iter().find(|waiting| waiting.work_bead_id == *id) {
        now.push(waiting.describe_queued());
        let mut blockers: Vec<String> = bd::graph::blockers(&beads, id)
            .into_iter()
            .map(str::to_owned)
            .collect();
        blockers.extend(town.stores()?.blockers_elsewhere(&found.bead));
        now.push(match blockers.as_slice() {
            [] => {
                format!(
                    "it starts automatically as soon as rig {rig} has a worker that can be started"
                )
            }
            blockers => format!("it waits for {}", blockers.join(", ")),
        });
    }
    let view = TownView::read(town)?;
    let settings = PatrolSettings::load(town, &town.layout.rig(rig));
    let matters = attention::of_rig(&view, rig, &settings).into_iter();
    let is_now = |matter: &Attention| matter.bead == *id && matter.is_due(view.now);
    let workers = view.polecats_of(rig).iter();
    for polecat in workers.filter(|polecat| polecat.hook.as_deref() == Some(id)) {
        let progress = polecat.progress.as_ref();
        let progress = progress.map_or_else(String::new, |progress| {
            format!("; {}", progress.describe(view.now))
        });
        let (word, name) = (polecat.state.word(), &polecat.name);
        now.push(format!("{rig}/{name} is {word}: {}{progress}", polecat.why));
    }
    for matter in matters.filter(is_now) {
        now.push(format!(
            "{}: {}",
            matter.kind.word(),
            first_line(&matter.text)
        ));
        now.extend(
            matter
                .next
                .iter()
                .map(|command| format!("next step: {command}")),
        );
    }
    Ok(now)
}

/// The present state of an escalation, or of a convoy that one blocks.
fn of_town(town: &Snapshot, bead: &Bead) -> Vec<String> {
    if let Some(one) = Escalation::read(bead).filter(Escalation::is_open) {
        let taken = match one.acked_by.as_str() {
            "" => "nobody has acknowledged it".to_owned(),
            by => format!("acknowledged by {by}"),
        };
        let state = format!("{} and open, {taken}", one.severity.word());
        return vec![state, format!("next step: {}", one.next_step())];
    }
    if !convoy::is_convoy(bead) || !bead.is_open() {
        return Vec::new();
    }
    let blocking = escalation::blocking(town, bead);
    let tell = |one: &Escalation| {
        let why = format!("blocked by {}: {}", one.id, one.title);
        [why, format!("next step: {}", one.next_step())]
    };
    blocking.iter().flat_map(tell).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Whether anything in the town has this name.
fn is_known(town: &LiveTown, what: &str) -> anyhow::Result<bool> {
    if town.rigs()?.iter().any(|rig| rig.name() == what) {
        return Ok(true);
    }
    let stores = town.stores()?;
    let own = [
        Address::Mayor,
        Address::Deacon,
        Address::Boot,
        Address::Overseer,
    ];
    let is_agent = match town.address(what) {
        Ok(address) if own.contains(&address) => true,
        Ok(Address::Polecat(rig, name)) => {
            let id = Ids::of(&town.prefix(&rig), &rig, &name).agent;
            stores.get(&id).is_some()
        }
        Ok(address @ Address::Crew(..)) => crate::town::home_of(town, &address).is_dir(),
        _ => false,
    };
    let mut all = std::iter::once(&stores.town).chain(stores.rigs.values());
    Ok(is_agent || all.any(|beads| beads.is_taken(what)))
}

fn unknown(stores: &Stores, what: &str) -> UnknownName {
    let rigs = stores.rigs.keys().map(|rig| format!("rig {rig}"));
    let all = std::iter::once(&stores.town).chain(stores.rigs.values());
    let mut near: Vec<(usize, String)> = all.flat_map(|beads| near(beads, what)).collect();
    near.sort();
    near.truncate(PROPOSED);
    UnknownName {
        what: bd::ui::escape::line(what),
        stores: std::iter::once("the town".to_owned()).chain(rigs).collect(),
        near: near.into_iter().map(|(_, id)| id).collect(),
    }
}

/// The ids of a store that are nearly this one, each with in how many letters.
fn near(beads: &Snapshot, what: &str) -> Vec<(usize, String)> {
    let part = beads.resolve(what).ok().map(|bead| (0, bead.id.clone()));
    let close = beads
        .bead_refs()
        .filter(|head| !head.is_tombstone() && !head.id().contains("-wisp-"));
    let close = close.filter_map(|head| {
        let distance = strsim::levenshtein(head.id(), what);
        (distance <= DISTANCE).then(|| (distance, head.id().to_owned()))
    });
    part.into_iter().chain(close).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_told_with_where_it_was_looked_for_and_what_is_near() {
        let error = UnknownName {
            what: "web-k3".to_owned(),
            stores: vec!["the town".to_owned(), "rig web".to_owned()],
            near: vec!["web-k3f".to_owned()],
        };
        assert_eq!(
            error.to_string(),
            "nothing here is called `web-k3`: no event names it, and it is no rig or agent and no bead among those of \
             the town, rig web (did you mean web-k3f?): not found"
        );
    }
}
