//! The town's side of the gateway: runs `gt` and `bd` for an agent in a jail.
//!
//! The process that starts a jailed session opens a gateway for it and serves it until the session
//! ends, so that a session works with the daemon stopped. Who calls is known from the gateway: each
//! session has its own, and the programs that it starts get the identity and the lease that the town
//! gave to the session.

mod call;
mod far;
mod repeated;
mod sent_names;
mod session;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use kit::gateway::{Call, GatewayAddress};
use kit::sys::{clock, file};

use call::CallServer;
pub use far::{FarGateway, FarSessionEnv};
pub use session::{RefusalRecorders, SessionDoors, open_session_gateway, remove_left_calls};

use crate::host::connection::Listener;
use crate::host::far::PathTranslation;

/// The calls of a session that run at the same time. Further ones wait.
const MOST_CALLS: usize = 16;

/// The connections of a session. Further ones are closed.
const MOST_CONNECTIONS: usize = 128;

/// The pause after an error of the system, such as a lack of open files.
const ERROR_PAUSE: Duration = Duration::from_millis(200);

/// Where a gateway can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatewayKind {
    /// A socket that is mounted into the jail.
    Socket,
    /// A port of the loopback with a secret, for a jail that cannot hide sockets.
    Port,
}

/// Prepares the town for a call.
pub type PrepareCall = Box<dyn Fn(&Call) -> anyhow::Result<()> + Send + Sync>;

/// The session that a gateway serves.
pub struct GatewaySession {
    /// The folder of the socket, outside the jail. Its path must be short.
    pub folder: PathBuf,
    /// The folder of the files of calls, outside the jail.
    pub calls: PathBuf,
    /// The program `gt`. `bd` is beside it.
    pub exe: PathBuf,
    /// The working folder of the commands, outside the jail.
    pub cwd: PathBuf,
    /// The environment of the commands: the identity and the lease of the session.
    pub env: Vec<(String, String)>,
    /// Returns true for a command that runs in the jail, given as its program and its words.
    pub runs_in_jail: fn(&str, &[String]) -> bool,
    /// Returns the commands of `bd` that the agent may run now.
    pub list_bd_commands: Box<dyn Fn() -> Vec<String> + Send + Sync>,
    /// Takes note of a command that `bd` refused.
    pub record_refusal: Box<dyn Fn(&str) + Send + Sync>,
    /// Prepares the town for a call. The call is not run if that fails.
    pub prepare_call: PrepareCall,
    /// The paths of a caller on another machine.
    pub paths: Option<PathTranslation>,
}

/// An open gateway. Its calls run until the process ends.
#[derive(Debug)]
pub struct Gateway {
    address: GatewayAddress,
    calls: PathBuf,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // A folder that stays is removed when the next session begins.
        remove_folder(&self.calls).ok();
        if let GatewayAddress::Socket(path) = &self.address {
            fs::remove_file(path).ok();
        }
    }
}

impl Gateway {
    /// Opens the gateway of a session. What an earlier one left in its folder is removed.
    pub fn open(kind: GatewayKind, session: GatewaySession) -> io::Result<Self> {
        let calls = session.calls.clone();
        remove_folder(&calls)?;
        file::create_folder(&calls, 0o700)?;
        file::create_folder(&session.folder, 0o700)?;
        let (listener, address) = match kind {
            GatewayKind::Socket => {
                let path = session.folder.join("socket");
                let listener = Listener::bind_socket(&path)?;
                (listener, GatewayAddress::Socket(path))
            }
            GatewayKind::Port => {
                let (listener, port) = Listener::bind_port()?;
                let token = make_secret()?;
                (listener, GatewayAddress::Port { port, token })
            }
        };
        let token = match &address {
            GatewayAddress::Port { token, .. } => token.clone(),
            GatewayAddress::Socket(_) | GatewayAddress::Far(_) => String::new(),
        };
        let server = Arc::new(CallServer::new(session, token));
        thread::Builder::new().spawn(move || accept_calls(&listener, &server))?;
        Ok(Self { address, calls })
    }

    /// The address outside the jail.
    pub fn address(&self) -> &GatewayAddress {
        &self.address
    }
}

/// Returns 128 random bits as hexadecimal digits.
fn make_secret() -> io::Result<String> {
    use std::fmt::Write as _;
    use std::io::Read as _;
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut secret = String::new();
    for byte in bytes {
        // Writing to a text cannot fail.
        write!(secret, "{byte:02x}").map_err(io::Error::other)?;
    }
    Ok(secret)
}

fn accept_calls(listener: &Listener, server: &Arc<CallServer>) {
    let places = Arc::new(CallPlaces::default());
    loop {
        let Ok(connection) = listener.accept() else {
            clock::pause_thread(ERROR_PAUSE);
            continue;
        };
        // Each connection has a copy of the counter.
        if Arc::strong_count(&places) > MOST_CONNECTIONS {
            continue;
        }
        let (server, places) = (Arc::clone(server), Arc::clone(&places));
        let started = thread::Builder::new().spawn(move || server.serve(connection, &places));
        if started.is_err() {
            // The caller sees that its connection ended.
            clock::pause_thread(ERROR_PAUSE);
        }
    }
}

/// Counts the calls that run.
#[derive(Default)]
struct CallPlaces {
    taken: Mutex<usize>,
    freed: Condvar,
}

impl CallPlaces {
    /// Takes a place, as soon as one is free.
    fn take(&self) -> TakenPlace<'_> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |taken: &mut usize| *taken >= MOST_CALLS;
        let waited = self.freed.wait_while(taken, is_full);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        TakenPlace(self)
    }
}

/// The place of a call that runs.
struct TakenPlace<'a>(&'a CallPlaces);

impl Drop for TakenPlace<'_> {
    fn drop(&mut self) {
        let CallPlaces { taken, freed } = self.0;
        *taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        freed.notify_one();
    }
}

fn remove_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The number of the next call of this process.
static NEXT_CALL: AtomicUsize = AtomicUsize::new(1);

fn count_call() -> usize {
    NEXT_CALL.fetch_add(1, Ordering::Relaxed)
}
