//! Creates a town: its folders, its own beads, its files. Safe to run again: existing files are
//! kept.

use std::io;
use std::path::{Path, PathBuf};

use bd::bead::{Bead, Kind};
use bd::git::Git;
use bd::store::{Author, Store, create};
use kit::sys::{Clock, Env, file};
use serde::Serialize;
use serde_json::json;

use crate::town;
use crate::town::identity::Address;
use crate::town::{RigRegistry, TownLayout};

/// The bead types that a town uses in addition to those of bd.
pub const CUSTOM_TYPES: &str =
    "agent,role,rig,convoy,slot,queue,event,message,molecule,gate,merge-request";

#[derive(Debug, Clone, Default)]
pub struct InstallRequest {
    /// The town's name. If `None`, that of its folder.
    pub name: Option<String>,
    pub owner: Option<String>,
    pub email: Option<String>,
    /// Make the town's folder a git repository.
    pub git: bool,
}

impl InstallRequest {
    /// Takes the owner from git's configuration in a folder. Without a git identity the town has no
    /// owner yet.
    pub fn from_git_user(folder: &Path) -> Self {
        let git = Git::at(folder);
        let [owner, email] =
            ["user.name", "user.email"].map(|key| git.config_get(key).ok().flatten());
        Self {
            name: None,
            owner,
            email,
            git: false,
        }
    }
}

/// A created town.
#[derive(Debug, Clone, Serialize)]
pub struct InstallReport {
    pub root: PathBuf,
    pub name: String,
    /// True if the town existed before.
    pub existed: bool,
    /// The enclosing town, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<PathBuf>,
    /// Other towns in the folders of the root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("cannot make the town: {} cannot be written", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The town exists with another name.
    #[error("{} is the town `{name}` already: leave out --name, or set `name` in {}", root.display(), TownLayout::new(root).town_json().display())]
    OtherName { root: PathBuf, name: String },
    /// The folder holds the beads of another project.
    #[error("{} holds the beads of another project (prefix `{prefix}`): make the town in a folder of its own", path.display())]
    ForeignBeads { path: PathBuf, prefix: String },
}

/// Creates a town at `root`.
///
/// 1. Create the folders.
/// 2. Create the town's own beads, prefix `hq`, and their routes.
/// 3. Write the files, `mayor/town.json` last, because that file makes the folder a town.
/// 4. Create the agents' beads.
pub fn install_town(
    env: &Env,
    clock: &Clock,
    root: &Path,
    request: &InstallRequest,
) -> anyhow::Result<InstallReport> {
    let layout = TownLayout::new(root);
    let around = root
        .parent()
        .and_then(|parent| town::find_town(&env.in_dir(parent)).ok());
    let existed = layout.town_json().is_file();
    refuse_foreign_beads(&layout)?;
    let name = choose_name(&layout, request)?;
    create_folders(&layout)?;
    let store = create_town_store(&layout)?;
    if request.git {
        create_town_repository(root)?;
    }
    if root.join(".git").exists() {
        // Errors are ignored: without the merge driver, git merges the town's beads line by line.
        let git = Git::at(root);
        git.install_merge_driver(".beads/issues.jsonl").ok();
    }
    write_town_files(&layout, clock, request, &name)?;
    create_agent_beads(&store, clock, request)?;
    Ok(InstallReport {
        root: root.to_owned(),
        name,
        existed,
        inside: around.filter(|town| root.starts_with(town)),
        around: towns_below(root),
    })
}

/// Returns the name of the town: its own one if it exists, else the requested one, else that of its
/// folder.
fn choose_name(layout: &TownLayout, request: &InstallRequest) -> Result<String, InstallError> {
    let exists = layout.town_json().is_file();
    let own = town::read_town_name(layout);
    match &request.name {
        Some(requested) if exists && own != *requested => Err(InstallError::OtherName {
            root: layout.root().to_owned(),
            name: own,
        }),
        Some(requested) => Ok(requested.clone()),
        None => Ok(own),
    }
}

/// Makes the town's folder a repository, if it is none, and adds what git must ignore in a town.
fn create_town_repository(root: &Path) -> anyhow::Result<()> {
    if !root.join(".git").exists() {
        Git::at(root).init("main", false)?;
    }
    let path = root.join(".gitignore");
    let ours = include_str!("../../../templates/town.gitignore");
    let heading = ours.lines().next().unwrap_or("");
    let mut content = file::read_file_if_exists(&path)?.unwrap_or_default();
    if String::from_utf8_lossy(&content)
        .lines()
        .any(|line| line == heading)
    {
        return Ok(());
    }
    if !content.is_empty() && !content.ends_with(b"\n") {
        content.push(b'\n');
    }
    content.extend(ours.bytes());
    write_file(&path, &content)?;
    Ok(())
}

/// Returns the towns in the subfolders of a folder.
fn towns_below(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let mut towns: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join("mayor/town.json").is_file())
        .collect();
    towns.sort();
    towns
}

/// Refuses a folder with beads of another project, because the town's own beads would replace them.
fn refuse_foreign_beads(layout: &TownLayout) -> anyhow::Result<()> {
    let folder = layout.beads();
    if !folder.join("issues.jsonl").is_file() && !folder.join("redirect").is_file() {
        return Ok(());
    }
    let prefix = Store::open(&folder)?.prefix()?;
    if prefix == "hq" && !folder.join("redirect").is_file() {
        return Ok(());
    }
    Err(InstallError::ForeignBeads {
        path: folder,
        prefix,
    }
    .into())
}

fn create_folders(layout: &TownLayout) -> Result<(), InstallError> {
    let made = [
        (layout.root().to_owned(), 0o755),
        (layout.mayor(), 0o755),
        (layout.deacon().join("dogs/boot"), 0o755),
        (layout.root().join("settings"), 0o755),
        (layout.root().join("plugins"), 0o755),
        (layout.runtime(), 0o700),
        (layout.daemon(), 0o700),
    ];
    for (path, mode) in made {
        file::create_folder(&path, mode).map_err(|source| InstallError::Io { path, source })?;
    }
    Ok(())
}

fn create_town_store(layout: &TownLayout) -> anyhow::Result<Store> {
    let folder = layout.beads();
    let store = if create::is_initialized(&folder) {
        Store::open(&folder)?
    } else {
        Store::create(&folder, "hq")?
    };
    bd::config::set_setting(&folder, "issue-prefix", "hq")?;
    let config = bd::config::Config::from_dir(&folder)?;
    for (key, needed) in [
        ("types.custom", CUSTOM_TYPES),
        ("allowed_prefixes", "hq,hq-cv"),
    ] {
        let mut values = config.list(key);
        let before = values.len();
        for value in needed.split(',') {
            if !values.iter().any(|there| there == value) {
                values.push(value.to_owned());
            }
        }
        if values.len() > before {
            bd::config::set_setting(&folder, key, &values.join(","))?;
        }
    }
    let routes = layout.routes();
    if !routes.exists() {
        let text = "{\"prefix\":\"hq-\",\"path\":\".\"}\n{\"prefix\":\"hq-cv-\",\"path\":\".\"}\n";
        write_file(&routes, text.as_bytes())?;
    }
    Ok(store)
}

fn write_town_files(
    layout: &TownLayout,
    clock: &Clock,
    request: &InstallRequest,
    name: &str,
) -> anyhow::Result<()> {
    if !layout.rigs_json().exists() {
        RigRegistry::default().save(&layout.rigs_json())?;
    }
    let patrol = json!({ "enabled": true, "interval": "5m" });
    let daemon = json!({
        "type": "daemon-patrol-config", "version": 1,
        "heartbeat": { "enabled": true, "interval": "3m" },
        "patrols": { "deacon": patrol, "witness": patrol, "refinery": patrol },
    });
    let owner = request
        .owner
        .clone()
        .unwrap_or_else(|| "overseer".to_owned());
    let overseer = json!({
        "type": "overseer", "version": 1, "name": owner,
        "email": request.email.as_deref().unwrap_or(""), "source": "install",
    });
    let settings = json!({ "type": "town-settings", "version": 1, "default_agent": "claude" });
    let town = json!({
        "type": "town", "version": 2, "name": name, "owner": request.email,
        "created_at": clock.now().to_string(),
    });
    write_json_if_missing(&layout.daemon_json(), &daemon)?;
    write_json_if_missing(&layout.overseer_json(), &overseer)?;
    write_json_if_missing(&layout.settings(), &settings)?;
    write_json_if_missing(&layout.town_json(), &town)?;
    Ok(())
}

fn write_json_if_missing(path: &Path, value: &serde_json::Value) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write_file(path, text.as_bytes())?;
    Ok(())
}

fn write_file(path: &Path, content: &[u8]) -> Result<(), InstallError> {
    file::replace_file(path, content, 0o600).map_err(|source| InstallError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Creates the missing beads of the town's agents.
fn create_agent_beads(
    store: &Store,
    clock: &Clock,
    request: &InstallRequest,
) -> anyhow::Result<()> {
    let author = Author {
        actor: "overseer".to_owned(),
        owner: request.email.clone().unwrap_or_default(),
        ..Author::default()
    };
    store.transact(&author, clock, |tx| {
        for address in [Address::Mayor, Address::Deacon] {
            let id = address.bead_id("hq");
            if tx.get(&id).is_some() {
                continue;
            }
            let now = tx.now();
            tx.put(Bead {
                title: format!("{} of the town", address.role()),
                issue_type: Kind::Agent,
                labels: vec![
                    "gt:agent".to_owned(),
                    format!("role_type:{}", address.role()),
                ],
                role_type: address.role().to_owned(),
                agent_state: "idle".to_owned(),
                description: format!(
                    "role_type: {}\nrig: null\nagent_state: idle",
                    address.role()
                ),
                created_at: now.clone(),
                updated_at: now,
                created_by: "overseer".to_owned(),
                id,
                ..Bead::default()
            })?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_town_without_a_recorded_name_is_refused_another_one_truthfully() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        std::fs::create_dir(layout.mayor()).unwrap();
        std::fs::write(layout.town_json(), "{}").unwrap();
        let name = town::read_town_name(&layout);
        let choose = |name: Option<&str>| {
            let name = name.map(str::to_owned);
            let request = InstallRequest {
                name,
                ..InstallRequest::default()
            };
            choose_name(&layout, &request)
        };
        assert_eq!(choose(None).unwrap(), name);
        assert_eq!(choose(Some(&name)).unwrap(), name);
        let refused = choose(Some("other")).unwrap_err().to_string();
        let advice = format!("or set `name` in {}", layout.town_json().display());
        assert!(refused.ends_with(&advice), "{refused}");
    }
}
