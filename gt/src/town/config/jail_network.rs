//! Defines which hosts a jailed program reaches, and reads the lists of hosts in settings.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

/// The ports of an entry without one: those of HTTPS and HTTP.
const DEFAULT_PORTS: [u16; 2] = [443, 80];

/// The most letters of a name in the DNS.
const MAX_NAME: usize = 253;

/// The network of a jailed program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkAccess {
    /// The network of the machine.
    #[default]
    Full,
    /// Only these hosts. An empty list is no network at all.
    Hosts(HostList),
}

impl NetworkAccess {
    /// Parses the value of `sandbox.jail_network`. None if it is not valid.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "full" => Some(Self::Full),
            "none" => Some(Self::Hosts(HostList::default())),
            text => {
                let entries = text.split([',', ' ']).filter(|entry| !entry.is_empty());
                let hosts = HostList::parse(entries)?;
                (!hosts.is_empty()).then_some(Self::Hosts(hosts))
            }
        }
    }
}

/// A list of the hosts that a program reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostList(Vec<ListedHost>);

/// An entry of a list: `host`, `*.host`, `*` or an address, with `:port` at the end for one port. A name
/// without a dot needs a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct ListedHost {
    name: ListedName,
    /// None stands for [`DEFAULT_PORTS`].
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ListedName {
    /// All names, but no addresses.
    Any,
    /// All names below one.
    Below(String),
    Host(String),
    Address(IpAddr),
}

impl HostList {
    /// Parses entries. None if one of them is not valid.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let hosts = entries.into_iter().map(ListedHost::parse);
        hosts.collect::<Option<_>>().map(Self)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the entries of another list.
    pub fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Returns true if an entry has the host, by its name or, for an address, by the address.
    pub fn allows_host(&self, host: &str, port: u16) -> bool {
        let host = HostName::parse(host);
        if matches!(&host, HostName::Name(name) if parse_name(name).is_none()) {
            return false;
        }
        self.0.iter().any(|listed| {
            listed.has_port(port)
                && match (&listed.name, &host) {
                    (ListedName::Address(listed), HostName::Address(address)) => listed == address,
                    (ListedName::Host(listed), HostName::Name(name)) => listed == name,
                    (ListedName::Below(listed), HostName::Name(name)) => name
                        .strip_suffix(listed)
                        .is_some_and(|start| start.len() > 1 && start.ends_with('.')),
                    (ListedName::Any, HostName::Name(_)) => true,
                    _ => false,
                }
        })
    }

    /// Returns true if a connection to an address of an allowed host may be made. The owner of a name
    /// decides its addresses, so those of this machine and of private networks must be listed
    /// themselves. The name `localhost` stands for the loopback.
    pub fn allows_address(&self, host: &str, address: IpAddr, port: u16) -> bool {
        let address = address.to_canonical();
        let is_listed = self
            .0
            .iter()
            .any(|listed| listed.has_port(port) && listed.name == ListedName::Address(address));
        let is_localhost = HostName::parse(host) == HostName::Name("localhost".to_owned());
        let listed_localhost = ListedName::Host("localhost".to_owned());
        let has_localhost = self
            .0
            .iter()
            .any(|listed| listed.has_port(port) && listed.name == listed_localhost);
        is_listed || is_public(address) || is_localhost && has_localhost && address.is_loopback()
    }
}

impl ListedHost {
    fn parse(text: &str) -> Option<Self> {
        let (host, port) = split_port(text)?;
        let name = match host.strip_prefix("*.") {
            _ if host == "*" => ListedName::Any,
            Some(below) => ListedName::Below(parse_name(below)?),
            None => match HostName::parse(host) {
                HostName::Address(address) => ListedName::Address(address),
                HostName::Name(name) => ListedName::Host(parse_name(&name)?),
            },
        };
        // `off` and `None` are mistakes, not hosts.
        let is_word = match &name {
            ListedName::Host(name) => !name.contains('.') && name != "localhost",
            _ => false,
        };
        (!is_word || port.is_some()).then_some(Self { name, port })
    }

    fn has_port(&self, port: u16) -> bool {
        match self.port {
            Some(listed) => listed == port,
            None => DEFAULT_PORTS.contains(&port),
        }
    }
}

/// A host as a program names it.
#[derive(Debug, PartialEq, Eq)]
enum HostName {
    /// In lower case, without a dot at the end.
    Name(String),
    Address(IpAddr),
}

impl HostName {
    fn parse(text: &str) -> Self {
        let bare = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
            .unwrap_or(text);
        match bare.parse::<IpAddr>() {
            Ok(address) => Self::Address(address.to_canonical()),
            Err(_) => Self::Name(text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase()),
        }
    }
}

/// Splits `host:port`. The port is none if there is none. An IPv6 address is in brackets, or has no
/// port.
pub fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    if text.parse::<Ipv6Addr>().is_ok() || text.ends_with(']') {
        return Some((text, None));
    }
    match text.rsplit_once(':') {
        None => Some((text, None)),
        Some((host, port)) => {
            let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            let port: u16 = port.parse().ok().filter(|_| is_number)?;
            (port != 0).then_some((host, Some(port)))
        }
    }
}

/// Returns a name in lower case. None if it is not one of the DNS.
fn parse_name(text: &str) -> Option<String> {
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let name = text.strip_suffix('.').unwrap_or(text);
    // The resolver reads a name whose last part is a number as an address.
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = name.len() <= MAX_NAME && name.split('.').all(is_label) && !is_number;
    is_name.then(|| name.to_ascii_lowercase())
}

/// Returns true for an address of the public internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_reserved = match (first, second) {
        // Shared by providers; protocols; measurements.
        (100, 64..128) | (198, 18..20) => true,
        (192, 0) => third == 0,
        _ => first == 0 || first >= 224,
    };
    !(is_reserved
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let [.., high, low] = parts;
    // A translator of the network reaches the IPv4 address at its end.
    if parts[..6] == [0x64, 0xff9b, 0, 0, 0, 0] {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    match parts {
        // Teredo and other protocols, documentation, 6to4.
        [0x2001, second, ..] => second >= 0x200 && second != 0xdb8,
        [0x2002, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

impl fmt::Display for ListedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            ListedName::Any => f.write_str("*")?,
            ListedName::Below(name) => write!(f, "*.{name}")?,
            ListedName::Host(name) => f.write_str(name)?,
            ListedName::Address(IpAddr::V6(address)) => write!(f, "[{address}]")?,
            ListedName::Address(address) => write!(f, "{address}")?,
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

impl From<ListedHost> for String {
    fn from(host: ListedHost) -> Self {
        host.to_string()
    }
}

impl TryFrom<String> for ListedHost {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| {
            format!("`{text}` is not a host, such as `api.example.com` or `*.example.com:443`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> HostList {
        match NetworkAccess::parse(text) {
            Some(NetworkAccess::Hosts(hosts)) => hosts,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn an_entry_allows_its_names_and_ports_only() {
        let list = hosts("api.example.com, *.npmjs.org db.example.com:5432,10.0.0.7:80,[::1]:9");
        for (host, port) in [
            ("api.example.com", 443),
            ("API.example.com.", 80),
            ("registry.npmjs.org", 443),
            ("a.b.npmjs.org", 443),
            ("db.example.com", 5432),
            ("10.0.0.7", 80),
            ("[::1]", 9),
            ("::ffff:10.0.0.7", 80),
        ] {
            assert!(list.allows_host(host, port), "{host}:{port}");
        }
        for (host, port) in [
            ("example.com", 443),
            ("api.example.com", 22),
            ("xapi.example.com", 443),
            ("api.example.com.evil.org", 443),
            ("npmjs.org", 443),
            (".npmjs.org", 443),
            ("evilnpmjs.org", 443),
            ("db.example.com", 443),
            ("10.0.0.7", 443),
            ("10.0.0.8", 80),
            ("167772167", 80),
            ("[::1]", 443),
            ("api.example.com\0.evil.org", 443),
            ("", 443),
        ] {
            assert!(!list.allows_host(host, port), "{host}:{port}");
        }
        assert!(hosts("*").allows_host("anything.org", 443));
        assert!(!hosts("*").allows_host("1.1.1.1", 443));
        assert!(!hosts("none").allows_host("anything.org", 443));
    }

    #[test]
    fn a_name_leads_to_no_address_of_this_machine_or_a_private_network() {
        let list = hosts("*,localhost:8080,10.0.0.7");
        let allows = |host: &str, address: &str, port| {
            list.allows_address(host, address.parse().unwrap(), port)
        };
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.0.0.8",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "fe80::1",
            "fc00::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2002:7f00:1::",
        ] {
            assert!(!allows("rebound.org", address, 443), "{address}");
        }
        for address in ["1.1.1.1", "2606:4700::1111", "64:ff9b::101:101", "10.0.0.7"] {
            assert!(allows("rebound.org", address, 443), "{address}");
        }
        assert!(allows("localhost", "127.0.0.1", 8080) && allows("localhost", "::1", 8080));
        assert!(!allows("localhost", "127.0.0.1", 443));
        assert!(!allows("rebound.org", "127.0.0.1", 8080));
    }

    #[test]
    fn a_list_is_read_back_as_it_was_written() {
        let access = NetworkAccess::Hosts(hosts("a.org,*.b.org:22,*,[::1]:9,10.0.0.1"));
        let text = serde_json::to_string(&access).unwrap();
        assert_eq!(
            text,
            r#"{"hosts":["a.org","*.b.org:22","*","[::1]:9","10.0.0.1"]}"#
        );
        assert_eq!(
            serde_json::from_str::<NetworkAccess>(&text).unwrap(),
            access
        );
    }

    #[test]
    fn entries_that_name_no_host_are_refused() {
        for text in [
            "",
            ",",
            "https://a.org",
            "a.org/path",
            "a.org:0",
            "a.org:x",
            "a.org:+1",
            "a.org:70000",
            "*a.org",
            "a.*.org",
            "me@a.org",
            "10.0.0.0/8",
            "127.1",
            "2130706433",
            "a..org",
            "full,a.org",
            "off",
            "None",
            "ä.org",
        ] {
            assert_eq!(NetworkAccess::parse(text), None, "{text}");
        }
    }
}
