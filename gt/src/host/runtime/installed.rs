//! Reports the installed hooks of a town's agents: the settings files by role, and the missing
//! hooks of each.

use std::path::PathBuf;

use kit::sys::file;
use serde::Serialize;

use super::settings;
use super::{RuntimePreset, resolve_runtime};
use crate::town::identity::Address;
use crate::town::{Town, agent_home};

/// The state of a role's hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HooksState {
    /// All hooks are installed.
    Installed,
    /// The file does not exist. The next session of the role creates it.
    Absent,
    /// Some hooks are missing.
    Incomplete,
    /// The file cannot be read or parsed.
    Damaged,
    /// The agent program has no supported hooks.
    None,
}

/// The hooks of one role.
#[derive(Debug, Clone, Serialize)]
pub struct RoleHooks {
    pub target: String,
    pub agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    pub state: HooksState,
    pub missing: Vec<String>,
    /// The error of a damaged file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Returns the hooks of every role, or of the named target.
pub fn list_role_hooks(town: &Town, only: Option<&str>) -> anyhow::Result<Vec<RoleHooks>> {
    Ok(inspect_targets(town, only)?
        .into_iter()
        .map(|(_, hooks)| hooks)
        .collect())
}

fn inspect_targets(town: &Town, only: Option<&str>) -> anyhow::Result<Vec<(Address, RoleHooks)>> {
    let targets = list_targets(town)?;
    let names: Vec<String> = targets.iter().map(|(name, _)| name.clone()).collect();
    let found: Vec<(Address, RoleHooks)> = targets
        .into_iter()
        .filter(|(name, _)| {
            only.is_none_or(|only| {
                name.strip_prefix(only)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        })
        .map(|(name, address)| (address.clone(), inspect_hooks(town, name, &address)))
        .collect();
    if let (Some(only), true) = (only, found.is_empty()) {
        anyhow::bail!(
            "no target `{only}`: not found; there are {}",
            names.join(", ")
        );
    }
    Ok(found)
}

/// Adds the missing hooks and keeps existing content. If `absent_too` is false, only in files that
/// exist.
pub fn sync_role_hooks(
    town: &Town,
    only: Option<&str>,
    absent_too: bool,
) -> anyhow::Result<Vec<RoleHooks>> {
    let mut changed = Vec::new();
    for (address, hooks) in inspect_targets(town, only)? {
        match hooks.state {
            HooksState::Incomplete => {}
            HooksState::Absent if absent_too => {}
            HooksState::Damaged => {
                anyhow::bail!("{}: {}", hooks.target, hooks.error.as_deref().unwrap_or(""));
            }
            HooksState::Installed | HooksState::None | HooksState::Absent => continue,
        }
        let home = agent_home(town, &address);
        settings::ensure_hook_file(&town.layout, &address, &preset_of(town, &address)?, &home)?;
        changed.push(RoleHooks {
            missing: hooks.missing,
            ..inspect_hooks(town, hooks.target, &address)
        });
    }
    Ok(changed)
}

/// Returns one address for each hook file of the town.
pub fn list_targets(town: &Town) -> anyhow::Result<Vec<(String, Address)>> {
    let mut found = vec![
        ("mayor".to_owned(), Address::Mayor),
        ("deacon".to_owned(), Address::Deacon),
    ];
    for rig in town.list_rigs()? {
        let name = rig.name().to_owned();
        // One file for all workers of the rig, or one per worker.
        let any_polecat = Address::Polecat(name.clone(), "any".to_owned());
        let is_each = preset_of(town, &any_polecat)
            .is_ok_and(|preset| preset.settings_flag.is_empty() && !preset.hooks_local.is_empty());
        if is_each {
            found.extend(
                file::list_subfolders(&rig.polecats())
                    .into_iter()
                    .map(|worker| {
                        let address = Address::Polecat(name.clone(), worker);
                        (address.to_string(), address)
                    }),
            );
        } else {
            found.push((format!("{name}/polecats"), any_polecat));
        }
        found.extend(
            file::list_subfolders(&rig.crew_folder())
                .into_iter()
                .map(|member| {
                    let address = Address::Crew(name.clone(), member);
                    (address.to_string(), address)
                }),
        );
        found.extend([
            (format!("{name}/witness"), Address::Witness(name.clone())),
            (format!("{name}/refinery"), Address::Refinery(name.clone())),
        ]);
    }
    Ok(found)
}

fn preset_of(town: &Town, address: &Address) -> anyhow::Result<RuntimePreset> {
    let rig = address.rig().map(|rig| town.rig(rig));
    Ok(resolve_runtime(town, rig.as_ref(), address, None)?.preset)
}

fn inspect_hooks(town: &Town, target: String, address: &Address) -> RoleHooks {
    let mut hooks = RoleHooks {
        target,
        agent: String::new(),
        path: None,
        state: HooksState::None,
        missing: Vec::new(),
        error: None,
    };
    let preset = match preset_of(town, address) {
        Ok(preset) => preset,
        Err(error) => {
            hooks.error = Some(format!("{error:#}"));
            return hooks;
        }
    };
    hooks.agent.clone_from(&preset.name);
    let home = agent_home(town, address);
    let Some(file) = settings::locate_hook_file(&town.layout, address, &preset, &home) else {
        return hooks;
    };
    let path = hooks.path.insert(file.path);
    match settings::find_missing_hooks(path, &preset, address) {
        Ok(None) => hooks.state = HooksState::Absent,
        Ok(Some(missing)) if missing.is_empty() => hooks.state = HooksState::Installed,
        Ok(Some(missing)) => {
            hooks.state = HooksState::Incomplete;
            hooks.missing = missing;
        }
        Err(error) => {
            hooks.state = HooksState::Damaged;
            hooks.error = Some(error.to_string());
        }
    }
    hooks
}

impl RoleHooks {
    /// Returns the path for display.
    pub fn display_path(&self) -> String {
        let path = self.path.as_ref();
        path.map_or_else(|| "-".to_owned(), |path| path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_hooks_are_named_but_changed_user_values_are_not() {
        let ours = json!({"safe": true, "hooks": {
            "Stop": [{"hooks": [{"type": "command", "command": "gt signal stop"}]}],
            "SessionEnd": [{"hooks": [{"type": "command", "command": "gt signal end"}]}]}});
        let found = json!({"safe": false, "hooks": {
            "Stop": [{"matcher": "", "hooks": [{"command": "mine"}, {"command": "gt signal stop"}]}]}});
        assert_eq!(
            settings::list_missing(&found, &ours, "").unwrap(),
            ["hooks.SessionEnd: gt signal end"]
        );
        assert!(settings::list_missing(&json!({"hooks": "no"}), &ours, "").is_err());
        let all = settings::list_missing(&json!({}), &ours, "").unwrap();
        assert_eq!(all.len(), 3, "{all:?}");
    }
}
