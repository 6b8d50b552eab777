//! Ensures one daemon instance per town, and writes its state files.

use std::path::Path;

use gt::host::daemon::{DaemonState, lock_path, pid_path, state_path};
use gt::town::Town;
use gt::town::lock::{Lock, LockError};
use kit::json::to_pretty_json;
use kit::sys::file;

/// The running daemon's lock on its town, with its state.
pub(crate) struct DaemonInstance {
    _lock: Lock,
    state: DaemonState,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum DaemonError {
    #[error("another daemon watches this town already (`gt daemon status`)")]
    AlreadyRunning,
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

impl DaemonInstance {
    /// Locks the town, or fails if another daemon has it. The lock file is never removed: a second
    /// file of that name would let two daemons hold the lock.
    pub(crate) fn take(town: &Town) -> Result<Self, DaemonError> {
        file::create_folder(&town.layout.daemon(), 0o700).map_err(anyhow::Error::from)?;
        let lock = match Lock::try_take(&lock_path(&town.layout)) {
            Ok(lock) => lock,
            Err(LockError::Held { .. }) => return Err(DaemonError::AlreadyRunning),
            Err(error) => return Err(DaemonError::Other(error.into())),
        };
        let pid = std::process::id();
        write_info(town, &pid_path(&town.layout), &format!("{pid}\n"));
        let state = DaemonState::started(town, pid);
        let instance = Self { _lock: lock, state };
        instance.save(town);
        Ok(instance)
    }

    /// Counts a pass.
    pub(crate) fn count_pass(&mut self, town: &Town) {
        self.state.heartbeat_count += 1;
        self.state.last_heartbeat = town.clock.now().to_string();
        self.save(town);
    }

    /// Returns the state as written to the state file.
    pub(crate) fn state(&self) -> &DaemonState {
        &self.state
    }

    /// Records that the daemon has ended.
    pub(crate) fn end(&mut self, town: &Town) -> anyhow::Result<()> {
        self.state.running = false;
        self.save(town);
        file::remove_file(&pid_path(&town.layout))?;
        file::remove_file(&gt::host::daemon::socket_path(town))?;
        Ok(())
    }

    fn save(&self, town: &Town) {
        write_info(
            town,
            &state_path(&town.layout),
            &to_pretty_json(&self.state),
        );
    }
}

/// Writes a file that is only informative. Errors are logged, because a full disk must not end the
/// daemon. Clients can query the socket.
fn write_info(town: &Town, path: &Path, content: &str) {
    if let Err(error) = file::replace_file_relaxed(path, content.as_bytes(), 0o644) {
        let town = town.layout.root().display();
        tracing::warn!(%town, path = %path.display(), %error, "a file that only informs is not written");
    }
}
