//! The state of the connection to a host, as its link writes it.

use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use jiff::Timestamp;
use kit::sys::file;
use serde::{Deserialize, Serialize};

use crate::town::TownLayout;

/// A request to the link itself.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub(crate) enum LinkRequest {
    /// The state of the connection. Waits for one that is being made.
    LinkState,
    /// Like `LinkState`, and tries to connect at once.
    Connect,
    /// Ends the link, because its host was removed.
    Quit,
}

/// The state of the connection to a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum LinkState {
    Connecting,
    Connected {
        since: Timestamp,
        /// The version of the programs there.
        version: String,
        /// The folder that stands for the root of the town there.
        root: PathBuf,
    },
    Unreachable {
        since: Timestamp,
        reason: String,
    },
}

/// The file with the state, for people who ask while the link is gone.
pub(crate) fn state_file(town: &TownLayout, host: &str) -> PathBuf {
    town.host(host).join("state.json")
}

/// The file with the path of the socket of a link.
pub(crate) const SOCKET_FILE: &str = "link.socket";

/// Connects to the link of a host, if one runs. Its starter may have had another folder of sockets.
pub(super) fn connect_running(town: &TownLayout, host: &str) -> Option<UnixStream> {
    let named = file::read_file_if_exists(&town.host(host).join(SOCKET_FILE));
    let socket = String::from_utf8(named.ok()??).ok()?;
    UnixStream::connect(socket).ok()
}

/// Returns the state that the link of a host wrote last. `None` if no link runs.
pub(crate) fn read_link_state(town: &TownLayout, host: &str) -> Option<LinkState> {
    connect_running(town, host)?;
    let bytes = file::read_file_if_exists(&state_file(town, host)).ok()??;
    serde_json::from_slice(&bytes).ok()
}
