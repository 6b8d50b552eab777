//! `gt role permissions`.

use clap::builder::PossibleValuesParser;
use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::setting_change::SettingChange;
use gt::town::config::SettingsLayer;
use gt::town::identity::Address;
use gt::town::permission::{
    HeldPermission, PermissionChanges, is_kept_from_workers, list_changeable, list_permissions,
};

/// Show or change what the agents of a role may do
///
/// Each command needs one permission. What is given or taken holds from the next command of an agent
/// on. Only a jail keeps an agent from acting as another one: see `gt doctor jail`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The role
    #[arg(value_parser = [
        "mayor", "deacon", "boot", "dog", "witness", "refinery", "polecat", "crew",
    ])]
    role: String,
    /// Give a permission to the role
    #[arg(long, value_name = "PERMISSION", value_parser = changeable())]
    allow: Vec<String>,
    /// Take a permission from the role
    #[arg(long, value_name = "PERMISSION", value_parser = changeable())]
    refuse: Vec<String>,
}

fn changeable() -> PossibleValuesParser {
    PossibleValuesParser::new(list_changeable())
}

#[derive(Debug, Serialize)]
struct RolePermissions {
    role: String,
    permissions: Vec<HeldPermission>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = example_agent(&args.role);
    if matches!(agent, Address::Polecat(..))
        && let Some(name) = args.allow.iter().find(|name| is_kept_from_workers(name))
    {
        anyhow::bail!(
            "workers cannot have the permission \"{name}\": with it one could end its own jail"
        );
    }
    let before = PermissionChanges::load(&town, &agent)?;
    let mut changes = before.clone();
    let wanted = [(&args.allow, true), (&args.refuse, false)];
    for (names, is_given) in wanted {
        for name in names {
            changes = changes.with(&agent, name, is_given);
        }
    }
    let settings = changes.settings(&args.role);
    for (old, (key, value)) in before.settings(&args.role).iter().zip(&settings) {
        if old.1 == *value {
            continue;
        }
        let change = SettingChange {
            key,
            value: (!value.is_empty()).then_some(value),
            layer: SettingsLayer::Settings,
        };
        change.apply(&town, None)?;
    }
    let found = RolePermissions {
        permissions: list_permissions(&agent, &changes),
        role: args.role,
    };
    build_report(found, |found, page| {
        page.line(format!("permissions of {}", found.role));
        for permission in &found.permissions {
            let sign = if permission.is_held { "✓" } else { "✗" };
            let by = if permission.is_changed {
                "  (changed by you)"
            } else {
                ""
            };
            page.line(format!("  {sign} {}{by}", permission.name));
            page.items("      ", permission.commands.iter().copied());
        }
    })
}

/// Returns an agent of a role, because all agents of a role have the same permissions.
fn example_agent(role: &str) -> Address {
    let (rig, name) = ("rig".to_owned(), "name".to_owned());
    match role {
        "mayor" => Address::Mayor,
        "deacon" => Address::Deacon,
        "boot" => Address::Boot,
        "dog" => Address::Dog(name),
        "witness" => Address::Witness(rig),
        "refinery" => Address::Refinery(rig),
        "crew" => Address::Crew(rig, name),
        _ => Address::Polecat(rig, name),
    }
}
