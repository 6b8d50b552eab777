//! Why a demo does not end well.

/// Why a demo could not be made or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The repository cannot be copied.
    #[error("cannot copy the repository {repo}")]
    Copy {
        /// What was given.
        repo: String,
        /// What git said.
        #[source]
        source: bd::git::GitError,
    },
    /// There is nothing to work on.
    #[error("the repository {repo} has no commit on a branch: nothing to work on")]
    Empty {
        /// What was given.
        repo: String,
    },
    /// The convoy did not land in time.
    #[error("the convoy did not land within {seconds}s; {state}")]
    TimedOut {
        /// The limit.
        seconds: u64,
        /// Where it stood.
        state: String,
    },
    /// A worker or a merge is stuck.
    #[error("the demo is stuck: {reason}")]
    Stuck {
        /// Why.
        reason: String,
    },
    /// A signal asked the demo to end: Ctrl-C, or the terminal was closed.
    #[error("interrupted; everything the demo had started is ended")]
    Interrupted,
}
