//! Why settings cannot be used.

use std::path::PathBuf;

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The file is not what it should be.
    #[error("{} is not valid: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// A key below `merge_queue` that nobody knows.
    #[error("{}: there is no setting {key}: the nearest is {near}; correct it or take it out", path.display())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The known key that is nearest to it.
        near: String,
    },
    /// Gates are where nothing reads them.
    #[error("{}: gates at {key} are not run: move them to {to}", path.display())]
    Misplaced {
        /// The file.
        path: PathBuf,
        /// Where they are.
        key: String,
        /// Where they belong.
        to: String,
    },
    /// A value asks for something that the queue does not do.
    #[error("{}: {key} is `{text}`, which the merge queue does not do: {instead}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The value there.
        text: String,
        /// What to use instead.
        instead: &'static str,
    },
    /// A gate has nothing to run.
    #[error("{}: the gate {key} has no command: set {key}.cmd, or take the gate out", path.display())]
    NoCommand {
        /// The file.
        path: PathBuf,
        /// The gate.
        key: String,
    },
    /// A value is none of those that there are.
    #[error("{}: {key} is `{text}`; use {expected}", path.display())]
    BadValue {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The value there.
        text: String,
        /// What it may be.
        expected: String,
    },
    /// A path to keep lies outside of the tree.
    #[error("{}: `{text}` in {key} is not a path below the tree; use one such as `target` or `web/node_modules`", path.display())]
    CachePath {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The path there.
        text: String,
    },
    /// A duration cannot be read.
    #[error("{}: `{text}` of {key} is not a duration such as 30s or 10m", path.display())]
    Duration {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What stands there.
        text: String,
    },
}
