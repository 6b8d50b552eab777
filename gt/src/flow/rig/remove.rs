//! Removes a rig from the town's registry. The rig's folder stays unchanged.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::{RigError, route};
use crate::host::LiveTown;
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
