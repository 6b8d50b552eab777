//! A box behind a unix socket, for engines whose pipes end what they started: the processes of a job step
//! of Slurm end with the step. The sessions belong to the process that listens.

use std::fs;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use kit::sys::{ChildCommand, clock, file};

/// The time in which a box that was just started begins to listen.
const START_TIMEOUT: Duration = Duration::from_secs(15);

/// Starts `gt box serve` for each connection to a socket, which only its owner can reach.
pub fn listen_for_towns(exe: &Path, args: &[String], socket: &Path) -> anyhow::Result<()> {
    file::remove_file(socket)?;
    let listener = UnixListener::bind(socket)
        .with_context(|| format!("cannot listen at {}", socket.display()))?;
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))?;
    for connection in listener.incoming().flatten() {
        let command = ChildCommand::new(exe).args(["box", "serve"]).args(args);
        // A town that is refused sees the end of its connection.
        thread::Builder::new()
            .spawn(move || pass_to_child(command, &connection))
            .ok();
    }
    Ok(())
}

fn pass_to_child(command: ChildCommand, connection: &UnixStream) -> anyhow::Result<()> {
    let (child, streams) = command.start()?;
    let incoming = connection.try_clone()?;
    let mut stdin = streams.stdin;
    thread::Builder::new().spawn(move || pass_all(incoming, &mut stdin))?;
    let stderr = streams.stderr;
    thread::Builder::new().spawn(move || pass_all(stderr, &mut io::stderr()))?;
    pass_all(streams.stdout, &mut &*connection).ok();
    // The other side may have closed it.
    connection.shutdown(Shutdown::Both).ok();
    child.wait()?;
    Ok(())
}

/// Connects the standard input and output with the socket of a box, which may be just starting.
pub fn connect_to_box(socket: &Path) -> anyhow::Result<()> {
    let stream = clock::wait_for(START_TIMEOUT, || UnixStream::connect(socket).ok());
    let stream = stream.with_context(|| format!("no box listens at {}", socket.display()))?;
    let outgoing = stream.try_clone()?;
    thread::Builder::new().spawn(move || {
        pass_all(io::stdin(), &mut &outgoing).ok();
        // The box may have closed it.
        outgoing.shutdown(Shutdown::Write).ok();
    })?;
    Ok(pass_all(stream, &mut io::stdout())?)
}

/// Passes each part of a stream at once.
fn pass_all(mut from: impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut part = vec![0; 1 << 16];
    loop {
        match from.read(&mut part)? {
            0 => return Ok(()),
            length => to.write_all(&part[..length])?,
        }
        to.flush()?;
    }
}
