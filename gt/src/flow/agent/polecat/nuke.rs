//! Removes a polecat's sandbox, the only way to delete one. Its identity and its record stay.
//!
//! 1. Refuse if anything would be lost: a hooked bead, uncommitted files, commits that no remote
//!    has.
//! 2. End the session, save the remaining work to a rescue ref (also when forced), remove the
//!    worktree. One that git cannot read is moved aside.
//! 3. Close the identity bead with reason `nuked`, and reopen the hooked bead.

use std::path::PathBuf;
use std::time::Duration;

use bd::bead::Status;
use bd::change;

use crate::flow::place::desk;
use crate::flow::place::sandbox::Sandbox;
use crate::host::LiveTown;
use crate::host::jail::session_plan::remove_session_folder;
use crate::record::attempt::{self, AttemptEnd};
use crate::record::polecat;
use crate::record::polecat::{Polecat, Slot};
use crate::record::town_view::TownView;
use crate::town::Rig;
use crate::town::event::event;
use crate::town::identity::SessionName;

#[derive(Debug, Clone, serde::Serialize)]
pub struct NukeReport {
    pub polecat: String,
    /// The rescue ref with the remaining work.
    pub rescued: Option<String>,
    /// The bead that was on the hook and is open again.
    pub released: Option<String>,
    /// The folder of the files that git ignores and no `.gitignore` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
#[error("{polecat} is not nuked: {}", reasons.join("; "))]
pub struct NukeRefused {
    pub polecat: String,
    pub reasons: Vec<String>,
}

/// Removes the sandbox of a polecat. Refuses if work would be lost and `force` is false, and if the
/// state of its session is unknown.
pub fn nuke_polecat(
    town: &LiveTown,
    view: &TownView,
    rig: &Rig,
    name: &str,
    force: bool,
) -> anyhow::Result<NukeReport> {
    if let Some(reason) = &view.blind {
        anyhow::bail!("nothing was removed: {reason}");
    }
    let polecat = view.find_polecat(rig.name(), name)?;
    // A `gt done` may be in its last step.
    let _slot = rig.take_slot(&polecat.name, Duration::from_secs(10))?;
    let address = polecat.address();
    let sandbox = Sandbox::new(rig, &polecat.name);
    let there = sandbox.path().join(".git").exists();
    let defect = if there {
        sandbox.describe_defect()
    } else {
        None
    };
    let reasons = find_refusal_reasons(rig, polecat, defect.as_deref())?;
    if !force && !reasons.is_empty() {
        return Err(NukeRefused {
            polecat: address.to_string(),
            reasons,
        }
        .into());
    }
    if let Some(session) = SessionName::for_agent(&address) {
        crate::flow::agent::session::end::end_polecat_session(
            town,
            session.as_str(),
            &polecat.slot,
        )?;
    }
    let rescued = match &defect {
        Some(reason) => sandbox.give_up(&polecat.slot, reason)?,
        None if there => sandbox.rescue_leftovers()?,
        None => None,
    };
    if there {
        // A desk that cannot be cleared keeps no sandbox from being removed: its number is free when
        // the folder is gone.
        desk::clear_desk(rig, &sandbox.path()).ok();
    }
    // The next work of a worker of this name replaces what cannot be removed now.
    remove_session_folder(rig, &polecat.name).ok();
    let moved_to = match defect {
        None if there => sandbox.move_ignored_files()?,
        _ => None,
    };
    // Done before the folder is removed: a crash in between leaves a folder behind, but never a
    // bead on the hook of a removed worker.
    let released = close_identity(rig, polecat, rescued.as_deref())?;
    if there && defect.is_none() {
        sandbox.remove()?;
    }
    // Removes only an empty folder. Files that were moved aside in it stay.
    std::fs::remove_dir(rig.polecat(&polecat.name)).ok();
    town.record_event(&event!(Nuke,
        rig: rig.name(), polecat: polecat.name, rescue: rescued, forced: force, bead: released,
    ));
    Ok(NukeReport {
        polecat: address.to_string(),
        rescued,
        released,
        moved_to,
    })
}

/// Returns the reasons against a nuke, one per kind of work that would be lost.
pub(super) fn find_refusal_reasons(
    rig: &Rig,
    polecat: &Polecat,
    defect: Option<&str>,
) -> anyhow::Result<Vec<String>> {
    let mut reasons = Vec::new();
    if let Some(bead) = &polecat.hook {
        reasons.push(format!(
            "{bead} is on its hook (`gt unsling {bead}` takes it off)"
        ));
    }
    let path = rig.sandbox(&polecat.name);
    if let Some(defect) = defect {
        let end = "(--force moves it aside)";
        reasons.push(format!("{} cannot be read: {defect} {end}", path.display()));
    }
    if defect.is_some() || !path.join(".git").exists() {
        return Ok(reasons);
    }
    let unsaved = Sandbox::new(rig, &polecat.name).find_unsaved_work()?;
    reasons.extend(unsaved.iter().map(ToString::to_string));
    Ok(reasons)
}

/// Closes the identity. Reopens and returns the bead on the hook.
fn close_identity(
    rig: &Rig,
    polecat: &Polecat,
    kept: Option<&str>,
) -> anyhow::Result<Option<String>> {
    let store = rig.store()?;
    rig.transact(&store, |tx| {
        let now = tx.now();
        let holder = polecat.address().to_string();
        let hooked = polecat.hook.as_deref().and_then(|id| tx.get(id)).cloned();
        let released = hooked
            .filter(|bead| bead.status == Status::Hooked && bead.assignee == holder)
            .map(|mut bead| {
                bead.status = Status::Open;
                bead.assignee = String::new();
                bead.updated_at = now.clone();
                bead
            });
        if let Some(bead) = &released {
            tx.put(bead.clone())?;
            let slot = Slot::load(tx, &polecat.slot_id);
            let why = format!("the worker was removed by {}", tx.actor());
            let end = AttemptEnd {
                worker: &holder,
                why: &why,
                kept,
            };
            attempt::record_end_in(tx, &bead.id, &slot, end)?;
        }
        if let Some(mut bead) = tx.get(&polecat.bead.id).cloned() {
            if released.is_some() {
                let slot = Slot::load(tx, &polecat.slot_id);
                polecat::record_abandoned(tx, &rig.town().layout, &mut bead, &slot, false)?;
            }
            polecat::set_hook(&mut bead, None, "nuked", &now);
            change::mark_closed(&mut bead, "nuked", &now);
            tx.put(bead)?;
        }
        Slot::load(tx, &polecat.slot_id)
            .released()
            .save(tx, &polecat.slot_id)?;
        Ok(released.map(|bead| bead.id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::polecat::PolecatIds;
    use crate::testing::TestTown;

    #[test]
    fn a_forced_nuke_moves_a_sandbox_aside_that_git_cannot_read() {
        let place = TestTown::new();
        let origin = place.create_origin(&[("a", "1")]);
        place.add_rig("web", Some(&origin)).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let sandbox = Sandbox::new(&rig, "nux");
        let branch = "polecat/nux/w-1@a";
        sandbox.prepare(branch, "main", None).unwrap();
        let (home, path) = (rig.polecat("nux"), sandbox.path());
        std::fs::write(path.join("new"), "work").unwrap();
        std::fs::write(path.join(".git/HEAD"), "ref: nowhere\n").unwrap();
        let ids = PolecatIds::for_polecat(&rig, "nux");
        let slot = Slot {
            bead: "w-1".into(),
            branch: branch.into(),
            ..Slot::default()
        };
        let saved = rig.transact(&rig.store().unwrap(), |tx| {
            let agent = polecat::reserve_identity(tx, "web", "nux", &ids.agent)?;
            tx.put(agent)?;
            slot.save(tx, &ids.slot)
        });
        saved.unwrap();
        let view = TownView::read(&place.town).unwrap();
        let refused = nuke_polecat(&place.town, &view, &rig, "nux", false).unwrap_err();
        assert!(refused.to_string().contains("cannot be read"), "{refused}");
        assert!(path.exists());
        let report = nuke_polecat(&place.town, &view, &rig, "nux", true).unwrap();
        let kept = report.rescued.unwrap();
        assert!(rig.git().resolve(&kept).unwrap().is_some());
        assert!(!path.exists());
        let aside = std::fs::read_dir(home).unwrap().next().unwrap().unwrap();
        assert!(aside.path().join("new").exists());
    }
}
