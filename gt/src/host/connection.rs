//! Connections of programs in a jail, by a unix socket or a port of the loopback.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use kit::sys::file;

pub(in crate::host) enum Listener {
    Socket(UnixListener),
    Port(TcpListener),
}

impl Listener {
    /// Listens on a socket that only its owner reaches. An earlier one is replaced.
    pub(in crate::host) fn bind_socket(path: &Path) -> io::Result<Self> {
        file::remove_file(path)?;
        let listener = UnixListener::bind(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        Ok(Self::Socket(listener))
    }

    /// Listens on a free port of the loopback, which is returned, too.
    pub(in crate::host) fn bind_port() -> io::Result<(Self, u16)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        Ok((Self::Port(listener), port))
    }

    pub(in crate::host) fn accept(&self) -> io::Result<Connection> {
        match self {
            Self::Socket(listener) => listener
                .accept()
                .map(|(stream, _)| Connection::Socket(stream)),
            Self::Port(listener) => listener.accept().map(|(stream, _)| {
                // Small messages go at once. An error only makes them late.
                stream.set_nodelay(true).ok();
                Connection::Port(stream)
            }),
        }
    }
}

#[derive(Debug)]
pub(in crate::host) enum Connection {
    Socket(UnixStream),
    Port(TcpStream),
}

impl Connection {
    pub(in crate::host) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Socket(stream) => Self::Socket(stream.try_clone()?),
            Self::Port(stream) => Self::Port(stream.try_clone()?),
        })
    }

    /// Limits the time that a read waits.
    pub(in crate::host) fn limit_reads(&self, limit: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Socket(stream) => stream.set_read_timeout(limit),
            Self::Port(stream) => stream.set_read_timeout(limit),
        }
    }

    /// Ends what this side sends.
    pub(in crate::host) fn close_writes(&self) {
        // The caller may have closed it.
        match self {
            Self::Socket(stream) => stream.shutdown(Shutdown::Write).ok(),
            Self::Port(stream) => stream.shutdown(Shutdown::Write).ok(),
        };
    }

    /// Limits the time that a write waits.
    pub(in crate::host) fn limit_writes(&self, limit: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Socket(stream) => stream.set_write_timeout(limit),
            Self::Port(stream) => stream.set_write_timeout(limit),
        }
    }

    /// Ends the connection, also for those that wait for it.
    pub(in crate::host) fn close(&self) {
        // The caller may have closed it.
        match self {
            Self::Socket(stream) => stream.shutdown(Shutdown::Both).ok(),
            Self::Port(stream) => stream.shutdown(Shutdown::Both).ok(),
        };
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Socket(stream) => stream.read(buffer),
            Self::Port(stream) => stream.read(buffer),
        }
    }
}

impl Write for Connection {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Socket(stream) => stream.write(buffer),
            Self::Port(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Socket(stream) => stream.flush(),
            Self::Port(stream) => stream.flush(),
        }
    }
}
