//! Runs a program in a jail: it changes only the named folders, reads only the system, toolchains
//! and the named paths, and has a home folder, a temporary folder and an environment of its own.
//!
//! A jail is built by bubblewrap, which hides everything else, or by Landlock, which refuses most of
//! it (`docs/JAIL.md` lists the differences). A program that cannot be put into the jail is not
//! started at all.

mod bubblewrap;
mod landlock;
mod probe;
mod table;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::confine::{Confinement, ProcessGroups, SocketFamilies};
use super::exec::{ChildCommand, ChildOutput};
use super::file;

pub use probe::{JailProbe, ProbeError, RuleProbe, probe_jail};

/// The mechanism that builds a jail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JailBackend {
    Bubblewrap,
    Landlock,
}

impl JailBackend {
    /// The backends, the stronger one first.
    pub const ALL: [Self; 2] = [Self::Bubblewrap, Self::Landlock];

    pub fn name(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
        }
    }
}

/// The network of a jailed program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum JailNetwork {
    /// The network of the machine, its loopback services included.
    #[default]
    Full,
    /// With bubblewrap a loopback of its own, with Landlock no internet socket at all.
    None,
    /// With bubblewrap a loopback of its own, with Landlock TCP connections to these ports only, of
    /// this machine and of all others.
    Ports(Vec<u16>),
}

/// The jail of one program.
#[derive(Debug, Clone, Default)]
pub struct JailPlan {
    /// A private folder of the caller, which exists and is removed after the run. The program has
    /// its home folder and its temporary folder there.
    pub folder: PathBuf,
    /// The user's home folder, which the program does not see.
    pub home: Option<PathBuf>,
    /// The existing folders that the program may change.
    pub writable: Vec<PathBuf>,
    /// What the program may read besides the system. Missing paths are left out.
    pub readable: Vec<PathBuf>,
    /// Paths inside writable folders that the program must not change. Landlock cannot hold this:
    /// the caller compares them afterwards.
    pub protected: Vec<PathBuf>,
    pub network: JailNetwork,
    /// The names of further variables that the program keeps, with `*` at the end for all that begin
    /// so.
    pub variables: Vec<String>,
    /// True if the program talks to the user's terminal. It then keeps its controlling terminal and
    /// may make process groups, so that the caller of a jail of Landlock must end what it leaves.
    pub is_interactive: bool,
    /// Sockets of the host that the program can connect to. Only bubblewrap shows them: Landlock
    /// refuses all unix sockets.
    pub sockets: Vec<JailSocket>,
}

/// A unix socket of the host that a jailed program sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JailSocket {
    /// The path on the host.
    pub host: PathBuf,
    /// The path in the jail.
    pub inside: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum JailError {
    /// The private folder or a path of the plan cannot be used.
    #[error("cannot prepare {} for the jail", path.display())]
    Path {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl JailError {
    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Path { path, source }
    }
}

impl JailPlan {
    /// Returns the command that runs `command` in the jail. Only variables that were set on the
    /// command are kept, and only those that the jail lets in.
    pub fn wrap(
        &self,
        backend: JailBackend,
        command: ChildCommand,
    ) -> Result<ChildCommand, JailError> {
        let places = self.create_folders()?;
        let is_kept = |name: &str| {
            table::is_kept_variable(name)
                || self
                    .variables
                    .iter()
                    .any(|pattern| table::matches_name(pattern, name))
        };
        let readable = self.list_readable();
        match backend {
            JailBackend::Bubblewrap => {
                let args = bubblewrap::build_args(self, &places, &readable, &command)?;
                let home = self.home.clone().unwrap_or_else(|| places.home.clone());
                let confinement = Confinement {
                    files: None,
                    sockets: SocketFamilies::InternetAndUnix,
                    ports: None,
                    groups: ProcessGroups::Any,
                };
                Ok(command
                    .keep_env(is_kept, |name, value| {
                        table::checked_value(name, value).to_owned()
                    })
                    .env("HOME", home)
                    .env("TMPDIR", "/tmp")
                    .env("GIT_CONFIG_NOSYSTEM", "1")
                    .run_by(bubblewrap::PROGRAM, args)
                    .confine(confinement))
            }
            JailBackend::Landlock => {
                landlock::link_home(self, &places, &readable)?;
                let move_home = |name: &str, value: &OsStr| {
                    let value = table::checked_value(name, value);
                    // The paths of a session's own variables are reachable where they are.
                    if self.is_interactive && !table::is_kept_variable(name) {
                        return value.to_owned();
                    }
                    landlock::move_into_home(self.home.as_deref(), &places.home, value)
                };
                Ok(command
                    .keep_env(is_kept, move_home)
                    .env("HOME", &places.home)
                    .env("TMPDIR", &places.temporary)
                    // Git stops at a settings file of the system that it cannot read.
                    .env("GIT_CONFIG_NOSYSTEM", "1")
                    .confine(landlock::build_confinement(self, &places, &readable)))
            }
        }
    }

    /// Creates the home folder and the temporary folder of the program.
    fn create_folders(&self) -> Result<PrivatePlaces, JailError> {
        let folder = self
            .folder
            .canonicalize()
            .map_err(JailError::at(&self.folder))?;
        let places = PrivatePlaces {
            home: folder.join("home"),
            temporary: folder.join("tmp"),
        };
        for path in [&places.home, &places.temporary] {
            file::create_folder(path, 0o700).map_err(JailError::at(path))?;
        }
        Ok(places)
    }

    /// Returns the existing paths that the program may read besides the system.
    fn list_readable(&self) -> Vec<PathBuf> {
        let toolchains = self.home.iter().flat_map(|home| table::toolchains(home));
        let mut paths: Vec<PathBuf> = self.readable.iter().cloned().chain(toolchains).collect();
        paths.retain(|path| path.exists());
        paths
    }
}

/// The private folders of one program, on the host.
struct PrivatePlaces {
    home: PathBuf,
    temporary: PathBuf,
}

/// Returns the reason why a jail did not start, if that is how the run ended: the program itself
/// then did not run. A program that pretends this has failed, too.
pub fn describe_failed_start(backend: JailBackend, output: &ChildOutput) -> Option<String> {
    let is_failed = backend == JailBackend::Bubblewrap
        && output.code() == Some(1)
        && output.stdout.is_empty()
        && output.stderr.starts_with(b"bwrap: ");
    is_failed.then(|| output.error_text())
}

fn to_args<const N: usize>(words: [&OsStr; N]) -> impl Iterator<Item = OsString> {
    words.map(OsStr::to_owned).into_iter()
}
