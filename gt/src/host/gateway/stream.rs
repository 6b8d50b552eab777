//! A connection to a caller.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

pub(super) enum Connection {
    Socket(UnixStream),
    Port(TcpStream),
}

impl Connection {
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Socket(stream) => Self::Socket(stream.try_clone()?),
            Self::Port(stream) => Self::Port(stream.try_clone()?),
        })
    }

    /// Limits the time that a read waits.
    pub(super) fn limit_reads(&self, limit: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Socket(stream) => stream.set_read_timeout(limit),
            Self::Port(stream) => stream.set_read_timeout(limit),
        }
    }

    /// Ends the connection, also for those that wait for it.
    pub(super) fn close(&self) {
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
