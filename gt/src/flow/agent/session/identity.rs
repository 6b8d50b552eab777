//! Builds the variables that tell a session's programs who they are.

use std::path::Path;

use crate::town::identity::Address;
use crate::town::{Town, TownLayout};

/// The variable with the start time of a session, RFC 3339.
pub const STARTED: &str = "GT_STARTED";

/// Returns the variables with the agent's identity. Never `BEADS_DIR`, because it disables routing.
pub(in crate::flow::agent) fn build_identity_env(
    town: &Town,
    address: &Address,
    session: &str,
) -> Vec<(String, String)> {
    let text = address.to_string();
    let folder = town.exe.parent().unwrap_or(Path::new("")).display();
    let path = match town.env.get("PATH") {
        Some(rest) => format!("{folder}:{rest}"),
        None => folder.to_string(),
    };
    let root = town.layout.root().display().to_string();
    let mut env = vec![
        (STARTED, town.clock.now().to_string()),
        ("GT_ROLE", text.clone()),
        ("BD_ACTOR", text),
        ("BEADS_AGENT_NAME", address.mailbox()),
        ("GT_ROOT", root.clone()),
        ("GT_TOWN_ROOT", root),
        ("GT_SESSION", session.to_owned()),
        ("PATH", path),
    ];
    if let Some(rig) = address.rig() {
        env.push(("GT_RIG", rig.to_owned()));
    }
    if let Address::Crew(_, name) = address {
        env.push(("GT_CREW", name.clone()));
    }
    env.extend(commit_identity(town, address));
    env.into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

/// Returns git's variables for an agent's commits.
pub fn commit_identity(town: &Town, address: &Address) -> [(&'static str, String); 4] {
    let name = address.to_string();
    let email = town
        .env
        .get("GT_OWNER_EMAIL")
        .map_or_else(|| find_owner_email(&town.layout), str::to_owned);
    [
        ("GIT_AUTHOR_NAME", name.clone()),
        ("GIT_COMMITTER_NAME", name),
        ("GIT_AUTHOR_EMAIL", email.clone()),
        ("GIT_COMMITTER_EMAIL", email),
    ]
}

/// Returns the overseer's e-mail address, which the commits of agents carry.
fn find_owner_email(layout: &TownLayout) -> String {
    let stored = kit::sys::file::read_file_if_exists(&layout.overseer_json())
        .ok()
        .flatten();
    let value: Option<serde_json::Value> =
        stored.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    value
        .as_ref()
        .and_then(|value| value.get("email")?.as_str())
        .filter(|email| !email.is_empty())
        .unwrap_or("overseer@gastown.local")
        .to_owned()
}
