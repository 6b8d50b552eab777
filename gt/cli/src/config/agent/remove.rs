//! `gt config agent remove`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::recorded_setting;
use gt::host::runtime::RuntimePreset;
use gt::town::Town;
use gt::town::config::{self, SettingsLayers};

/// Remove an agent from the town's settings
///
/// A built-in agent of that name stays. An agent that a setting names is not removed. With `--json` {name}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    anyhow::ensure!(
        config::read_agents(&town)?.contains_key(&args.name),
        "the town's settings have no agent `{}`: not found",
        args.name
    );
    let users = find_users(&town, &args.name)?;
    if !users.is_empty() && RuntimePreset::named(&args.name).is_none() {
        kit::bail_usage!(
            "the agent `{}` is in use; choose another one first:\n  {}",
            args.name,
            users.join("\n  ")
        );
    }
    recorded_setting::change_agent(&town, &args.name, None)?;
    build_report(serde_json::json!({ "name": args.name }), move |_, page| {
        page.line(format!("✓ agent {} is removed", args.name));
    })
}

/// Returns the commands that choose another agent wherever a setting names this one.
fn find_users(town: &Town, name: &str) -> anyhow::Result<Vec<String>> {
    let mut users = Vec::new();
    let rigs = town.list_rigs()?;
    for rig in std::iter::once(None).chain(rigs.iter().map(Some)) {
        for (key, agent) in SettingsLayers::load(town, rig)?.list_named_agents() {
            if agent == name {
                users.push(config::command_to_name_agent(
                    rig.map(|rig| rig.name()),
                    &key,
                ));
            }
        }
    }
    Ok(users)
}
