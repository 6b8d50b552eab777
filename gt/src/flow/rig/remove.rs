//! Removes a rig from the town's registry. The rig's folder stays unchanged.

use std::path::PathBuf;
use std::time::Duration;

use bd::bead::{Bead, Status};
use bd::store::BeadMark;
use kit::ui::escape::escape_line;
use serde::Serialize;

use super::{RigError, route};
use crate::host::LiveTown;
use crate::record::{convoy, merge_request, queued_sling};
use crate::town::Town;
use crate::town::event::event;
use crate::town::identity::SessionName;
use crate::town::lock::Lock;

/// A removed rig.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemoveRigReport {
    pub name: String,
    /// The folder, which still exists.
    pub path: PathBuf,
}

/// Returns the work of a rig that is not finished, each in one line: beads on hooks, queued beads,
/// requests in the merge queue, and convoys with open beads of the rig.
pub fn find_unfinished(town: &Town, name: &str) -> anyhow::Result<Vec<String>> {
    let rig = town.find_rig(name)?;
    // Unreadable beads must not keep a rig in the list.
    let Ok(beads) = rig.store().and_then(|store| Ok(store.snapshot()?)) else {
        return Ok(Vec::new());
    };
    let title = |bead: &Bead| format!("{} {}", bead.id, escape_line(&bead.title));
    let hooked = beads.select_marked(&[BeadMark::Status(&Status::Hooked)], |_| true);
    let mut lines: Vec<String> = hooked
        .map(|bead| {
            format!(
                "on the hook of {}: {}",
                escape_line(&bead.assignee),
                title(bead)
            )
        })
        .collect();
    let requests = merge_request::open_requests(&beads).into_iter();
    lines.extend(requests.map(|request| format!("not merged: {}", title(request))));
    let queued = queued_sling::list_queued_slings(&beads).into_iter();
    lines.extend(queued.map(|one| format!("queued for a worker: {}", one.work_bead_id)));
    let stores = town.open_town_store()?.snapshot()?;
    for convoy in convoy::list_convoys(&stores, false) {
        let is_open = |id: &&str| beads.get(id).is_some_and(Bead::is_open);
        let open: Vec<&str> = convoy::tracked_ids(convoy).filter(is_open).collect();
        if !open.is_empty() {
            lines.push(format!("tracked by {}: {}", title(convoy), open.join(", ")));
        }
    }
    Ok(lines)
}

/// Removes a rig from the registry. Refused if it has running sessions.
pub fn remove_rig(town: &LiveTown, name: &str) -> anyhow::Result<RemoveRigReport> {
    let _registry = Lock::take(&town.layout.registry_lock(), Duration::from_secs(60))?;
    let rig = town.find_rig(name)?;
    let mut registry = town.read_registry()?;
    let rigs: Vec<&str> = registry.rigs.keys().map(String::as_str).collect();
    let of_rig = |session: &str| {
        let address = SessionName::parse_address(session, rigs.iter().copied());
        address.is_some_and(|address| address.rig() == Some(name))
    };
    let sessions: Vec<String> = town
        .host
        .list()?
        .into_iter()
        .filter(|live| live.dead.is_none() && of_rig(&live.name))
        .map(|live| live.name)
        .collect();
    if !sessions.is_empty() {
        let rig = name.to_owned();
        return Err(RigError::Running { rig, sessions }.into());
    }
    super::add::remove_mark(&rig)?;
    registry.rigs.remove(name);
    registry.save(&town.layout.rigs_json())?;
    route::remove_routes(&town.layout.routes(), name)?;
    town.record_event(&event!(RigRemoved, rig: name));
    Ok(RemoveRigReport {
        name: name.to_owned(),
        path: rig.root().to_owned(),
    })
}
