//! Finds the rigs whose workers cannot start because the program of their agent is not installed.

use std::collections::BTreeMap;

use kit::ui::escape::quote_for_shell;

use crate::host::runtime::{RuntimeError, resolve_runtime};
use crate::record::town_view::TownView;
use crate::town::Town;
use crate::town::config;
use crate::town::identity::Address;

/// An agent whose program is not installed.
pub(super) struct MissingProgram {
    pub text: String,
    /// The commands that check it or choose another agent.
    pub next: [String; 2],
}

/// Returns one entry per agent, however many rigs start it.
pub(super) fn find_missing_programs(town: &Town, view: &TownView) -> Vec<MissingProgram> {
    let mut missing: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for name in view.stores.rigs.keys() {
        let rig = town.rig(name);
        if view.stores.holds.contains_key(name) {
            continue;
        }
        let worker = Address::Polecat(name.clone(), "any".to_owned());
        // Every other fault of the settings is a problem of its own.
        if let Err(RuntimeError::NotInstalled {
            name: agent,
            command,
        }) = resolve_runtime(town, Some(&rig), &worker, None)
        {
            missing.entry((agent, command)).or_default().push(name);
        }
    }
    missing
        .into_iter()
        .map(|((agent, command), rigs)| {
            let word = if rigs.len() == 1 { "rig" } else { "rigs" };
            let text = format!(
                "no worker of {word} {} can start: the program `{command}` of the agent {agent} is not installed or not on PATH",
                rigs.join(", ")
            );
            MissingProgram {
                text,
                next: [
                    format!("command -v {}", quote_for_shell(&command)),
                    config::command_to_name_agent(None, "default_agent"),
                ],
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::TestTown;
    use crate::town::config::{SettingsLayer, change_agent, change_setting};

    #[test]
    fn a_missing_program_is_one_problem_for_all_rigs_that_start_it() {
        let place = TestTown::new();
        for rig in ["api", "web"] {
            place.add_rig(rig, None).unwrap();
        }
        let town = &place.town;
        let agent = json!({ "command": "no-such-program" });
        change_agent(town, "ghost", Some(agent)).unwrap();
        let layer = SettingsLayer::Settings;
        change_setting(town, None, layer, "default_agent", Some("ghost")).unwrap();
        let problems = find_missing_programs(town, &TownView::read(town).unwrap());
        let texts: Vec<&str> = problems.iter().map(|problem| &*problem.text).collect();
        assert_eq!(
            texts,
            [
                "no worker of rigs api, web can start: the program `no-such-program` of the agent ghost is not installed or not on PATH"
            ]
        );
        assert_eq!(
            problems[0].next,
            [
                "command -v no-such-program",
                "gt config set --town default_agent NAME"
            ]
        );
    }
}
