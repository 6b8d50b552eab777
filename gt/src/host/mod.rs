//! Defines the interface between the town and the host of its sessions.
//!
//! Every backend guarantees: A session starts from a clean environment. No secret is in an argument
//! list. A name identifies exactly one session. Only sessions that a backend of this town started
//! are listed, typed into or ended, never those that a user opened. When a session's first process
//! ends, the session ends, unless its last screen is to be kept: then it is listed as dead until it
//! is ended.

mod connection;
pub mod daemon;
pub mod ended;
pub mod fake;
pub mod far;
pub mod gateway;
pub mod jail;
pub mod link;
pub mod live_town;
pub mod member;
pub mod network;
mod question;
pub mod runtime;
mod session_jail;
pub mod socket_folder;
pub mod tmux;
pub mod wrapper;

use std::fmt;
use std::path::PathBuf;

use jiff::Timestamp;
use kit::sys::ExecError;
use serde::{Deserialize, Serialize};

pub use fake::FakeHost;
pub use live_town::LiveTown;
pub(crate) use question::TYPED_PREFIX;
pub use session_jail::SessionJail;

use crate::town::process::Process;

/// The parameters of a new session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionSpec {
    /// The name: letters, digits, `-` and `_`.
    pub name: String,
    /// The working folder of the first process.
    pub cwd: PathBuf,
    /// The command, without a shell in between.
    pub argv: Vec<String>,
    /// Variables in addition to the allowed ones of the caller.
    pub env: Vec<(String, String)>,
    /// Additional names of the caller's variables to inherit, for example for a provider's
    /// credentials. A name that ends in `*` is a prefix.
    pub pass: Vec<String>,
    /// A random text that marks the processes of this start.
    pub token: String,
    /// True if the last screen and the exit code are kept when the first process ends on its own.
    pub keep: bool,
    /// The style of the status line, such as `bg=#1e3a5f,fg=#e0e0e0`. Empty for the default one.
    pub status_style: String,
    /// The jail in which the command runs.
    pub jail: Option<SessionJail>,
    /// The name of the other machine on which it runs.
    pub host: Option<String>,
}

/// An existing session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveSession {
    pub name: String,
    /// The process id of the first process.
    pub pid: i32,
    /// The first process, if the system reports its start time.
    pub process: Option<Process>,
    /// The token of the session's start.
    pub token: String,
    pub created: Timestamp,
    /// The start time of the process that hosts the session. Sessions from before that are lost.
    pub host_started: Timestamp,
    /// The time of the last output on the screen.
    pub activity: Timestamp,
    /// The end of the first process, if the session is still displayed after it.
    pub dead: Option<ProcessEnd>,
    /// True if a user is attached.
    pub attached: bool,
    /// The name of the foreground program.
    pub command: String,
    /// The host that cannot be asked about the session, which may run or not.
    pub unreachable: Option<UnreachableHost>,
    /// The reason for which the engine of its place ended it.
    pub ended_because: Option<String>,
}

/// A host without a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreachableHost {
    pub name: String,
    /// None if the connection works, and the host does not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    pub reason: String,
}

impl UnreachableHost {
    /// Describes the state of the host. `since` is the time as the reader sees it.
    pub fn describe(&self, format_time: impl Fn(Timestamp) -> String) -> String {
        let name = &self.name;
        match self.since {
            Some(since) => format!("host {name} is not reachable since {}", format_time(since)),
            None => format!("host {name} does not answer"),
        }
    }
}

/// The number of lines of a screen, where a host does not know it.
const SCREEN_LINES: usize = 60;

/// The rules for typing text into a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRules {
    /// The beginning of an empty input line. If known, the result of sending is checked on the
    /// screen, and sending is retried.
    pub prompt: Option<String>,
    /// Texts on the screen that show an open dialog, which typed text would answer.
    pub dialogs: Vec<String>,
}

/// The result of sending text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SendResult {
    /// The text was typed and submitted. With a known prompt, it has left the input line.
    Submitted,
    /// The text was typed, but is still in the input line.
    Typed,
    /// Nothing was typed: a dialog is open, or the input line is missing.
    DialogOpen,
    /// Nothing was typed: a user's own text is in the input line.
    DraftInTheWay,
}

/// A single key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    Enter,
    Up,
    Down,
    Escape,
    /// The interrupt key, Ctrl-C.
    Interrupt,
}

/// The end of a session's first process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessEnd {
    /// Exited with this code.
    Exit(i32),
    Signal(i32),
    Unknown,
}

impl std::fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "with exit code {code}"),
            Self::Signal(number) => match signal_hook::low_level::signal_name(*number) {
                Some(name) => write!(f, "by signal {number} ({name})"),
                None => write!(f, "by signal {number}"),
            },
            Self::Unknown => f.write_str("without an exit code"),
        }
    }
}

/// Describes the end of a process that ended right after its start.
fn describe_end(end: ProcessEnd, output: &str) -> String {
    match output.trim() {
        "" => format!("{end}, without a word"),
        words => format!("{end}: {words}"),
    }
}

#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The program that hosts sessions is missing.
    #[error("{program} cannot be used: it is not installed or not on PATH")]
    Missing { program: &'static str },
    /// The name is not valid for a session.
    #[error("`{name}` cannot be a session's name: only letters, digits, - and _ are allowed")]
    BadName { name: String },
    #[error("a session named `{name}` is there already")]
    Exists { name: String },
    #[error("there is no session named `{name}`")]
    NoSession { name: String },
    #[error("the folder {} for session `{name}` is not there", cwd.display())]
    NoFolder { name: String, cwd: PathBuf },
    /// The first process ended right after its start.
    #[error("session `{name}` ended at once {}", describe_end(*end, output))]
    EndedAtOnce {
        name: String,
        end: ProcessEnd,
        /// The end of its output.
        output: String,
    },
    /// Processes of an ended session still run.
    #[error(
        "session `{name}` left processes that could not be ended: {}",
        format_pids(pids)
    )]
    Survivors { name: String, pids: Vec<i32> },
    #[error("`{command}` failed: {words}")]
    Failed { command: String, words: String },
    #[error("cannot reach the sessions")]
    Run(#[from] ExecError),
    /// A file of the host cannot be read or written.
    #[error("cannot use {}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// No connection to another machine is open.
    #[error("host {host} is not reachable since {since:.0}: {reason}")]
    Unreachable {
        host: String,
        since: Timestamp,
        reason: String,
    },
    /// Another machine did not answer.
    #[error("host {host} does not answer")]
    Silent { host: String },
    /// Another machine could not do what was asked.
    #[error("host {host}: {words}")]
    Far { host: String, words: String },
    /// Another process is typing into the session and does not finish.
    #[error("session `{name}` is being typed into by another process")]
    Busy { name: String },
}

fn format_pids(pids: &[i32]) -> String {
    let pids: Vec<String> = pids.iter().map(ToString::to_string).collect();
    pids.join(", ")
}

/// A host for the processes of a town.
pub trait Host: SessionHost + Send + Sync + fmt::Debug {
    /// Checks that the host can be used.
    fn check(&self) -> Result<(), HostError>;

    /// Removes the files of the host itself once no session is left.
    fn clean_up(&self) -> Result<(), HostError> {
        Ok(())
    }
}

/// The sessions of a host.
pub trait SessionHost {
    /// Starts a session and returns it once its process runs. The name must be free.
    fn start(&self, spec: &SessionSpec) -> Result<LiveSession, HostError>;

    /// Returns all sessions of the town in one call. A host that does not run has none.
    fn list(&self) -> Result<Vec<LiveSession>, HostError>;

    /// Returns the session of a name.
    fn find_session(&self, name: &str) -> Result<Option<LiveSession>, HostError> {
        Ok(self.list()?.into_iter().find(|live| live.name == name))
    }

    /// Types text into a session and submits it.
    fn send(&self, name: &str, text: &str, input: &InputRules) -> Result<SendResult, HostError>;

    /// Presses keys in a session.
    fn press(&self, name: &str, keys: &[Key]) -> Result<(), HostError>;

    /// Returns the last `lines` lines of a session's screen and its scrollback, as plain text. The
    /// output of a process right before its end may be missing, because tmux closes the terminal
    /// when it notices the end, even with unread output (3.3a, `server_child_exited`).
    fn capture(&self, name: &str, lines: usize) -> Result<String, HostError>;

    /// Like [`SessionHost::capture`], with the escape sequences that set colours and attributes.
    fn capture_styled(&self, name: &str, lines: usize) -> Result<String, HostError> {
        self.capture(name, lines)
    }

    /// Returns the visible screens of sessions, in their order. Fewer if one of them has ended.
    fn capture_all(&self, sessions: &[&LiveSession]) -> Result<Vec<String>, HostError> {
        sessions
            .iter()
            .map(|live| self.capture(&live.name, SCREEN_LINES))
            .collect()
    }

    /// Returns the command that shows a session in the user's terminal.
    fn attach_command(&self, name: &str) -> Vec<String>;

    /// Shows a session in a terminal that shows another session of the host: in that of the named
    /// client, otherwise in the one that was used last.
    fn switch_client(&self, client: Option<&str>, name: &str) -> Result<(), HostError> {
        let _ = (client, name);
        Ok(())
    }

    /// Changes the style of a session's status line.
    fn set_status_style(&self, name: &str, style: &str) -> Result<(), HostError> {
        let _ = (name, style);
        Ok(())
    }

    /// Ends a session and all its processes. A missing session is no error. If the caller belongs
    /// to the session, it is ended last.
    fn kill(&self, name: &str) -> Result<(), HostError>;
}

/// Returns true if a text is a valid session name.
pub fn is_session_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_ended_at_once_is_reported_with_exit_code_and_output() {
        let description = |end, output: &str| {
            let (name, output) = ("web-nux".to_owned(), output.to_owned());
            let error = HostError::EndedAtOnce { name, end, output };
            error.to_string()
        };
        let begin = "session `web-nux` ended at once";
        assert_eq!(
            description(ProcessEnd::Exit(1), ""),
            format!("{begin} with exit code 1, without a word")
        );
        assert_eq!(
            description(ProcessEnd::Exit(3), "no model\n"),
            format!("{begin} with exit code 3: no model")
        );
        assert_eq!(
            description(ProcessEnd::Unknown, ""),
            format!("{begin} without an exit code, without a word")
        );
        assert_eq!(
            description(ProcessEnd::Signal(9), ""),
            format!("{begin} by signal 9 (SIGKILL), without a word")
        );
        assert!(description(ProcessEnd::Signal(60), "").contains("by signal 60,"));
    }
}
