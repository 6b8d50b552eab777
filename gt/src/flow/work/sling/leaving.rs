//! Waits for workers that have just finished. The session of a worker ends a moment after its hook
//! is cleared, and the next bead waits for that moment instead of starting a new worker.

use std::time::Duration;

use bd::bead::{DepKind, Stamp};
use bd::store::{Snapshot, Store};
use kit::sys::clock;

use crate::host::LiveTown;
use crate::host::daemon;
use crate::record::polecat::{self, Polecat, PolecatState};
use crate::town::identity::Address;
use crate::town::{Rig, RigLayout, Town};

/// The maximum wait for a session to end.
const LEAVE_WAIT: Duration = Duration::from_secs(5);

/// A worker that finished longer ago is not about to leave: its session has outlived its work.
const LEAVING_SECONDS: i64 = 20;

/// Returns the worker of the rig that finished the last blocker of a bead.
pub(super) fn worker_of_blocker(rig: &RigLayout, beads: &Snapshot, bead: &str) -> Option<String> {
    let bead = beads.get(bead)?;
    let before = bead.edges(&DepKind::Blocks);
    let last = before
        .filter_map(|edge| beads.get(&edge.depends_on_id))
        .filter(|before| !before.is_open())
        .max_by_key(|before| before.closed_at.as_ref().map(Stamp::instant))?;
    match last.assignee.parse() {
        Ok(Address::Polecat(of, name)) if of == rig.name() => Some(name),
        _ => None,
    }
}

/// Waits for a worker that leaves: the one of the last blocker, or any if none is idle.
pub(super) fn wait_for_leaving(
    town: &LiveTown,
    rig: &Rig,
    beads: &Snapshot,
    bead: &str,
) -> anyhow::Result<()> {
    let before = worker_of_blocker(rig, beads, bead);
    let store = rig.store()?;
    let mut failed = None;
    clock::wait_for(LEAVE_WAIT, || {
        match is_wait_useful(town, rig, &store, before.as_deref()) {
            Ok(true) => None,
            Ok(false) => Some(()),
            Err(error) => {
                failed = Some(error);
                Some(())
            }
        }
    });
    failed.map_or(Ok(()), Err)
}

fn is_wait_useful(
    town: &LiveTown,
    rig: &Rig,
    store: &Store,
    before: Option<&str>,
) -> anyhow::Result<bool> {
    let beads = store.snapshot()?;
    let all = polecat::list_polecats(rig, &beads, Some(town.host.list()?.as_slice()));
    let is_idle = |polecat: &Polecat| polecat.state == PolecatState::Idle && !polecat.busy;
    let chosen = all
        .iter()
        .find(|polecat| Some(polecat.name.as_str()) == before);
    Ok(match chosen {
        Some(polecat) if is_leaving(town, &beads, polecat) => true,
        Some(polecat) if is_idle(polecat) => false,
        _ => {
            !all.iter().any(is_idle) && all.iter().any(|polecat| is_leaving(town, &beads, polecat))
        }
    })
}

/// Returns true if a worker finished a moment ago and its session has not ended, but something ends
/// it: the worker's `gt done`, or the patrol of the daemon. After `gt done --stay` without a daemon
/// the session goes on.
fn is_leaving(town: &Town, beads: &Snapshot, polecat: &Polecat) -> bool {
    let runs = polecat
        .session
        .as_ref()
        .is_some_and(|live| live.dead.is_none());
    polecat.hook.is_none()
        && (polecat.busy || (runs && daemon::is_daemon_running(&town.layout)))
        && polecat::read_last_completion(beads, &polecat.bead).is_some_and(|last| {
            let finished = Stamp::parse(&last.at).instant();
            town.clock.now().duration_since(finished).as_secs().abs() <= LEAVING_SECONDS
        })
}

#[cfg(test)]
mod tests {
    use bd::bead::{Bead, Dep, Status};

    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn the_previous_worker_is_the_one_that_closed_the_last_blocker() {
        let place = TestTown::new();
        let rig = place.town.rig("web");
        let store = place.town.open_town_store().unwrap();
        let done = |id: &str, who: &str, at: &str| Bead {
            id: id.to_owned(),
            title: id.to_owned(),
            status: Status::Closed,
            assignee: who.to_owned(),
            closed_at: Some(Stamp::parse(at)),
            ..Bead::default()
        };
        let edge = |to: &str| Dep {
            issue_id: "hq-next".to_owned(),
            depends_on_id: to.to_owned(),
            kind: DepKind::Blocks,
            ..Dep::default()
        };
        let next = Bead {
            id: "hq-next".to_owned(),
            title: "next".to_owned(),
            dependencies: vec![edge("hq-a"), edge("hq-b")],
            ..Bead::default()
        };
        let beads = [
            done("hq-a", "web/polecats/nux", "2026-01-02T00:00:00Z"),
            done("hq-b", "web/polecats/slit", "2026-01-01T00:00:00Z"),
            next,
        ];
        let put = |tx: &mut bd::store::Tx| {
            for bead in beads {
                tx.put(bead)?;
            }
            Ok(())
        };
        place.town.transact(&store, put).unwrap();
        let beads = store.snapshot().unwrap();
        assert_eq!(
            worker_of_blocker(&rig, &beads, "hq-next").as_deref(),
            Some("nux")
        );
        assert_eq!(worker_of_blocker(&rig, &beads, "hq-a"), None);
        let other = place.town.rig("api");
        assert_eq!(worker_of_blocker(&other, &beads, "hq-next"), None);
    }
}
