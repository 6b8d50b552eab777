//! Tries whether a jail works on this machine, with a small program that tries to break out.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use super::{JailBackend, JailError, JailNetwork, JailPlan, describe_failed_start};
use crate::sys::confine::{Confinement, ProcessGroups, ReachableFiles, SocketFamilies};
use crate::sys::exec::{ChildCommand, ExecError};

const SCRIPT: &str = include_str!("../../../templates/jail-probe.sh");

/// The time that a jail may take to start and to end.
const PROBE_LIMIT: Duration = Duration::from_secs(20);

/// The rules, in the words of reports.
const RULES: [(&str, &str); 12] = [
    ("tree", "its tree can be changed"),
    ("temporary", "its temporary folder is its own"),
    ("read", "no other folder can be read"),
    ("write", "no other folder can be changed"),
    ("home", "the home folder cannot be read"),
    ("system", "the system cannot be changed"),
    ("variables", "credentials of the environment stay outside"),
    ("mounts", "mounts cannot be changed, not even by root"),
    ("processes", "other processes cannot be read"),
    ("signals", "other processes get no signal"),
    (
        "sockets",
        "sockets of tmux, ssh-agent and D-Bus cannot be reached",
    ),
    ("network", "the network can be closed"),
];

/// The findings about one backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JailProbe {
    pub backend: JailBackend,
    pub rules: Vec<RuleProbe>,
    /// False if a program with the network of the machine can reach its abstract sockets.
    pub closes_abstract_sockets: bool,
}

/// A rule of the jail, and whether a program could break it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleProbe {
    /// The rule as a sentence.
    pub rule: &'static str,
    pub is_held: bool,
}

/// The reason why a backend could not be tried.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error(transparent)]
    Plan(#[from] JailError),
    #[error("cannot prepare the test of the jail")]
    Folder(#[source] io::Error),
    /// The program of the backend is missing, or the kernel lacks the feature.
    #[error(transparent)]
    Start(#[from] ExecError),
    #[error("the jail does not start: {0}")]
    NotStarted(String),
    #[error("the test in the jail ended early ({0})")]
    Ended(String),
    #[error("the kernel cannot confine a program")]
    Confine(#[source] io::Error),
}

impl JailProbe {
    /// Returns true if all rules are held.
    pub fn is_sound(&self) -> bool {
        self.rules.iter().all(|rule| rule.is_held)
    }

    /// Returns the rules that are not held.
    pub fn broken(&self) -> impl Iterator<Item = &'static str> {
        self.rules
            .iter()
            .filter(|rule| !rule.is_held)
            .map(|rule| rule.rule)
    }
}

/// Starts a program in a jail of this kind that tries to break each rule. `path` is the `PATH` in
/// which programs are found.
pub fn probe_jail(backend: JailBackend, path: Option<&str>) -> Result<JailProbe, ProbeError> {
    let place = tempfile::tempdir().map_err(ProbeError::Folder)?;
    let root = place.path().canonicalize().map_err(ProbeError::Folder)?;
    let folder = |name: &str| -> Result<PathBuf, ProbeError> {
        let path = root.join(name);
        std::fs::create_dir(&path).map_err(ProbeError::Folder)?;
        Ok(path)
    };
    let outside = folder("outside")?;
    let home = folder("home")?;
    let tree = folder("tree")?;
    let private = folder("private")?;
    for guarded in [&outside, &home] {
        std::fs::write(guarded.join("secret"), "secret\n").map_err(ProbeError::Folder)?;
    }
    let listener = UnixListener::bind(outside.join("socket")).map_err(ProbeError::Folder)?;
    let plan = JailPlan {
        folder: private,
        home: Some(home.clone()),
        writable: vec![tree.clone()],
        network: JailNetwork::None,
        ..JailPlan::default()
    };
    let process = rustix::process::getpid().as_raw_nonzero().to_string();
    let words: [OsString; 7] = [
        "-c".into(),
        SCRIPT.into(),
        "jail-probe".into(),
        outside.clone().into(),
        home.into(),
        backend.name().into(),
        process.into(),
    ];
    let mut command = ChildCommand::new("sh")
        .args(words)
        .cwd(&tree)
        .env("JAIL_PROBE_TOKEN", "secret")
        .limit(PROBE_LIMIT);
    if let Some(path) = path {
        command = command.env("PATH", path);
    }
    let output = plan.wrap(backend, command)?.run()?;
    if let Some(reason) = describe_failed_start(backend, &output) {
        return Err(ProbeError::NotStarted(reason));
    }
    let text = output.text();
    if text.lines().last() != Some("end") {
        return Err(ProbeError::Ended(output.error_text()));
    }
    let mut broken: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("broken "))
        .collect();
    if backend == JailBackend::Landlock {
        broken.extend(find_open_sockets(&outside.join("socket"))?);
    }
    drop(listener);
    Ok(JailProbe {
        backend,
        rules: RULES
            .iter()
            .map(|(name, rule)| RuleProbe {
                rule,
                is_held: !broken.contains(name),
            })
            .collect(),
        closes_abstract_sockets: closes_abstract_sockets(backend)?,
    })
}

/// Tries the sockets of the machine with the restrictions of Landlock.
fn find_open_sockets(socket: &std::path::Path) -> Result<Vec<&'static str>, ProbeError> {
    let confined = |sockets, ports| Confinement {
        files: Some(ReachableFiles::default()),
        sockets,
        ports,
        groups: ProcessGroups::Any,
    };
    let reached = confined(SocketFamilies::Internet, None)
        .run(|| UnixStream::connect(socket).is_ok())
        .map_err(ProbeError::Confine)?;
    let has_network = confined(SocketFamilies::None, None)
        .run(|| UdpSocket::bind("127.0.0.1:0").is_ok())
        .map_err(ProbeError::Confine)?;
    let listener = TcpListener::bind("127.0.0.1:0").map_err(ProbeError::Folder)?;
    let address = listener.local_addr().map_err(ProbeError::Folder)?;
    let has_port = confined(SocketFamilies::Tcp, Some(Vec::new()))
        .run(|| TcpStream::connect(address).is_ok() || UdpSocket::bind("127.0.0.1:0").is_ok())
        .map_err(ProbeError::Confine)?;
    let open = [(reached, "sockets"), (has_network || has_port, "network")];
    Ok(open
        .into_iter()
        .filter_map(|(is_open, rule)| is_open.then_some(rule))
        .collect())
}

#[cfg(target_os = "linux")]
fn closes_abstract_sockets(backend: JailBackend) -> Result<bool, ProbeError> {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::SocketAddr;

    let name = format!("jail-probe-{}", rustix::process::getpid().as_raw_nonzero());
    let address = SocketAddr::from_abstract_name(name).map_err(ProbeError::Folder)?;
    // Another test of this process holds the name, and is as good a listener.
    let _listener = UnixListener::bind_addr(&address).ok();
    let confinement = match backend {
        JailBackend::Bubblewrap => Confinement::default(),
        JailBackend::Landlock => Confinement {
            files: Some(ReachableFiles::default()),
            sockets: SocketFamilies::Internet,
            ports: None,
            groups: ProcessGroups::Any,
        },
    };
    confinement
        .run(|| UnixStream::connect_addr(&address).is_err())
        .map_err(ProbeError::Confine)
}

#[cfg(not(target_os = "linux"))]
fn closes_abstract_sockets(_backend: JailBackend) -> Result<bool, ProbeError> {
    Ok(true)
}
