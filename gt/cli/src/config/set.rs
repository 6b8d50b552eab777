//! `gt config set`.

use std::collections::BTreeSet;

use kit::cli::slip::sort_nearest_first;

use super::super::{CommandResult, build_report};
use super::{SettingsScope, read_setting};
use crate::context::Context;
use gt::host::runtime;
use gt::patrol::rule::{self, RuleScope};
use gt::record::account::AccountBook;
use gt::record::start_use::StartUse;
use gt::town::config::{self, ChangeError, SettingsLayer, SettingsLayers};
use gt::town::{Rig, Town, TownLayout};

/// The maximum number of names that an error proposes.
const MAX_PROPOSALS: usize = 3;

/// Set a setting of the rig, the town or this machine
///
/// With `--json` {key, value, file}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The setting
    key: String,
    /// The value
    #[arg(allow_negative_numbers = true)]
    value: String,
    #[command(flatten)]
    whose: SettingsScope,
    /// Set it on this machine only
    #[arg(long, conflicts_with = "town")]
    local: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = args.whose.rig(ctx, &town)?;
    let layer = if args.local {
        SettingsLayer::Local
    } else {
        SettingsLayer::Settings
    };
    read_setting(&SettingsLayers::load(&town, rig.as_ref())?, &args.key)?;
    let is_towns = rule::switched_by(&args.key).is_some_and(|rule| rule.scope == RuleScope::Town);
    if is_towns && rig.is_some() {
        return Err(ChangeError::WrongPlace {
            name: args.key.clone(),
            reason: "it is the whole town's: use --town",
        }
        .into());
    }
    check_agent_name(&town.layout, rig.as_ref(), &args)?;
    check_limited_name(&town, &args)?;
    let file = config::change_setting(&town, rig.as_ref(), layer, &args.key, Some(&args.value))?;
    gt::host::daemon::wake_daemon(&town);
    let key = args.key.clone();
    let value = args.value.clone();
    let data = serde_json::json!({ "key": key, "value": value, "file": file });
    build_report(data, move |_, page| {
        page.line(format!("{key} = {value}  ({})", file.display()));
    })
}

/// Checks that an agent's name is defined in the settings or among the built-in presets.
fn check_agent_name(layout: &TownLayout, rig: Option<&Rig>, args: &Args) -> anyhow::Result<()> {
    let key = args.key.as_str();
    let names_agent = match key {
        "default_agent" => rig.is_none(),
        "agent" => rig.is_some(),
        _ => key.starts_with("role_agents."),
    };
    if !names_agent {
        return Ok(());
    }
    let known = runtime::list_agent_names(layout, rig.map(Rig::layout))?;
    anyhow::ensure!(
        known.contains(&args.value),
        ChangeError::BadValue {
            name: key.to_owned(),
            text: args.value.clone(),
            expected: format!("an agent ({})", known.join(", ")),
        }
    );
    Ok(())
}

/// Checks that the name in a limit of the scheduler is an agent of the town or a rig, or an
/// account.
fn check_limited_name(town: &Town, args: &Args) -> anyhow::Result<()> {
    let (kind, name, known) = match StartUse::from_setting(&args.key) {
        Some(StartUse::Agent(name)) => {
            let mut known = runtime::list_agent_names(&town.layout, None)?;
            for rig in town.list_rigs()? {
                known.extend(runtime::list_agent_names(&town.layout, Some(rig.layout()))?);
            }
            ("agent", name, known)
        }
        Some(StartUse::Account(name)) => {
            let accounts = AccountBook::load(&town.layout)?.accounts;
            ("account", name, accounts.into_keys().collect())
        }
        None => return Ok(()),
    };
    if known.contains(&name) {
        return Ok(());
    }
    let names: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    let mut near = sort_nearest_first(&name, names.into_iter().collect());
    near.truncate(MAX_PROPOSALS);
    let near = match near.as_slice() {
        [] => String::new(),
        near => format!(" (did you mean {}?)", near.join(", ")),
    };
    anyhow::bail!("there is no {kind} `{name}`{near}: not found");
}
