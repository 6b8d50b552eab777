//! Reads and writes the start file of a session, which passes command and environment to the
//! process without any argument list. The file has mode 0600. `gt session-wrapper` reads and
//! removes it as the first step in the session, then replaces itself with the command. For a
//! command in a jail it has two more steps ([`WrapperStep`]), because it stays outside the jail and
//! has the environment of the session by then.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use kit::sys::{ChildCommand, Env, file};
use serde::{Deserialize, Serialize};

use super::{SessionJail, SessionSpec};

/// Variables of the caller that every session inherits. A name that ends in `*` is a prefix. Any
/// other variable is left out, because the markers of the calling agent would make a new agent
/// believe that it is a child.
const INHERITED_VARIABLES: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_*",
    "TZ",
    "TMPDIR",
    "TMUX_TMPDIR",
    "GT_TMUX_SOCKET",
    "XDG_*",
    "DBUS_SESSION_BUS_ADDRESS",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GNUPGHOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_SSH_COMMAND",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    // Locations of toolchains.
    "RUSTUP_HOME",
    "CARGO_HOME",
    "JAVA_HOME",
    "MAVEN_HOME",
    "GRADLE_USER_HOME",
    "GOPATH",
    "GOROOT",
    "GOMODCACHE",
    "NVM_DIR",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "RBENV_ROOT",
    "GEM_HOME",
    "ANDROID_HOME",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "KUBECONFIG",
];

/// The command of a session's first process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartFile {
    pub cwd: PathBuf,
    pub argv: Vec<String>,
    /// The complete environment.
    pub env: Vec<(String, String)>,
    /// The jail of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jail: Option<SessionJail>,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The start file cannot be read or written. Each is read only once.
    #[error("cannot use the start file {}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the start file {} is damaged", path.display())]
    Damaged {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    #[error("the folder {} is not there", cwd.display())]
    NoFolder { cwd: PathBuf },
    #[error("cannot prepare the jail of the session")]
    Jail(#[source] std::io::Error),
    #[error(transparent)]
    Plan(#[from] kit::sys::jail::JailError),
    #[error(transparent)]
    Exec(#[from] kit::sys::ExecError),
}

/// Returns true if sessions of agents with the patterns `pass` inherit a variable. The daemon gets
/// the same variables, so that its sessions equal those that a user starts.
pub fn is_session_variable(name: &str, pass: &[String]) -> bool {
    let pass = pass.iter().map(String::as_str);
    INHERITED_VARIABLES
        .iter()
        .copied()
        .chain(pass)
        .any(|pattern| {
            pattern
                .strip_suffix('*')
                .map_or(name == pattern, |begin| name.starts_with(begin))
        })
}

/// Builds the environment of a session: the inherited variables of the caller, then the session's
/// own. Our own programs are on its `PATH`.
pub fn session_environment(caller: &Env, spec: &SessionSpec, exe: &Path) -> Vec<(String, String)> {
    let mut env: Vec<(String, String)> = caller
        .vars()
        .filter(|(name, _)| is_session_variable(name, &spec.pass))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let marks = [(crate::town::process::TOKEN.to_owned(), spec.token.clone())];
    for (name, value) in spec.env.iter().chain(&marks) {
        env.retain(|(known, _)| known != name);
        env.push((name.clone(), value.clone()));
    }
    prepend_own_folder(&mut env, exe);
    env
}

/// Puts the folder of our own program first on `PATH`, unless `PATH` has it.
fn prepend_own_folder(env: &mut Vec<(String, String)>, exe: &Path) {
    let Some(folder) = exe.parent().and_then(Path::to_str) else {
        return;
    };
    if !exe.is_absolute() {
        return;
    }
    match env.iter_mut().find(|(name, _)| name == "PATH") {
        Some((_, path)) if path.split(':').any(|part| part == folder) => {}
        Some((_, path)) => *path = format!("{folder}:{path}"),
        None => env.push(("PATH".to_owned(), format!("{folder}:/usr/bin:/bin"))),
    }
}

/// Writes a start file below `folder`, readable only by its owner.
pub fn write_start_file(
    folder: &Path,
    name: &str,
    start: &StartFile,
) -> Result<PathBuf, StartError> {
    let build_error = |source| StartError::File {
        path: folder.to_owned(),
        source,
    };
    file::create_folder(folder, 0o700).map_err(build_error)?;
    let content = serde_json::to_vec(start).map_err(|source| StartError::Damaged {
        path: folder.to_owned(),
        source,
    })?;
    let mut made = tempfile::Builder::new()
        .prefix(&format!("{name}-"))
        .suffix(".json")
        .tempfile_in(folder)
        .map_err(build_error)?;
    made.write_all(&content).map_err(build_error)?;
    let (_, path) = made.keep().map_err(|error| build_error(error.error))?;
    Ok(path)
}

/// Reads and removes a start file.
pub fn take_start_file(path: &Path) -> Result<StartFile, StartError> {
    let content = fs::read(path)
        .and_then(|content| fs::remove_file(path).map(|()| content))
        .map_err(|source| StartError::File {
            path: path.to_owned(),
            source,
        })?;
    serde_json::from_slice(&content).map_err(|source| StartError::Damaged {
        path: path.to_owned(),
        source,
    })
}

/// Replaces this process with the command of a start file. `terminal` is the backend's value of
/// `TERM`, which the caller of the start does not know. Returns only if that failed.
pub fn become_command(start: StartFile, terminal: Option<&str>) -> StartError {
    if !start.cwd.is_dir() {
        return StartError::NoFolder { cwd: start.cwd };
    }
    let (program, args) = match start.argv.split_first() {
        Some((program, args)) => (program.as_str(), args),
        None => ("", &[][..]),
    };
    let mut exec = ChildCommand::new(program)
        .args(args)
        .cwd(&start.cwd)
        .env_clear();
    exec = exec.env("TERM", terminal.unwrap_or("dumb"));
    exec = exec.env("PWD", &start.cwd);
    for (name, value) in &start.env {
        exec = exec.env(name, value);
    }
    StartError::Exec(exec.replace_process())
}

/// A step of a wrapper that stays outside the jail of its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrapperStep {
    /// Serves the gateway of the session.
    Gateway,
    /// Starts the jail, and ends what the command leaves.
    Jail,
}

impl WrapperStep {
    /// The flag of `gt session-wrapper`.
    fn flag(self) -> &'static str {
        match self {
            Self::Gateway => "--gateway",
            Self::Jail => "--jail",
        }
    }
}

/// Replaces this process with the first step of a wrapper, in the environment of the session.
/// Returns only if that failed. `file` is the path of the start file, which has been removed.
pub fn become_gateway(
    start: StartFile,
    file: &Path,
    exe: &Path,
    terminal: Option<&str>,
) -> StartError {
    match write_next_step(&start, file, exe, WrapperStep::Gateway) {
        Ok(argv) => become_command(
            StartFile {
                argv,
                jail: None,
                ..start
            },
            terminal,
        ),
        Err(error) => error,
    }
}

/// Runs the step of a wrapper that starts the jail, until it ends.
pub fn run_jail_step(start: &StartFile, file: &Path, exe: &Path) -> Result<ExitStatus, StartError> {
    let argv = write_next_step(start, file, exe, WrapperStep::Jail)?;
    Ok(ChildCommand::new(exe).args(&argv[1..]).run_attached()?)
}

/// Writes the start file of the next step beside the removed one, and returns its command.
fn write_next_step(
    start: &StartFile,
    file: &Path,
    exe: &Path,
    step: WrapperStep,
) -> Result<Vec<String>, StartError> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_stem()) else {
        let cwd = start.cwd.clone();
        return Err(StartError::NoFolder { cwd });
    };
    let next = write_start_file(folder, &name.to_string_lossy(), start)?;
    let words = [
        exe.to_string_lossy(),
        "session-wrapper".into(),
        step.flag().into(),
        next.to_string_lossy(),
    ];
    Ok(words.map(String::from).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(env: &'a [(String, String)], name: &str) -> Option<&'a str> {
        env.iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    #[test]
    fn only_allowed_variables_pass() {
        let caller = Env::with_vars(
            Path::new("/"),
            [
                ("HOME", "/h"),
                ("LC_ALL", "C"),
                ("CLAUDECODE", "1"),
                ("ANTHROPIC_API_KEY", "k"),
                ("OPENAI_API_KEY", "o"),
                ("BEADS_DIR", "/b"),
                ("GT_ROLE", "mayor"),
                ("PATH", "/bin"),
            ],
        );
        let spec = SessionSpec {
            env: vec![("GT_ROLE".to_owned(), "polecat".to_owned())],
            pass: vec!["ANTHROPIC_*".to_owned()],
            token: "t".to_owned(),
            ..SessionSpec::default()
        };
        let env = session_environment(&caller, &spec, Path::new("/opt/gt/gt"));
        assert_eq!(value(&env, "HOME"), Some("/h"));
        assert_eq!(value(&env, "LC_ALL"), Some("C"));
        assert_eq!(value(&env, "ANTHROPIC_API_KEY"), Some("k"));
        assert_eq!(value(&env, "GT_ROLE"), Some("polecat"));
        assert_eq!(value(&env, "GT_SESSION_TOKEN"), Some("t"));
        assert_eq!(value(&env, "PATH"), Some("/opt/gt:/bin"));
        for name in ["CLAUDECODE", "OPENAI_API_KEY", "BEADS_DIR"] {
            assert_eq!(value(&env, name), None, "{name}");
        }
    }

    #[test]
    fn a_start_file_is_private_and_read_once() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let files = folder.path().join("session");
        let start = StartFile {
            cwd: folder.path().to_owned(),
            argv: vec!["true".to_owned()],
            env: vec![("KEY".to_owned(), "secret".to_owned())],
            jail: None,
        };
        let path = write_start_file(&files, "gt-web-nux", &start).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&files), mode(&path)), (0o700, 0o600));
        assert_eq!(take_start_file(&path).unwrap(), start);
        assert!(matches!(
            take_start_file(&path),
            Err(StartError::File { .. })
        ));
    }
}
