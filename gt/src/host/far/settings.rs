//! The file of a host: how the town reaches it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use jiff::Timestamp;
use kit::sys::file;
use serde::{Deserialize, Serialize};

use crate::town::TownLayout;
use crate::town::name::Worker;

/// The way to a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostTransport {
    /// A name that `ssh` knows.
    Ssh(String),
    /// Any command that runs `gt box serve` at its other end.
    Command(Vec<String>),
    /// An engine that makes a place for each worker.
    Engine(ChosenEngine),
    /// A place that an engine made.
    Place(Place),
}

/// The engine of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChosenEngine {
    pub engine: String,
    /// The values of the words in braces in its commands, such as `image`.
    pub values: BTreeMap<String, String>,
}

/// The place of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The worker. `None` for the place of a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<Worker>,
    /// The name at the engine.
    pub object: String,
    /// True if the sandbox of the worker was given to it.
    #[serde(default)]
    pub has_sandbox: bool,
    /// The identity of the engine that made it. Another one says nothing about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// The time at which its making began. `None` once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Timestamp>,
}

/// The file of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostSettings {
    pub transport: HostTransport,
    /// The name under which the host knows the town.
    pub town: String,
    /// The program `gt` on the host.
    #[serde(default = "usual_program")]
    pub program: String,
    /// The maximum number of workers. `None` for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// True if the host gets no new work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draining: bool,
}

fn usual_program() -> String {
    "gt".to_owned()
}

impl HostSettings {
    pub fn new(transport: HostTransport, town: String) -> Self {
        Self {
            transport,
            town,
            program: usual_program(),
            limit: None,
            draining: false,
        }
    }

    /// Reads the file of a host. `None` if there is none.
    pub fn load(town: &TownLayout, name: &str) -> anyhow::Result<Option<Self>> {
        let path = host_file(town, name)?;
        let Some(bytes) = file::read_file_if_exists(&path)? else {
            return Ok(None);
        };
        let parsed = serde_json::from_slice(&bytes);
        let settings =
            parsed.with_context(|| format!("{} is no file of a host", path.display()))?;
        Ok(Some(settings))
    }

    pub fn save(&self, town: &TownLayout, name: &str) -> anyhow::Result<()> {
        let path = host_file(town, name)?;
        file::create_folder(&town.host_files(), 0o755)?;
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        Ok(file::replace_file(&path, &text, 0o600)?)
    }

    /// Describes the way to the host in a few words.
    pub fn describe(&self) -> String {
        match &self.transport {
            HostTransport::Ssh(host) => format!("ssh {host}"),
            HostTransport::Command(words) => words.join(" "),
            HostTransport::Engine(ChosenEngine { engine, values }) => {
                let values: Vec<&str> = values.values().map(String::as_str).collect();
                format!("{engine} {}", values.join("/"))
            }
            HostTransport::Place(place) => place.object.clone(),
        }
    }
}

/// Lists the names of the hosts in alphabetical order.
pub fn list_hosts(town: &TownLayout) -> Vec<String> {
    let Ok(entries) = fs::read_dir(town.host_files()) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .filter(|name| is_host_name(name))
        .collect();
    names.sort();
    names
}

/// Returns true for a valid name of a host.
pub fn is_host_name(name: &str) -> bool {
    crate::host::is_session_name(name) && name.len() <= 60 && name != "local"
}

fn host_file(town: &TownLayout, name: &str) -> anyhow::Result<PathBuf> {
    anyhow::ensure!(
        is_host_name(name),
        "`{name}` is no valid name of a host: only letters, digits, - and _ are allowed"
    );
    Ok(town.host_files().join(format!("{name}.json")))
}

/// Removes the file of a host.
pub fn remove_host_file(town: &TownLayout, name: &str) -> anyhow::Result<()> {
    Ok(file::remove_file(&host_file(town, name)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hosts_are_no_paths() {
        for name in ["", "..", "a/b", "local", "a b"] {
            assert!(!is_host_name(name), "{name}");
        }
        assert!(is_host_name("gpu-1"));
    }
}
