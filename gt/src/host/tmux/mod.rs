//! Runs tmux: one server per town on its own socket, never the user's.
//!
//! A session is addressed by its exact name or by its pane's id. Panes that a user opened in one of
//! our sessions have no token, and are never listed, typed into or signalled. The server's own
//! environment is clean. Commands are argument lists, and a session never runs a shell line.

mod create;
mod parse;
mod send;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kit::sys::{ChildCommand, ChildOutput, Env, ExecError, clock};
use sha2::{Digest, Sha256};
use tmux_interface::{
    CapturePane, DisplayMessage, KillSession, ListPanes, RunShell, SendKeys, SetOption, TmuxCommand,
};

use self::parse::{ROW, SessionRow, TmuxFailure, parse_rows};
use crate::host::ended::is_end_message;
use crate::host::is_session_name;
use crate::host::wrapper::{self, StartError, StartFile};
use crate::host::{
    Host, HostError, InputRules, Key, LiveSession, ProcessEnd, SendResult, SessionHost, SessionSpec,
};
use crate::town::TownLayout;
use crate::town::process::{self, Process};

/// The time limit of one tmux call.
const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// The time that an agent gets to end itself.
const END_GRACE: Duration = Duration::from_secs(4);

/// Variables that tmux and systemd-run need. The server keeps the variables of its starter, so it
/// must get no others.
const CLIENT_VARS: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "TMPDIR",
    "TMUX_TMPDIR",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// Returns the names of the sessions on the user's own tmux server, which the original uses. Only
/// reads. Without a server there are none.
pub fn list_default_sessions(env: &Env) -> Vec<String> {
    let mut exec = ChildCommand::new("tmux")
        .args(["list-sessions", "-F", "#{session_name}"])
        .env_clear()
        .limit(CALL_TIMEOUT);
    for name in CLIENT_VARS {
        if let Some(value) = env.get(name) {
            exec = exec.env(name, value);
        }
    }
    match exec.run() {
        Ok(listed) if listed.is_success() => listed.text().lines().map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// The number of screens that are captured by one call. tmux takes 16 KB of commands.
const CAPTURES_PER_CALL: usize = 50;

/// The sessions of one town in its own tmux server.
#[derive(Debug, Clone)]
pub struct Tmux {
    socket: String,
    files: PathBuf,
    env: Env,
    exe: PathBuf,
}

impl Tmux {
    /// Returns the server of a town. `exe` is our own `gt` program.
    pub fn for_town(layout: &TownLayout, env: &Env, exe: &Path) -> Self {
        let socket = env
            .get("GT_TMUX_SOCKET")
            .map_or_else(|| socket_name(layout.root()), str::to_owned);
        Self::new(&socket, &layout.session_files(), env, exe)
    }

    /// Returns a server by its socket name, with a folder for start files.
    pub fn new(socket: &str, files: &Path, env: &Env, exe: &Path) -> Self {
        Self {
            socket: socket.to_owned(),
            files: files.to_owned(),
            env: env.clone(),
            exe: exe.to_owned(),
        }
    }

    pub fn socket(&self) -> &str {
        &self.socket
    }

    fn exec<'a>(&self, commands: impl IntoIterator<Item = TmuxCommand<'a>>) -> ChildCommand {
        self.clean_environment(ChildCommand::from_command(&self.command(commands)))
    }

    fn command<'a>(
        &self,
        commands: impl IntoIterator<Item = TmuxCommand<'a>>,
    ) -> std::process::Command {
        let mut tmux = tmux_interface::Tmux::new()
            .socket_name(self.socket.clone())
            .file("/dev/null")
            .force_utf8();
        for command in commands {
            tmux = tmux.add_command(command);
        }
        tmux.into_command()
    }

    fn clean_environment(&self, exec: ChildCommand) -> ChildCommand {
        let mut exec = exec.env_clear().limit(CALL_TIMEOUT);
        for name in CLIENT_VARS {
            if let Some(value) = self.env.get(name) {
                exec = exec.env(name, value);
            }
        }
        exec
    }

    /// Runs commands in the server. Fails if they fail.
    fn run_commands<'a>(
        &self,
        name: &str,
        commands: impl IntoIterator<Item = TmuxCommand<'a>>,
    ) -> Result<ChildOutput, HostError> {
        self.check_result(name, self.exec(commands).run())
    }

    fn check_result(
        &self,
        name: &str,
        result: Result<ChildOutput, ExecError>,
    ) -> Result<ChildOutput, HostError> {
        let finished = map_exec_error(result)?;
        if finished.is_success() {
            return Ok(finished);
        }
        let words = finished.error_text();
        let name = name.to_owned();
        Err(match parse::parse_failure(&words) {
            TmuxFailure::Ending | TmuxFailure::NoServer | TmuxFailure::NotFound => {
                HostError::NoSession { name }
            }
            TmuxFailure::Exists => HostError::Exists { name },
            TmuxFailure::Other => self.build_failed_error(words),
        })
    }

    fn build_failed_error(&self, words: String) -> HostError {
        HostError::Failed {
            command: format!("tmux -L {}", self.socket),
            words,
        }
    }

    /// Returns all panes with a token. Empty without a server.
    fn list_rows(&self) -> Result<Vec<SessionRow>, HostError> {
        let list = ListPanes::new().all().format(ROW).build();
        match self.run_commands("", [list]) {
            Ok(finished) => Ok(parse_rows(&String::from_utf8_lossy(&finished.stdout))),
            Err(HostError::NoSession { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Returns the pane of a running session. Fails for one that is only displayed, because it
    /// takes no input.
    fn find_running_row(&self, name: &str) -> Result<SessionRow, HostError> {
        let row = self.find_row(name)?;
        let name = name.to_owned();
        match row.live.dead {
            None => Ok(row),
            Some(_) => Err(HostError::NoSession { name }),
        }
    }

    fn find_row(&self, name: &str) -> Result<SessionRow, HostError> {
        let known = self
            .list_rows()?
            .into_iter()
            .find(|row| row.live.name == name);
        let name = name.to_owned();
        known.ok_or(HostError::NoSession { name })
    }

    /// Creates the session with the wrapper in it and marks it as ours. Waits until its process
    /// carries the token, then checks its state once.
    fn launch(&self, spec: &SessionSpec, file: &Path) -> Result<LiveSession, HostError> {
        let created = self.create_session(spec, file)?;
        let first = created
            .split_whitespace()
            .nth(1)
            .and_then(|pid| Process::find(pid.parse().ok()?));
        if let Some(process) = &first {
            clock::wait_for(Duration::from_secs(10), || {
                (process.has_token(&spec.token) || !process.is_alive()).then_some(())
            });
        } else {
            clock::wait_for(Duration::from_secs(10), || (!file.exists()).then_some(()));
        }
        let live = self.check_started(spec, first.is_some_and(|process| !process.is_alive()))?;
        let Some(end) = live.dead else {
            return Ok(live);
        };
        let output = self.capture_last_output(&spec.name);
        self.end_session(&spec.name)?;
        if end == ProcessEnd::Exit(0) {
            return Ok(live);
        }
        Err(HostError::EndedAtOnce {
            name: spec.name.clone(),
            end,
            output,
        })
    }

    /// Returns the last lines of a session's screen and scrollback, as `capture` describes them.
    fn capture_pane(
        &self,
        name: &str,
        lines: usize,
        capture: CapturePane<'_>,
    ) -> Result<String, HostError> {
        let row = self.find_row(name)?;
        let start = format!("-{lines}");
        let capture = capture
            .stdout()
            .join()
            .start_line(&start)
            .target_pane(&row.pane)
            .build();
        Ok(self.run_commands(name, [capture])?.text())
    }

    /// Returns the output of an ended process, which may be drawn a moment after its end.
    fn capture_last_output(&self, name: &str) -> String {
        clock::wait_for(Duration::from_millis(300), || {
            let screen = self.capture(name, 60).ok()?;
            let output_lines: Vec<&str> = screen
                .lines()
                .filter(|line| !line.is_empty() && !is_end_message(line))
                .collect();
            (!output_lines.is_empty()).then(|| output_lines.join("\n"))
        })
        .unwrap_or_default()
    }

    /// Checks the state of a new session. Its pane is kept during the check, even if its process
    /// has ended. From then on, a pane that is not to be kept closes with its process. `has_ended`
    /// is true if the process is gone.
    fn check_started(&self, spec: &SessionSpec, has_ended: bool) -> Result<LiveSession, HostError> {
        if has_ended {
            // The server notices the end a moment later.
            clock::wait_for(Duration::from_secs(2), || match self.find_row(&spec.name) {
                Ok(row) if row.live.dead.is_none() => None,
                _ => Some(()),
            });
        }
        let live = self.read_session(&spec.name)?;
        if live.dead.is_some() || spec.keep {
            return Ok(live);
        }
        let target = pane_target(&spec.name);
        let off = SetOption::new().window().unset().target_pane(&target);
        self.run_commands(&spec.name, [off.option("remain-on-exit").build()])?;
        match self.read_session(&spec.name) {
            // The session ran and has ended since. The next query shows that.
            Err(HostError::NoSession { .. }) => Ok(live),
            again => again,
        }
    }

    /// Reads the state of a session. tmux learns the exit code a moment after the end, and an idle
    /// server may only check when another of its children ends, so it gets one.
    fn read_session(&self, name: &str) -> Result<LiveSession, HostError> {
        let first = self.find_row(name)?.live;
        if first.dead != Some(ProcessEnd::Unknown) {
            return Ok(first);
        }
        let child = RunShell::new().shell_command("true").build();
        // Errors are ignored, because without it only the exit code is unknown.
        self.run_commands(name, [child]).ok();
        let seen = clock::wait_for(Duration::from_millis(500), || match self.find_row(name) {
            Ok(row) if row.live.dead == Some(ProcessEnd::Unknown) => None,
            other => Some(other),
        });
        Ok(seen.unwrap_or_else(|| self.find_row(name))?.live)
    }
}

/// Maps the result of a tmux call to an error.
fn map_exec_error(result: Result<ChildOutput, ExecError>) -> Result<ChildOutput, HostError> {
    match result {
        Err(ExecError::Missing { .. }) => Err(HostError::Missing { program: "tmux" }),
        other => Ok(other?),
    }
}

/// Returns the socket name of a town: its folder's name with unsafe characters replaced, and six
/// digits of its path's hash.
fn socket_name(root: &Path) -> String {
    let path = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let hash = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let name = path
        .file_name()
        .map_or("town".into(), |name| name.to_string_lossy());
    let name: String = name
        .chars()
        .take(40)
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    format!("{name}-{:02x}{:02x}{:02x}", hash[0], hash[1], hash[2])
}

/// Returns the target of the only pane of a new session.
fn pane_target(name: &str) -> String {
    format!("={name}:")
}

/// Returns the command that sets the style of a session's status line.
fn status_style_command(name: &str, style: &str) -> TmuxCommand<'static> {
    let set = SetOption::new().target_pane(pane_target(name));
    set.option("status-style").value(style.to_owned()).build()
}

/// Escapes a `;` at the end of an argument, which would end the command.
fn escape_argument(text: &str) -> String {
    match text.strip_suffix(';') {
        Some(rest) => format!("{rest}\\;"),
        None => text.to_owned(),
    }
}

impl Host for Tmux {
    fn check(&self) -> Result<(), HostError> {
        let exec = self.clean_environment(ChildCommand::new("tmux").arg("-V"));
        self.check_result("", exec.run()).map(drop)
    }

    fn clean_up(&self) -> Result<(), HostError> {
        if !self.list()?.is_empty() {
            return Ok(());
        }
        // The server has ended with its last session. Its socket file remains.
        let path = self.socket_file();
        kit::sys::file::remove_file(&path).map_err(|source| HostError::File { path, source })
    }
}

impl SessionHost for Tmux {
    fn start(&self, spec: &SessionSpec) -> Result<LiveSession, HostError> {
        let name = spec.name.clone();
        if !is_session_name(&name) {
            return Err(HostError::BadName { name });
        }
        if !spec.cwd.is_dir() {
            let cwd = spec.cwd.clone();
            return Err(HostError::NoFolder { name, cwd });
        }
        let start = StartFile {
            cwd: spec.cwd.clone(),
            argv: spec.argv.clone(),
            env: wrapper::session_environment(&self.env, spec, &self.exe),
            jail: spec.jail.clone(),
        };
        let file =
            wrapper::write_start_file(&self.files, &name, &start).map_err(map_start_error)?;
        let launched = self.launch(spec, &file);
        // The session has read the file. After a failure, no process will.
        fs::remove_file(&file).ok();
        launched
    }

    fn list(&self) -> Result<Vec<LiveSession>, HostError> {
        Ok(self.list_rows()?.into_iter().map(|row| row.live).collect())
    }

    fn find_session(&self, name: &str) -> Result<Option<LiveSession>, HostError> {
        match self.read_session(name) {
            Ok(live) => Ok(Some(live)),
            Err(HostError::NoSession { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn send(&self, name: &str, text: &str, input: &InputRules) -> Result<SendResult, HostError> {
        self.send_text(name, text, input)
    }

    fn press(&self, name: &str, keys: &[Key]) -> Result<(), HostError> {
        let row = self.find_running_row(name)?;
        for key in keys {
            let key = match key {
                Key::Enter => "Enter",
                Key::Up => "Up",
                Key::Down => "Down",
                Key::Escape => "Escape",
                Key::Interrupt => "C-c",
            };
            let keys = SendKeys::new().target_pane(&row.pane).key(key).build();
            self.run_commands(name, [keys])?;
        }
        Ok(())
    }

    fn capture(&self, name: &str, lines: usize) -> Result<String, HostError> {
        let screen = self.capture_pane(name, lines, CapturePane::new())?;
        let all: Vec<&str> = screen.lines().map(str::trim_end).collect();
        Ok(all[all.len().saturating_sub(lines)..].join("\n"))
    }

    fn capture_styled(&self, name: &str, lines: usize) -> Result<String, HostError> {
        // A style goes on in the next line, so that no line can be left out.
        self.capture_pane(name, lines, CapturePane::new().escape_sequences())
    }

    fn capture_all(&self, sessions: &[&LiveSession]) -> Result<Vec<String>, HostError> {
        let mut screens = Vec::new();
        for group in sessions.chunks(CAPTURES_PER_CALL) {
            let targets: Vec<String> = group.iter().map(|live| pane_target(&live.name)).collect();
            // The token of a session ends its screen.
            let commands = group.iter().zip(&targets).flat_map(|(live, target)| {
                let capture = CapturePane::new().stdout().target_pane(target);
                let end = DisplayMessage::new().print().target_pane(target);
                [capture.build(), end.message(&live.token).build()]
            });
            // A session that has ended ends the commands.
            let output = map_exec_error(self.exec(commands).run())?.stdout;
            let text = String::from_utf8_lossy(&output);
            let mut rest = text.as_ref();
            for live in group {
                let end = format!("{}\n", live.token);
                let Some((screen, others)) = rest.split_once(&end) else {
                    return Ok(screens);
                };
                screens.push(screen.to_owned());
                rest = others;
            }
        }
        Ok(screens)
    }

    fn attach_command(&self, name: &str) -> Vec<String> {
        let target = format!("={name}");
        ["env", "-u", "TMUX", "tmux", "-u", "-L"]
            .iter()
            .copied()
            .chain([self.socket.as_str(), "attach-session", "-t", &target])
            .map(str::to_owned)
            .collect()
    }

    fn switch_client(&self, client: Option<&str>, name: &str) -> Result<(), HostError> {
        let mut switch = TmuxCommand::new();
        switch.name("switch-client");
        for word in client
            .map(|client| ["-c".to_owned(), client.to_owned()])
            .into_iter()
            .flatten()
        {
            switch.push_param(word);
        }
        switch.push_param("-t");
        switch.push_param(format!("={name}"));
        self.run_commands(name, [switch]).map(drop)
    }

    fn set_status_style(&self, name: &str, style: &str) -> Result<(), HostError> {
        let set = status_style_command(name, style);
        self.run_commands(name, [set]).map(drop)
    }

    fn kill(&self, name: &str) -> Result<(), HostError> {
        let row = match self.find_row(name) {
            Err(HostError::NoSession { .. }) => return Ok(()),
            other => other?,
        };
        let members = process::session_members(row.live.process, &row.live.token);
        let own_pid = process::own_pid();
        let line = process::list_ancestors(own_pid);
        // If the caller ends its own session, it must live until the end of this function.
        let (above, others): (Vec<Process>, Vec<Process>) = members
            .into_iter()
            .filter(|member| member.pid != own_pid)
            .partition(|member| line.contains(&member.pid));
        let mut left = process::end_processes(&others, END_GRACE);
        self.end_session(name)?;
        left.extend(process::end_processes(&above, END_GRACE));
        if left.is_empty() {
            return Ok(());
        }
        Err(HostError::Survivors {
            name: name.to_owned(),
            pids: left.iter().map(|process| process.pid).collect(),
        })
    }
}

impl Tmux {
    /// Returns the path of tmux's socket of that name.
    fn socket_file(&self) -> PathBuf {
        let folder = self.env.get("TMUX_TMPDIR").unwrap_or("/tmp");
        let uid = rustix::process::getuid().as_raw();
        Path::new(folder)
            .join(format!("tmux-{uid}"))
            .join(&self.socket)
    }

    fn end_session(&self, name: &str) -> Result<(), HostError> {
        let target = format!("={name}");
        let kill = KillSession::new().target_session(&target).build();
        match self.run_commands(name, [kill]) {
            Ok(_) | Err(HostError::NoSession { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn map_start_error(error: StartError) -> HostError {
    match error {
        StartError::File { path, source } => HostError::File { path, source },
        other => HostError::Failed {
            command: "write a start file".to_owned(),
            words: other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests;
