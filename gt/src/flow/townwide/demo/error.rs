//! Defines the errors of the demo.

#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("cannot copy the repository {repo}")]
    Copy {
        repo: String,
        #[source]
        source: bd::git::GitError,
    },
    #[error("the repository {repo} has no commit on a branch: nothing to work on")]
    Empty { repo: String },
    #[error("the convoy did not land within {seconds}s; {state}")]
    TimedOut { seconds: u64, state: String },
    #[error("the demo is stuck: {reason}")]
    Stuck { reason: String },
    /// A signal ended the demo: Ctrl-C, or the terminal was closed.
    #[error("interrupted; everything the demo had started is ended")]
    Interrupted,
}
