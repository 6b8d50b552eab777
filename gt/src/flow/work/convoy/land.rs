//! Closes convoys that have landed. Once every tracked change is on its target, one transaction of
//! the town's store closes the convoy and mails its subscribers. The ids of the mails are computed
//! from convoy, landing and recipient, so that a crash or a second observer never sends a mail
//! twice.

use std::collections::BTreeMap;

use bd::bead::Bead;
use bd::change;
use kit::ui::escape;
use serde::Serialize;

use super::integration;
use super::progress::ProgressBoard;
use super::tracked::TrackedBead;
use crate::flow::agent::recipient;
use crate::flow::place::discovery;
use crate::flow::place::town_hook;
use crate::host::LiveTown;
use crate::record;
use crate::record::escalation;
use crate::record::mail;
use crate::town::Town;
use crate::town::event::event;
use crate::town::identity::Address;

/// A convoy that was closed after its landing.
#[derive(Debug, Clone, Serialize)]
pub struct LandedConvoy {
    pub id: String,
    pub title: String,
    /// The addresses that got mail.
    pub told: Vec<String>,
    /// The single commit of each rig, for a convoy with branches of its own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub commits: BTreeMap<String, String>,
    /// The tracked beads.
    pub beads: Vec<String>,
    /// The refs that keep the convoy's discovery documents, by rig.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub documents: BTreeMap<String, String>,
}

/// Closes a convoy all of whose rigs have landed, and mails its subscribers.
pub(crate) fn close_landed(town: &LiveTown, id: &str) -> anyhow::Result<Option<LandedConvoy>> {
    close_convoy_with_mail(town, id, None)
}

/// Closes a convoy and mails its subscribers, if its tracked beads are still the ones that were
/// found done.
pub(crate) fn close_if_done(
    town: &LiveTown,
    id: &str,
    done: &[&str],
) -> anyhow::Result<Option<LandedConvoy>> {
    close_convoy_with_mail(town, id, Some(done))
}

/// Closes the epic of a convoy if all children of the epic are closed. Called before the convoy
/// closes, so that the next try after a crash repeats the call.
pub(crate) fn close_epic(town: &Town, convoy: &Bead) -> anyhow::Result<()> {
    let Some(epic) = record::convoy::epic_of(convoy) else {
        return Ok(());
    };
    // A deleted epic does not block the landing.
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
        change::mark_closed(&mut epic, &format!("Landed as {}", convoy.id), &tx.now());
        tx.put(epic)?;
        Ok(())
    })
}

/// Closes the convoy and writes the mails. Does nothing if the convoy is closed. A convoy whose
/// tracked beads differ from `judged` is left to the next pass.
fn close_convoy_with_mail(
    town: &LiveTown,
    id: &str,
    judged: Option<&[&str]>,
) -> anyhow::Result<Option<LandedConvoy>> {
    let store = town.open_town_store()?;
    let tracked = read_tracked(town, id)?;
    let documents = find_documents(town, id)?;
    let mayor_runs = recipient::is_mayor_running(town);
    let landed = town.transact(&store, |tx| {
        let mut convoy = super::error::find_convoy(tx, id)?;
        // An escalation may have been opened since the decision.
        let is_blocked = judged.is_some() && !escalation::find_blocking(tx, &convoy).is_empty();
        if !convoy.is_open()
            || !judged.is_none_or(|judged| {
                record::convoy::tracked_ids(&convoy).eq(judged.iter().copied())
            })
            || is_blocked
        {
            return Ok(None);
        }
        let number = record::convoy::count_landings(&convoy) + 1;
        change::mark_closed(&mut convoy, "All tracked issues completed", &tx.now());
        convoy.set_metadata("landings", number)?;
        let commits = commits_by_rig(&convoy);
        if let Some(integration) = integration::read_integration(&convoy) {
            integration::set_integration(&mut convoy, &integration.after_landing())?;
        }
        let again = if number > 1 { " again" } else { "" };
        let recipients = find_subscribers(town, &convoy, mayor_runs);
        for address in &recipients {
            let message = mail::NewMessage {
                to: address.clone(),
                from: Address::Deacon.mailbox(),
                subject: format!("🚚 Convoy landed{again}: {}", convoy.title),
                body: format_landed_text(&convoy, &tracked, &commits, &documents),
                operation: Some(format!("landing:{id}:{number}")),
                ..mail::NewMessage::default()
            };
            mail::write_message(tx, &message)?;
        }
        let title = convoy.title.clone();
        let beads = record::convoy::tracked_ids(&convoy)
            .map(str::to_owned)
            .collect();
        tx.put(convoy)?;
        Ok(Some(LandedConvoy {
            id: id.to_owned(),
            title,
            told: recipients,
            commits,
            beads,
            documents,
        }))
    })?;
    if let Some(landed) = &landed {
        town.record_event(&event!(ConvoyLanded,
            convoy: landed.id, told: landed.told, commits: landed.commits,
        ));
        run_landed_hooks(town, landed);
        forget_documents(town, id)?;
    }
    Ok(landed)
}

/// Returns the convoy's tracked beads with their current state.
fn read_tracked(town: &Town, id: &str) -> anyhow::Result<Vec<TrackedBead>> {
    let stores = town.read_stores()?;
    Ok(match stores.town.get(id) {
        Some(convoy) => ProgressBoard::from_stores(&stores).progress(convoy).tracked,
        None => Vec::new(),
    })
}

/// Runs the hooks for a landed convoy.
fn run_landed_hooks(town: &Town, landed: &LandedConvoy) {
    let call = town_hook::TownHookCall {
        convoy: landed.title.clone(),
        issues: landed.beads.clone(),
        more: vec![("GT_CONVOY_ID", landed.id.clone())],
        about: vec![("convoy", landed.id.clone())],
        ..town_hook::TownHookCall::default()
    };
    town_hook::notify_event_hooks(town, town_hook::TownHookEvent::PostLanding, &call);
}

/// Returns the refs that will keep a convoy's discovery documents after its landing, by rig.
fn find_documents(town: &Town, id: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for rig in town.list_rigs()? {
        if !rig.repo().is_dir() {
            continue;
        }
        let stays = discovery::future_rescue_ref(&rig, id)?;
        found.extend(stays.map(|reference| (rig.name().to_owned(), reference)));
    }
    Ok(found)
}

/// Moves the discovery documents of a landed convoy to rescue refs. If a landing is killed before
/// this step, the next sling in that rig does it.
fn forget_documents(town: &Town, id: &str) -> anyhow::Result<()> {
    for rig in town.list_rigs()? {
        if !rig.repo().is_dir() {
            continue;
        }
        let forgotten = discovery::retire_documents(&rig.git(), rig.name(), id)?;
        if let Some((commit, rescue)) = forgotten {
            town.record_event(&event!(DiscoveryRemoved,
                convoy: id, rig: rig.name(), commit: commit, rescue: rescue,
            ));
        }
    }
    Ok(())
}

/// Returns the distinct mailboxes of the convoy's `Owner:` and `Notify:` lines. A role that no
/// agent plays is replaced by its stand-in.
fn find_subscribers(town: &Town, convoy: &Bead, mayor_runs: bool) -> Vec<String> {
    let mut subscribers: Vec<String> = Vec::new();
    for key in ["Owner", "Notify"] {
        for text in record::convoy::addresses_in(convoy, key) {
            let address = town.parse_address(text).map_or_else(
                |_| text.to_owned(),
                |to| recipient::find_notice_reader(town, &to, mayor_runs).mailbox(),
            );
            if !subscribers.contains(&address) {
                subscribers.push(address);
            }
        }
    }
    subscribers
}

/// Returns the commit of each rig that holds the convoy's work.
fn commits_by_rig(convoy: &Bead) -> BTreeMap<String, String> {
    integration::read_integration(convoy)
        .into_iter()
        .flat_map(|integration| integration.rigs)
        .filter_map(|(rig, branch)| Some((rig, branch.landing?.candidate)))
        .collect()
}

fn format_landed_text(
    convoy: &Bead,
    tracked: &[TrackedBead],
    commits: &BTreeMap<String, String>,
    documents: &BTreeMap<String, String>,
) -> String {
    let find_end = |id: &str| {
        let bead = tracked.iter().find(|bead| bead.id == id);
        bead.map_or("", |bead| bead.why.as_str())
    };
    // A repair is no work of its own.
    let is_repair = |id: &&str| tracked.iter().any(|bead| bead.id == *id && bead.is_repair);
    let own: Vec<&str> = record::convoy::tracked_ids(convoy)
        .filter(|id| !is_repair(id))
        .collect();
    let beads: Vec<String> = own
        .iter()
        .map(|id| match find_end(id) {
            "" => format!("- {id}"),
            end => format!("- {id}: {}", escape::escape_line(end)),
        })
        .collect();
    let merged = own.iter().filter(|id| find_end(id).is_empty()).count();
    let all = beads.len();
    let landed: Vec<String> = commits
        .iter()
        .map(|(rig, commit)| format!("\n\n{rig}: {commit}"))
        .collect();
    let documents: Vec<String> = documents
        .iter()
        .map(|(rig, reference)| {
            format!("\n\nIts discovery documents stay in {rig} on {reference} (`gt convoy show {} --documents`)", convoy.id)
        })
        .collect();
    format!(
        "All work of {} is done: {merged} of {all} merged.\n\n{}{}{}",
        convoy.id,
        beads.join("\n"),
        landed.concat(),
        documents.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_convoy_that_gained_work_after_the_check_does_not_land() {
        let place = TestTown::new();
        let town = &place.town;
        let store = town.open_town_store().unwrap();
        for id in ["hq-one", "hq-two"] {
            let bead = Bead {
                id: id.to_owned(),
                title: id.to_owned(),
                ..Bead::default()
            };
            town.transact(&store, |tx| Ok(tx.put(bead.clone())?))
                .unwrap();
        }
        let new = super::super::NewConvoy {
            title: "C".to_owned(),
            beads: vec!["hq-one".to_owned()],
            ..super::super::NewConvoy::default()
        };
        let id = super::super::create_convoy(town, &new).unwrap().id;
        super::super::add_beads(town, &id, &["hq-two".to_owned()]).unwrap();
        assert!(
            close_convoy_with_mail(town, &id, Some(&["hq-one"]))
                .unwrap()
                .is_none()
        );
        let both = ["hq-one", "hq-two"];
        assert!(
            close_convoy_with_mail(town, &id, Some(&both))
                .unwrap()
                .is_some()
        );
        assert!(
            close_convoy_with_mail(town, &id, Some(&both))
                .unwrap()
                .is_none()
        );
    }
}
