//! `gt box serve`: the far side of a host. Needs no town and no open port.
//!
//! Sessions live in a tmux server of the box, which outlives the connection. Their agents reach the
//! town through a socket for each session: `gt` and `bd` there hand their lines to the town.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};
use kit::gateway::{ADDRESS_VARIABLE, GatewayAddress, kept_call_file};
use kit::sys::{Clock, ConfinedFolder, Env, file};
use serde::Serialize;

use super::box_sandbox::{find_rig, make_sandbox, read_state};
use super::delivery::{Deliveries, deliver_kept_call};
use super::pack::PackFolder;
use super::pipe::{Heartbeat, Pipe, PipeEnds, PipeSide};
use super::protocol::{
    BoxRequest, FarError, FarLiveSession, FarSession, GivenSandbox, Hello, PROTOCOL, SendAnswer,
    TownRequest, TranscriptPart, TranscriptQuestion, Welcome, read_raw_line, write_line,
};
use super::splice::splice;
use crate::host::tmux::Tmux;
use crate::host::{LiveSession, SessionHost, SessionSpec};
use crate::town::TownLayout;
use crate::town::process::Process;

/// The pause between two looks for calls that wait for the town, and for sessions that have ended.
const ROUND_PAUSE: Duration = Duration::from_secs(1);

/// The version of the programs of the box.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The smallest difference of two clocks that is corrected.
const MIN_CLOCK_DIFFERENCE: SignedDuration = SignedDuration::from_secs(5);

/// The place of a box on its machine.
#[derive(Debug)]
pub struct BoxPlace {
    pub env: Env,
    /// The program `gt`.
    pub exe: PathBuf,
    pub clock: Clock,
    /// The folder with a folder for each town.
    pub folder: PathBuf,
    /// The folder of sockets, whose path is short.
    pub sockets: PathBuf,
    pub read_transcripts: ReadTranscripts,
}

/// Reads new lines of transcripts, below the root of a town.
pub(super) type ReadTranscripts =
    fn(&Env, &Path, &TranscriptQuestion) -> anyhow::Result<Vec<TranscriptPart>>;

/// Serves a town until the connection ends. Returns why it ended.
pub fn serve_box(place: BoxPlace, ends: PipeEnds) -> anyhow::Result<String> {
    let (incoming, streams) = mpsc::channel();
    let pipe = Pipe::start(ends, PipeSide::Box, Heartbeat::default(), move |stream| {
        // The end of the pipe ends its service.
        incoming.send(stream).ok();
    })?;
    let server = Arc::new(BoxServer {
        place,
        pipe: pipe.clone(),
        town: OnceLock::new(),
    });
    for stream in streams {
        let server = Arc::clone(&server);
        thread::Builder::new().spawn(move || server.answer(stream))?;
    }
    Ok(pipe.wait())
}

/// Returns the command that shows a session of a town in the terminal of this machine.
pub fn attach_command(place: &BoxPlace, town: &str, session: &str) -> anyhow::Result<Vec<String>> {
    check_town_id(town)?;
    let root = place.folder.join(town);
    let root = root
        .canonicalize()
        .with_context(|| format!("no town `{town}` has sessions here"))?;
    let tmux = Tmux::for_town(&TownLayout::new(&root), &place.env, &place.exe);
    Ok(tmux.attach_command(session))
}

fn check_town_id(town: &str) -> anyhow::Result<()> {
    let is_id = town.len() >= 8 && town.bytes().all(|byte| byte.is_ascii_alphanumeric());
    anyhow::ensure!(is_id, "a town has no valid id");
    Ok(())
}

struct BoxServer {
    place: BoxPlace,
    pipe: Pipe,
    town: OnceLock<BoxTown>,
}

/// A town's part of the box.
struct BoxTown {
    layout: TownLayout,
    tmux: Tmux,
    packs: PackFolder,
    /// The sockets of sessions by name.
    gateways: Mutex<BTreeMap<String, PathBuf>>,
    deliveries: Deliveries,
    /// The time by which the clock here is ahead of the town's. Zero for clocks that are nearly alike, so
    /// that a slow connection changes nothing.
    clock_ahead: SignedDuration,
    /// The processes of running sessions.
    running: Mutex<BTreeMap<String, Process>>,
}

impl BoxTown {
    fn lock_running(&self) -> MutexGuard<'_, BTreeMap<String, Process>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the sessions whose process has ended since the last call.
    fn take_ended(&self) -> Vec<String> {
        let mut running = self.lock_running();
        let ended = running.iter().filter(|(_, process)| !process.is_alive());
        let names: Vec<String> = ended.map(|(name, _)| name.clone()).collect();
        running.retain(|name, _| !names.contains(name));
        names
    }
}

impl BoxServer {
    /// Answers one request. A town that is gone gets no answer.
    fn answer(self: &Arc<Self>, mut stream: UnixStream) {
        let Ok(line) = read_raw_line(&mut stream) else {
            return;
        };
        let answered = match serde_json::from_slice::<BoxRequest>(&line) {
            Ok(request) => self.answer_request(request, stream),
            Err(error) => {
                let words = format!("gt {VERSION} there does not understand the town: {error}");
                reply(stream, &Err::<(), _>(FarError::Failed { words }))
            }
        };
        answered.ok();
    }

    fn answer_request(
        self: &Arc<Self>,
        request: BoxRequest,
        stream: UnixStream,
    ) -> std::io::Result<()> {
        if let BoxRequest::Hello(hello) = request {
            let welcome = self.welcome(&hello);
            reply(stream, &welcome.map_err(FarError::failed))?;
            return self.begin_deliveries();
        }
        let Some(town) = self.town.get() else {
            let words = "a town begins with its name".to_owned();
            return reply(stream, &Err::<(), _>(FarError::Failed { words }));
        };
        match request {
            BoxRequest::Hello(_) => Ok(()),
            BoxRequest::Member(_) | BoxRequest::Clone(_) => {
                let words = "a box has no crew member".to_owned();
                reply(stream, &Err::<(), _>(FarError::Failed { words }))
            }
            BoxRequest::Sessions => {
                // A session whose work is being handed in may have ended.
                town.deliveries.wait();
                let listed = town.tmux.list().map_err(FarError::from);
                reply(stream, &listed.map(|all| town.describe_sessions(&all)))
            }
            BoxRequest::Start(session) => {
                let started = self.start_session(town, session);
                let described =
                    started.map(|live| FarLiveSession::from_live(&live, town.clock_ahead));
                reply(stream, &described)
            }
            BoxRequest::Send {
                session,
                text,
                input,
            } => {
                let sent = town.tmux.send(&session, &text, &input);
                reply(
                    stream,
                    &sent
                        .map(|result| SendAnswer { result })
                        .map_err(FarError::from),
                )
            }
            BoxRequest::Press { session, keys } => reply(
                stream,
                &town.tmux.press(&session, &keys).map_err(FarError::from),
            ),
            BoxRequest::Capture {
                session,
                lines,
                has_styles,
            } => {
                let captured = if has_styles {
                    town.tmux.capture_styled(&session, lines)
                } else {
                    town.tmux.capture(&session, lines)
                };
                reply(stream, &captured.map_err(FarError::from))
            }
            BoxRequest::Kill { session } => reply(stream, &kill_session(town, &session)),
            BoxRequest::MissingPrograms { mut programs } => {
                let path = self.place.env.get("PATH");
                programs.retain(|name| which::which_in(name, path, town.layout.root()).is_err());
                reply(stream, &Ok(programs))
            }
            BoxRequest::Transcripts(question) => {
                let read = find_rig(&town.layout, &question.rig, &question.worker).and_then(|_| {
                    (self.place.read_transcripts)(&self.place.env, town.layout.root(), &question)
                });
                let shifted = read.map(|mut parts| {
                    for part in &mut parts {
                        shift_times(&mut part.lines, town.clock_ahead);
                    }
                    parts
                });
                reply(stream, &shifted.map_err(FarError::failed))
            }
            BoxRequest::Give(given) => {
                let made = self.receive_sandbox(town, &given);
                reply(stream, &made.map_err(FarError::failed))
            }
            BoxRequest::Take(question) => {
                let state = read_state(&town.layout, &question, &town.packs);
                reply(stream, &state.map_err(FarError::failed))
            }
            BoxRequest::Pack(part) => {
                let mut stream = stream;
                town.packs.send(&part, &mut stream)
            }
        }
    }

    /// Opens the town's part of the box, and the sockets of its sessions.
    fn welcome(&self, hello: &Hello) -> anyhow::Result<Welcome> {
        check_protocol(hello)?;
        check_town_id(&hello.town)?;
        let root = self.place.folder.join(&hello.town);
        file::create_folder(&root, 0o700)?;
        file::create_private_folder(&self.place.sockets)?;
        let root = root.canonicalize()?;
        let layout = TownLayout::new(&root);
        let tmux = Tmux::for_town(&layout, &self.place.env, &self.place.exe);
        // Without a list, the town asks for it.
        let running = tmux.list().unwrap_or_else(|_| Vec::new());
        let running = running
            .into_iter()
            .filter_map(|live| Some((live.name, live.process?)));
        let town = BoxTown {
            running: Mutex::new(running.collect()),
            tmux,
            packs: PackFolder::new(&layout.runtime().join("packs")),
            layout,
            gateways: Mutex::default(),
            deliveries: Deliveries::default(),
            clock_ahead: measure_clock(self.place.clock.now(), hello.now),
        };
        let record = town.layout.runtime().join("gateways");
        file::create_folder(&record, 0o700)?;
        for name in fs::read_dir(&record)?.flatten() {
            let name = name.file_name().to_string_lossy().into_owned();
            self.open_gateway(&town, &name)?;
        }
        // A second greeting changes nothing.
        self.town.set(town).ok();
        Ok(Welcome {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            root,
        })
    }

    /// Delivers the calls that wait for the town and the ends of sessions, now and as long as the
    /// connection works.
    fn begin_deliveries(self: &Arc<Self>) -> std::io::Result<()> {
        let server = Arc::clone(self);
        let deliver = move || {
            while let Some(town) = server.town.get() {
                let gateways = town.gateways.lock();
                let gateways = gateways.unwrap_or_else(PoisonError::into_inner).clone();
                for (session, socket) in gateways {
                    // A call that was not delivered is tried again.
                    deliver_kept_call(&server.pipe, &session, &kept_call_file(&socket)).ok();
                }
                town.deliveries.note_round();
                for session in town.take_ended() {
                    // After a cut, the town looks at all sessions.
                    server.report_end(session).ok();
                }
                if server.pipe.wait_for_end(ROUND_PAUSE).is_some() {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(deliver).map(drop)
    }

    fn report_end(&self, session: String) -> anyhow::Result<()> {
        let mut stream = self.pipe.open()?;
        Ok(write_line(&mut stream, &TownRequest::Ended { session })?)
    }

    fn start_session(&self, town: &BoxTown, session: FarSession) -> Result<LiveSession, FarError> {
        let socket = self
            .open_gateway(town, &session.name)
            .map_err(FarError::failed)?;
        set_aside(&kept_call_file(&socket)).map_err(FarError::failed)?;
        let inside = ConfinedFolder::open(town.layout.root()).map_err(FarError::failed)?;
        for (path, content) in &session.files {
            let below = path
                .strip_prefix(town.layout.root())
                .map_err(FarError::failed)?;
            inside
                .write(&below.to_string_lossy(), content.as_bytes(), 0o600)
                .map_err(FarError::failed)?;
        }
        let mut env = session.env;
        env.push((
            ADDRESS_VARIABLE.to_owned(),
            GatewayAddress::Far(socket).to_string(),
        ));
        let started = town.tmux.start(&SessionSpec {
            name: session.name,
            cwd: session.cwd,
            argv: session.argv,
            env,
            pass: session.pass,
            token: session.token,
            keep: session.keep,
            status_style: session.status_style,
            ..SessionSpec::default()
        });
        let live = started?;
        if let Some(process) = live.process {
            town.lock_running().insert(live.name.clone(), process);
        }
        Ok(live)
    }

    /// Receives the objects of a sandbox, and makes it.
    fn receive_sandbox(&self, town: &BoxTown, given: &GivenSandbox) -> anyhow::Result<()> {
        let pack = match &given.pack {
            Some(offer) => Some(town.packs.fetch(offer, |part| {
                let mut stream = self.pipe.open()?;
                write_line(&mut stream, &TownRequest::Pack(part))?;
                Ok(stream)
            })?),
            None => None,
        };
        make_sandbox(&town.layout, given, pack)
    }

    /// Opens the socket by which the programs of a session reach the town.
    fn open_gateway(&self, town: &BoxTown, session: &str) -> anyhow::Result<PathBuf> {
        let mut gateways = town.gateways.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(socket) = gateways.get(session) {
            return Ok(socket.clone());
        }
        let text = format!("{}\0{session}", town.layout.root().display());
        let name = bd::bead::hash::compute_short_hash(text.as_bytes(), 10);
        let socket = self.place.sockets.join(format!("box-{name}"));
        let listener = bind_socket(&socket)?;
        let pipe = self.pipe.clone();
        let name = session.to_owned();
        thread::Builder::new().spawn(move || accept_calls(&listener, &pipe, &name))?;
        // The next connection opens it again.
        let record = town.layout.runtime().join("gateways").join(session);
        file::replace_file_relaxed(&record, b"", 0o600)?;
        gateways.insert(session.to_owned(), socket.clone());
        Ok(socket)
    }
}

fn kill_session(town: &BoxTown, session: &str) -> Result<(), FarError> {
    // The town ends it on purpose.
    town.lock_running().remove(session);
    town.tmux.kill(session)?;
    let mut gateways = town.gateways.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(socket) = gateways.remove(session) {
        // The listener ends with this process.
        fs::remove_file(&socket).ok();
        let record = town.layout.runtime().join("gateways").join(session);
        file::remove_file(&record).map_err(FarError::failed)?;
        set_aside(&kept_call_file(&socket)).map_err(FarError::failed)?;
    }
    Ok(())
}

/// Keeps a call of an earlier session under another name.
fn set_aside(kept: &Path) -> std::io::Result<()> {
    match fs::rename(kept, kept.with_extension("replaced")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl BoxTown {
    fn describe_sessions(&self, all: &[LiveSession]) -> Vec<FarLiveSession> {
        let describe = |live| FarLiveSession::from_live(live, self.clock_ahead);
        all.iter().map(describe).collect()
    }
}

/// Replaces the times of lines by those of the town's clock.
fn shift_times(lines: &mut String, ahead: SignedDuration) {
    if ahead.is_zero() {
        return;
    }
    let shift_line = |line: &str| -> Option<String> {
        let mut value: serde_json::Value = serde_json::from_str(line).ok()?;
        for name in ["timestamp", "startTime"] {
            if let Some(at) = value[name]
                .as_str()
                .and_then(|text| text.parse::<Timestamp>().ok())
            {
                value[name] = (at - ahead).to_string().into();
            }
        }
        Some(value.to_string() + "\n")
    };
    let shifted = lines.lines().filter_map(shift_line);
    *lines = shifted.collect();
}

/// Refuses a town that is more than one release older or newer.
pub(in crate::host) fn check_protocol(hello: &Hello) -> anyhow::Result<()> {
    let older = match hello.protocol {
        protocol if protocol > PROTOCOL + 1 => "gt there",
        protocol if protocol + 1 < PROTOCOL => "the town",
        _ => return Ok(()),
    };
    let version = &hello.version;
    anyhow::bail!("gt there is {VERSION} and the town {version}: update {older}");
}

/// Returns the time by which the clock here is ahead of the town's.
fn measure_clock(here: Timestamp, town: Timestamp) -> SignedDuration {
    let ahead = here.duration_since(town);
    if ahead.abs() < MIN_CLOCK_DIFFERENCE {
        return SignedDuration::ZERO;
    }
    ahead
}

fn reply(mut stream: UnixStream, answer: &Result<impl Serialize, FarError>) -> std::io::Result<()> {
    write_line(&mut stream, answer)
}

/// Listens at a path, also if an earlier connection of the town left its socket there.
pub(in crate::host) fn bind_socket(socket: &Path) -> anyhow::Result<UnixListener> {
    use std::os::unix::fs::PermissionsExt;
    file::remove_file(socket)?;
    let listener = UnixListener::bind(socket)
        .with_context(|| format!("cannot listen at {}", socket.display()))?;
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Passes the calls of a session to the town.
fn accept_calls(listener: &UnixListener, pipe: &Pipe, session: &str) {
    for connection in listener.incoming() {
        let Ok(connection) = connection else {
            continue;
        };
        let (pipe, session) = (pipe.clone(), session.to_owned());
        let passing = move || -> std::io::Result<()> {
            let mut stream = pipe.open()?;
            write_line(&mut stream, &TownRequest::Call { session })?;
            splice(connection, stream)
        };
        // The caller sees that its connection ended.
        thread::Builder::new().spawn(passing).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(protocol: u32) -> Hello {
        Hello {
            protocol,
            version: "9.9.9".to_owned(),
            town: "0123456789abcdef".to_owned(),
            now: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn versions_that_differ_by_more_than_one_release_name_the_side_to_update() {
        for protocol in [PROTOCOL - 1, PROTOCOL, PROTOCOL + 1] {
            check_protocol(&hello(protocol)).unwrap();
        }
        let refused = check_protocol(&hello(PROTOCOL + 2)).unwrap_err();
        let expected = format!("gt there is {VERSION} and the town 9.9.9: update gt there");
        assert_eq!(refused.to_string(), expected);
    }

    #[test]
    fn times_of_transcripts_become_those_of_the_town() {
        let line = "{\"timestamp\":\"2026-01-01T02:00:00Z\",\"n\":1}\n";
        let mut lines = line.repeat(2);
        shift_times(&mut lines, SignedDuration::ZERO);
        assert_eq!(lines, line.repeat(2));
        shift_times(&mut lines, SignedDuration::from_hours(2));
        assert_eq!(lines, line.replace("T02", "T00").repeat(2));
    }

    #[test]
    fn only_clocks_that_really_differ_are_corrected() {
        let town = Timestamp::UNIX_EPOCH;
        let measure = |seconds| {
            let ahead = SignedDuration::from_secs(seconds);
            measure_clock(town + ahead, town).as_secs()
        };
        assert_eq!([3600, 4, 0, -4, -3600].map(measure), [3600, 0, 0, 0, -3600]);
    }
}
