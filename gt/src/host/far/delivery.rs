//! Delivers the calls that waited for the town: a worker handed in its work during a cut.

use std::fs;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use kit::gateway::{Frame, FrameError};
use kit::sys::file;

use super::pipe::Pipe;
use super::protocol::{TownRequest, write_line};

/// The time that a list of sessions waits for the first round.
const ROUND_TIMEOUT: Duration = Duration::from_secs(15);

/// Counts the rounds in which calls were delivered.
#[derive(Debug, Default)]
pub(super) struct Deliveries {
    rounds: Mutex<usize>,
    changed: Condvar,
}

impl Deliveries {
    pub(super) fn note_round(&self) {
        *self.rounds.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Waits for the end of the first round, at most some time.
    pub(super) fn wait(&self) {
        let rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = |rounds: &mut usize| *rounds == 0;
        let waited = self
            .changed
            .wait_timeout_while(rounds, ROUND_TIMEOUT, is_first);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Makes a call of a session that waits in a file, and removes the file.
pub(super) fn deliver_kept_call(pipe: &Pipe, session: &str, kept: &Path) -> anyhow::Result<()> {
    let Some(content) = file::read_file_if_exists(kept)? else {
        return Ok(());
    };
    let mut frames = content.as_slice();
    let call = Frame::read(&mut frames)?;
    let mut stream = pipe.open()?;
    let session = session.to_owned();
    write_line(&mut stream, &TownRequest::Call { session })?;
    call.write(&mut stream)?;
    loop {
        match Frame::read(&mut stream)? {
            Frame::WantFiles => loop {
                match Frame::read(&mut frames) {
                    Ok(sent) => sent.write(&mut stream)?,
                    Err(FrameError::Ended) => break,
                    Err(error) => return Err(error).context("the kept call is damaged"),
                }
            },
            Frame::WantInput => Frame::Input(Vec::new()).write(&mut stream)?,
            Frame::Exit(_) | Frame::RunHere => break,
            Frame::Failed(reason) => anyhow::bail!(reason),
            _ => {}
        }
    }
    Ok(fs::remove_file(kept)?)
}
