//! The file of a host: how the town reaches it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::engine::EnginePlace;
use super::place::Place;
use crate::town::TownLayout;

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

    /// Returns the command whose standard input and output are the pipe to the host of a name.
    pub(in crate::host) fn command(
        &self,
        town: &TownLayout,
        name: &str,
    ) -> anyhow::Result<Vec<String>> {
        Ok(match &self.transport {
            HostTransport::Ssh(host) => {
                let fixed = [
                    "ssh",
                    "-T",
                    "-o",
                    "BatchMode=yes",
                    "-o",
                    "ConnectTimeout=20",
                    "-o",
                    "ServerAliveInterval=10",
                    "-o",
                    "ServerAliveCountMax=3",
                    "--",
                ];
                let mut words: Vec<String> = fixed.map(str::to_owned).to_vec();
                words.push(host.clone());
                // The remote shell splits the line: the name of a program is no text of others.
                words.push(format!("{} box serve", shlex_quote(&self.program)));
                words
            }
            HostTransport::Command(words) => words.clone(),
            HostTransport::Engine(_) => anyhow::bail!("it has no connection but in its places"),
            HostTransport::Place(_) => EnginePlace::load(town, name)?.open_command()?,
        })
    }

    /// Returns the command that shows a session of the host of a name in the user's terminal. Empty
    /// for a host that has none.
    pub(super) fn attach_command(
        &self,
        town: &TownLayout,
        name: &str,
        session: &str,
    ) -> Vec<String> {
        let host = match &self.transport {
            HostTransport::Ssh(host) => host,
            HostTransport::Place(_) => {
                let place = EnginePlace::load(town, name);
                return place.map_or_else(|_| Vec::new(), |place| place.attach_command(session));
            }
            _ => return Vec::new(),
        };
        let program = shlex_quote(&self.program);
        // Names of sessions and towns have no character that a shell reads.
        let line = format!("{program} box attach {} {session}", self.town);
        ["ssh", "-t", "--", host, &line].map(str::to_owned).to_vec()
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

/// Quotes a word for a remote shell. A leading `~/` stays for the shell.
fn shlex_quote(word: &str) -> String {
    let (home, rest) = match word.strip_prefix("~/") {
        Some(rest) => ("~/", rest),
        None => ("", word),
    };
    let quoted = shlex::try_quote(rest).unwrap_or_else(|_| "gt".into());
    format!("{home}{quoted}")
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
    use std::path::Path;

    use super::*;

    #[test]
    fn the_program_of_an_ssh_host_is_one_word_of_the_remote_shell() {
        let ssh = |program: &str| {
            let transport = HostTransport::Ssh("big".to_owned());
            let settings = HostSettings {
                program: program.to_owned(),
                ..HostSettings::new(transport, "t".to_owned())
            };
            let town = TownLayout::new(Path::new("/nowhere"));
            settings.command(&town, "big").unwrap().pop().unwrap()
        };
        assert_eq!(ssh("gt"), "gt box serve");
        assert_eq!(ssh("~/bin/gt"), "~/bin/gt box serve");
        assert_eq!(ssh("/opt/my gt"), "'/opt/my gt' box serve");
        assert_eq!(ssh("gt; ls"), "'gt; ls' box serve");
    }

    #[test]
    fn names_of_hosts_are_no_paths() {
        for name in ["", "..", "a/b", "local", "a b"] {
            assert!(!is_host_name(name), "{name}");
        }
        assert!(is_host_name("gpu-1"));
    }
}
