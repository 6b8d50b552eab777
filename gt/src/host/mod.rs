//! The seam between the town and what hosts its sessions.
//!
//! What must always hold, whatever the backend: a session starts from a clean environment; no secret is
//! ever in an argument list; a name stands for exactly one session; only sessions that were started
//! through a backend of this town are listed, typed into or ended, never what a person opened there;
//! when a session's first process ends, the session ends, unless its last screen is to be kept: then it is
//! listed as dead until someone ends it.

pub mod daemon;
pub mod ended;
pub mod fake;
pub mod live_town;
pub mod runtime;
pub mod tmux;
pub mod wrapper;

use std::fmt;
use std::path::PathBuf;

use jiff::Timestamp;
use kit::sys::ExecError;

pub use fake::FakeHost;
pub use live_town::LiveTown;

use crate::town::process::Process;

/// What a session is to be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionSpec {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// Where its first process starts.
    pub cwd: PathBuf,
    /// What runs in it, no shell between.
    pub argv: Vec<String>,
    /// Variables it gets beside the allowed ones of the caller.
    pub env: Vec<(String, String)>,
    /// More names of the caller's variables that may pass, as for a provider's credentials. One that
    /// ends in `*` stands for all that begin so.
    pub pass: Vec<String>,
    /// A random text that marks the processes of this one start.
    pub token: String,
    /// Whether its last screen and exit code are kept when its first process ends by itself.
    pub keep: bool,
}

/// A session that is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveSession {
    /// Its name.
    pub name: String,
    /// The number of its first process.
    pub pid: i32,
    /// That process, where the machine can tell when it started.
    pub process: Option<Process>,
    /// The token it was started with.
    pub token: String,
    /// When it was started.
    pub created: Timestamp,
    /// When what hosts it was started: sessions from before that are lost.
    pub host_started: Timestamp,
    /// When anything last appeared on its screen.
    pub activity: Timestamp,
    /// How the first process ended, where it has and the session is still shown.
    pub dead: Option<ProcessEnd>,
    /// Whether a person looks at it.
    pub attached: bool,
    /// The name of the program in the foreground.
    pub command: String,
}

/// How text is to be brought in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputRules {
    /// What an empty input line of the program begins with; where known, sending is checked by looking
    /// and repeated.
    pub prompt: Option<String>,
    /// Signs on the screen that a dialog is open, in which typing would answer it.
    pub dialogs: Vec<String>,
}

/// How sending text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendResult {
    /// It was typed and submitted; where there was a prompt to look at, it left the input line.
    Submitted,
    /// It was typed, but still stands in the input line.
    Typed,
    /// Nothing was typed: a dialog is open, or the input line is not there.
    DialogOpen,
    /// Nothing was typed: a person's own text stands in the input line.
    DraftInTheWay,
}

/// A key that is pressed on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Enter.
    Enter,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Escape.
    Escape,
    /// Interrupt, as with Ctrl and C.
    Interrupt,
}

/// How the first process of a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessEnd {
    /// By itself, with this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It is not known.
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

/// How a process ended that did so at once.
fn describe_end(end: ProcessEnd, output: &str) -> String {
    match output.trim() {
        "" => format!("{end}, without a word"),
        words => format!("{end}: {words}"),
    }
}

/// Why a backend did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// What hosts sessions is not there.
    #[error("{program} cannot be used: it is not installed or not on PATH")]
    Missing {
        /// The program.
        program: &'static str,
    },
    /// A name that cannot be a session's.
    #[error("`{name}` cannot be a session's name: only letters, digits, - and _ are allowed")]
    BadName {
        /// What was given.
        name: String,
    },
    /// A session of that name is there already.
    #[error("a session named `{name}` is there already")]
    Exists {
        /// The name.
        name: String,
    },
    /// There is no such session.
    #[error("there is no session named `{name}`")]
    NoSession {
        /// The name.
        name: String,
    },
    /// The folder to start in is not there.
    #[error("the folder {} for session `{name}` is not there", cwd.display())]
    NoFolder {
        /// The session.
        name: String,
        /// The folder.
        cwd: PathBuf,
    },
    /// The first process ended at once.
    #[error("session `{name}` ended at once {}", describe_end(*end, output))]
    EndedAtOnce {
        /// The session.
        name: String,
        /// How it ended.
        end: ProcessEnd,
        /// The end of what it printed.
        output: String,
    },
    /// Processes of an ended session are still there.
    #[error(
        "session `{name}` left processes that could not be ended: {}",
        format_pids(pids)
    )]
    Survivors {
        /// The session.
        name: String,
        /// Their numbers.
        pids: Vec<i32>,
    },
    /// The backend's program failed.
    #[error("`{command}` failed: {words}")]
    Failed {
        /// What was run.
        command: String,
        /// What it said.
        words: String,
    },
    /// The backend's program could not be run.
    #[error("cannot reach the sessions")]
    Run(#[from] ExecError),
    /// A file of ours could not be used.
    #[error("cannot use {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Another process is typing into the session and does not end.
    #[error("session `{name}` is being typed into by another process")]
    Busy {
        /// The session.
        name: String,
    },
}

fn format_pids(pids: &[i32]) -> String {
    let pids: Vec<String> = pids.iter().map(ToString::to_string).collect();
    pids.join(", ")
}

/// A place where the processes of a town run.
pub trait Host: SessionHost + Send + Sync + fmt::Debug {
    /// Whether it can be used at all.
    fn check(&self) -> Result<(), HostError>;

    /// Takes away what the host itself leaves behind once no session is there any more.
    fn clean_up(&self) -> Result<(), HostError> {
        Ok(())
    }
}

/// The sessions of a host.
pub trait SessionHost {
    /// Starts a session and returns it once its process runs. The name must be free.
    fn start(&self, spec: &SessionSpec) -> Result<LiveSession, HostError>;

    /// All sessions of the town, in one call. No host running means none.
    fn list(&self) -> Result<Vec<LiveSession>, HostError>;

    /// The session of that name.
    fn find(&self, name: &str) -> Result<Option<LiveSession>, HostError> {
        Ok(self.list()?.into_iter().find(|live| live.name == name))
    }

    /// Types text into a session and submits it.
    fn send(&self, name: &str, text: &str, input: &InputRules) -> Result<SendResult, HostError>;

    /// Presses keys in a session.
    fn press(&self, name: &str, keys: &[Key]) -> Result<(), HostError>;

    /// The last `lines` lines of a session's screen and what has left it, as plain text. What a process wrote in the
    /// moment of its end may be missing: tmux closes the terminal when it hears of the end, read or not (3.3a,
    /// `server_child_exited`).
    fn capture(&self, name: &str, lines: usize) -> Result<String, HostError>;

    /// The command that shows a session to a person in their terminal.
    fn attach_command(&self, name: &str) -> Vec<String>;

    /// Ends a session and every process of it. One that is not there is fine. A process that asks for
    /// the end of its own session is ended last.
    fn kill(&self, name: &str) -> Result<(), HostError>;
}

/// Whether a text may be a session's name.
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
    fn a_session_that_ended_at_once_is_told_by_what_is_known_of_it() {
        let told = |end, output: &str| {
            let (name, output) = ("web-nux".to_owned(), output.to_owned());
            let error = HostError::EndedAtOnce { name, end, output };
            error.to_string()
        };
        let begin = "session `web-nux` ended at once";
        assert_eq!(
            told(ProcessEnd::Exit(1), ""),
            format!("{begin} with exit code 1, without a word")
        );
        assert_eq!(
            told(ProcessEnd::Exit(3), "no model\n"),
            format!("{begin} with exit code 3: no model")
        );
        assert_eq!(
            told(ProcessEnd::Unknown, ""),
            format!("{begin} without an exit code, without a word")
        );
        assert_eq!(
            told(ProcessEnd::Signal(9), ""),
            format!("{begin} by signal 9 (SIGKILL), without a word")
        );
        assert!(told(ProcessEnd::Signal(60), "").contains("by signal 60,"));
    }
}
