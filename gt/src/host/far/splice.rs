//! Connects two sockets.

use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread;

/// Passes bytes between two sockets until both directions have ended.
pub(crate) fn splice(one: UnixStream, other: UnixStream) -> io::Result<()> {
    let back = (other.try_clone()?, one.try_clone()?);
    let returning = thread::Builder::new().spawn(move || pass(back.0, back.1))?;
    pass(one, other);
    // The thread does not panic, and its end is all that matters.
    returning.join().ok();
    Ok(())
}

/// Passes bytes in one direction. Either side may be gone.
fn pass(mut from: UnixStream, mut to: UnixStream) {
    let copied = io::copy(&mut from, &mut to);
    to.shutdown(Shutdown::Write).ok();
    if copied.is_err() {
        from.shutdown(Shutdown::Both).ok();
        to.shutdown(Shutdown::Both).ok();
    }
}
