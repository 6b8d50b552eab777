//! Creates a session in a running tmux server or in a new one. A new server gets a scope of its own
//! if the machine has systemd.
//!
//! No session is requested twice. The session's process removes its start file first, so nothing
//! was started as long as the file exists.

use std::path::Path;
use std::time::Duration;

use kit::sys::{ChildCommand, ChildOutput, ExecError, clock};
use tmux_interface::{NewSession, SetOption, StartServer, TmuxCommand};

use super::parse::{self, TmuxFailure};
use super::{Tmux, escape_argument, map_exec_error, pane_target};
use crate::host::{HostError, SessionSpec};

/// The time that a new session waits for a server that accepts it.
const NEXT_SERVER: Duration = Duration::from_secs(5);

enum CreateFailure {
    /// The server ended with its last session while it handled the request. Contains its message.
    ServerEnded(String),
    Failed(HostError),
}

impl Tmux {
    /// Creates the session. Returns the id and the process id of its pane. If a server ends during
    /// the request, asks the next one.
    pub(super) fn create_session(
        &self,
        spec: &SessionSpec,
        file: &Path,
    ) -> Result<String, HostError> {
        let mut words = String::new();
        clock::wait_for(NEXT_SERVER, || match self.request_session(spec, file) {
            Ok(made) => Some(Ok(made)),
            Err(CreateFailure::Failed(error)) => Some(Err(error)),
            Err(CreateFailure::ServerEnded(said)) => {
                words = said;
                None
            }
        })
        .unwrap_or_else(|| Err(self.build_failed_error(words)))
    }

    fn request_session(&self, spec: &SessionSpec, file: &Path) -> Result<String, CreateFailure> {
        if self.needs_scope() {
            let scoped = self.exec_in_scope(self.creation_commands(spec, file)).run();
            match self.check_created(spec, file, scoped) {
                // Starts without a scope if none is available.
                Err(CreateFailure::Failed(
                    HostError::Failed { .. } | HostError::Missing { .. },
                )) if file.exists() => {}
                asked => return asked,
            }
        }
        self.check_created(
            spec,
            file,
            self.exec(self.creation_commands(spec, file)).run(),
        )
    }

    fn check_created(
        &self,
        spec: &SessionSpec,
        file: &Path,
        result: Result<ChildOutput, ExecError>,
    ) -> Result<String, CreateFailure> {
        let answer = map_exec_error(result).map_err(CreateFailure::Failed)?;
        // tmux reports an error if it cannot create its socket. An answer without error text is a
        // success.
        let made = answer.text();
        let words = answer.error_text();
        if answer.is_success() && !made.is_empty() {
            return Ok(made);
        }
        let name = spec.name.clone();
        Err(match parse::parse_failure(&words) {
            TmuxFailure::Ending if file.exists() => CreateFailure::ServerEnded(words),
            TmuxFailure::Exists => CreateFailure::Failed(HostError::Exists { name }),
            _ if file.exists() => CreateFailure::Failed(self.build_failed_error(words)),
            _ => CreateFailure::Failed(HostError::NoSession { name }),
        })
    }

    /// Runs the commands in a scope of their own, so that a new server outlives the service that
    /// asked for it.
    fn exec_in_scope<'a>(
        &self,
        commands: impl IntoIterator<Item = TmuxCommand<'a>>,
    ) -> ChildCommand {
        let command = self.command(commands);
        let exec = ChildCommand::new("systemd-run")
            .args(["--user", "--scope", "--collect", "--quiet", "--"])
            .arg(command.get_program())
            .args(command.get_args());
        self.clean_environment(exec)
    }

    /// Returns the commands for the status line and for the keys that switch between sessions. The
    /// server has no configuration file, so each new session sets them. tmux runs the command of
    /// the status line only while a terminal shows it.
    fn display_commands(&self) -> Vec<TmuxCommand<'static>> {
        let [exe, files] = [&self.exe, &self.files].map(|path| {
            let text = path.to_string_lossy().replace('#', "##");
            format!("'{}'", text.replace('\'', r"'\''"))
        });
        // The server's folder is not the town's, and the files are in the town.
        let gt = format!("cd {files} && {exe}");
        let status = format!("#({gt} status-line '#{{session_name}}' 2>/dev/null) %H:%M ");
        let options = [
            ("status-interval", "15".to_owned()),
            ("status-left-length", "40".to_owned()),
            ("status-left", " #{session_name} ".to_owned()),
            ("status-right-length", "110".to_owned()),
            ("status-right", status),
        ];
        let mut commands: Vec<TmuxCommand<'static>> = options
            .into_iter()
            .map(|(option, value)| {
                SetOption::new()
                    .global()
                    .option(option)
                    .value(value)
                    .build()
            })
            .collect();
        for (key, direction) in [("n", "next"), ("p", "prev")] {
            let mut bind = TmuxCommand::new();
            bind.name("bind-key");
            let line = format!(
                "{gt} cycle {direction} --session '#{{session_name}}' --client '#{{client_name}}'"
            );
            for word in [key, "run-shell", "-b", &line] {
                bind.push_param(word.to_owned());
            }
            commands.push(bind);
        }
        commands
    }

    fn creation_commands(&self, spec: &SessionSpec, file: &Path) -> Vec<TmuxCommand<'static>> {
        let target = pane_target(&spec.name);
        let set_global = |option: &'static str, value: &'static str| {
            let set = SetOption::new().global().option(option);
            set.value(value).build()
        };
        // tmux expands formats in the folder, so `#` is doubled. The command is several arguments,
        // so no shell is involved.
        let cwd = spec.cwd.to_string_lossy().replace('#', "##");
        let mut session = NewSession::new()
            .detached()
            .print()
            .format("#{pane_id} #{pane_pid}")
            .session_name(spec.name.clone())
            .start_directory(escape_argument(&cwd))
            .width(200)
            .height(50)
            .build();
        let exe = self.exe.to_string_lossy();
        let file = file.to_string_lossy();
        for arg in [&exe, "session-wrapper", &file] {
            session.push_param(escape_argument(arg));
        }
        let mark = SetOption::new().pane().target_pane(target.clone());
        let keep = SetOption::new().window().target_pane(target);
        let mut commands = vec![
            StartServer::new().build(),
            set_global("history-limit", "20000"),
            set_global("default-terminal", "screen-256color"),
            set_global("mouse", "on"),
        ];
        commands.extend(self.display_commands());
        commands.extend([
            session,
            mark.option("@gt_token").value(spec.token.clone()).build(),
            keep.option("remain-on-exit").value("on").build(),
        ]);
        if !spec.status_style.is_empty() {
            commands.push(super::status_style_command(&spec.name, &spec.status_style));
        }
        commands
    }

    /// Returns true if a new server must leave the caller's service: only with a systemd of the
    /// user and without a running server.
    fn needs_scope(&self) -> bool {
        let managed = self
            .env
            .get("XDG_RUNTIME_DIR")
            .is_some_and(|folder| Path::new(folder).join("systemd/private").exists());
        managed && self.list_rows().is_ok_and(|rows| rows.is_empty())
    }
}
