//! The requests between a town and a box. Each has a stream of its own: a line of JSON with the
//! request, a line of JSON with the answer, and for some of them bytes until the end of the stream.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::host::{HostError, InputRules, Key, LiveSession, ProcessEnd, SendResult};

/// The version of the requests. Each release may add requests and optional fields, with a version of
/// its own. Town and box work together if their versions differ by one at most.
pub(crate) const PROTOCOL: u32 = 1;

/// The maximum length of a line, in bytes.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// The maximum length of a request of a box, in bytes.
pub(crate) const MAX_TOWN_REQUEST: usize = 4096;

/// A request of the town.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum BoxRequest {
    Hello(Hello),
    /// All sessions of the town.
    Sessions,
    Start(FarSession),
    Send {
        session: String,
        text: String,
        input: InputRules,
    },
    Press {
        session: String,
        keys: Vec<Key>,
    },
    Capture {
        session: String,
        lines: usize,
        has_styles: bool,
    },
    Kill {
        session: String,
    },
    /// The programs that are not on the `PATH` of the box.
    MissingPrograms {
        programs: Vec<String>,
    },
    /// New lines in the transcripts of a worker.
    Transcripts(TranscriptQuestion),
    /// Makes a sandbox for new work.
    Give(GivenSandbox),
    /// The state of a sandbox.
    Take(SandboxQuestion),
    /// The bytes of a pack that the box offered, from an offset on.
    Pack(PackPart),
    /// The first request to the machine of a crew member.
    Member(MemberHello),
    /// The state of the clone of a crew member.
    Clone(CloneQuestion),
}

/// A request of the box.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub(crate) enum TownRequest {
    /// A command of an agent: the stream goes on as a connection to its gateway.
    Call { session: String },
    /// The process of a session has ended.
    Ended { session: String },
    /// The bytes of a pack that the town offered, from an offset on.
    Pack(PackPart),
}

/// The first request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub protocol: u32,
    /// The version of the town's programs.
    pub version: String,
    /// The id of the town, by which a box keeps the sandboxes of several towns apart.
    pub town: String,
    /// The time of the town, whose clock may differ from the one of the box.
    pub now: Timestamp,
}

/// The answer to the first request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Welcome {
    pub protocol: u32,
    /// The version of the box's programs.
    pub version: String,
    /// The folder that stands for the root of the town.
    pub root: PathBuf,
}

/// The identity of a crew member on another machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberHello {
    pub protocol: u32,
    /// The version of the town's programs.
    pub version: String,
    pub now: Timestamp,
    /// The variables with its identity.
    pub env: Vec<(String, String)>,
}

/// The answer of the machine of a crew member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberWelcome {
    /// The clone of the member.
    pub root: PathBuf,
    /// The token that the member's calls carry, the same after a cut.
    pub token: String,
}

/// Asks for the state of a clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloneQuestion {
    /// Commits that the town has with their histories.
    pub has: Vec<String>,
}

/// The state of a clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloneState {
    pub branch: String,
    pub head: String,
    /// True if files are not committed.
    pub has_changes: bool,
    /// The objects that the town has not.
    pub pack: Option<PackOffer>,
}

/// A session to start. Its paths are those of the box.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarSession {
    pub name: String,
    pub cwd: PathBuf,
    pub argv: Vec<String>,
    pub env: Vec<(String, String)>,
    pub pass: Vec<String>,
    pub token: String,
    pub keep: bool,
    pub status_style: String,
    /// Files below the root that the command names, such as the settings of an agent program.
    pub files: BTreeMap<PathBuf, String>,
}

/// A session of a box.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FarLiveSession {
    pub name: String,
    pub token: String,
    pub created: Timestamp,
    pub host_started: Timestamp,
    pub activity: Timestamp,
    pub dead: Option<ProcessEnd>,
    pub attached: bool,
    pub command: String,
}

impl FarLiveSession {
    /// Describes a session of a box whose clock is `ahead` of the town's. The start of its tmux server
    /// is an identity, which must stay the same on each connection.
    pub(crate) fn from_live(live: &LiveSession, ahead: SignedDuration) -> Self {
        Self {
            name: live.name.clone(),
            token: live.token.clone(),
            created: live.created - ahead,
            host_started: live.host_started,
            activity: live.activity - ahead,
            dead: live.dead,
            attached: live.attached,
            command: live.command.clone(),
        }
    }

    /// Describes the session for the town, which knows no process of it.
    pub(crate) fn into_live(self) -> LiveSession {
        LiveSession {
            name: self.name,
            pid: 0,
            process: None,
            token: self.token,
            created: self.created,
            host_started: self.host_started,
            activity: self.activity,
            dead: self.dead,
            attached: self.attached,
            command: self.command,
            unreachable: None,
            ended_because: None,
        }
    }
}

/// A sandbox for new work, or for work that goes on. The objects of its commits come first, as a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenSandbox {
    pub rig: String,
    pub worker: String,
    pub branch: String,
    /// The commit that the branch begins with.
    pub commit: String,
    /// A commit with the uncommitted files, for work that goes on.
    #[serde(default)]
    pub files: Option<String>,
    /// The branches of the remote that the worker sees, by their full names of refs.
    pub refs: BTreeMap<String, String>,
    /// Patterns of files that git does not see.
    pub excluded: Vec<String>,
    /// Tracked files that the worker does not get.
    pub hidden: Vec<PathBuf>,
    pub pack: Option<PackOffer>,
}

/// Asks for the state of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxQuestion {
    pub rig: String,
    pub worker: String,
    /// Commits that the town has with their histories.
    pub has: Vec<String>,
}

/// Asks for new lines in the transcripts of the sessions in a worker's sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptQuestion {
    pub rig: String,
    pub worker: String,
    /// The number of bytes that the town has read, by agent program and session: `claude/ID`.
    pub has: BTreeMap<String, u64>,
}

/// Lines of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptPart {
    pub program: String,
    /// The id of the session.
    pub id: String,
    /// The offsets of the lines in the transcript, which may be longer there.
    pub from: u64,
    pub to: u64,
    pub lines: String,
}

/// The state of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxState {
    /// The branch that HEAD is on.
    pub branch: Option<String>,
    pub head: String,
    /// A commit on top of HEAD with the uncommitted files, as a rescue has it. `None` if there are
    /// none.
    pub files: Option<String>,
    /// The objects that the town has not.
    pub pack: Option<PackOffer>,
}

/// A pack that can be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackOffer {
    /// SHA-256 of the content, in hexadecimal digits.
    pub digest: String,
    pub size: u64,
}

/// The rest of an offered pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackPart {
    pub digest: String,
    pub offset: u64,
}

/// An error that travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum FarError {
    #[error("there is no session named `{name}`")]
    NoSession { name: String },
    #[error("a session named `{name}` is there already")]
    Exists { name: String },
    #[error("session `{name}` ended at once")]
    EndedAtOnce {
        name: String,
        end: ProcessEnd,
        output: String,
    },
    /// The connection ended before the answer, or there was none in time.
    #[error("no answer came")]
    Silent,
    /// No pipe is open.
    #[error("not reachable since {since:.0}: {reason}")]
    Unreachable { since: Timestamp, reason: String },
    #[error("{words}")]
    Failed { words: String },
}

impl FarError {
    pub(crate) fn failed(error: impl Into<anyhow::Error>) -> Self {
        let words = format!("{:#}", error.into());
        Self::Failed { words }
    }

    /// Returns the error of a host with this name.
    pub(crate) fn into_host_error(self, host: &str) -> HostError {
        match self {
            Self::NoSession { name } => HostError::NoSession { name },
            Self::Exists { name } => HostError::Exists { name },
            Self::EndedAtOnce { name, end, output } => HostError::EndedAtOnce { name, end, output },
            Self::Unreachable { since, reason } => HostError::Unreachable {
                host: host.to_owned(),
                since,
                reason,
            },
            Self::Silent => HostError::Silent {
                host: host.to_owned(),
            },
            Self::Failed { words } => HostError::Far {
                host: host.to_owned(),
                words,
            },
        }
    }
}

impl From<HostError> for FarError {
    fn from(error: HostError) -> Self {
        match error {
            HostError::NoSession { name } => Self::NoSession { name },
            HostError::Exists { name } => Self::Exists { name },
            HostError::EndedAtOnce { name, end, output } => Self::EndedAtOnce { name, end, output },
            other => Self::failed(other),
        }
    }
}

/// Returns true for the end of a connection, or a time limit.
fn is_silence(error: &io::Error) -> bool {
    use io::ErrorKind::{
        BrokenPipe, ConnectionReset, NotConnected, TimedOut, UnexpectedEof, WouldBlock,
    };
    matches!(
        error.kind(),
        BrokenPipe | ConnectionReset | NotConnected | TimedOut | UnexpectedEof | WouldBlock
    )
}

/// The result of typing, as an answer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct SendAnswer {
    pub result: SendResult,
}

/// Writes a value as a line of JSON.
pub(crate) fn write_line(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}

/// Reads a line, byte for byte, so that the bytes behind it stay in the stream.
pub(crate) fn read_raw_line(from: &mut impl Read) -> io::Result<Vec<u8>> {
    read_bytes(from, MAX_LINE)
}

fn read_bytes(from: &mut impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        if from.read(&mut byte)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if byte[0] == b'\n' {
            return Ok(line);
        }
        if line.len() >= limit {
            return Err(io::Error::other("a line is too long"));
        }
        line.push(byte[0]);
    }
}

/// Reads a line of JSON with at most `limit` bytes.
pub(crate) fn read_line_of<T: DeserializeOwned>(
    from: &mut impl Read,
    limit: usize,
) -> io::Result<T> {
    Ok(serde_json::from_slice(&read_bytes(from, limit)?)?)
}

/// Reads a line of JSON.
pub(crate) fn read_line<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    Ok(serde_json::from_slice(&read_raw_line(from)?)?)
}

/// Sends a request and returns its answer. Further bytes stay in the stream.
pub(crate) fn ask<T: DeserializeOwned>(
    stream: &mut (impl Read + Write),
    request: &impl Serialize,
) -> Result<T, FarError> {
    let asked = write_line(stream, request).and_then(|()| read_line::<Result<T, FarError>>(stream));
    match asked {
        Ok(answer) => answer,
        Err(error) if is_silence(&error) => Err(FarError::Silent),
        Err(error) => Err(FarError::failed(error)),
    }
}
