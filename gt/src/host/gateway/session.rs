//! Opens the gateway of a session whose agent runs in a jail.

use std::io;
use std::path::{Path, PathBuf};

use kit::gateway::{ADDRESS_VARIABLE, GatewayAddress};
use kit::sys::jail::{JailBackend, JailSocket};
use kit::sys::{Env, file};

use super::{Gateway, GatewayKind, GatewaySession, remove_folder};
use crate::host::daemon;
use crate::host::live_town::{LiveTown, open_live_town};
use crate::host::network::{NetworkProxy, desk_ports};
use crate::host::wrapper::StartFile;
use crate::town::identity::{Address, SessionName};
use crate::town::permission::{self, PermissionChanges};
use crate::town::{Town, TownLayout};

/// The socket of the gateway inside a jail.
const SOCKET_IN_JAIL: &str = "/run/gastown/gateway";

/// Opens the gateway of a session, which this process serves until it is dropped, and returns the
/// start file with the way to it. A proxy is opened, too, if the settings list the hosts of the network.
/// `env` is the environment of the session.
pub fn open_session_gateway(
    env: &Env,
    start: StartFile,
    record: RefusalRecorders,
) -> io::Result<(StartFile, Option<SessionDoors>)> {
    let (Some(mut jail), Some(root), Some(role)) = (
        start.jail.clone(),
        env.get("GT_TOWN_ROOT").map(Path::new),
        env.get("GT_ROLE"),
    ) else {
        return Ok((start, None));
    };
    let agent: Address = role.parse().map_err(io::Error::other)?;
    let kind = match jail.backend {
        JailBackend::Bubblewrap => GatewayKind::Socket,
        JailBackend::Landlock => GatewayKind::Port,
    };
    let sockets = daemon::socket_folder(&open_live_town(env, root, agent.clone()));
    file::create_private_folder(&sockets)?;
    let session = GatewaySession {
        folder: sockets.join(gateway_name(root, &agent)),
        ..describe_session(env, root, &agent, start.env.clone(), record.command)
    };
    let folder = session.folder.clone();
    let gateway = Gateway::open(kind, session)?;
    let address = match gateway.address() {
        GatewayAddress::Socket(host) => {
            let inside = PathBuf::from(SOCKET_IN_JAIL);
            jail.sockets.push(JailSocket {
                host: host.clone(),
                inside: inside.clone(),
            });
            GatewayAddress::Socket(inside)
        }
        GatewayAddress::Port { port, token } => {
            jail.ports.push(*port);
            jail.ports.extend(desk_ports(|name| {
                let own = start.env.iter().find(|(known, _)| known == name);
                own.map(|(_, value)| value.clone())
            }));
            let token = token.clone();
            GatewayAddress::Port { port: *port, token }
        }
        other @ GatewayAddress::Far(_) => other.clone(),
    };
    let mut start = start;
    let recorder = record_in_town(env, root, agent, record.host);
    let socket = folder.join("network");
    let proxy = NetworkProxy::open(jail.backend, &socket, &jail.network, recorder)?;
    if let Some(proxy) = &proxy {
        jail.connect_proxy(proxy, &mut start.env);
    }
    start
        .env
        .push((ADDRESS_VARIABLE.to_owned(), address.to_string()));
    start.jail = Some(jail);
    let doors = SessionDoors { gateway, proxy };
    Ok((start, Some(doors)))
}

/// The ways out of the jail of a session. They are closed when this is dropped.
pub struct SessionDoors {
    pub gateway: Gateway,
    pub proxy: Option<NetworkProxy>,
}

/// The functions that take note of what an agent in a jail may not do.
#[derive(Debug, Clone, Copy)]
pub struct RefusalRecorders {
    /// Takes note of a command, with its program.
    pub command: fn(&Town, &str),
    /// Takes note of a host of the network.
    pub host: fn(&Town, &str),
}

/// Describes the session of an agent whose environment is `session_env`.
pub(super) fn describe_session(
    env: &Env,
    root: &Path,
    agent: &Address,
    session_env: Vec<(String, String)>,
    record_command: fn(&Town, &str),
) -> GatewaySession {
    GatewaySession {
        folder: PathBuf::new(),
        calls: calls_folder(root, agent),
        exe: crate::host::live_town::find_gt_program(env),
        cwd: working_folder(root, agent),
        env: session_env,
        runs_in_jail: permission::runs_in_place,
        list_bd_commands: list_bd_commands(env, root, agent.clone()),
        record_refusal: record_in_town(env, root, agent.clone(), move |town, command| {
            record_command(town, &format!("bd {command}"));
        }),
        prepare_call: Box::new(|_| Ok(())),
        paths: None,
    }
}

/// The folder of the files of calls, which is on the disk of the town and has the name of the
/// session.
fn calls_folder(root: &Path, agent: &Address) -> PathBuf {
    let session = SessionName::for_agent(agent);
    let name = session.map_or_else(|| agent.role().to_owned(), |name| name.to_string());
    TownLayout::new(root).gateways().join(name)
}

/// Removes the folders of gateways that were killed: those whose session does not live. Returns the
/// names.
pub fn remove_left_calls(town: &LiveTown) -> anyhow::Result<Vec<String>> {
    // A session that begins in between is in the second list.
    let mut names = file::list_subfolders(&town.layout.gateways());
    if !names.is_empty() {
        let live = town.host.list()?;
        names.retain(|name| !live.iter().any(|session| session.name == *name));
    }
    for name in &names {
        remove_folder(&town.layout.gateways().join(name))?;
    }
    Ok(names)
}

/// The name of the folder of a gateway's socket. It is short, because a socket allows no long path.
fn gateway_name(root: &Path, agent: &Address) -> String {
    let text = format!("{}\0{agent}", root.display());
    let name = bd::bead::hash::compute_short_hash(text.as_bytes(), 8);
    format!("gateway-{name}")
}

/// The folder in which the commands of an agent run: that of its rig, which no jail can change.
fn working_folder(root: &Path, agent: &Address) -> PathBuf {
    match agent.rig() {
        Some(rig) => TownLayout::new(root).rig(rig).root().to_owned(),
        None => root.to_owned(),
    }
}

/// Lists the commands of `bd` that an agent may run. With a wrong setting it may run none.
fn list_bd_commands(
    env: &Env,
    root: &Path,
    agent: Address,
) -> Box<dyn Fn() -> Vec<String> + Send + Sync> {
    let (env, root) = (env.clone(), root.to_owned());
    Box::new(move || {
        let town = open_live_town(&env, &root, agent.clone());
        match PermissionChanges::load(&town, &agent) {
            Ok(changes) => permission::list_bd_commands(&agent, &changes),
            Err(_) => Vec::new(),
        }
    })
}

/// Opens the town for each record.
fn record_in_town(
    env: &Env,
    root: &Path,
    agent: Address,
    record: impl Fn(&Town, &str) + Send + Sync + 'static,
) -> Box<dyn Fn(&str) + Send + Sync> {
    let (env, root) = (env.clone(), root.to_owned());
    Box::new(move |text| record(&open_live_town(&env, &root, agent.clone()), text))
}
