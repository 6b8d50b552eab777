//! Makes the patrol retry a worker that is stuck or lost its sandbox.

use std::path::PathBuf;
use std::time::Duration;

use bd::store::Snapshot;
use kit::ui::escape;

use crate::flow::agent::session::end;
use crate::flow::agent::session::show::find_session;
use crate::host::LiveTown;
use crate::record::merge_request;
use crate::record::polecat::{
    self, DoneStep, Polecat, PolecatIds, SlingInProgress, Slot, SlotState, read_polecat_records,
};
use crate::town::Rig;
use crate::town::event::event;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{worker} is not stuck: {reason}")]
pub struct NotStuck {
    pub worker: String,
    pub reason: String,
    /// The commands that continue its work.
    pub next: Vec<String>,
}

/// A worker that the next patrol tries again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetriedPolecat {
    /// The reason why the worker was stuck.
    pub reason: String,
    /// The session that was ended.
    pub session: Option<String>,
    /// The folder into which the start of the session moves the files of a sandbox without `.git`.
    /// The time of the start is the end of its name.
    pub moved_to: Option<PathBuf>,
}

/// Removes the stuck mark of a worker, so that the next patrol retries the failed step. A `gt done`
/// that could not push continues there. One that could not prove its work must be repeated by the
/// agent. The session of a worker without its sandbox ends, and its next start restores the
/// sandbox.
pub fn retry_polecat(town: &LiveTown, rig: &Rig, name: &str) -> anyhow::Result<RetriedPolecat> {
    // Read before the slot is taken, because a worker whose slot is held is at work.
    let beads = rig.store()?.snapshot()?;
    let worker = polecat::find_polecat(rig, &beads, None, name)?;
    let _slot = rig.take_slot(name, Duration::from_secs(10))?;
    let retried = match end_lost_session(town, rig, &worker)? {
        Some(retried) => retried,
        None => RetriedPolecat {
            reason: clear_stuck_mark(rig, name)?.ok_or_else(|| explain(&beads, &worker))?,
            session: None,
            moved_to: None,
        },
    };
    town.record_event(&event!(PolecatRetried,
        rig: rig.name(), polecat: name, bead: worker.slot.bead, reason: retried.reason,
        session: retried.session,
    ));
    Ok(retried)
}

/// Ends the session of a worker that has lost its sandbox. None for any other worker, also for one
/// that was started again after `seen` was read. The caller holds the slot.
fn end_lost_session(
    town: &LiveTown,
    rig: &Rig,
    seen: &Polecat,
) -> anyhow::Result<Option<RetriedPolecat>> {
    let sandbox = rig.sandbox(&seen.name);
    let slot = Slot::load(&rig.store()?.snapshot()?, &seen.slot_id);
    let is_same_session = (slot.lease, &slot.token) == (seen.slot.lease, &seen.slot.token);
    if !seen.sandbox_gone || !is_same_session || sandbox.join(".git").exists() {
        return Ok(None);
    }
    let session = find_session(town, &seen.address())?;
    let Some(live) = session.filter(|live| live.dead.is_none()) else {
        return Ok(None);
    };
    end::end_polecat_session(town, &live.name, &slot)?;
    Ok(Some(RetriedPolecat {
        reason: "its sandbox was removed".to_owned(),
        session: Some(live.name),
        moved_to: sandbox
            .exists()
            .then(|| rig.polecat(&seen.name).join("broken-")),
    }))
}

/// Returns the names of the workers of a rig that are stuck or lost their sandboxes.
pub fn list_stuck_polecats(rig: &Rig) -> anyhow::Result<Vec<String>> {
    let beads = rig.store()?.snapshot()?;
    Ok(read_polecat_records(rig, &beads)
        .iter()
        .map(|records| records.with_sessions(None))
        .filter(|polecat| polecat.sandbox_gone || polecat.slot.state.stuck_reason().is_some())
        .map(|polecat| polecat.name)
        .collect())
}

/// Records that a worker has got an answer about its bead: forgets its restarts, and its stuck mark
/// or failed `gt done` if only the worker can go on. Waits so long for a process that holds its
/// slot.
pub fn record_answer(rig: &Rig, name: &str, bead: &str, wait: Duration) -> anyhow::Result<()> {
    let _slot = rig.take_slot(name, wait)?;
    let ids = PolecatIds::for_polecat(rig, name);
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        let mut slot = Slot::load(tx, &ids.slot);
        if slot.bead.is_empty() || *slot.bead != *bead {
            return Ok(());
        }
        slot.answered = Some(tx.now().instant());
        slot.respawns.clear();
        if slot.state.needs_worker() {
            slot.state = SlotState::Working;
        }
        slot.save(tx, &ids.slot)
    })
}

/// Explains why there is nothing to try again, and names what continues the worker's work.
fn explain(beads: &Snapshot, worker: &Polecat) -> NotStuck {
    let short = format!("{}/{}", worker.rig, worker.name);
    let failed = worker.slot.state.failed_done();
    let (reason, next) = match (&worker.hook, failed) {
        (Some(bead), Some(failed)) if failed.step == DoneStep::Proof => (
            format!(
                "its `gt done` of {bead} has nothing to hand in: {}",
                escape::escape_line(&failed.reason)
            ),
            vec![
                format!("gt nudge {short} \"<what is missing>\""),
                worker.command_to_sling(bead),
                format!("bd close {bead} --reason \"<why there is nothing to merge>\""),
            ],
        ),
        (Some(bead), _) => (
            format!("it has {bead}, and nothing failed"),
            vec![
                format!("gt peek {short}"),
                format!("gt nudge {short} \"<message>\""),
                worker.command_to_sling(bead),
            ],
        ),
        (None, _) => explain_last_request(beads, worker).unwrap_or_else(|| {
            let next = vec![format!("gt polecat status {short}")];
            ("it has no work".to_owned(), next)
        }),
    };
    NotStuck {
        worker: short,
        reason,
        next,
    }
}

/// Explains the request of a worker without a bead that waits for the user.
fn explain_last_request(beads: &Snapshot, worker: &Polecat) -> Option<(String, Vec<String>)> {
    let request = merge_request::requests_with_findings(beads)
        .filter(|request| worker.is_address(&merge_request::receipt_of(request).worker))
        .find(|request| merge_request::reason_for_user(request).is_some())?;
    let bead = merge_request::source_bead_of(request);
    let why = escape::escape_line(&merge_request::reason_for_user(request)?);
    let mut next = merge_request::next_steps_for_user(request);
    next.push(format!("gt why {bead}"));
    Some((
        format!("its work on {bead} is handed in as {}: {why}", request.id),
        next,
    ))
}

/// Removes the stuck mark of a worker, and returns its reason. None if it has none. The caller holds
/// its slot.
pub fn clear_stuck_mark(rig: &Rig, name: &str) -> anyhow::Result<Option<String>> {
    let ids = PolecatIds::for_polecat(rig, name);
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        let mut slot = Slot::load(tx, &ids.slot);
        let SlotState::Stuck { reason, before, .. } = slot.state else {
            return Ok(None);
        };
        slot.respawns.clear();
        slot.refused.clear();
        slot.lost.clear();
        slot.state = match *before {
            SlotState::Slinging(sling) => SlotState::Slinging(SlingInProgress {
                failures: 0,
                failure: String::new(),
                ..sling
            }),
            SlotState::Finishing { mut record } => match record.failed.take() {
                Some(failed) if failed.step == DoneStep::Proof => SlotState::Working,
                _ => SlotState::Finishing { record },
            },
            other => other,
        };
        slot.save(tx, &ids.slot)?;
        Ok(Some(reason))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use bd::bead::Status;

    use super::*;
    use crate::host::{SessionHost, SessionSpec};
    use crate::record::polecat::{DoneRecord, FailedStep};
    use crate::testing::TestTown;
    use crate::town::identity::SessionName;

    /// A town in which `web/nux` works in a session, with the name of the session.
    fn town_with_worker(state: SlotState) -> (TestTown, String) {
        let place = TestTown::new();
        let origin = place.create_origin(&[("a", "1")]);
        place.add_rig("web", Some(&origin)).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let ids = PolecatIds::for_polecat(&rig, "nux");
        let name = SessionName::for_agent(&ids.address).unwrap().to_string();
        let spec = SessionSpec {
            name: name.clone(),
            token: "first".to_owned(),
            ..SessionSpec::default()
        };
        place.host.start(&spec).unwrap();
        fs::create_dir_all(rig.sandbox("nux").join(".git")).unwrap();
        let saved = rig.transact(&rig.store().unwrap(), |tx| {
            let now = tx.now();
            let new_bead = bd::change::NewBead {
                title: "Work".to_owned(),
                ..bd::change::NewBead::default()
            };
            let mut bead = bd::change::create_bead(tx, new_bead)?;
            bead.status = Status::Hooked;
            bead.assignee = ids.address.to_string();
            let mut agent = polecat::reserve_identity(tx, "web", "nux", &ids.agent)?;
            polecat::set_hook(&mut agent, Some(&bead.id), "working", &now);
            let slot = Slot {
                bead: bead.id.clone().into(),
                token: "first".to_owned(),
                state,
                ..Slot::default()
            };
            tx.put(bead)?;
            tx.put(agent)?;
            slot.save(tx, &ids.slot)
        });
        saved.unwrap();
        (place, name)
    }

    #[test]
    fn the_session_of_a_lost_sandbox_is_ended_and_that_of_a_restored_one_is_not() {
        let (place, session) = town_with_worker(SlotState::Working);
        let rig = place.town.find_rig("web").unwrap();
        let error = retry_polecat(&place.town, &rig, "nux").unwrap_err();
        let not_stuck: NotStuck = error.downcast().unwrap();
        assert_eq!(not_stuck.next[0], "gt peek web/nux", "{not_stuck:?}");

        let git = rig.sandbox("nux").join(".git");
        fs::remove_dir(&git).unwrap();
        let beads = rig.store().unwrap().snapshot().unwrap();
        let seen = polecat::find_polecat(&rig, &beads, None, "nux").unwrap();
        assert!(seen.sandbox_gone);
        fs::create_dir(&git).unwrap();
        assert_eq!(end_lost_session(&place.town, &rig, &seen).unwrap(), None);
        let mut earlier = seen;
        earlier.slot.token = "before".to_owned();
        fs::remove_dir(&git).unwrap();
        assert_eq!(end_lost_session(&place.town, &rig, &earlier).unwrap(), None);
        assert!(place.host.state().killed.is_empty());

        let retried = retry_polecat(&place.town, &rig, "nux").unwrap();
        assert_eq!(retried.session.as_ref(), Some(&session));
        assert_eq!(retried.moved_to, Some(rig.polecat("nux").join("broken-")));
        assert_eq!(place.host.state().killed, [session]);
    }

    #[test]
    fn a_worker_without_a_change_to_hand_in_is_explained_with_the_next_commands() {
        let record = DoneRecord {
            failed: Some(Box::new(FailedStep {
                step: DoneStep::Proof,
                reason: "no commits".to_owned(),
                retry: false,
            })),
            ..DoneRecord::default()
        };
        let (place, _) = town_with_worker(SlotState::Finishing { record });
        let rig = place.town.find_rig("web").unwrap();
        let error = retry_polecat(&place.town, &rig, "nux").unwrap_err();
        let not_stuck: NotStuck = error.downcast().unwrap();
        let beads = rig.store().unwrap().snapshot().unwrap();
        let worker = polecat::find_polecat(&rig, &beads, None, "nux").unwrap();
        let bead = worker.hook.unwrap();
        let said = not_stuck.to_string();
        assert!(
            said.contains("has nothing to hand in: no commits"),
            "{said}"
        );
        assert_eq!(not_stuck.next[1], format!("gt sling {bead} web --force"));
    }

    #[test]
    fn a_stuck_worker_is_retried_without_a_host() {
        let (place, _) = town_with_worker(SlotState::Stuck {
            reason: "no push".to_owned(),
            since: None,
            before: Box::new(SlotState::Working),
        });
        let rig = place.town.find_rig("web").unwrap();
        place.host.state().missing = true;
        let retried = retry_polecat(&place.town, &rig, "nux").unwrap();
        assert_eq!(
            (retried.reason.as_str(), retried.session),
            ("no push", None)
        );
    }
}
