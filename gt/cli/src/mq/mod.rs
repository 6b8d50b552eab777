//! `gt mq`: the merge queue.

mod bisect;
mod list;
mod lost;
mod next;
mod pause;
mod reject;
mod resume;
mod retry;
mod revert;
mod run;
mod stats;
mod status;
mod submit;
mod waive;

pub(super) use status::{read_status, write_status};

use anyhow::Context as _;
use gt::record::merge_request::{find_last_request, find_open_request, is_merge_request};
use gt::town::beads::{BeadsHome, FoundBead};
use gt::town::{Rig, Town};

pub(super) use submit::submit_branch;

use super::CommandResult;
use crate::context::Context;

kit::family! {
    /// Show and run a rig's merge queue
    Args:
    Bisect => bisect,
    #[command(alias = "ls")]
    List => list,
    Lost => lost,
    Next => next,
    Pause => pause,
    #[command(alias = "show")]
    Status => status,
    Reject => reject,
    Run => run,
    Resume => resume,
    Retry => retry,
    Revert => revert,
    Stats => stats,
    Submit => submit,
    Waive => waive,
}

/// Returns the rig whose queue a request is in.
fn rig_of_request<'t>(town: &'t Town, request: &FoundBead) -> anyhow::Result<Rig<'t>> {
    match &request.home {
        BeadsHome::Rig(name) => Ok(town.find_rig(name)?),
        BeadsHome::Town => {
            anyhow::bail!("`{}` is no open merge request: not found", request.bead.id)
        }
    }
}

/// Finds the requests of a command, all before the first is changed. The rig may stand before them.
fn find_requests<'t>(
    town: &'t Town,
    words: &[String],
) -> anyhow::Result<Vec<(FoundBead, Rig<'t>)>> {
    let has_rig = words.len() > 1 && town.find_rig(&words[0]).is_ok();
    let (rig, requests) = words.split_at(usize::from(has_rig));
    requests
        .iter()
        .map(|request| find_request(town, &[rig, std::slice::from_ref(request)].concat()))
        .collect()
}

/// Returns the request that a user means by its own id or by the id of its bead: the open one, or
/// the last one. Fails for a bead without one.
fn find_request_of_bead(found: FoundBead) -> anyhow::Result<FoundBead> {
    if is_merge_request(&found.bead) {
        return Ok(found);
    }
    let id = &found.bead.id;
    let beads = found.store.snapshot()?;
    let request = find_open_request(&beads, id).or_else(|| find_last_request(&beads, id));
    let request = request.cloned().with_context(|| {
        format!("{id} has no merge request: not found (`gt why {id}` shows what it waits for)")
    })?;
    Ok(FoundBead {
        bead: request,
        ..found
    })
}

/// The report of a command on one or several requests: one object, or an array of several.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum PerRequest<T> {
    One(T),
    Several(Vec<T>),
}

impl<T> PerRequest<T> {
    fn new(mut reports: Vec<T>) -> Self {
        match reports.len() {
            1 => Self::One(reports.remove(0)),
            _ => Self::Several(reports),
        }
    }

    fn all(&self) -> &[T] {
        match self {
            Self::One(report) => std::slice::from_ref(report),
            Self::Several(reports) => reports,
        }
    }
}

/// Finds a request by its id, which may come after the name of its rig.
pub(super) fn find_request<'t>(
    town: &'t Town,
    words: &[String],
) -> anyhow::Result<(FoundBead, Rig<'t>)> {
    let (request, named) = match words {
        [rig, request] => (request, Some(town.find_rig(rig)?)),
        [request, ..] => (request, None),
        [] => anyhow::bail!("name the merge request"),
    };
    let found = find_request_of_bead(town.find_bead(request)?)?;
    let rig = rig_of_request(town, &found)?;
    if let Some(named) = named {
        anyhow::ensure!(
            named.name() == rig.name(),
            "{} is a request of rig {}",
            found.bead.id,
            rig.name()
        );
    }
    Ok((found, rig))
}
