//! `gt role env`.

use std::collections::BTreeMap;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::session;
use gt::town::agent_home;
use gt::town::identity::Address;

/// Print the variables of your role as shell commands
///
/// For `eval "$(gt role env)"` in a terminal beside an agent's session. With `--json` an object of
/// name and value.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let address = &town.actor;
    let text = address.to_string();
    let root = town.layout.root().display().to_string();
    let mut env: BTreeMap<&str, String> = BTreeMap::from([
        ("BD_ACTOR", text.clone()),
        ("GT_ROLE", text),
        (
            "GT_ROLE_HOME",
            agent_home(&town, address).display().to_string(),
        ),
        ("GT_ROOT", root.clone()),
        ("GT_TOWN_ROOT", root),
    ]);
    if let Some(rig) = address.rig() {
        env.insert("GT_RIG", rig.to_owned());
    }
    match address {
        Address::Crew(_, name) => drop(env.insert("GT_CREW", name.clone())),
        Address::Polecat(_, name) => drop(env.insert("GT_POLECAT", name.clone())),
        _ => {}
    }
    if *address != Address::Overseer {
        env.extend(session::commit_identity(&town, address));
    }
    build_report(env, |env, page| {
        for (name, value) in env {
            page.line(format!(
                "export {name}={}",
                kit::ui::escape::quote_for_shell(value)
            ));
        }
    })
}
