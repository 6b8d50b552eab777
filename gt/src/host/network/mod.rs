//! The proxy by which a jail with a list of hosts reaches them, and no others.
//!
//! The proxy runs outside the jail, in the process that waits for the jailed program. It speaks HTTP
//! (`CONNECT`, and `http://` addresses), resolves names itself, and compares the requested name with
//! the list. In a jail of bubblewrap, which has a loopback of its own, a relay passes the
//! connections to the socket of the proxy. A jail of Landlock reaches the port of the proxy.
//!
//! A program inside may be hostile: headers, connections and the time of each step have limits, and
//! the contents are streamed without a look at them.

mod relay;
mod request;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kit::sys::jail::{JailBackend, JailSocket};
use kit::sys::{clock, file};

pub use relay::{RELAY_FLAG, open_relay, relay_args};
use request::{ProxyRequest, RequestError, RequestKind, read_request};

use crate::host::connection::{Connection, Listener};
use crate::town::config::{HostList, NetworkAccess};

/// The setting that lists the hosts.
pub const NETWORK_SETTING: &str = "sandbox.jail_network";

/// The socket of the proxy inside a jail.
pub const SOCKET_IN_JAIL: &str = "/run/gastown/network";

/// The connections of a jail. Further ones are closed.
const MAX_CONNECTIONS: usize = 256;

/// The refused hosts of a jail that are recorded.
const MAX_RECORDED: usize = 20;

/// The addresses of a host that are tried.
const MAX_ADDRESSES: usize = 4;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that an answer of the proxy itself may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The pause after an error of the system, such as a lack of open files.
const ERROR_PAUSE: Duration = Duration::from_millis(200);

/// Takes note of a host that was refused, as `host:port`.
pub type RefusedHostRecorder = Box<dyn Fn(&str) + Send + Sync>;

/// The open proxy of a jail. Dropping it ends its connections.
pub struct NetworkProxy {
    server: Arc<ProxyServer>,
    place: ProxyPlace,
}

enum ProxyPlace {
    Socket(PathBuf),
    Port(u16),
}

impl NetworkProxy {
    /// Opens the proxy of a jail whose network is a list of hosts; `None` for another network.
    /// `socket` is the path of the proxy for a jail of bubblewrap, which must be short.
    pub fn open(
        backend: JailBackend,
        socket: &Path,
        network: &NetworkAccess,
        record_refusal: RefusedHostRecorder,
    ) -> io::Result<Option<Self>> {
        let hosts = match network {
            NetworkAccess::Hosts(hosts) if !hosts.is_empty() => hosts.clone(),
            NetworkAccess::Hosts(_) | NetworkAccess::Full => return Ok(None),
        };
        let server = ProxyServer {
            hosts,
            resolve: resolve_name,
            record_refusal,
            refused: Mutex::default(),
            open: Mutex::default(),
        };
        Self::start(backend, socket, server).map(Some)
    }

    fn start(backend: JailBackend, socket: &Path, server: ProxyServer) -> io::Result<Self> {
        let (listener, place) = match backend {
            JailBackend::Bubblewrap => (
                Listener::bind_socket(socket)?,
                ProxyPlace::Socket(socket.to_owned()),
            ),
            JailBackend::Landlock => {
                let (listener, port) = Listener::bind_port()?;
                (listener, ProxyPlace::Port(port))
            }
        };
        let server = Arc::new(server);
        let accepting = Arc::clone(&server);
        thread::Builder::new().spawn(move || accept_connections(&listener, &accepting))?;
        Ok(Self { server, place })
    }

    /// The socket that the jail must show. None if the jail reaches a port.
    pub fn socket(&self) -> Option<JailSocket> {
        match &self.place {
            ProxyPlace::Socket(host) => Some(JailSocket {
                host: host.clone(),
                inside: PathBuf::from(SOCKET_IN_JAIL),
            }),
            ProxyPlace::Port(_) => None,
        }
    }

    /// The port of the loopback that the jail must reach. None if the jail shows a socket.
    pub fn port(&self) -> Option<u16> {
        match &self.place {
            ProxyPlace::Socket(_) => None,
            ProxyPlace::Port(port) => Some(*port),
        }
    }
}

impl Drop for NetworkProxy {
    fn drop(&mut self) {
        self.server.stop();
        // Wakes the thread that waits for connections.
        match &self.place {
            ProxyPlace::Socket(path) => {
                UnixStream::connect(path).ok();
                // A socket that stays is replaced by the next proxy.
                file::remove_file(path).ok();
            }
            ProxyPlace::Port(port) => {
                TcpStream::connect(("127.0.0.1", *port)).ok();
            }
        }
    }
}

/// Returns the variables that lead programs to the proxy at a port of the loopback.
pub fn proxy_variables(port: u16) -> Vec<(String, String)> {
    let address = format!("http://127.0.0.1:{port}");
    let names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
    let mut variables: Vec<(String, String)> = names
        .iter()
        .flat_map(|name| [(*name).to_owned(), name.to_ascii_lowercase()])
        .map(|name| (name, address.clone()))
        .collect();
    for name in ["NO_PROXY", "no_proxy"] {
        variables.push((name.to_owned(), "localhost,127.0.0.1,::1".to_owned()));
    }
    // Without it, Node.js looks at none of them.
    variables.push(("NODE_USE_ENV_PROXY".to_owned(), "1".to_owned()));
    variables
}

/// Returns the ports of a desk, whose servers its programs reach. `find` returns the value of a
/// variable.
pub fn desk_ports(find: impl Fn(&str) -> Option<String>) -> Vec<u16> {
    let port = |name: &str| find(name).and_then(|value| value.parse::<u16>().ok());
    match (port("GT_PORT"), port("GT_PORT_END")) {
        (Some(first), Some(last)) => (first..=last).collect(),
        _ => Vec::new(),
    }
}

/// The part of a proxy that its threads share.
struct ProxyServer {
    hosts: HostList,
    /// Returns the addresses of a name.
    resolve: fn(&str, u16) -> io::Result<Vec<SocketAddr>>,
    record_refusal: RefusedHostRecorder,
    /// The recorded hosts.
    refused: Mutex<BTreeSet<String>>,
    open: Mutex<OpenConnections>,
}

/// The connections of a proxy, both those of programs and those to hosts.
#[derive(Default)]
struct OpenConnections {
    is_stopped: bool,
    next: usize,
    /// The connections by the number of their request.
    by_request: BTreeMap<usize, Vec<Connection>>,
}

/// A request that was not fulfilled, as its answer.
struct Refusal {
    status: &'static str,
    text: String,
}

impl ProxyServer {
    fn connections(&self) -> MutexGuard<'_, OpenConnections> {
        // A poisoned lock means a panic between plain changes of the map.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all connections, and refuses further ones.
    fn stop(&self) {
        let mut open = self.connections();
        open.is_stopped = true;
        for connection in open.by_request.values().flatten() {
            connection.close();
        }
    }

    /// Takes a connection of a program into the list. None if there are too many, or no more.
    fn add_request(&self, client: &Connection) -> io::Result<Option<usize>> {
        let mut open = self.connections();
        if open.is_stopped || open.by_request.len() >= MAX_CONNECTIONS {
            return Ok(None);
        }
        let number = open.next;
        open.next += 1;
        open.by_request.insert(number, vec![client.try_clone()?]);
        Ok(Some(number))
    }

    /// Adds the connection to the host of a request.
    fn add_host(&self, number: usize, server: &Connection) -> io::Result<()> {
        let mut open = self.connections();
        if open.is_stopped {
            return Err(io::Error::other("the jail has ended"));
        }
        let connections = open.by_request.entry(number).or_default();
        connections.push(server.try_clone()?);
        Ok(())
    }

    fn serve(&self, number: usize, client: Connection) {
        // The program sees that its connection ended.
        self.answer(number, client).ok();
        self.connections().by_request.remove(&number);
    }

    fn answer(&self, number: usize, mut client: Connection) -> io::Result<()> {
        let connected = read_request(&mut client)
            .map_err(|error| describe_bad_request(&error))
            .and_then(|request| self.connect(&request).map(|server| (request, server)));
        let (request, server) = match connected {
            Ok(connected) => connected,
            Err(refusal) => return refusal.send(&mut client),
        };
        let mut server = Connection::Port(server);
        self.add_host(number, &server)?;
        match &request.kind {
            RequestKind::Tunnel => {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
            }
            RequestKind::Plain { header } => server.write_all(header)?,
        }
        server.write_all(&request.rest)?;
        pass_both_ways(client, server)
    }

    /// Connects to the host of a request, if the list has it.
    fn connect(&self, request: &ProxyRequest) -> Result<TcpStream, Refusal> {
        let (host, port) = (&request.host, request.port);
        let name = format!("{host}:{port}");
        if !self.hosts.allows_host(host, port) {
            self.record(&name);
            return Err(Refusal {
                status: "403 Not in sandbox.jail_network",
                text: format!(
                    "{name} cannot be reached from this jail: the setting {NETWORK_SETTING} does not list it"
                ),
            });
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let found = (self.resolve)(bare, port).map_err(|error| Refusal {
            status: "502 Bad Gateway",
            text: format!("cannot find {host}: {error}"),
        })?;
        let mut allowed = found
            .iter()
            .filter(|address| self.hosts.allows_address(host, address.ip(), port))
            .take(MAX_ADDRESSES)
            .peekable();
        if allowed.peek().is_none() {
            self.record(&name);
            return Err(Refusal {
                status: "403 Private address",
                text: format!(
                    "{name} cannot be reached from this jail: its address is not public, and the setting {NETWORK_SETTING} does not list the address"
                ),
            });
        }
        let mut failure = String::new();
        for address in allowed {
            match TcpStream::connect_timeout(address, CONNECT_TIMEOUT) {
                Ok(stream) => {
                    // Small messages go at once. An error only makes them late.
                    stream.set_nodelay(true).ok();
                    return Ok(stream);
                }
                Err(error) => failure = error.to_string(),
            }
        }
        Err(Refusal {
            status: "502 Bad Gateway",
            text: format!("cannot connect to {name}: {failure}"),
        })
    }

    /// Records a refused host once.
    fn record(&self, host: &str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = refused.len() < MAX_RECORDED && refused.insert(host.to_owned());
        drop(refused);
        if is_new {
            (self.record_refusal)(host);
        }
    }
}

impl Refusal {
    fn send(&self, client: &mut Connection) -> io::Result<()> {
        let body = format!("{}\n", self.text);
        client.limit_writes(Some(ANSWER_TIMEOUT))?;
        write!(
            client,
            "HTTP/1.1 {}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.status,
            body.len()
        )?;
        client.close_writes();
        Ok(())
    }
}

fn describe_bad_request(error: &RequestError) -> Refusal {
    let status = match error {
        RequestError::TooLong => "431 Request Header Fields Too Large",
        RequestError::Read(_) => "408 Request Timeout",
        RequestError::Invalid(_) => "400 Bad Request",
    };
    Refusal {
        status,
        text: error.to_string(),
    }
}

fn resolve_name(name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    (name, port).to_socket_addrs().map(Iterator::collect)
}

fn accept_connections(listener: &Listener, server: &Arc<ProxyServer>) {
    loop {
        let accepted = listener.accept();
        if server.connections().is_stopped {
            return;
        }
        let Ok(client) = accepted else {
            clock::pause_thread(ERROR_PAUSE);
            continue;
        };
        let Ok(Some(number)) = server.add_request(&client) else {
            continue;
        };
        let serving = Arc::clone(server);
        let started = thread::Builder::new().spawn(move || serving.serve(number, client));
        if started.is_err() {
            // The program sees that its connection ended.
            server.connections().by_request.remove(&number);
            clock::pause_thread(ERROR_PAUSE);
        }
    }
}

/// Passes what each side sends to the other one, until both have ended.
fn pass_both_ways(client: Connection, server: Connection) -> io::Result<()> {
    client.limit_reads(None)?;
    let (mut to_server, mut from_client) = (server.try_clone()?, client.try_clone()?);
    let upward = thread::Builder::new().spawn(move || {
        // An error is an end of the connection, too.
        io::copy(&mut from_client, &mut to_server).ok();
        to_server.close_writes();
    })?;
    let (mut from_server, mut to_client) = (server, client);
    let passed = io::copy(&mut from_server, &mut to_client);
    to_client.close_writes();
    if passed.is_err() {
        to_client.close();
        from_server.close();
    }
    upward.join().ok();
    Ok(())
}

#[cfg(test)]
mod tests;
