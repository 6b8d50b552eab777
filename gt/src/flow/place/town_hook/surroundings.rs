//! Builds the environment of a hook: the caller's toolchain, and only the documented variables of
//! the town. A value that is too long for a variable is cut, and the file beside it has the whole
//! value.

use std::io;
use std::path::Path;

use kit::sys::Env;
use kit::ui::cut::first_lines;

use super::{TownHookCall, TownHookEvent};
use crate::town::Town;
use crate::town::config::SettingsLayers;

/// The maximum size of a variable's text in bytes. Systems allow 128 KiB.
const MAX_VARIABLE: usize = 32 * 1024;

/// Returns the caller's variables for a foreign child process: toolchains and proxies. Omits
/// variables that locate git, beads or an agent, and those that may hold secrets.
pub(crate) fn inherited_variables(env: &Env) -> impl Iterator<Item = (&str, &str)> {
    env.vars().filter(|(name, _)| is_inherited(name))
}

fn is_inherited(name: &str) -> bool {
    const OWN_VARIABLES: [&str; 9] = [
        "GT_", "GIT_", "BD_", "BEADS_", "TMUX", "CLAUDE", "CODEX_", "GEMINI_", "OLDPWD",
    ];
    let name = name.to_ascii_uppercase();
    // The fifth variable of the contract matches the pattern of secrets, but is none.
    let named = name == "KEEPER_MODE";
    let ours = OWN_VARIABLES.iter().any(|start| name.starts_with(start));
    named || (!ours && !looks_secret(&name))
}

/// Returns true if a variable's name suggests a secret value.
pub(crate) fn looks_secret(name: &str) -> bool {
    const SECRET_WORDS: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH"];
    let name = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|part| name.contains(part))
}

/// Builds all variables of a run. Writes the files of long values to `folder`.
pub(super) fn build_variables(
    town: &Town,
    event: TownHookEvent,
    call: &TownHookCall,
    folder: &Path,
) -> io::Result<Vec<(String, String)>> {
    let mut all: Vec<(String, String)> = inherited_variables(&town.env)
        .filter(|(name, _)| *name != "KEEPER_MODE")
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut set_variable = |name: &str, value: &str| all.push((name.to_owned(), remove_nul(value)));
    let root = call.rig.map_or_else(
        || town.layout.root().to_owned(),
        |rig| rig.root().to_owned(),
    );
    let mode = match town.env.get("KEEPER_MODE") {
        Some(mode) => Some(mode.to_owned()),
        None => SettingsLayers::load(town, call.rig)
            .ok()
            .and_then(|layers| layers.text("hooks.keeper_mode")),
    };
    set_variable("GT_CONVOY_NAME", first_lines(&call.convoy, MAX_VARIABLE));
    set_variable("GT_RIG_ROOT", &root.display().to_string());
    set_variable("KEEPER_MODE", mode.as_deref().unwrap_or(""));
    set_variable("GT_HOOK", event.name());
    set_variable("GT_TOWN_ROOT", &town.layout.root().display().to_string());
    if let Some(rig) = call.rig {
        set_variable("GT_RIG", rig.name());
    }
    for (name, value) in &call.more {
        set_variable(name, first_lines(value, MAX_VARIABLE));
    }
    let issues = call.issues.join("\n");
    for (name, value) in [("SPEC", &call.spec), ("ISSUES", &issues)] {
        let path = folder.join(name.to_ascii_lowercase());
        std::fs::write(&path, remove_nul(value))?;
        set_variable(
            &format!("GT_CONVOY_{name}"),
            first_lines(value, MAX_VARIABLE),
        );
        set_variable(
            &format!("GT_CONVOY_{name}_FILE"),
            &path.display().to_string(),
        );
    }
    Ok(all)
}

/// Removes NUL bytes, which a variable cannot hold.
fn remove_nul(value: &str) -> String {
    value.replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_sees_toolchains_and_proxies_but_no_secrets_or_gt_variables() {
        for name in [
            "PATH",
            "HOME",
            "RUSTUP_HOME",
            "JAVA_HOME",
            "GOPATH",
            "https_proxy",
            "LC_CTYPE",
            "KEEPER_MODE",
        ] {
            assert!(is_inherited(name), "{name}");
        }
        for name in [
            "GT_ROLE",
            "GIT_DIR",
            "BD_ACTOR",
            "BEADS_DIR",
            "TMUX_PANE",
            "CLAUDECODE",
            "ANTHROPIC_API_KEY",
            "GH_TOKEN",
            "npm_config__authToken",
            "AWS_SECRET_ACCESS_ID",
            "PGPASSWORD",
            "SSH_AUTH_SOCK",
        ] {
            assert!(!is_inherited(name), "{name}");
        }
    }
}
