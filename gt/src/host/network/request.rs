//! Reads the header of a request to the proxy.

use std::io::{self, Read as _};
use std::net::Ipv6Addr;
use std::time::{Duration, Instant};

use crate::host::connection::Connection;
use crate::town::config::split_port;

/// The largest header, in bytes.
const MAX_HEADER: usize = 16 * 1024;

/// The longest name of a host.
const MAX_HOST: usize = 255;

/// The time within which a program sends its header.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// The fields of a header that are for the proxy alone. The host is taken from the address.
const OWN_FIELDS: [&str; 6] = [
    "host",
    "connection",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "upgrade",
];

/// A request of a program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProxyRequest {
    pub host: String,
    pub port: u16,
    pub kind: RequestKind,
    /// The bytes after the header.
    pub rest: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// `CONNECT host:port`.
    Tunnel,
    /// A request for an `http://` address. `header` is the one for the host.
    Plain { header: Vec<u8> },
}

#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    #[error("the header is longer than {MAX_HEADER} bytes")]
    TooLong,
    #[error("the header did not arrive: {0}")]
    Read(#[source] io::Error),
    #[error("the request is not valid: {0}")]
    Invalid(&'static str),
}

/// Reads the header of a request.
pub(super) fn read_request(client: &mut Connection) -> Result<ProxyRequest, RequestError> {
    let deadline = Instant::now() + HEADER_TIMEOUT;
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    let end = loop {
        if let Some(end) = find_header_end(&bytes) {
            break end;
        }
        if bytes.len() >= MAX_HEADER {
            return Err(RequestError::TooLong);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let late = io::Error::from(io::ErrorKind::TimedOut);
            return Err(RequestError::Read(late));
        }
        let read = client
            .limit_reads(Some(left))
            .and_then(|()| client.read(&mut part))
            .map_err(RequestError::Read)?;
        if read == 0 {
            let ended = io::Error::from(io::ErrorKind::UnexpectedEof);
            return Err(RequestError::Read(ended));
        }
        bytes.extend_from_slice(&part[..read]);
    };
    if end > MAX_HEADER {
        return Err(RequestError::TooLong);
    }
    let rest = bytes.split_off(end);
    parse_request(&bytes, rest).map_err(RequestError::Invalid)
}

/// Returns the length of a complete header.
fn find_header_end(bytes: &[u8]) -> Option<usize> {
    let end = b"\r\n\r\n";
    let found = bytes.windows(end.len()).position(|part| part == end);
    found.map(|start| start + end.len())
}

fn parse_request(header: &[u8], rest: Vec<u8>) -> Result<ProxyRequest, &'static str> {
    let text = std::str::from_utf8(header).map_err(|_| "it is not text")?;
    let mut lines = text.trim_end_matches("\r\n").split("\r\n");
    let mut words = lines.next().unwrap_or("").split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err("the first line has not three words");
    };
    if !version.starts_with("HTTP/1.") {
        return Err("the protocol is not HTTP/1");
    }
    if method == "CONNECT" {
        let (host, port) = parse_authority(target)?;
        return Ok(ProxyRequest {
            host: host.to_owned(),
            port: port.ok_or("the port is missing")?,
            kind: RequestKind::Tunnel,
            rest,
        });
    }
    let below = target
        .get(..7)
        .filter(|scheme| scheme.eq_ignore_ascii_case("http://"))
        .and(target.get(7..))
        .ok_or("the address does not begin with http://")?;
    let path_start = below.find(['/', '?', '#']).unwrap_or(below.len());
    let (authority, path) = below.split_at(path_start);
    let (host, port) = parse_authority(authority)?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut header =
        format!("{method} {slash}{path} {version}\r\nHost: {authority}\r\nConnection: close\r\n");
    for line in lines {
        if line.contains(['\r', '\n']) {
            return Err("a line of the header has no end");
        }
        let (name, _) = line
            .split_once(':')
            .ok_or("a line of the header has no name")?;
        if !OWN_FIELDS
            .iter()
            .any(|own| own.eq_ignore_ascii_case(name.trim()))
        {
            header.push_str(line);
            header.push_str("\r\n");
        }
    }
    header.push_str("\r\n");
    Ok(ProxyRequest {
        host: host.to_owned(),
        port: port.unwrap_or(80),
        kind: RequestKind::Plain {
            header: header.into_bytes(),
        },
        rest,
    })
}

/// Splits `host:port`. The host has no characters that could mean something in a header or a report.
fn parse_authority(text: &str) -> Result<(&str, Option<u16>), &'static str> {
    let (host, port) = split_port(text).ok_or("the port is not a number")?;
    let in_brackets = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let is_host = match in_brackets {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => {
            let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
            (1..=MAX_HOST).contains(&host.len()) && host.bytes().all(is_name_byte)
        }
    };
    is_host
        .then_some((host, port))
        .ok_or("the host is not a name")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ProxyRequest, &'static str> {
        parse_request(text.as_bytes(), Vec::new())
    }

    #[test]
    fn a_tunnel_names_its_host_and_its_port() {
        for (line, host, port) in [
            ("CONNECT a.org:443 HTTP/1.1", "a.org", 443),
            ("CONNECT [::1]:9 HTTP/1.0", "[::1]", 9),
        ] {
            let request = parse(&format!("{line}\r\nHost: other.org\r\n\r\n")).unwrap();
            assert_eq!((request.host.as_str(), request.port), (host, port));
            assert_eq!(request.kind, RequestKind::Tunnel);
        }
    }

    #[test]
    fn a_plain_request_gets_the_host_of_its_address() {
        let request = parse(
            "GET HTTP://a.org:81/x?y HTTP/1.1\r\nHost: other.org\r\nProxy-Authorization: secret\r\n\
             Proxy-Connection: keep-alive\r\nAccept: */*\r\n\r\n",
        )
        .unwrap();
        assert_eq!((request.host.as_str(), request.port), ("a.org", 81));
        let header = "GET /x?y HTTP/1.1\r\nHost: a.org:81\r\nConnection: close\r\n\
                      Accept: */*\r\n\r\n";
        assert_eq!(
            request.kind,
            RequestKind::Plain {
                header: header.as_bytes().to_vec()
            }
        );
        let short = parse("GET http://a.org?y HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!((short.host.as_str(), short.port), ("a.org", 80));
    }

    #[test]
    fn a_request_that_could_mean_two_hosts_is_refused() {
        for text in [
            "CONNECT a.org HTTP/1.1",
            "CONNECT a.org:443:80 HTTP/1.1",
            "CONNECT a.org:x HTTP/1.1",
            "CONNECT a.org:0 HTTP/1.1",
            "CONNECT me@a.org:443 HTTP/1.1",
            "CONNECT a.org%00.b.org:443 HTTP/1.1",
            "CONNECT a.org:443\tx HTTP/1.1",
            "CONNECT :443 HTTP/1.1",
            "CONNECT a.org:443",
            "CONNECT a.org:443 HTTP/2.0",
            "GET /x HTTP/1.1",
            "GET https://a.org/ HTTP/1.1",
            "GET http://me@a.org/ HTTP/1.1",
            "GET http://a.org\\@b.org/ HTTP/1.1",
            "GET http:///x HTTP/1.1",
            "GET http://a.org/ HTTP/1.1\r\nA: b\nHost: c.org",
            "GET http://a.org/ HTTP/1.1\r\nno name",
            "",
        ] {
            assert!(parse(&format!("{text}\r\n\r\n")).is_err(), "{text:?}");
        }
    }
}
