//! A host on another machine, reached through its link.

use std::collections::BTreeMap;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use kit::sys::{ChildCommand, Env, clock, file};
use serde::de::DeserializeOwned;

use super::host_command::build_attach_command;
use super::link_state::{LinkRequest, LinkState, connect_running, read_link_state};
use super::pack::{PackFolder, ReceivedPack};
use super::paths::PathTranslation;
use super::place::find_place_end;
use super::protocol::{
    BoxRequest, FarLiveSession, FarSession, PackOffer, SendAnswer, ask, write_line,
};
use super::session_record::{
    SessionRecord, count_sessions, forget_ended, list_records, remove_record,
};
use super::settings::HostSettings;
use crate::host::wrapper::session_environment;
use crate::host::{
    HostError, InputRules, Key, LiveSession, ProcessEnd, SendResult, SessionHost, SessionSpec,
    UnreachableHost,
};
use crate::town::TownLayout;
use crate::town::lock::Lock;

/// The time within which a new link accepts requests.
const LINK_TIMEOUT: Duration = Duration::from_secs(10);

/// The time within which a host answers.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// The time within which a host lists its sessions.
const LIST_TIMEOUT: Duration = Duration::from_secs(6);

/// The time within which a sandbox is made or read.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(900);

/// The lock that the link of a host holds.
pub(crate) const LINK_LOCK: &str = "link.lock";

/// The variable with the address of a session's agent.
const AGENT_VARIABLE: &str = "GT_ROLE";

/// The maximum size of a file that a session's command names, in bytes.
const MAX_NAMED_FILE: u64 = 1 << 20;

/// A host on another machine.
#[derive(Debug, Clone)]
pub struct FarHost {
    pub(super) name: String,
    town: TownLayout,
    env: Env,
    exe: PathBuf,
    socket: PathBuf,
}

impl FarHost {
    /// Returns the host of a name. `sockets` is the folder of the town's sockets.
    pub fn new(name: &str, town: &TownLayout, env: &Env, exe: &Path, sockets: &Path) -> Self {
        Self {
            name: name.to_owned(),
            town: town.clone(),
            env: env.clone(),
            exe: exe.to_owned(),
            socket: link_socket(town, sockets, name),
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the town has started sessions there that it has not ended.
    pub(super) fn has_sessions(&self) -> bool {
        count_sessions(&self.town, &self.name) > 0
    }

    /// Returns the state that the link of the host wrote last. `None` if no link runs.
    pub fn read_state(&self) -> Option<LinkState> {
        read_link_state(&self.town, &self.name)
    }

    fn connect_running(&self) -> Option<UnixStream> {
        connect_running(&self.town, &self.name)
    }

    /// The packs that travel.
    pub fn packs(&self) -> PackFolder {
        PackFolder::new(&self.town.host(&self.name).join("packs"))
    }

    /// Asks the box.
    pub fn ask<T: DeserializeOwned>(&self, request: &BoxRequest) -> Result<T, HostError> {
        let mut stream = self.connect()?;
        let limit = match request {
            BoxRequest::Give(_) | BoxRequest::Take(_) => TRANSFER_TIMEOUT,
            // A list must not wait for a host that is silent.
            BoxRequest::Sessions => LIST_TIMEOUT,
            _ => ANSWER_TIMEOUT,
        };
        let limited = stream.set_read_timeout(Some(limit));
        limited.map_err(|error| Self::file_error(&self.socket, error))?;
        let answered = ask(&mut stream, request);
        answered.map_err(|error| error.into_host_error(&self.name))
    }

    /// Fetches a pack that the box offered.
    pub fn fetch(&self, offer: &PackOffer) -> anyhow::Result<ReceivedPack> {
        self.packs().fetch(offer, |part| {
            let mut stream = self.connect().map_err(std::io::Error::other)?;
            write_line(&mut stream, &BoxRequest::Pack(part))?;
            Ok(stream)
        })
    }

    /// Returns the state of the connection, after an attempt to connect.
    pub fn try_connect(&self) -> Result<LinkState, HostError> {
        let mut stream = self.connect()?;
        let state = ask(&mut stream, &LinkRequest::Connect);
        state.map_err(|error| error.into_host_error(&self.name))
    }

    /// Ends the link of a host that was removed, and waits for its end.
    pub fn end_link(&self) {
        if let Some(mut stream) = self.connect_running() {
            // A link that has ended does not answer.
            ask::<LinkState>(&mut stream, &LinkRequest::Quit).ok();
        }
        // The next link begins when this one has ended. One that does not end serves nothing.
        Lock::take(&self.town.host(&self.name).join(LINK_LOCK), LINK_TIMEOUT).ok();
    }

    /// Returns the root of the town there. Connects if necessary.
    fn find_root(&self) -> Result<PathBuf, HostError> {
        match self.try_connect()? {
            LinkState::Connected { root, .. } => Ok(root),
            LinkState::Unreachable { since, reason } => Err(HostError::Unreachable {
                host: self.name.clone(),
                since,
                reason,
            }),
            LinkState::Connecting => Err(HostError::Far {
                host: self.name.clone(),
                words: "it does not answer: it is still being connected".to_owned(),
            }),
        }
    }

    /// Returns why the host is gone: the place of a worker that its engine has ended.
    pub fn find_end(&self) -> Option<String> {
        find_place_end(&self.town, &self.name)
    }

    /// Connects to the link of the host, and starts it if it does not run.
    fn connect(&self) -> Result<UnixStream, HostError> {
        if let Some(words) = self.find_end() {
            let host = self.name.clone();
            return Err(HostError::Far { host, words });
        }
        if let Some(stream) = self.connect_running() {
            return Ok(stream);
        }
        let folder = self.town.host(&self.name);
        let file_error = |path: &Path| {
            let path = path.to_owned();
            move |source| HostError::File { path, source }
        };
        file::create_folder(&folder, 0o700).map_err(file_error(&folder))?;
        if let Some(sockets) = self.socket.parent() {
            file::create_private_folder(sockets).map_err(file_error(sockets))?;
        }
        let path = folder.join("link.log");
        let log = file::open_append(&path, 0o600).map_err(file_error(&path))?;
        let mut command = ChildCommand::new(&self.exe)
            .args(["host", "link", &self.name])
            .cwd(self.town.root())
            .env_clear();
        for (name, value) in self.env.vars().filter(|(name, _)| !is_of_session(name)) {
            command = command.env(name, value);
        }
        command.spawn_detached(&log)?;
        let connected = clock::wait_for(LINK_TIMEOUT, || self.connect_running());
        connected.ok_or_else(|| HostError::Far {
            host: self.name.clone(),
            words: format!("its link did not start; see {}", path.display()),
        })
    }

    /// Returns the sessions that the town has started, for a host that is not reachable.
    fn started_sessions(&self, since: Option<Timestamp>, reason: &str) -> Vec<LiveSession> {
        let unreachable = Some(UnreachableHost {
            name: self.name.clone(),
            since,
            reason: reason.to_owned(),
        });
        let started = list_records(&self.town, &self.name).into_iter();
        let sessions = started.map(|(name, record)| LiveSession {
            name,
            token: record.token,
            unreachable: unreachable.clone(),
            ..LiveSession::default()
        });
        sessions.collect()
    }

    /// Returns the sessions that ended with their place.
    fn ended_sessions(&self, reason: &str) -> Vec<LiveSession> {
        let started = list_records(&self.town, &self.name).into_iter();
        let sessions = started.map(|(name, record)| LiveSession {
            name,
            token: record.token,
            dead: Some(ProcessEnd::Unknown),
            ended_because: Some(reason.to_owned()),
            ..LiveSession::default()
        });
        sessions.collect()
    }

    fn file_error(path: &Path, source: std::io::Error) -> HostError {
        HostError::File {
            path: path.to_owned(),
            source,
        }
    }

    /// Reads the files of the town that a command names.
    fn read_named_files(
        &self,
        argv: &[String],
        paths: &PathTranslation,
    ) -> Result<BTreeMap<PathBuf, String>, HostError> {
        let mut files = BTreeMap::new();
        for word in argv {
            let path = Path::new(word);
            if !path.starts_with(self.town.root()) || !path.is_file() {
                continue;
            }
            let read = kit::sys::foreign::read_foreign_file(path, MAX_NAMED_FILE);
            if let Some(content) = read.map_err(|error| Self::file_error(path, error))? {
                let text = String::from_utf8_lossy(&content);
                let there = PathBuf::from(paths.to_caller(word));
                files.insert(there, paths.to_caller(&text));
            }
        }
        Ok(files)
    }
}

/// Returns true for a variable of the session that starts a link, which serves others, too.
fn is_of_session(name: &str) -> bool {
    name.starts_with("GT_") && !matches!(name, "GT_TMUX_SOCKET" | "GT_TOWN_ROOT")
        || name == crate::town::process::TOKEN
}

/// Returns the socket of the link of a host.
pub fn link_socket(town: &TownLayout, sockets: &Path, host: &str) -> PathBuf {
    let root = town.root().canonicalize();
    let root = root.unwrap_or_else(|_| town.root().to_owned());
    let text = format!("{}\0{host}", root.display());
    let name = bd::bead::hash::compute_short_hash(text.as_bytes(), 10);
    sockets.join(format!("host-{name}"))
}

impl SessionHost for FarHost {
    fn start(&self, spec: &SessionSpec) -> Result<LiveSession, HostError> {
        let root = self.find_root()?;
        let paths = PathTranslation {
            town: self.town.root().to_string_lossy().into_owned(),
            caller: root.to_string_lossy().into_owned(),
        };
        let agent = spec.env.iter().find(|(name, _)| name == AGENT_VARIABLE);
        let record = SessionRecord {
            agent: agent.map(|(_, agent)| agent.clone()).unwrap_or_default(),
            token: spec.token.clone(),
            env: session_environment(&self.env, spec, &self.exe),
        };
        let saved = record.save(&self.town, &self.name, &spec.name);
        saved.map_err(|error| Self::file_error(&self.town.host(&self.name), error))?;
        let translate = |text: &String| paths.to_caller(text);
        let session = FarSession {
            name: spec.name.clone(),
            cwd: PathBuf::from(paths.to_caller(&spec.cwd.to_string_lossy())),
            argv: spec
                .argv
                .iter()
                // Our own program is elsewhere there.
                .map(|word| {
                    if Path::new(word) == self.exe {
                        "gt".to_owned()
                    } else {
                        translate(word)
                    }
                })
                .collect(),
            env: spec
                .env
                .iter()
                // The programs there are others.
                .filter(|(name, _)| name != "PATH")
                .map(|(name, value)| (name.clone(), paths.to_caller(value)))
                .collect(),
            pass: spec.pass.clone(),
            token: spec.token.clone(),
            keep: spec.keep,
            status_style: spec.status_style.clone(),
            files: self.read_named_files(&spec.argv, &paths)?,
        };
        let started: FarLiveSession = self.ask(&BoxRequest::Start(session))?;
        Ok(started.into_live())
    }

    fn list(&self) -> Result<Vec<LiveSession>, HostError> {
        if let Some(reason) = self.find_end() {
            return Ok(self.ended_sessions(&reason));
        }
        match self.ask::<Vec<FarLiveSession>>(&BoxRequest::Sessions) {
            Ok(mut all) => {
                let names: Vec<&str> = all.iter().map(|live| live.name.as_str()).collect();
                // A record that stays is removed the next time.
                forget_ended(&self.town, &self.name, &names).ok();
                // A program on the host can give a session any name.
                let started = list_records(&self.town, &self.name);
                all.retain(|live| {
                    let is_same = |(name, record): &(String, SessionRecord)| {
                        *name == live.name && record.token == live.token
                    };
                    started.iter().any(is_same)
                });
                Ok(all.into_iter().map(FarLiveSession::into_live).collect())
            }
            Err(HostError::Unreachable { since, reason, .. }) => {
                Ok(self.started_sessions(Some(since), &reason))
            }
            // One host must not stop the others.
            Err(error) => Ok(self.started_sessions(None, &error.to_string())),
        }
    }

    fn send(&self, name: &str, text: &str, input: &InputRules) -> Result<SendResult, HostError> {
        let answer: SendAnswer = self.ask(&BoxRequest::Send {
            session: name.to_owned(),
            text: text.to_owned(),
            input: input.clone(),
        })?;
        Ok(answer.result)
    }

    fn press(&self, name: &str, keys: &[Key]) -> Result<(), HostError> {
        self.ask(&BoxRequest::Press {
            session: name.to_owned(),
            keys: keys.to_vec(),
        })
    }

    fn capture(&self, name: &str, lines: usize) -> Result<String, HostError> {
        self.ask(&BoxRequest::Capture {
            session: name.to_owned(),
            lines,
            has_styles: false,
        })
    }

    fn capture_styled(&self, name: &str, lines: usize) -> Result<String, HostError> {
        self.ask(&BoxRequest::Capture {
            session: name.to_owned(),
            lines,
            has_styles: true,
        })
    }

    /// Empty for a host of a plain command.
    fn attach_command(&self, name: &str) -> Vec<String> {
        let settings = HostSettings::load(&self.town, &self.name).ok().flatten();
        settings.map_or_else(Vec::new, |settings| {
            build_attach_command(&settings, &self.town, &self.name, name)
        })
    }

    fn kill(&self, name: &str) -> Result<(), HostError> {
        // The sessions of a place end with it.
        if self.find_end().is_none() {
            self.find_root()?;
            self.ask::<()>(&BoxRequest::Kill {
                session: name.to_owned(),
            })?;
        }
        let removed = remove_record(&self.town, &self.name, name);
        removed.map_err(|error| Self::file_error(&self.town.host(&self.name), error))
    }
}
