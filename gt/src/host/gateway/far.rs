//! The gateway of a session on another machine, whose connections come over the pipe of its host.

use std::fmt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use kit::gateway::Call;
use kit::sys::{Env, file};

use super::call::CallServer;
use super::paths::PathTranslation;
use super::session::describe_session;
use super::{CallPlaces, GatewaySession};
use crate::host::connection::Connection;
use crate::town::Town;
use crate::town::identity::Address;

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
    /// Creates the gateway of an agent whose session has the environment `session_env`.
    /// `prepare_call` runs before each call.
    pub fn new(
        env: &Env,
        root: &Path,
        agent: &Address,
        session_env: Vec<(String, String)>,
        paths: PathTranslation,
        record_refusal: fn(&Town, &str),
        prepare_call: impl Fn(&Call) -> anyhow::Result<()> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let session = GatewaySession {
            prepare_call: Box::new(prepare_call),
            paths: Some(paths),
            ..describe_session(env, root, agent, session_env, record_refusal)
        };
        file::create_folder(&session.calls, 0o700)?;
        Ok(Self {
            server: CallServer::repeating(session),
            places: Arc::default(),
        })
    }

    /// Answers one call.
    pub fn serve(&self, connection: UnixStream) {
        self.server
            .serve(Connection::Socket(connection), &self.places);
    }
}
