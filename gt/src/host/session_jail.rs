//! Describes the jail of a session, as data that its start file carries.

use std::path::PathBuf;

use kit::sys::jail::{JailBackend, JailSocket};
use serde::{Deserialize, Serialize};

/// The jail of a session, as its start file describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionJail {
    pub backend: JailBackend,
    /// The private folder of the session, with its home folder and its temporary folder.
    pub folder: PathBuf,
    /// The user's home folder, which the agent does not see.
    pub home: Option<PathBuf>,
    /// The existing folders that the agent may change.
    pub writable: Vec<PathBuf>,
    /// The files and folders that it reads besides the system.
    pub readable: Vec<PathBuf>,
    pub has_network: bool,
    /// The names of variables that the agent keeps, with `*` at the end for all that begin so.
    pub variables: Vec<String>,
    /// Sockets of the wrapper. An agent in the jail of Landlock reaches none.
    #[serde(default)]
    pub sockets: Vec<JailSocket>,
}
