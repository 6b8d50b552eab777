//! `gt polecat`: manages the workers of rigs.

mod check_recovery;
mod fire;
mod git_state;
mod hire;
mod list;
mod nuke;
mod prune;
mod retry;
mod stale;
mod status;

pub(super) use status::{describe_summary, write_status};

use super::CommandResult;
use crate::context::Context;
use gt::town::identity::Address;
use gt::town::{Rig, Town};

kit::family! {
    /// Show, hire, retry and remove the workers of rigs
    Args:
    #[command(alias = "ls")]
    List => list,
    #[command(alias = "show")]
    Status => status,
    Hire => hire,
    Fire => fire,
    Retry => retry,
    Stale => stale,
    CheckRecovery => check_recovery,
    GitState => git_state,
    #[command(alias = "gc")]
    Prune => prune,
    #[command(alias = "rm")]
    Nuke => nuke,
}

/// Parses a polecat's address into its rig and its name.
fn parse_polecat<'t>(town: &'t Town, text: &str) -> anyhow::Result<(Rig<'t>, String)> {
    match town.parse_agent(text)? {
        Address::Polecat(rig, name) => Ok((town.find_rig(&rig)?, name)),
        other => anyhow::bail!("`{other}` is no polecat: give <rig>/<name>"),
    }
}
