//! Programs that try to get more of the network than the proxy of their jail lists.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

use super::*;

/// An open proxy, with the hosts that it recorded.
struct TestProxy {
    proxy: NetworkProxy,
    recorded: Arc<Mutex<Vec<String>>>,
}

/// All names lead to the loopback, but for one that does not exist.
fn resolve_to_loopback(name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if name == "missing.org" {
        return Err(io::ErrorKind::NotFound.into());
    }
    match name.parse() {
        Ok(address) => Ok(vec![SocketAddr::new(address, port)]),
        Err(_) => Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))]),
    }
}

impl TestProxy {
    fn open(hosts: &str) -> Self {
        let recorded = Arc::new(Mutex::new(Vec::new()));
        let recorder = Arc::clone(&recorded);
        let server = ProxyServer {
            hosts: HostList::parse(hosts.split(',')).unwrap(),
            resolve: resolve_to_loopback,
            record_refusal: Box::new(move |host| recorder.lock().unwrap().push(host.to_owned())),
            refused: Mutex::default(),
            open: Mutex::default(),
        };
        let proxy = NetworkProxy::start(JailBackend::Landlock, Path::new(""), server).unwrap();
        Self { proxy, recorded }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.proxy.port().unwrap())).unwrap()
    }

    /// Sends a request and returns everything that comes back.
    fn ask(&self, request: &str) -> String {
        let mut stream = self.connect();
        // The proxy may have answered and closed before all was sent.
        stream.write_all(request.as_bytes()).ok();
        stream.shutdown(Shutdown::Write).ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        String::from_utf8(answer).unwrap()
    }

    fn connect_to(&self, host: &str) -> String {
        self.ask(&format!("CONNECT {host} HTTP/1.1\r\n\r\n"))
    }
}

/// Serves one connection after the other: returns what it reads in one answer, and ends.
fn serve_echoes() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut part = [0; 4096];
            let read = stream.read(&mut part).unwrap();
            let text = String::from_utf8_lossy(&part[..read]).into_owned();
            let answer = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{text}");
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    port
}

#[test]
fn a_listed_host_is_reached_by_both_kinds_of_requests() {
    let port = serve_echoes();
    let test = TestProxy::open(&format!("localhost:{port},127.0.0.1:{port}"));
    for host in ["localhost", "LOCALHOST.", "127.0.0.1"] {
        let tunnel = test.ask(&format!(
            "CONNECT {host}:{port} HTTP/1.1\r\n\r\nhello through the tunnel"
        ));
        assert!(tunnel.starts_with("HTTP/1.1 200 "), "{tunnel}");
        assert!(tunnel.ends_with("hello through the tunnel"), "{tunnel}");
        let plain = test.ask(&format!(
            "GET http://{host}:{port}/page HTTP/1.1\r\nHost: other\r\n\r\n"
        ));
        assert!(plain.contains("GET /page HTTP/1.1"), "{plain}");
        assert!(plain.contains(&format!("Host: {host}:{port}")), "{plain}");
    }
    let missing = TestProxy::open("missing.org").connect_to("missing.org:443");
    assert!(missing.starts_with("HTTP/1.1 502 "), "{missing}");
    assert!(test.recorded.lock().unwrap().is_empty());
}

#[test]
fn what_the_list_does_not_have_is_refused_and_recorded_once() {
    let port = serve_echoes();
    let test = TestProxy::open(&format!("localhost:{port},*.listed.org"));
    let others = [
        "other.org:443".to_owned(),
        "localhost:22".to_owned(),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("2130706433:{port}"),
        format!("127.1:{port}"),
        "x.listed.org:8443".to_owned(),
        "listed.org.other.org:443".to_owned(),
    ];
    for host in &others {
        for _ in 0..2 {
            let answer = test.connect_to(host);
            assert!(answer.starts_with("HTTP/1.1 403 "), "{host}: {answer}");
            let setting = "the setting sandbox.jail_network does not list it\n";
            assert!(answer.ends_with(setting), "{host}: {answer}");
        }
    }
    assert_eq!(*test.recorded.lock().unwrap(), others);
    let plain = test.ask("GET http://plain.org/ HTTP/1.1\r\n\r\n");
    assert!(plain.starts_with("HTTP/1.1 403 "), "{plain}");
    for number in 0..2 * MAX_RECORDED {
        test.connect_to(&format!("flood-{number}.org:443"));
    }
    assert_eq!(test.recorded.lock().unwrap().len(), MAX_RECORDED);
}

#[test]
fn a_listed_name_that_leads_to_this_machine_is_refused() {
    let port = serve_echoes();
    let rebound = format!("rebound.org:{port}");
    let test = TestProxy::open(&rebound);
    let answer = test.connect_to(&rebound);
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert!(answer.contains("is not public"), "{answer}");
    assert_eq!(*test.recorded.lock().unwrap(), [rebound.as_str()]);
    // The user can list the address.
    let test = TestProxy::open(&format!("{rebound},127.0.0.1:{port}"));
    let answer = test.ask(&format!("CONNECT {rebound} HTTP/1.1\r\n\r\nhello"));
    assert!(answer.ends_with("hello"), "{answer}");
}

#[test]
fn floods_and_half_requests_hold_up_no_other_program() {
    let port = serve_echoes();
    let test = TestProxy::open(&format!("localhost:{port}"));
    let endless = format!(
        "CONNECT localhost:{port} HTTP/1.1\r\nA: {}",
        "a".repeat(64 * 1024)
    );
    let answer = test.ask(&endless);
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431 "),
        "{answer}"
    );
    let ended = format!("{endless}\r\n\r\n");
    let answer = test.ask(&ended);
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431 "),
        "{answer}"
    );
    let answer = test.ask("GET /x HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    let mut silent: Vec<TcpStream> = (0..MAX_CONNECTIONS - 1).map(|_| test.connect()).collect();
    let answer = test.ask(&format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\nhello"));
    assert!(answer.ends_with("hello"), "{answer}");
    // Further connections are closed.
    silent.extend([test.connect(), test.connect()]);
    let mut byte = [0];
    let last = silent.last_mut().unwrap();
    assert!(!matches!(last.read(&mut byte), Ok(1..)));
    drop(silent);
}

#[test]
fn the_end_of_the_jail_ends_its_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let test = TestProxy::open(&format!("localhost:{port}"));
    let mut client = test.connect();
    write!(client, "CONNECT localhost:{port} HTTP/1.1\r\n\r\n").unwrap();
    let (mut server, _) = listener.accept().unwrap();
    let mut part = [0; 12];
    client.read_exact(&mut part).unwrap();
    assert_eq!(&part, b"HTTP/1.1 200");
    let place = test.proxy.port().unwrap();
    drop(test);
    let mut rest = Vec::new();
    assert!(matches!(server.read_to_end(&mut rest), Ok(0) | Err(_)));
    client.read_to_end(&mut rest).ok();
    assert!(
        TcpStream::connect(("127.0.0.1", place)).is_err() || {
            // The thread ends after it was woken up.
            clock::wait_for(Duration::from_secs(5), || {
                TcpStream::connect(("127.0.0.1", place))
                    .is_err()
                    .then_some(())
            })
            .is_some()
        }
    );
}

#[test]
fn a_relay_passes_a_port_on_to_the_socket_of_the_proxy() {
    let port = serve_echoes();
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("network");
    let hosts = format!("localhost:{port}");
    let network = NetworkAccess::parse(&hosts).unwrap();
    let recorder = Box::new(|_: &str| {});
    let proxy = NetworkProxy::open(JailBackend::Bubblewrap, &socket, &network, recorder)
        .unwrap()
        .unwrap();
    assert_eq!(proxy.socket().unwrap().host, socket);
    let relay = open_relay(socket.clone()).unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", relay)).unwrap();
    write!(stream, "CONNECT localhost:{port} HTTP/1.1\r\n\r\nhello").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("hello"), "{answer}");
    drop(proxy);
    assert!(!socket.exists());
}
