//! The inner end of the proxy in a jail with a loopback of its own.

use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;

use kit::sys::clock;

use super::{ERROR_PAUSE, pass_both_ways};
use crate::host::connection::{Connection, Listener};

/// The flag of `gt session-wrapper --foreground` that names the socket of the proxy.
pub const RELAY_FLAG: &str = "--relay";

/// Returns the words of our own program that run a program in the foreground of a jail, with a relay.
pub fn relay_args(foreground: &[&str], socket: &Path) -> Vec<OsString> {
    let mut args: Vec<OsString> = foreground.iter().map(OsString::from).collect();
    // The last word ends the options.
    let place = args.len().saturating_sub(1);
    args.splice(place..place, [RELAY_FLAG.into(), socket.into()]);
    args
}

/// Passes the connections to a port of the loopback on to the socket of the proxy, until the process
/// ends. Returns the port.
pub fn open_relay(socket: PathBuf) -> io::Result<u16> {
    let (listener, port) = Listener::bind_port()?;
    thread::Builder::new().spawn(move || {
        loop {
            let Ok(client) = listener.accept() else {
                clock::pause_thread(ERROR_PAUSE);
                continue;
            };
            let socket = socket.clone();
            // The program sees that its connection ended.
            thread::Builder::new()
                .spawn(move || pass_on(client, &socket))
                .ok();
        }
    })?;
    Ok(port)
}

fn pass_on(client: Connection, socket: &Path) {
    let connected = UnixStream::connect(socket);
    connected
        .and_then(|server| pass_both_ways(client, Connection::Socket(server)))
        .ok();
}
