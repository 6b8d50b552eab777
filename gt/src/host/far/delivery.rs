//! Delivers the calls that waited for the town: a worker handed in its work during a cut.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use kit::gateway::{Frame, FrameError};
use kit::sys::file;

use super::pipe::Pipe;
use super::protocol::{TownRequest, write_line};

/// The time that a list of sessions waits for deliveries.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(120);

/// Counts the deliveries that are under way.
#[derive(Debug, Default)]
pub(super) struct Deliveries {
    running: Mutex<usize>,
    changed: Condvar,
}

impl Deliveries {
    pub(super) fn begin(
        self: &Arc<Self>,
        deliver: impl FnOnce() -> anyhow::Result<()> + Send + 'static,
    ) {
        self.add(1);
        let deliveries = Arc::clone(self);
        let work = move || {
            // A call that was not delivered waits for the next connection.
            deliver().ok();
            deliveries.add(-1);
        };
        if thread::Builder::new().spawn(work).is_err() {
            self.add(-1);
        }
    }

    fn add(&self, change: isize) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running = running.saturating_add_signed(change);
        self.changed.notify_all();
    }

    /// Waits until none is under way, at most some time.
    pub(super) fn wait(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let is_any = |running: &mut usize| *running > 0;
        let waited = self
            .changed
            .wait_timeout_while(running, DELIVERY_TIMEOUT, is_any);
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
