//! `gt host link`: keeps the pipe to one host open while the town has sessions there.
//!
//! Every program of the town reaches the host through the socket of this process, so that the host
//! is asked for one connection only. The calls of the host's agents are answered here, also while the
//! daemon is stopped. A connection that ends is made again, with growing pauses.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use kit::gateway::Call;
use kit::sys::{Clock, Env, file};

use super::daemon;
use super::far::protocol::{
    BoxRequest, FarError, Hello, MAX_TOWN_REQUEST, PROTOCOL, TownRequest, Welcome, ask,
    read_line_of, read_raw_line, write_line,
};
use super::far::session_record::{SessionRecord, count_sessions, list_records};
use super::far::{
    EnginePlace, Heartbeat, HostSettings, LINK_LOCK, LinkRequest, LinkState, PackFolder,
    PathTranslation, Pipe, PipeSide, SOCKET_FILE, Transport, build_open_command, host_of_place,
    is_valid_root, load_place, record_place_end, splice, state_file,
};
use super::gateway::{FarGateway, FarSessionEnv};
use super::live_town::open_live_town;
use crate::town::event::event;
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

/// The time that a list of sessions waits for the first attempt to connect.
const LIST_TIMEOUT: Duration = Duration::from_secs(2);

/// The requests of a box that are answered at the same time. Further ones are refused.
const MAX_BOX_REQUESTS: usize = 128;

/// The time within which a box sends its request on a new stream.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

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
    /// Copies the transcripts of an agent on a host to the town.
    pub take_transcripts: fn(&Env, &Path, &Address, &str) -> anyhow::Result<()>,
}

/// Keeps the pipe of a host until it is no longer needed. Another link of the host may be running:
/// then there is nothing to do.
pub fn run_link(place: LinkPlace, rules: LinkRules) -> anyhow::Result<()> {
    let folder = place.town.host(&place.host);
    file::create_folder(&folder, 0o700)?;
    let Ok(_only) = Lock::try_take(&folder.join(LINK_LOCK)) else {
        return Ok(());
    };
    let pid = std::process::id().to_string();
    file::replace_file_relaxed(&folder.join("link.pid"), pid.as_bytes(), 0o600)?;
    // Programs with another environment find the socket by this file.
    let socket = place.socket.to_string_lossy();
    file::replace_file(&folder.join(SOCKET_FILE), socket.as_bytes(), 0o600)?;
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
            is_ending: false,
            last_request: Instant::now(),
        }),
        changed: Condvar::new(),
        gateways: Mutex::default(),
        box_requests: AtomicUsize::new(0),
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
    while !link.lock().is_ending && !link.is_idle() {
        let begun = Instant::now();
        let held = link.hold_connection();
        // A connection that breaks again and again is made less often.
        if begun.elapsed() >= LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        if let Err(reason) = held {
            if link.lock().is_ending || !link.has_host() {
                break;
            }
            link.set_unreachable(&reason);
            if link.find_place_end() {
                break;
            }
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
    /// The number of requests of the box that are being answered.
    box_requests: AtomicUsize,
}

struct Shared {
    state: LinkState,
    pipe: Option<Pipe>,
    /// True if a request waits for a connection.
    is_wanted: bool,
    /// True if the link ends.
    is_ending: bool,
    last_request: Instant,
}

impl Link {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_state(&self, state: LinkState, pipe: Option<Pipe>) {
        self.record_change(&state);
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

    /// Returns the state that this or an earlier link of the host wrote last.
    fn read_written_state(&self) -> Option<LinkState> {
        let path = state_file(&self.place.town, &self.place.host);
        let bytes = file::read_file_if_exists(&path).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Records the beginning and the end of a cut as an event. Failed attempts in between, and a first
    /// connection, are none.
    fn record_change(&self, state: &LinkState) {
        let LinkPlace {
            env, town, host, ..
        } = &self.place;
        let event = match (self.read_written_state(), state) {
            (Some(LinkState::Connected { .. }), LinkState::Unreachable { reason, .. }) => {
                event!(HostUnreachable, host: host, reason: reason)
            }
            (Some(LinkState::Unreachable { since, .. }), LinkState::Connected { .. }) => {
                event!(HostConnected, host: host, since: since.to_string())
            }
            _ => return,
        };
        open_live_town(env, town.root(), Address::Deacon).record_event(&event);
    }

    /// Keeps the time at which the host was first not reachable.
    fn set_unreachable(&self, reason: &str) {
        let since = match self.read_written_state() {
            Some(LinkState::Unreachable { since, .. }) => since,
            _ => self.place.clock.now(),
        };
        let reason = reason.to_owned();
        self.set_state(LinkState::Unreachable { since, reason }, None);
    }

    /// Asks the engine of a place why there is no connection. Returns true if the place is gone.
    fn find_place_end(&self) -> bool {
        let LinkPlace { town, host, .. } = &self.place;
        if host_of_place(host).is_none() {
            return false;
        }
        // An engine that does not answer is asked after the next attempt.
        let Ok(Some((_, place))) = load_place(town, host) else {
            return false;
        };
        let asked = EnginePlace::load(town, host).ok();
        // A place that is being made has nothing to lose, and may not exist yet.
        let end = asked.filter(|_| place.has_sandbox);
        let end = end.and_then(|asked| asked.find_end());
        end.is_some_and(|reason| record_place_end(town, host, &place.object, &reason).is_ok())
    }

    /// Returns false if the town or the host was removed.
    fn has_host(&self) -> bool {
        let LinkPlace { town, host, .. } = &self.place;
        matches!(HostSettings::load(town, host), Ok(Some(_)))
    }

    fn is_idle(&self) -> bool {
        if !self.has_host() {
            return true;
        }
        let LinkPlace { town, host, .. } = &self.place;
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
        let command = build_open_command(&settings, town, host);
        let command = command.map_err(|error| format!("{error:#}"))?;
        let started = Transport::start(&command);
        let (transport, ends) = started.map_err(|error| format!("{error:#}"))?;
        let link = Arc::clone(self);
        let pipe = Pipe::start(ends, PipeSide::Town, Heartbeat::default(), move |stream| {
            let link = Arc::clone(&link);
            // The box sees the end of its stream.
            thread::Builder::new()
                .spawn(move || link.answer_box(stream))
                .ok();
        });
        let pipe = pipe.map_err(|error| error.to_string())?;
        let mut is_greeted = false;
        let result = self.greet(&pipe, settings.town).and_then(|welcome| {
            is_greeted = true;
            let since = self.place.clock.now();
            let Welcome { version, root, .. } = welcome;
            let state = LinkState::Connected {
                since,
                version,
                root,
            };
            self.set_state(state, Some(pipe.clone()));
            // Sessions may have ended since the last connection.
            self.wake_daemon();
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
        result.map_err(|reason| transport.describe_end(reason, is_greeted))
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
                (self.rules.take_transcripts)(env, town.root(), &agent, host).ok();
            }
        }
    }

    fn greet(&self, pipe: &Pipe, town: String) -> Result<Welcome, String> {
        let hello = BoxRequest::Hello(Hello {
            now: self.place.clock.now(),
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            town,
        });
        let mut stream = pipe.open().map_err(|error| error.to_string())?;
        let welcome: Result<Welcome, FarError> = ask(&mut stream, &hello);
        let welcome =
            welcome.map_err(|error| pipe.end_reason().unwrap_or_else(|| error.to_string()))?;
        if is_valid_root(&welcome.root) {
            return Ok(welcome);
        }
        Err("it names no valid folder for the town".to_owned())
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
            if matches!(request, LinkRequest::Quit) {
                let mut shared = self.lock();
                shared.is_ending = true;
                if let Some(pipe) = &shared.pipe {
                    pipe.close();
                }
                shared.is_wanted = true;
                self.changed.notify_all();
            }
            let is_wanted = matches!(request, LinkRequest::Connect);
            let state = self.wait_for_state(is_wanted, CONNECT_TIMEOUT);
            return write_line(&mut connection, &Ok::<_, FarError>(state));
        }
        // A list must not wait for a host that is away.
        let is_list = matches!(serde_json::from_slice(line), Ok(BoxRequest::Sessions));
        let limit = if is_list {
            LIST_TIMEOUT
        } else {
            CONNECT_TIMEOUT
        };
        self.wait_for_state(false, limit);
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
        let ended = self.find_ended_agent(line);
        stream.write_all(line)?;
        stream.write_all(b"\n")?;
        splice(connection, stream)?;
        if let Some(agent) = ended {
            let LinkPlace {
                env, town, host, ..
            } = &self.place;
            // What is missing is copied with the next session in the same sandbox.
            (self.rules.take_transcripts)(env, town.root(), &agent, host).ok();
        }
        Ok(())
    }

    /// Returns the agent whose session a request ends.
    fn find_ended_agent(&self, line: &[u8]) -> Option<Address> {
        let Ok(BoxRequest::Kill { session }) = serde_json::from_slice(line) else {
            return None;
        };
        let LinkPlace { town, host, .. } = &self.place;
        let record = SessionRecord::load(town, host, &session).ok()??;
        record.agent.parse().ok()
    }

    /// Returns the state, after the attempt that runs. With `is_wanted`, one begins at once.
    fn wait_for_state(&self, is_wanted: bool, limit: Duration) -> LinkState {
        let mut shared = self.lock();
        if is_wanted && matches!(shared.state, LinkState::Unreachable { .. }) {
            shared.is_wanted = true;
            self.changed.notify_all();
        }
        let waited = self.changed.wait_timeout_while(shared, limit, |shared| {
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
    fn answer_box(&self, stream: UnixStream) {
        if self.box_requests.fetch_add(1, Ordering::Relaxed) < MAX_BOX_REQUESTS {
            self.answer_box_request(stream);
        }
        self.box_requests.fetch_sub(1, Ordering::Relaxed);
    }

    fn answer_box_request(&self, mut stream: UnixStream) {
        let limit = |stream: &UnixStream, limit| stream.set_read_timeout(limit).is_ok();
        if !limit(&stream, Some(REQUEST_TIMEOUT)) {
            return;
        }
        let request = read_line_of::<TownRequest>(&mut stream, MAX_TOWN_REQUEST);
        if !limit(&stream, None) {
            return;
        }
        match request {
            // A box that is gone gets no answer.
            Ok(TownRequest::Pack(part)) => {
                self.packs.send(&part, &mut stream).ok();
            }
            Ok(TownRequest::Ended { session }) => self.note_end(&session),
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

    /// Wakes the daemon for a session whose process has ended, as it wakes itself for those of this
    /// machine.
    fn note_end(&self, session: &str) {
        let LinkPlace {
            env, town, host, ..
        } = &self.place;
        // A host names any session.
        let record = SessionRecord::load(town, host, session).ok().flatten();
        let agent = record.and_then(|record| record.agent.parse::<Address>().ok());
        if let Some(agent) = agent {
            self.wake_daemon();
            (self.rules.take_transcripts)(env, town.root(), &agent, host).ok();
        }
    }

    fn wake_daemon(&self) {
        let LinkPlace { env, town, .. } = &self.place;
        daemon::wake_daemon(&open_live_town(env, town.root(), Address::Deacon));
    }

    /// Returns the gateway of a session that the town has started on the host.
    fn find_gateway(&self, session: &str) -> anyhow::Result<Arc<FarGateway>> {
        let LinkPlace {
            env, town, host, ..
        } = &self.place;
        let record = SessionRecord::load(town, host, session)?;
        let record = record.with_context(|| format!("the town has no session `{session}` here"))?;
        // The command may ask the host.
        let root = self
            .wait_for_root()
            .context("the connection is not complete")?;
        let mut gateways = self.gateways.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gateway) = gateways.get(&record.token) {
            return Ok(Arc::clone(gateway));
        }
        let agent: Address = record.agent.parse()?;
        let paths = PathTranslation {
            town: town.root().to_string_lossy().into_owned(),
            caller: root.to_string_lossy().into_owned(),
        };
        let prepare = self.rules.prepare_call;
        let (env_of_call, root, host) = (env.clone(), town.root().to_owned(), host.clone());
        let caller = agent.clone();
        let calls = town.host(&self.place.host).join("calls").join(session);
        let gateway = FarGateway::new(
            env,
            town.root(),
            &agent,
            FarSessionEnv {
                token: record.token.clone(),
                env: record.env,
                calls,
                cwd: None,
            },
            paths,
            self.rules.record_refusal,
            move |call| prepare(&env_of_call, &root, &caller, &host, call),
        )?;
        let gateway = Arc::new(gateway);
        gateways.insert(record.token, Arc::clone(&gateway));
        Ok(gateway)
    }
}
