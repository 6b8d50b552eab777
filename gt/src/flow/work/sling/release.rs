//! Releases a worker whose bead was closed, deleted, reopened or reassigned without `gt done`. The work is not
//! submitted: its commits and files go to a rescue ref, which the bead's comment and `gt why` name. A bead
//! that was assigned to someone who is no agent is open then, because no one else has a hook.

use bd::bead::{Bead, Status, attempt};
use bd::change;
use kit::ui::escape::escape_line;

use crate::flow::agent::session;
use crate::flow::place::sandbox::Sandbox;
use crate::flow::work::done;
use crate::flow::work::molecule;
use crate::host::LiveTown;
use crate::record::attempt::{self as history, AttemptEnd};
use crate::record::polecat::{self, PolecatIds, Slot};
use crate::town::Rig;
use crate::town::event::event;
use crate::town::identity::SessionName;

/// Returns why a bead is removed from a hook.
fn release_reason(bead: Option<&Bead>, slot: &Slot, ids: &PolecatIds) -> Option<String> {
    let Some(bead) = bead.filter(|bead| !bead.is_tombstone()) else {
        return Some("it was deleted".to_owned());
    };
    match (bead.is_open(), attempt::read_attempt(bead) == slot.attempt) {
        (true, true) if !slot.is_unfinished() || ids.is_assignee(bead) => None,
        (true, true) if bead.assignee.is_empty() => Some("its assignee was removed".to_owned()),
        (true, true) => Some(format!(
            "it was assigned to {}",
            escape_line(&bead.assignee)
        )),
        (true, false) => Some("it was closed and reopened".to_owned()),
        (false, true) => Some("its worker closed it without `gt done`".to_owned()),
        (false, false) => Some("someone else closed it".to_owned()),
    }
}

/// Releases a worker that no longer has its bead. Describes the result, or returns `None` if
/// nothing was left to do.
pub fn release_worker(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<Option<String>> {
    let _slot = rig.try_take_slot(name)?;
    let ids = PolecatIds::for_polecat(rig, name);
    let store = rig.store()?;
    let beads = store.snapshot()?;
    let slot = Slot::load(&beads, &ids.slot);
    if release_reason(beads.get(&slot.bead), &slot, &ids).is_none() {
        return Ok(None);
    }
    let stranger = beads
        .get(&slot.bead)
        .map(|bead| bead.assignee.clone())
        .filter(|assignee| !town.has_agent(assignee));
    if let Some(session) = SessionName::for_agent(&ids.address) {
        session::end::end_polecat_session(town, session.as_str(), &slot)?;
    }
    let kept = Sandbox::new(rig, name)
        .keep_work(&slot, &|tip: &str| done::has_commits(rig, name, &slot, tip))?;
    let why = town.transact(&store, |tx| {
        let Some(why) = release_reason(tx.get(&slot.bead), &slot, &ids) else {
            return Ok(None);
        };
        let now = tx.now();
        if let Some(mut agent) = tx.get(&ids.agent).cloned() {
            polecat::set_hook(&mut agent, None, "idle", &now);
            let bead = tx.get(&slot.bead);
            let is_own_doing = bead.is_some_and(|bead| {
                bead.status == Status::Closed && attempt::read_attempt(bead) == slot.attempt
            });
            polecat::record_abandoned(tx, &town.layout, &mut agent, &slot, is_own_doing)?;
            tx.put(agent)?;
        }
        Slot::load(tx, &ids.slot).released().save(tx, &ids.slot)?;
        let Some(mut bead) = tx
            .get(&slot.bead)
            .filter(|bead| !bead.is_tombstone())
            .cloned()
        else {
            return Ok(Some(why));
        };
        let worker = ids.address.to_string();
        let is_current = bead.is_open() && attempt::read_attempt(&bead) == slot.attempt;
        let end = AttemptEnd {
            worker: &worker,
            why: &why,
            kept: kept.as_deref(),
        };
        history::record_end(&mut bead, &slot, end, &now.to_string())?;
        if bead.status == Status::Closed && attempt::read_attempt(&bead) == slot.attempt {
            history::mark_unproven(&mut bead, &worker)?;
        }
        let is_without_hook = is_current
            && bead.status == Status::Hooked
            && stranger.as_ref() == Some(&bead.assignee);
        if is_without_hook {
            change::mark_open(&mut bead, Status::Open, &now);
        }
        let assignee = escape_line(&bead.assignee);
        tx.put(bead)?;
        // The molecule of a reassigned bead is for its next worker.
        if !is_current {
            molecule::discard_molecule(tx, &slot.bead)?;
        }
        let actor = tx.actor().to_owned();
        if let Some(kept) = &kept {
            let text = format!(
                "The work of {worker} was not handed in: {why}. It is on {kept} (`gt rescue list`)."
            );
            change::add_comment(tx, &slot.bead, &actor, &text)?;
        }
        if is_without_hook && !assignee.is_empty() {
            let text = format!(
                "The bead is open and on no hook: {assignee} is no agent of this town. `gt sling {} {}` gives it to a worker.",
                slot.bead,
                rig.name()
            );
            change::add_comment(tx, &slot.bead, &actor, &text)?;
        }
        Ok(Some(why))
    })?;
    let Some(why) = why else {
        return Ok(None);
    };
    town.record_event(&event!(Release,
        bead: slot.bead, rig: rig.name(), polecat: name, reason: why, rescue: kept,
    ));
    Ok(Some(format!("{} taken off the hook: {why}", slot.bead)))
}
