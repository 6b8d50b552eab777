//! Runs the commands that a repository brings in a jail: gates, setup commands, the runs of a search.
//!
//! Such a command changes its tree and the shared caches. It reads the system, toolchains, the other
//! caches and the objects of the rig's repository. It has neither the town's beads, other trees and
//! the home folder, nor a variable that may hold a secret.

mod choice;
mod pointers;
pub mod session;
pub mod session_plan;
mod setting;

use std::io;
use std::path::{Path, PathBuf};

use kit::sys::jail::{JailBackend, JailError, JailNetwork, JailPlan, describe_failed_start};
use kit::sys::{ChildCommand, ChildOutput, ExecError};

#[cfg(test)]
pub(crate) use choice::forget_backends;
pub use choice::{BackendReport, JailChoice, choose_backend, probe_backends};
pub(crate) use pointers::GitPointers;
use session::FOREGROUND;
pub use setting::{check_jail_setting, find_open_caches};

use crate::host::live_town::open_live_town;
use crate::host::network::{
    NetworkProxy, RefusedHostRecorder, SOCKET_IN_JAIL, desk_ports, proxy_variables, relay_args,
};
use crate::town::config::{JailMode, JailSettings, NetworkAccess};
use crate::town::event::event;
use crate::town::temporary::TemporaryFolder;
use crate::town::{Rig, Town};

/// The reason why a command is not run.
#[derive(Debug, thiserror::Error)]
pub enum JailRefusal {
    #[error("sandbox.jail is required, but this machine cannot build a jail: {reason}")]
    NoBackend { reason: String },
    #[error(
        "the cache {} in sandbox.caches holds the home folder or a part of the town",
        path.display()
    )]
    Cache { path: PathBuf },
    #[error(transparent)]
    Plan(#[from] JailError),
    #[error("cannot create a private folder for the jail")]
    Folder(#[source] io::Error),
    #[error("cannot open the network proxy of the jail")]
    Proxy(#[source] io::Error),
    #[error("cannot copy the configuration of the agent program into the jail")]
    Copy(#[source] kit::sys::InsideError),
}

/// A command of a repository, in a jail or without one.
pub(crate) struct RepositoryCommand {
    command: ChildCommand,
    jail: Option<RunningJail>,
    /// The reason why the command has no jail although it should.
    without_jail: Option<String>,
}

struct RunningJail {
    backend: JailBackend,
    /// The proxy to the listed hosts, which is closed at the end of the run.
    proxy: Option<NetworkProxy>,
    /// The home folder and the temporary folder of the command.
    #[expect(dead_code, reason = "removed at the end of the run")]
    folder: TemporaryFolder,
}

impl RepositoryCommand {
    /// Prepares a command that runs in `tree`. Only variables that were set on the command can get
    /// into the jail.
    pub(crate) fn prepare(
        rig: &Rig,
        settings: &JailSettings,
        tree: &Path,
        command: ChildCommand,
    ) -> Result<Self, JailRefusal> {
        let choice = match settings.mode {
            JailMode::Off => None,
            JailMode::On | JailMode::Required => Some(choose_backend(&rig.town().env)),
        };
        let backend = match choice {
            None => return Ok(Self::without_jail(command, None)),
            Some(JailChoice::Missing { reason }) if settings.mode == JailMode::On => {
                return Ok(Self::without_jail(command, Some(reason)));
            }
            Some(JailChoice::Missing { reason }) => {
                return Err(JailRefusal::NoBackend { reason });
            }
            Some(JailChoice::Works(backend)) => backend,
        };
        let folder = TemporaryFolder::new("gt-jail-").map_err(JailRefusal::Folder)?;
        let mut plan = build_plan(rig, settings, tree, folder.path())?;
        let passed = rig.town().env.vars().filter(|(name, _)| {
            let matches = |pattern: &String| match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => pattern == name,
            };
            !name.starts_with("GT_") && settings.variables.iter().any(matches)
        });
        let mut command = passed.fold(command, |command, (name, value)| command.env(name, value));
        let socket = folder.path().join("network");
        let recorder = record_refused_hosts(rig);
        let proxy = NetworkProxy::open(backend, &socket, &settings.network, recorder)
            .map_err(JailRefusal::Proxy)?;
        if let Some(proxy) = &proxy {
            command = connect_proxy(proxy, &mut plan, &rig.town().exe, command);
        }
        Ok(Self {
            command: plan.wrap(backend, command)?,
            jail: Some(RunningJail {
                backend,
                proxy,
                folder,
            }),
            without_jail: None,
        })
    }

    fn without_jail(command: ChildCommand, reason: Option<String>) -> Self {
        Self {
            command,
            jail: None,
            without_jail: reason,
        }
    }

    /// Describes the jail for the event of the run: the name of its backend, or why there is none.
    /// None if there should be none.
    pub(crate) fn describe_jail(&self) -> Option<String> {
        match (&self.jail, &self.without_jail) {
            (Some(jail), _) => Some(describe_backend(jail.backend, jail.proxy.is_some())),
            (None, Some(reason)) => Some(format!("none: {reason}")),
            (None, None) => None,
        }
    }

    pub(crate) fn is_jailed(&self) -> bool {
        self.jail.is_some()
    }

    /// Runs the command to its end. A jail that does not start is an error, never a result of the
    /// command.
    pub(crate) fn run(self) -> Result<ChildOutput, ExecError> {
        let output = self.command.run()?;
        if let Some(jail) = &self.jail
            && let Some(reason) = describe_failed_start(jail.backend, &output)
        {
            return Err(ExecError::Io {
                program: format!("a command in the jail of {}", jail.backend.name()),
                source: io::Error::other(reason),
            });
        }
        Ok(output)
    }
}

/// Names the backend of a jail, and what it does not hold. `limits_network` is true if the jail
/// reaches a part of the network.
pub(crate) fn describe_backend(backend: JailBackend, limits_network: bool) -> String {
    match backend {
        JailBackend::Landlock if limits_network => format!("{} ({PORTS_ONLY})", backend.name()),
        _ => backend.name().to_owned(),
    }
}

/// The limit of a network by Landlock.
const PORTS_ONLY: &str = "limits the ports of the network, not the hosts";

/// The variables of a run that are no secret and not the user's.
const OWN_VARIABLES: [&str; 9] = [
    "GT_RIG",
    "GT_RIG_PATH",
    "GT_WORKTREE_PATH",
    "GT_BRANCH",
    "GT_TARGET",
    "GT_DESK",
    "GT_SLOT",
    "GT_PORT",
    "GT_PORT_END",
];

fn build_plan(
    rig: &Rig,
    settings: &JailSettings,
    tree: &Path,
    folder: &Path,
) -> Result<JailPlan, JailRefusal> {
    let env = &rig.town().env;
    let mut writable = vec![tree.to_owned()];
    let mut readable = pointers::readable_parts(rig, tree);
    readable.extend(list_program_folders(rig));
    let caches = list_caches(rig, settings)?;
    writable.extend(caches.writable);
    readable.extend(caches.readable);
    let own = OWN_VARIABLES.iter().map(|name| (*name).to_owned());
    Ok(JailPlan {
        folder: folder.to_owned(),
        home: env.home().filter(|home| home.is_absolute()),
        writable,
        readable,
        protected: vec![tree.join(".git")],
        network: match settings.network {
            NetworkAccess::Full => JailNetwork::Full,
            NetworkAccess::Hosts(_) => JailNetwork::None,
        },
        variables: own.chain(settings.variables.iter().cloned()).collect(),
        is_interactive: false,
        sockets: Vec::new(),
    })
}

/// Leads a command to the proxy of its jail.
fn connect_proxy(
    proxy: &NetworkProxy,
    plan: &mut JailPlan,
    exe: &Path,
    command: ChildCommand,
) -> ChildCommand {
    if let Some(port) = proxy.port() {
        let mut ports = vec![port];
        ports.extend(desk_ports(|name| {
            let value = command.find_env(name)?;
            Some(value.to_string_lossy().into_owned())
        }));
        plan.network = JailNetwork::Ports(ports);
        return proxy_variables(port)
            .into_iter()
            .fold(command, |command, (name, value)| {
                plan.variables.push(name.clone());
                command.env(name, value)
            });
    }
    plan.sockets.extend(proxy.socket());
    plan.readable.push(exe.to_owned());
    command.run_by(exe, relay_args(&FOREGROUND, Path::new(SOCKET_IN_JAIL)))
}

/// Records the hosts that a command of a rig does not reach.
fn record_refused_hosts(rig: &Rig) -> RefusedHostRecorder {
    let (env, root) = (rig.town().env.clone(), rig.town().layout.root().to_owned());
    let (actor, rig) = (rig.town().actor.clone(), rig.name().to_owned());
    Box::new(move |host| {
        let town = open_live_town(&env, &root, actor.clone());
        town.record_event(&event!(NetworkRefused, rig: rig, host: host, bead: None));
    })
}

/// The folders of `sandbox.caches`.
#[derive(Default)]
struct CacheFolders {
    writable: Vec<PathBuf>,
    readable: Vec<PathBuf>,
}

fn list_caches(rig: &Rig, settings: &JailSettings) -> Result<CacheFolders, JailRefusal> {
    let env = &rig.town().env;
    let mut found = CacheFolders::default();
    for cache in &settings.caches {
        let path = env.make_absolute(&cache.path);
        if cache.is_shared {
            kit::sys::file::create_folder(&path, 0o700).map_err(JailRefusal::Folder)?;
        }
        // A cache that no one has filled yet.
        let Ok(real) = path.canonicalize() else {
            continue;
        };
        if holds_private_files(rig.town(), &real) {
            return Err(JailRefusal::Cache { path });
        }
        let list = if cache.is_shared {
            &mut found.writable
        } else {
            &mut found.readable
        };
        list.push(path);
    }
    Ok(found)
}

/// Returns the folders on `PATH`, without those that hold more than programs.
fn list_program_folders(rig: &Rig) -> Vec<PathBuf> {
    let path = rig.town().env.get("PATH").unwrap_or("");
    let folders = path.split(':').map(PathBuf::from);
    folders
        .filter(|folder| folder.is_absolute())
        .filter(|folder| {
            let real = folder.canonicalize();
            real.is_ok_and(|real| !holds_private_files(rig.town(), &real))
        })
        .collect()
}

/// Returns true for the home folder, the town, a folder above one of them, or a part of the town.
fn holds_private_files(town: &Town, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let root = real(town.layout.root());
    let home = town.env.home().map(|home| real(&home));
    root.starts_with(folder)
        || folder.starts_with(&root)
        || home.is_some_and(|home| home.starts_with(folder))
}
