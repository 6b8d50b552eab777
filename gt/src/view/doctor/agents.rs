//! Checks agent programs: the choice for each role, the installation, and the questions that they
//! ask before they work.

use kit::sys::file;
use serde_json::Value;

use super::{CheckFindings, list_readable_rigs};
use crate::host::LiveTown;
use crate::host::runtime::{self, AgentRuntime};
use crate::town::identity::Address;
use crate::town::{Rig, Town};

pub(super) fn check_agents(town: &LiveTown, page: &mut CheckFindings) {
    check_agent(town, page, None, &Address::Mayor);
    for rig in list_readable_rigs(town) {
        let name = rig.name().to_owned();
        let any = "any".to_owned();
        check_agent(
            town,
            page,
            Some(&rig),
            &Address::Polecat(name.clone(), any.clone()),
        );
        check_agent(town, page, Some(&rig), &Address::Crew(name, any));
    }
}

fn check_agent(town: &Town, page: &mut CheckFindings, rig: Option<&Rig>, address: &Address) {
    let role = match rig {
        Some(rig) => format!("{} of {}", address.role(), rig.name()),
        None => address.role().to_owned(),
    };
    match runtime::resolve_runtime(town, rig, address, None) {
        Err(error) => {
            let hint = "install it, or set default_agent or role_agents in the settings";
            page.error(format!("{role}: {error}"), hint);
        }
        Ok(runtime) => {
            for warning in &runtime.warnings {
                page.warn(
                    format!("{role}: {warning}"),
                    "correct role_agents in the settings",
                );
            }
            check_trust(town, page, rig, &role, &runtime);
            if runtime.preset.has_login(&town.env) == Some(false) {
                let program = &runtime.preset.command;
                let hint = format!("run `{program}` once and log in");
                page.note(format!("{role}: no login of {program} was found"), &hint);
            }
            let program = runtime.program.display();
            page.ok(format!(
                "{role}: {} ({program}), by {}",
                runtime.name, runtime.source
            ));
        }
    }
}

/// Checks if Claude trusts a rig's sandboxes. Claude stores the answer under the path of the shared
/// repository.
fn check_trust(
    town: &Town,
    page: &mut CheckFindings,
    rig: Option<&Rig>,
    role: &str,
    runtime: &AgentRuntime,
) {
    let (Some(rig), "claude") = (rig, runtime.preset.hooks.as_str()) else {
        return;
    };
    if town.env.flag("CLAUDE_CODE_SANDBOXED") {
        return;
    }
    let folder = town
        .env
        .get("CLAUDE_CONFIG_DIR")
        .map(|path| town.env.make_absolute(path));
    let Some(path) = folder
        .or(town.env.home())
        .map(|folder| folder.join(".claude.json"))
    else {
        return;
    };
    // A file of the agent program that is not understood has no trusted folder.
    let bytes = file::read_file_if_exists(&path).ok().flatten();
    let is_trusted = bytes
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
        .is_some_and(|known| {
            let entry = &known["projects"][rig.repo().to_string_lossy().as_ref()];
            entry["hasTrustDialogAccepted"] == Value::Bool(true)
        });
    if !is_trusted {
        let text = format!(
            "{role}: {} does not trust {} yet",
            runtime.name,
            rig.repo().display()
        );
        page.note(
            text,
            "Gas Town answers the question at each start; answer it once yourself to stop it",
        );
    }
}
