//! Landing: once every tracked change is on its target the convoy closes, and its subscribers hear of it,
//! both in one transaction of the town's store. The mails' ids follow from convoy, landing and recipient,
//! so that no crash or second observer makes a second mail.

use bd::bead::{Bead, Status};
use bd::git::Git;
use serde::Serialize;
use serde_json::{Value, json};

use super::progress::{Board, Progress};
use crate::discovery;
use crate::identity::Address;
use crate::mail;
use crate::town::Town;
use crate::town_hook;

/// A convoy that landed just now.
#[derive(Debug, Clone, Serialize)]
pub struct Landed {
    /// The convoy.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Who was told.
    pub told: Vec<String>,
}

/// Looks at every open convoy, or at one, and lands those whose tracked work is all done. A convoy that
/// tracks nothing never lands.
pub fn check(town: &Town, only: Option<&str>) -> anyhow::Result<Vec<Landed>> {
    let stores = town.stores()?;
    let board = Board::of(&stores);
    let ready: Vec<Progress> = super::list(&stores.town, false)
        .into_iter()
        .filter(|convoy| only.is_none_or(|id| id == convoy.id))
        .map(|convoy| board.progress(convoy))
        .filter(Progress::is_done)
        .collect();
    let mut landed = Vec::new();
    for progress in ready {
        let judged: Vec<&str> = progress.tracked.iter().map(|bead| &*bead.id).collect();
        landed.extend(land(town, &progress.id, &judged)?);
    }
    Ok(landed)
}

/// Closes the convoy and writes the mails. Whoever comes second finds it closed and does nothing; a convoy
/// that tracks something else by now than what was judged is left for the next look.
fn land(town: &Town, id: &str, judged: &[&str]) -> anyhow::Result<Option<Landed>> {
    let store = town.store()?;
    let landed = town.transact(&store, |tx| {
        let mut convoy = super::create::find(tx, id)?;
        if !convoy.is_open() || !super::tracked_ids(&convoy).eq(judged.iter().copied()) {
            return Ok(None);
        }
        let now = tx.now();
        let number = landings(&convoy) + 1;
        convoy.status = Status::Closed;
        convoy.closed_at = Some(now.clone());
        convoy.updated_at = now;
        convoy.close_reason = "All tracked issues completed".to_owned();
        convoy.set_metadata("landings", number)?;
        let told = subscribers(town, &convoy);
        for address in &told {
            let letter = mail::Letter {
                to: address.clone(),
                from: Address::Deacon.mailbox(),
                subject: format!("🚚 Convoy landed: {}", convoy.title),
                body: letter_text(&convoy),
                operation: Some(format!("landing:{id}:{number}")),
                ..mail::Letter::default()
            };
            mail::write(tx, &letter)?;
        }
        let title = convoy.title.clone();
        tx.put(convoy)?;
        Ok(Some(Landed {
            id: id.to_owned(),
            title,
            told,
        }))
    })?;
    if let Some(landed) = &landed {
        town.tell(
            "convoy_landed",
            json!({ "convoy": landed.id, "told": landed.told }),
        );
        let call = town_hook::Call {
            convoy: landed.title.clone(),
            issues: judged.iter().map(|&id| id.to_owned()).collect(),
            more: vec![("GT_CONVOY_ID", landed.id.clone())],
            about: vec![("convoy", landed.id.clone())],
            ..town_hook::Call::default()
        };
        town_hook::notify(town, town_hook::Event::PostLanding, &call);
        forget_documents(town, id)?;
    }
    Ok(landed)
}

/// Removes the discovery documents of a convoy that has landed. A landing that is killed before it gets here
/// leaves them to the next sling in that rig.
fn forget_documents(town: &Town, id: &str) -> anyhow::Result<()> {
    for rig in town.rigs()? {
        if !rig.repo().is_dir() {
            continue;
        }
        if let Some(commit) = discovery::forget(&Git::at(rig.repo()), id)? {
            let payload = json!({ "convoy": id, "rig": rig.name(), "commit": commit });
            town.tell("discovery_removed", payload);
        }
    }
    Ok(())
}

/// Each distinct address of the convoy's `Owner:` and `Notify:` lines.
fn subscribers(town: &Town, convoy: &Bead) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for key in ["Owner", "Notify"] {
        for text in super::addresses(convoy, key) {
            let address = town
                .address(text)
                .map_or_else(|_| text.to_owned(), |a| a.mailbox());
            if !told.contains(&address) {
                told.push(address);
            }
        }
    }
    told
}

fn letter_text(convoy: &Bead) -> String {
    let beads: Vec<String> = super::tracked_ids(convoy)
        .map(|id| format!("- {id}"))
        .collect();
    format!(
        "Every tracked change of {} is on its target.\n\n{}",
        convoy.id,
        beads.join("\n")
    )
}

/// How often a convoy has landed.
pub(super) fn landings(convoy: &Bead) -> u64 {
    convoy
        .metadata_object()
        .get("landings")
        .and_then(Value::as_u64)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::testing::Place;

    #[test]
    fn a_convoy_to_which_work_was_added_after_the_look_does_not_land() {
        let place = Place::new();
        let town = &place.town;
        let store = town.store().unwrap();
        for id in ["hq-one", "hq-two"] {
            let bead = Bead {
                id: id.to_owned(),
                title: id.to_owned(),
                ..Bead::default()
            };
            town.transact(&store, |tx| Ok(tx.put(bead.clone())?))
                .unwrap();
        }
        let new = super::super::New {
            title: "C".to_owned(),
            beads: vec!["hq-one".to_owned()],
            ..super::super::New::default()
        };
        let id = super::super::create(town, &new).unwrap().id;
        super::super::add(town, &id, &["hq-two".to_owned()]).unwrap();
        assert!(land(town, &id, &["hq-one"]).unwrap().is_none());
        assert!(land(town, &id, &["hq-one", "hq-two"]).unwrap().is_some());
        assert!(land(town, &id, &["hq-one", "hq-two"]).unwrap().is_none());
    }
}
