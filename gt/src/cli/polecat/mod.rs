//! `gt polecat`: the workers of rigs.

mod list;
mod nuke;
mod retry;
mod status;

use serde::Serialize;

use super::Answer;
use crate::cli::context::Context;
use crate::host::LiveTown;
use crate::host::ended::Ended;
use crate::record::polecat::{Polecat, State};
use crate::town::identity::Address;

bd::family! {
    /// Show, retry and remove the workers of rigs
    Args:
    List => list,
    Status => status,
    Retry => retry,
    Nuke => nuke,
}

/// A polecat as shown and as JSON.
#[derive(Debug, Serialize)]
struct Row {
    rig: String,
    name: String,
    state: State,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    issue: Option<String>,
    session_running: bool,
    lease: u64,
    branch: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    stuck: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_step: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_end: Option<Ended>,
}

impl Row {
    fn of(polecat: &Polecat) -> Self {
        let failed = polecat
            .slot
            .state
            .done()
            .and_then(|done| done.failed.as_ref());
        Self {
            rig: polecat.rig.clone(),
            name: polecat.name.clone(),
            state: polecat.state,
            why: polecat.why.clone(),
            issue: polecat.hook.clone(),
            session_running: polecat
                .session
                .as_ref()
                .is_some_and(|live| live.dead.is_none()),
            lease: polecat.slot.lease,
            branch: polecat.slot.branch.clone(),
            stuck: polecat.slot.state.stuck().unwrap_or_default().to_owned(),
            last_end: polecat.slot.ended.clone(),
            failed_step: failed.map(|failed| format!("{}: {}", failed.step, failed.reason)),
        }
    }

    fn mark(&self) -> &'static str {
        match self.state {
            State::Working => "◐",
            State::Idle => "○",
            State::Stalled => "!",
            State::Zombie => "✗",
        }
    }
}

/// Rig and name of a polecat's address.
fn parse(town: &LiveTown, text: &str) -> anyhow::Result<(crate::town::RigLayout, String)> {
    match town.address(text)? {
        Address::Polecat(rig, name) => Ok((town.rig(&rig)?, name)),
        other => anyhow::bail!("`{other}` is no polecat: give <rig>/<name>"),
    }
}
