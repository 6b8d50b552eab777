//! Describes rigs and their activity.

use std::path::PathBuf;

use bd::bead::Kind;
use bd::git::redact_urls;
use serde::Serialize;

use crate::flow::place::crew::{self, CrewMember};
use crate::host::LiveTown;
use crate::record::polecat::PolecatState;
use crate::record::town_view::TownView;
use crate::town::Rig;
use crate::town::config;
use crate::town::hold::Hold;

/// A rig in the list of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RigRow {
    pub name: String,
    pub path: PathBuf,
    pub prefix: String,
    /// The push URL. None for a rig without an origin.
    pub remote: Option<String>,
    /// The number of polecats.
    pub polecats: usize,
    /// The number of working polecats.
    pub working: usize,
    pub crew: Vec<String>,
    /// The reason why the rig cannot be read, if it cannot.
    pub problem: Option<String>,
    /// The reason why nothing is started in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Hold>,
}

/// A rig in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RigStatus {
    #[serde(flatten)]
    pub rig: RigRow,
    /// The branch that work is merged into.
    pub branch: String,
    /// The number of requests in the merge queue.
    pub queue: usize,
    /// The workers with their states.
    pub workers: Vec<WorkerRow>,
    /// The crew with their clones.
    pub members: Vec<CrewMember>,
}

/// A polecat of a rig.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkerRow {
    pub name: String,
    pub state: PolecatState,
    /// The word for the state on screens.
    #[serde(skip)]
    pub word: &'static str,
    pub why: String,
    pub issue: Option<String>,
    pub session_running: bool,
}

/// Returns all rigs of the town. A rig that cannot be read is listed with the reason.
pub fn list_rig_rows(town: &LiveTown) -> anyhow::Result<Vec<RigRow>> {
    let view = TownView::read(town)?;
    let rigs = town.list_rigs()?;
    Ok(rigs.iter().map(|rig| build_row(rig, &view)).collect())
}

pub fn rig_status(town: &LiveTown, rig: &Rig) -> anyhow::Result<RigStatus> {
    let view = TownView::read(town)?;
    let beads = rig.store()?.snapshot()?;
    let workers = view
        .polecats_of(rig.name())
        .iter()
        .map(|polecat| WorkerRow {
            word: polecat.state_word(),
            session_running: view.session_of(&polecat.address()).is_some(),
            name: polecat.name.clone(),
            state: polecat.state,
            why: polecat.why.clone(),
            issue: polecat.hook.clone(),
        });
    Ok(RigStatus {
        // The row has the problem of the settings.
        branch: config::target_branch_of(rig).unwrap_or_else(|_| "?".to_owned()),
        queue: beads
            .bead_refs()
            .filter(|bead| bead.is_open() && bead.kind() == Kind::MergeRequest)
            .count(),
        workers: workers.collect(),
        members: crew::list_members(rig, view.sessions.as_deref().unwrap_or(&[])),
        rig: build_row(rig, &view),
    })
}

fn build_row(rig: &Rig, view: &TownView) -> RigRow {
    let remote = rig.git().remote_url("origin");
    let problem = match (&remote, view.stores.unreadable.get(rig.name())) {
        (Err(error), _) => Some(error.to_string()),
        (_, Some(reason)) => Some(reason.clone()),
        (_, None) => {
            let stop = view.settings.find_stop(Some(rig.name()));
            stop.map(|stop| format!("nothing is started or merged: {stop}"))
        }
    };
    let polecats = view.polecats_of(rig.name());
    RigRow {
        name: rig.name().to_owned(),
        path: rig.root().to_owned(),
        prefix: rig.prefix(),
        remote: remote.ok().flatten().map(|url| redact_urls(&url)),
        working: polecats
            .iter()
            .filter(|polecat| polecat.state == PolecatState::Working)
            .count(),
        polecats: polecats.len(),
        crew: crew::list_member_names(rig),
        problem,
        held: view.stores.holds.get(rig.name()).cloned(),
    }
}
