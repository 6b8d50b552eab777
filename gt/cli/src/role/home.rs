//! `gt role home`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::town::agent_home;
use gt::town::identity::Address;

/// Print the folder in which an agent works
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The role or address (default: you)
    role: Option<String>,
    /// The rig of the role
    #[arg(long)]
    rig: Option<String>,
    /// The name of a polecat
    #[arg(long, value_name = "NAME", requires = "rig")]
    polecat: Option<String>,
}

#[derive(Debug, Serialize)]
struct RoleHome {
    agent: String,
    home: std::path::PathBuf,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = match &args.rig {
        Some(name) => Some(town.find_rig(name)?.name().to_owned()),
        None => None,
    };
    let address = match (args.role.as_deref(), rig, args.polecat) {
        (_, Some(rig), Some(name)) => Address::Polecat(rig, name),
        (Some("witness"), Some(rig), None) => Address::Witness(rig),
        (Some("refinery"), Some(rig), None) => Address::Refinery(rig),
        (Some(text), _, None) => town.parse_agent(text)?,
        (None, _, _) | (Some(_), None, Some(_)) => town.actor.clone(),
    };
    let found = RoleHome {
        agent: address.to_string(),
        home: agent_home(&town, &address),
    };
    build_report(found, |found, page| {
        page.line(found.home.display().to_string());
    })
}
