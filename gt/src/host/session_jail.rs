//! Describes the jail of a session, as data that its start file carries.

use std::path::{Path, PathBuf};

use kit::sys::jail::{JailBackend, JailSocket};
use serde::{Deserialize, Serialize};

use crate::host::network::{NetworkProxy, SOCKET_IN_JAIL, proxy_variables};
use crate::town::config::NetworkAccess;

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
    pub network: NetworkAccess,
    /// The names of variables that the agent keeps, with `*` at the end for all that begin so.
    pub variables: Vec<String>,
    /// Sockets of the wrapper. An agent in the jail of Landlock reaches none.
    #[serde(default)]
    pub sockets: Vec<JailSocket>,
    /// The ports that an agent in a jail of Landlock reaches if the network is limited.
    #[serde(default)]
    pub ports: Vec<u16>,
}

impl SessionJail {
    /// Leads the programs of the jail to a proxy. `env` is the environment of the agent.
    pub fn connect_proxy(&mut self, proxy: &NetworkProxy, env: &mut Vec<(String, String)>) {
        self.sockets.extend(proxy.socket());
        if let Some(port) = proxy.port() {
            self.ports.push(port);
            for (name, value) in proxy_variables(port) {
                env.retain(|(known, _)| *known != name);
                self.variables.push(name.clone());
                env.push((name, value));
            }
        }
    }

    /// Returns true if the jail shows the socket of a proxy.
    pub fn has_relay(&self) -> bool {
        self.sockets
            .iter()
            .any(|socket| socket.inside == Path::new(SOCKET_IN_JAIL))
    }
}
