//! `gt host link`: keeps the pipe to one host open while the town has sessions there.
//!
//! Every program of the town reaches the host through the socket of this process, so that the host
//! is asked for one connection only. The calls of the host's agents are answered here, also while the
//! daemon is stopped. A connection that ends is made again, with growing pauses.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use jiff::Timestamp;
use kit::gateway::Call;
use kit::sys::running::RunningChild;
use kit::sys::{ChildCommand, Clock, Env, file};
use serde::{Deserialize, Serialize};

use super::far_host::FarHost;
use super::pack::PackFolder;
use super::pipe::{Heartbeat, Pipe, PipeEnds, PipeSide};
use super::protocol::{
    BoxRequest, FarError, Hello, PROTOCOL, TownRequest, Welcome, ask, read_line, read_raw_line,
    write_line,
};
use super::session_record::{SessionRecord, count_sessions, list_records};
use super::settings::HostSettings;
use super::splice::splice;
use crate::host::gateway::{FarGateway, PathTranslation};
use crate::town::identity::Address;
use crate::town::lock::Lock;
use crate::town::{Town, TownLayout};

/// The time without a session and without a request after which the process ends.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The pauses between attempts to connect.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The time that a request waits for a connection that is being made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The number of last lines that the command of a host printed and an error shows.
const SHOWN_LINES: usize = 3;

/// A request to the link itself.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub(super) enum LinkRequest {
    /// The state of the connection. Waits for one that is being made.
    LinkState,
    /// Like `LinkState`, and tries to connect at once.
    Connect,
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

/// The town's side of a host.
pub struct LinkPlace {
    pub env: Env,
    pub town: TownLayout,
    pub host: String,
    /// The socket for the programs of the town.
    pub socket: PathBuf,
    pub clock: Clock,
}

/// The work of the link that belongs to the town's rules.
#[derive(Clone, Copy)]
pub struct LinkRules {
    pub record_refusal: fn(&Town, &str),
    /// Prepares the town for a call of an agent on a host.
    pub prepare_call: fn(&Env, &Path, &Address, &str, &Call) -> anyhow::Result<()>,
    /// Brings the state of an agent's sandbox on a host to the town.
    pub take_state: fn(&Env, &Path, &Address, &str) -> anyhow::Result<()>,
}

/// Keeps the pipe of a host until it is no longer needed. Another link of the host may be running:
/// then there is nothing to do.
pub fn run_link(place: LinkPlace, rules: LinkRules) -> anyhow::Result<()> {
    let folder = place.town.host(&place.host);
    file::create_folder(&folder, 0o700)?;
    let Ok(_only) = Lock::try_take(&folder.join("link.lock")) else {
        return Ok(());
    };
    let pid = std::process::id().to_string();
    file::replace_file_relaxed(&folder.join("link.pid"), pid.as_bytes(), 0o600)?;
    file::remove_file(&place.socket)?;
    let listener = UnixListener::bind(&place.socket)
        .with_context(|| format!("cannot listen at {}", place.socket.display()))?;
    let link = Arc::new(Link {
        packs: PackFolder::new(&folder.join("packs")),
        place,
        rules,
        shared: Mutex::new(Shared {
            state: LinkState::Connecting,
            pipe: None,
            is_wanted: false,
            last_request: Instant::now(),
        }),
        changed: Condvar::new(),
        gateways: Mutex::default(),
    });
    let accepting = Arc::clone(&link);
    thread::Builder::new().spawn(move || {
        for connection in listener.incoming().flatten() {
            let link = Arc::clone(&accepting);
            // A program that gets no answer sees the end of its connection.
            thread::Builder::new()
                .spawn(move || link.answer(connection))
                .ok();
        }
    })?;
    let mut pause = FIRST_PAUSE;
    while !link.is_idle() {
        match link.hold_connection() {
            Ok(()) => pause = FIRST_PAUSE,
            Err(reason) => link.set_unreachable(&reason),
        }
        link.pause(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    fs::remove_file(&link.place.socket).ok();
    Ok(())
}

struct Link {
    place: LinkPlace,
    rules: LinkRules,
    packs: PackFolder,
    shared: Mutex<Shared>,
    changed: Condvar,
    /// The gateways of sessions by the token of the session.
    gateways: Mutex<BTreeMap<String, Arc<FarGateway>>>,
}

struct Shared {
    state: LinkState,
    pipe: Option<Pipe>,
    /// True if a request waits for a connection.
    is_wanted: bool,
    last_request: Instant,
}

/// A child that is ended on drop.
struct Transport(RunningChild);

impl Drop for Transport {
    fn drop(&mut self) {
        self.0.ender().kill();
    }
}

impl Link {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_state(&self, state: LinkState, pipe: Option<Pipe>) {
        let path = state_file(&self.place.town, &self.place.host);
        // The file is for people who ask while the link is gone.
        if let Ok(text) = serde_json::to_vec(&state) {
            file::replace_file_relaxed(&path, &text, 0o600).ok();
        }
        let mut shared = self.lock();
        shared.state = state;
        shared.pipe = pipe;
        shared.is_wanted = false;
        self.changed.notify_all();
    }

    /// Keeps the time at which the host was first not reachable.
    fn set_unreachable(&self, reason: &str) {
        let since = match &self.lock().state {
            LinkState::Unreachable { since, .. } => *since,
            _ => self.place.clock.now(),
        };
        let reason = reason.to_owned();
        self.set_state(LinkState::Unreachable { since, reason }, None);
    }

    fn is_idle(&self) -> bool {
        let LinkPlace { town, host, .. } = &self.place;
        // The town or the host may have been removed.
        if !matches!(HostSettings::load(town, host), Ok(Some(_))) {
            return true;
        }
        let last_request = self.lock().last_request;
        last_request.elapsed() > IDLE_TIMEOUT && count_sessions(town, host) == 0
    }

    /// Waits before the next attempt. A request ends the pause.
    fn pause(&self, limit: Duration) {
        let shared = self.lock();
        let waited = self
            .changed
            .wait_timeout_while(shared, limit, |shared| !shared.is_wanted);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Connects, and works until the connection ends or is no longer needed. Returns why there is
    /// none.
    fn hold_connection(self: &Arc<Self>) -> Result<(), String> {
        let LinkPlace { town, host, .. } = &self.place;
        // Read again, because the host may have been removed and added.
        let settings = HostSettings::load(town, host).map_err(|error| format!("{error:#}"))?;
        let settings = settings.ok_or("it was removed")?;
        let command = settings.command();
        let (program, args) = command.split_first().ok_or("its command is empty")?;
        let started = ChildCommand::new(program).args(args).start();
        let (child, streams) =
            started.map_err(|error| format!("{:#}", anyhow::Error::from(error)))?;
        let transport = Transport(child);
        let printed = Arc::new(Mutex::new(Vec::new()));
        let keeper = Arc::clone(&printed);
        let stderr = streams.stderr;
        let reading = thread::Builder::new().spawn(move || keep_last_lines(stderr, &keeper));
        let link = Arc::clone(self);
        let ends = PipeEnds::Child(streams.stdin, streams.stdout);
        let pipe = Pipe::start(ends, PipeSide::Town, Heartbeat::default(), move |stream| {
            let link = Arc::clone(&link);
            // The box sees the end of its stream.
            thread::Builder::new()
                .spawn(move || link.answer_box(stream))
                .ok();
        });
        let pipe = pipe.map_err(|error| error.to_string())?;
        let result = Self::greet(&pipe, settings.town).and_then(|welcome| {
            let since = self.place.clock.now();
            let Welcome { version, root, .. } = welcome;
            let state = LinkState::Connected {
                since,
                version,
                root,
            };
            self.set_state(state, Some(pipe.clone()));
            loop {
                if let Some(reason) = pipe.wait_for_end(IDLE_TIMEOUT) {
                    return Err(reason);
                }
                self.take_states();
                if self.is_idle() {
                    return Ok(());
                }
            }
        });
        pipe.close();
        pipe.wait();
        drop(transport);
        if let Ok(reading) = reading {
            // The lines of a transport that ended are whole.
            reading.join().ok();
        }
        let lines = printed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .join(" / ");
        result.map_err(|reason| match lines.as_str() {
            "" => reason,
            lines => format!("{reason} ({})", kit::ui::escape::escape_line(lines)),
        })
    }

    /// Brings the states of all sandboxes to the town, so that a lost host loses little.
    fn take_states(&self) {
        let LinkPlace {
            env, town, host, ..
        } = &self.place;
        for (_, record) in list_records(town, host) {
            if let Ok(agent) = record.agent.parse::<Address>() {
                // The next time, it may succeed.
                (self.rules.take_state)(env, town.root(), &agent, host).ok();
            }
        }
    }

    fn greet(pipe: &Pipe, town: String) -> Result<Welcome, String> {
        let hello = BoxRequest::Hello(Hello {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            town,
        });
        let mut stream = pipe.open().map_err(|error| error.to_string())?;
        let welcome: Result<Welcome, FarError> = ask(&mut stream, &hello);
        welcome.map_err(|error| pipe.end_reason().unwrap_or_else(|| error.to_string()))
    }

    /// Answers a request of a program of the town. A program that is gone gets no answer.
    fn answer(&self, mut connection: UnixStream) {
        let Ok(line) = read_raw_line(&mut connection) else {
            return;
        };
        self.answer_line(&line, connection).ok();
    }

    fn answer_line(&self, line: &[u8], mut connection: UnixStream) -> std::io::Result<()> {
        self.lock().last_request = Instant::now();
        if let Ok(request) = serde_json::from_slice::<LinkRequest>(line) {
            let state = self.wait_for_state(matches!(request, LinkRequest::Connect));
            return write_line(&mut connection, &Ok::<_, FarError>(state));
        }
        let pipe = self.lock().pipe.clone();
        let opened = pipe.and_then(|pipe| pipe.open().ok());
        let Some(mut stream) = opened else {
            let (since, reason) = match self.lock().state.clone() {
                LinkState::Unreachable { since, reason } => (since, reason),
                _ => (self.place.clock.now(), "it is being connected".to_owned()),
            };
            let error = FarError::Unreachable { since, reason };
            return write_line(&mut connection, &Err::<(), _>(error));
        };
        stream.write_all(line)?;
        stream.write_all(b"\n")?;
        splice(connection, stream)
    }

    /// Returns the state, after the attempt that runs. With `is_wanted`, one begins at once.
    fn wait_for_state(&self, is_wanted: bool) -> LinkState {
        let mut shared = self.lock();
        if is_wanted && matches!(shared.state, LinkState::Unreachable { .. }) {
            shared.is_wanted = true;
            self.changed.notify_all();
        }
        let waited = self
            .changed
            .wait_timeout_while(shared, CONNECT_TIMEOUT, |shared| {
                shared.is_wanted || shared.state == LinkState::Connecting
            });
        let (shared, _) = waited.unwrap_or_else(PoisonError::into_inner);
        shared.state.clone()
    }

    /// Returns the root of the town on the host, which a box may ask before its greeting was read.
    fn wait_for_root(&self) -> Option<PathBuf> {
        let is_connected =
            |shared: &mut Shared| matches!(shared.state, LinkState::Connected { .. });
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), CONNECT_TIMEOUT, |shared| !is_connected(shared));
        let (shared, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &shared.state {
            LinkState::Connected { root, .. } => Some(root.clone()),
            _ => None,
        }
    }

    /// Answers a request of the box.
    fn answer_box(&self, mut stream: UnixStream) {
        match read_line::<TownRequest>(&mut stream) {
            // A box that is gone gets no answer.
            Ok(TownRequest::Pack(part)) => {
                self.packs.send(&part, &mut stream).ok();
            }
            Ok(TownRequest::Call { session }) => match self.find_gateway(&session) {
                Ok(gateway) => gateway.serve(stream),
                Err(error) => {
                    let reason = format!("{error:#}");
                    let refused = kit::gateway::Frame::Failed(reason);
                    refused.write(&mut stream).ok();
                }
            },
            Err(_) => {}
        }
    }

    /// Returns the gateway of a session that the town has started on the host.
    fn find_gateway(&self, session: &str) -> anyhow::Result<Arc<FarGateway>> {
        let LinkPlace {
            env, town, host, ..
        } = &self.place;
        let record = SessionRecord::load(town, host, session)?;
        let record = record.with_context(|| format!("the town has no session `{session}` here"))?;
        let mut gateways = self.gateways.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gateway) = gateways.get(&record.token) {
            return Ok(Arc::clone(gateway));
        }
        let root = self
            .wait_for_root()
            .context("the connection is not complete")?;
        let agent: Address = record.agent.parse()?;
        let paths = PathTranslation {
            town: town.root().to_string_lossy().into_owned(),
            caller: root.to_string_lossy().into_owned(),
        };
        let prepare = self.rules.prepare_call;
        let (env_of_call, root, host) = (env.clone(), town.root().to_owned(), host.clone());
        let caller = agent.clone();
        let gateway = FarGateway::new(
            env,
            town.root(),
            &agent,
            record.env,
            paths,
            self.rules.record_refusal,
            move |call| prepare(&env_of_call, &root, &caller, &host, call),
        )?;
        let gateway = Arc::new(gateway);
        gateways.insert(record.token, Arc::clone(&gateway));
        Ok(gateway)
    }
}

fn state_file(town: &TownLayout, host: &str) -> PathBuf {
    town.host(host).join("state.json")
}

/// Returns the state that the link of a host wrote last. `None` if no link runs.
pub fn read_state(town: &TownLayout, host: &FarHost) -> Option<LinkState> {
    host.has_link().then_some(())?;
    let bytes = file::read_file_if_exists(&state_file(town, host.name())).ok()??;
    serde_json::from_slice(&bytes).ok()
}

/// Keeps the last lines that a transport prints.
fn keep_last_lines(stderr: impl Read, kept: &Mutex<Vec<String>>) {
    for line in BufReader::new(stderr).lines() {
        let Ok(line) = line else {
            return;
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(line.trim().to_owned());
        if kept.len() > SHOWN_LINES {
            kept.remove(0);
        }
    }
}
