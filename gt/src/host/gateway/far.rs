//! The gateway of a session on another machine, whose connections come over the pipe of its host.

use std::fmt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit::gateway::Call;
use kit::sys::{Env, file};

use super::call::CallServer;
use super::session::describe_session;
use super::{CallPlaces, GatewaySession};
use crate::host::connection::Connection;
use crate::host::far::PathTranslation;
use crate::town::Town;
use crate::town::identity::Address;

/// A session on another machine, as the town started it.
#[derive(Debug)]
pub struct FarSessionEnv {
    /// The token of the session, which its calls carry. An earlier session of the same name has
    /// another one.
    pub token: String,
    /// The environment of the commands that the town runs for the session.
    pub env: Vec<(String, String)>,
    /// The file with the calls that were run.
    pub calls: PathBuf,
    /// The working folder of the commands, if it is not that of the rig.
    pub cwd: Option<PathBuf>,
}

/// The gateway of a session on another machine.
pub struct FarGateway {
    server: CallServer,
    places: Arc<CallPlaces>,
}

impl fmt::Debug for FarGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FarGateway").finish_non_exhaustive()
    }
}

impl FarGateway {
    /// Creates the gateway of an agent. `prepare_call` runs before each call.
    pub fn new(
        env: &Env,
        root: &Path,
        agent: &Address,
        session: FarSessionEnv,
        paths: PathTranslation,
        record_refusal: fn(&Town, &str),
        prepare_call: impl Fn(&Call) -> anyhow::Result<()> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let FarSessionEnv {
            token,
            env: session_env,
            calls,
            cwd,
        } = session;
        let described = describe_session(env, root, agent, session_env, record_refusal);
        let session = GatewaySession {
            prepare_call: Box::new(prepare_call),
            paths: Some(paths),
            cwd: cwd.unwrap_or(described.cwd),
            ..described
        };
        file::create_folder(&session.calls, 0o700)?;
        Ok(Self {
            server: CallServer::repeating(session, token, &calls)?,
            places: Arc::default(),
        })
    }

    /// Answers one call.
    pub fn serve(&self, connection: UnixStream) {
        self.server
            .serve(Connection::Socket(connection), &self.places);
    }
}
