//! The state of the connection to a host, as its link writes it.

use std::path::PathBuf;

use jiff::Timestamp;
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
