//! Reads the modes of the patrol's roles: gtd does the work, or an agent with a session.

use serde::Serialize;

use crate::town::Town;
use crate::town::config::{SettingsLayers, TownSettings};
use crate::town::identity::Address;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleMode {
    /// gtd does the work in plain code. The role has no session.
    #[default]
    Mechanical,
    /// An agent does the work, and gtd keeps its session running.
    Agent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatrolRole {
    pub address: Address,
    pub mode: RoleMode,
}

/// Returns the mode setting of an agent's role. None if it is no role of the patrol.
pub fn mode_setting_of(agent: &Address) -> Option<&'static str> {
    match agent {
        Address::Boot => Some("patrol.mode.boot"),
        Address::Deacon => Some("patrol.mode.deacon"),
        Address::Witness(_) => Some("patrol.mode.witness"),
        Address::Refinery(_) => Some("patrol.mode.refinery"),
        _ => None,
    }
}

/// Returns the mode of an agent's role. `Agent` for any role outside of the patrol.
pub fn role_mode_of(town: &Town, agent: &Address) -> RoleMode {
    let Some(setting) = mode_setting_of(agent) else {
        return RoleMode::Agent;
    };
    let rig = agent.rig().map(|rig| town.rig(rig));
    // Unreadable settings are reported elsewhere. They start no session.
    SettingsLayers::load(town, rig.as_ref())
        .map_or(RoleMode::Mechanical, |layers| read_mode(&layers, setting))
}

fn read_mode(layers: &SettingsLayers, setting: &str) -> RoleMode {
    if layers.valid_value(setting) == "agent" {
        RoleMode::Agent
    } else {
        RoleMode::Mechanical
    }
}

/// Returns all roles of the patrol: the town's, then those of each rig.
pub fn list_patrol_roles<'r>(
    rigs: impl IntoIterator<Item = &'r str>,
    settings: &TownSettings,
) -> Vec<PatrolRole> {
    let mut roles: Vec<PatrolRole> = [Address::Deacon, Address::Boot]
        .map(|address| PatrolRole::new(settings.for_rig(None), address))
        .into();
    for rig in rigs {
        let layers = settings.for_rig(Some(rig));
        let name = rig.to_owned();
        let rig_roles = [Address::Witness(name.clone()), Address::Refinery(name)];
        roles.extend(rig_roles.map(|address| PatrolRole::new(layers, address)));
    }
    roles
}

impl PatrolRole {
    fn new(layers: &SettingsLayers, address: Address) -> Self {
        Self {
            mode: mode_setting_of(&address)
                .map_or(RoleMode::Agent, |setting| read_mode(layers, setting)),
            address,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;
    use crate::town::config::{self, SettingsLayer};

    #[test]
    fn a_role_is_mechanical_unless_a_town_or_rig_setting_changes_it() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let town = &place.town;
        let all = || {
            let stores = town.read_stores().unwrap();
            list_patrol_roles(stores.rig_names(), &TownSettings::load(town, &stores.rigs))
        };
        assert!(all().iter().all(|one| one.mode == RoleMode::Mechanical));
        assert_eq!(all().len(), 4);
        let rig = town.find_rig("web").unwrap();
        let set = |rig, name| {
            config::change_setting(town, rig, SettingsLayer::Settings, name, Some("agent"))
                .unwrap();
        };
        set(None, "patrol.mode.deacon");
        set(Some(&rig), "patrol.mode.witness");
        let agents: Vec<String> = all()
            .into_iter()
            .filter(|one| one.mode == RoleMode::Agent)
            .map(|one| one.address.to_string())
            .collect();
        assert_eq!(agents, ["deacon", "web/witness"]);
        assert_eq!(role_mode_of(town, &Address::Boot), RoleMode::Mechanical);
        assert_eq!(role_mode_of(town, &Address::Mayor), RoleMode::Agent);
    }
}
