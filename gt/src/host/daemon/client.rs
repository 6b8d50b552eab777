//! Sends requests to the daemon and blocks briefly for the answer.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::protocol::{DaemonAnswer, DaemonRequest, LINE_LIMIT};
use super::socket_path;
use crate::town::Town;

/// The time limit for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends a request to the daemon. Without a daemon, the error is of the kind `NotFound` or
/// `ConnectionRefused`.
pub fn ask_daemon(town: &Town, request: &DaemonRequest) -> io::Result<DaemonAnswer> {
    let mut stream = UnixStream::connect(socket_path(town))?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = String::new();
    let limit = u64::try_from(LINE_LIMIT).unwrap_or(u64::MAX);
    BufReader::new(stream).take(limit).read_line(&mut answer)?;
    Ok(serde_json::from_str(&answer)?)
}

/// Asks a running daemon to check the town now. Errors are ignored, because file events and the
/// next command have the same effect.
pub fn wake_daemon(town: &Town) {
    ask_daemon(town, &DaemonRequest::Wake).ok();
}
