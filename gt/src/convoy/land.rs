//! Landing: once every tracked change is on its target the convoy closes, and its subscribers hear of it,
//! both in one transaction of the town's store. The mails' ids follow from convoy, landing and recipient,
//! so that no crash or second observer makes a second mail.

use std::collections::BTreeMap;

use bd::bead::{Bead, Status};
use bd::git::Git;
use serde::Serialize;
use serde_json::{Value, json};

use super::integration;
use super::progress::{Board, Progress, Standing, Tracked};
use crate::discovery;
use crate::identity::Address;
use crate::mail;
use crate::mq::{self, landing::Landing};
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
    /// The one commit of each rig, for a convoy with branches of its own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub commits: BTreeMap<String, String>,
    /// The beads that it tracks.
    pub beads: Vec<String>,
}

/// Looks at every open convoy and lands those whose tracked work is all done. A convoy that tracks nothing never
/// lands. One whose landing stops keeps no other from landing: that it stopped is in the events.
pub fn check(town: &Town) -> anyhow::Result<Vec<Landed>> {
    let stores = town.stores()?;
    let board = Board::of(&stores);
    let ready: Vec<String> = super::list(&stores.town, false)
        .into_iter()
        .map(|convoy| board.progress(convoy))
        .filter(Progress::is_done)
        .map(|progress| progress.id)
        .collect();
    let mut landed = Vec::new();
    for id in ready {
        match land(town, &id) {
            Ok(Some(Landing::Landed(one))) => landed.push(one),
            Ok(_) => {}
            Err(error) => {
                let reason = format!("{error:#}");
                town.tell("landing_stopped", json!({ "convoy": id, "reason": reason }));
            }
        }
    }
    Ok(landed)
}

/// Lands a convoy whose tracked work is all done: at once, or from branches of its own. `None` where someone else
/// was quicker, or where it tracks something new.
pub fn land(town: &Town, id: &str) -> anyhow::Result<Option<Landing>> {
    let stores = town.stores()?;
    let known = |bead: &&Bead| super::is_convoy(bead) && !bead.is_tombstone();
    let Some(convoy) = stores.town.get(id).filter(known) else {
        return Err(super::create::ConvoyError::Unknown { id: id.to_owned() }.into());
    };
    if !convoy.is_open() {
        return Ok(None);
    }
    if integration::of(convoy).is_some_and(|own| !own.rigs.is_empty()) {
        return mq::landing::land(town, id).map(Some);
    }
    done(town, id)?;
    close_epic(town, convoy)?;
    // Read anew right before it closes: a bead may have been reopened.
    let judged = done(town, id)?;
    let judged: Vec<&str> = judged.iter().map(String::as_str).collect();
    Ok(close(town, id, Some(&judged))?.map(Landing::Landed))
}

/// The tracked beads of a convoy, as the stores are now, if all are done.
fn done(town: &Town, id: &str) -> anyhow::Result<Vec<String>> {
    let stores = town.stores()?;
    let convoy = stores.town.get(id).cloned().unwrap_or_default();
    let progress = Board::of(&stores).progress(&convoy);
    if !progress.is_done() {
        let not_done = |bead: &&Tracked| bead.standing != Standing::Done;
        let how = |bead: &Tracked| format!("{} is {}", bead.id, bead.standing.word());
        let mut open: Vec<String> = progress.tracked.iter().filter(not_done).map(how).collect();
        if open.is_empty() {
            open.push("it tracks nothing".to_owned());
        }
        let convoy = id.to_owned();
        return Err(mq::landing::NotReady::Open { convoy, open }.into());
    }
    Ok(progress.tracked.into_iter().map(|bead| bead.id).collect())
}

/// Closes a convoy all of whose rigs have landed, and tells its subscribers.
pub(crate) fn close_landed(town: &Town, id: &str) -> anyhow::Result<Option<Landed>> {
    close(town, id, None)
}

/// Closes the epic that a convoy stands for, if all its children are closed. Written before the convoy closes:
/// killed in between, the next try comes here again.
pub(crate) fn close_epic(town: &Town, convoy: &Bead) -> anyhow::Result<()> {
    let Some(epic) = super::epic_of(convoy) else {
        return Ok(());
    };
    // An epic that someone deleted keeps nothing from landing.
    let Ok(found) = town.find_bead(&epic) else {
        return Ok(());
    };
    town.transact(&found.store, |tx| {
        let open = tx.children_of(&epic).iter().any(|child| child.is_open());
        let Some(mut epic) = tx.get(&epic).filter(|bead| bead.is_open()).cloned() else {
            return Ok(());
        };
        if open {
            return Ok(());
        }
        let now = tx.now();
        epic.status = Status::Closed;
        epic.closed_at = Some(now.clone());
        epic.updated_at = now;
        epic.close_reason = format!("Landed as {}", convoy.id);
        tx.put(epic)?;
        Ok(())
    })
}

/// Closes the convoy and writes the mails. Whoever comes second finds it closed and does nothing; a convoy
/// that tracks something else by now than what was judged is left for the next look.
fn close(town: &Town, id: &str, judged: Option<&[&str]>) -> anyhow::Result<Option<Landed>> {
    let store = town.store()?;
    let landed = town.transact(&store, |tx| {
        let mut convoy = super::create::find(tx, id)?;
        let same = |judged: &[&str]| super::tracked_ids(&convoy).eq(judged.iter().copied());
        if !convoy.is_open() || !judged.is_none_or(same) {
            return Ok(None);
        }
        let now = tx.now();
        let number = landings(&convoy) + 1;
        convoy.status = Status::Closed;
        convoy.closed_at = Some(now.clone());
        convoy.updated_at = now;
        convoy.close_reason = "All tracked issues completed".to_owned();
        convoy.set_metadata("landings", number)?;
        let commits = own_commits(&convoy);
        if let Some(own) = integration::of(&convoy) {
            integration::set(&mut convoy, &own.after_landing())?;
        }
        let told = subscribers(town, &convoy);
        for address in &told {
            let letter = mail::Letter {
                to: address.clone(),
                from: Address::Deacon.mailbox(),
                subject: format!("🚚 Convoy landed: {}", convoy.title),
                body: letter_text(&convoy, &commits),
                operation: Some(format!("landing:{id}:{number}")),
                ..mail::Letter::default()
            };
            mail::write(tx, &letter)?;
        }
        let title = convoy.title.clone();
        let beads = super::tracked_ids(&convoy).map(str::to_owned).collect();
        tx.put(convoy)?;
        Ok(Some(Landed {
            id: id.to_owned(),
            title,
            told,
            commits,
            beads,
        }))
    })?;
    if let Some(landed) = &landed {
        town.tell(
            "convoy_landed",
            json!({ "convoy": landed.id, "told": landed.told, "commits": landed.commits }),
        );
        let call = town_hook::Call {
            convoy: landed.title.clone(),
            issues: landed.beads.clone(),
            more: vec![("GT_CONVOY_ID", landed.id.clone())],
            about: vec![("convoy", landed.id.clone())],
            ..town_hook::Call::default()
        };
        town_hook::notify(town, town_hook::Event::PostLanding, &call);
        forget_documents(town, id)?;
    }
    Ok(landed)
}

/// Takes the discovery documents of a convoy that has landed out of the way. A landing that is killed before it gets here
/// leaves them to the next sling in that rig.
fn forget_documents(town: &Town, id: &str) -> anyhow::Result<()> {
    for rig in town.rigs()? {
        if !rig.repo().is_dir() {
            continue;
        }
        let forgotten = discovery::forget(&Git::at(rig.repo()), rig.name(), id)?;
        if let Some((commit, rescue)) = forgotten {
            let payload =
                json!({ "convoy": id, "rig": rig.name(), "commit": commit, "rescue": rescue });
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

/// The commit of each rig that holds the convoy's work there.
fn own_commits(convoy: &Bead) -> BTreeMap<String, String> {
    let own = integration::of(convoy).unwrap_or_default();
    let commit = |branch: integration::Branch| branch.landing.map(|step| step.candidate);
    let rigs = own.rigs.into_iter();
    rigs.filter_map(|(rig, branch)| Some((rig, commit(branch)?)))
        .collect()
}

fn letter_text(convoy: &Bead, commits: &BTreeMap<String, String>) -> String {
    let beads: Vec<String> = super::tracked_ids(convoy)
        .map(|id| format!("- {id}"))
        .collect();
    let landed: Vec<String> = commits
        .iter()
        .map(|(rig, commit)| format!("\n\n{rig}: {commit}"))
        .collect();
    format!(
        "Every tracked change of {} is on its target.\n\n{}{}",
        convoy.id,
        beads.join("\n"),
        landed.concat()
    )
}

/// How often a convoy has landed.
pub fn landings(convoy: &Bead) -> u64 {
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
        assert!(close(town, &id, Some(&["hq-one"])).unwrap().is_none());
        let both = ["hq-one", "hq-two"];
        assert!(close(town, &id, Some(&both)).unwrap().is_some());
        assert!(close(town, &id, Some(&both)).unwrap().is_none());
    }
}
