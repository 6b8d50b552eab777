//! The sessions that a town has on a host, as the town started them.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::settings::list_hosts;
use crate::town::TownLayout;

/// The time in which a session that is being started may be missing.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A session on a host. Its environment may hold secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionRecord {
    /// The address of the agent.
    pub(crate) agent: String,
    pub(crate) token: String,
    /// The environment of the commands that the town runs for the session.
    pub(crate) env: Vec<(String, String)>,
}

fn record_path(town: &TownLayout, host: &str, session: &str) -> PathBuf {
    session_folder(town, host).join(format!("{session}.json"))
}

fn session_folder(town: &TownLayout, host: &str) -> PathBuf {
    town.host(host).join("sessions")
}

impl SessionRecord {
    pub(crate) fn save(&self, town: &TownLayout, host: &str, session: &str) -> std::io::Result<()> {
        file::create_folder(&session_folder(town, host), 0o700)?;
        let text = serde_json::to_vec(self)?;
        file::replace_file(&record_path(town, host, session), &text, 0o600)
    }

    pub(crate) fn load(
        town: &TownLayout,
        host: &str,
        session: &str,
    ) -> std::io::Result<Option<Self>> {
        if !crate::host::is_session_name(session) {
            return Ok(None);
        }
        match file::read_file_if_exists(&record_path(town, host, session))? {
            Some(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            None => Ok(None),
        }
    }
}

pub(crate) fn remove_record(town: &TownLayout, host: &str, session: &str) -> std::io::Result<()> {
    file::remove_file(&record_path(town, host, session))
}

/// Removes the records of sessions that a host no longer has. One that is just being started stays.
pub(crate) fn forget_ended(town: &TownLayout, host: &str, living: &[&str]) -> std::io::Result<()> {
    for entry in fs::read_dir(session_folder(town, host))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let age = fs::metadata(&path)?.modified()?.elapsed();
        let is_old = age.is_ok_and(|age| age > START_TIMEOUT);
        if is_old && !living.contains(&name.as_ref()) {
            file::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Removes the records of all sessions of a host.
pub fn forget_sessions(town: &TownLayout, host: &str) -> std::io::Result<()> {
    match fs::remove_dir_all(session_folder(town, host)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the host of a session. `None` if the session is on this machine.
pub(crate) fn find_session_host(town: &TownLayout, session: &str) -> Option<String> {
    let mut hosts = list_hosts(town).into_iter();
    hosts.find(|host| record_path(town, host, session).exists())
}

/// Lists the sessions that the town has started on a host and not ended.
pub(crate) fn list_records(town: &TownLayout, host: &str) -> Vec<(String, SessionRecord)> {
    let Ok(entries) = fs::read_dir(session_folder(town, host)) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.path().file_stem()?.to_str()?.to_owned();
            // A record that cannot be read is of a session that is just being started.
            let record = SessionRecord::load(town, host, &name).ok()??;
            Some((name, record))
        })
        .collect()
}

/// Returns the number of sessions that the town has started on a host and not ended.
pub fn count_sessions(town: &TownLayout, host: &str) -> usize {
    fs::read_dir(session_folder(town, host)).map_or(0, Iterator::count)
}
