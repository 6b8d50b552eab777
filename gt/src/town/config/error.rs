//! Defines the errors of settings.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("cannot read {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The file is not valid JSON for settings.
    #[error("{} is not valid: {source}", path.display())]
    Invalid {
        path: PathBuf,
        source: serde_json::Error,
    },
    /// An unknown key below `merge_queue`.
    #[error("{}: there is no setting {key}: the nearest is {near}; correct it or take it out", path.display())]
    UnknownKey {
        path: PathBuf,
        key: String,
        /// The most similar known key.
        near: String,
    },
    /// Gates are in a place that is not read.
    #[error("{}: gates at {key} are not run: move them to {to}", path.display())]
    Misplaced {
        path: PathBuf,
        key: String,
        to: String,
    },
    /// A value requests something that the queue does not support.
    #[error("{}: {key} is `{text}`, which the merge queue does not do: {instead}", path.display())]
    Unsupported {
        path: PathBuf,
        key: String,
        text: String,
        instead: &'static str,
    },
    /// A gate has no command.
    #[error("{}: the gate {key} has no command: set {key}.cmd, or take the gate out", path.display())]
    NoCommand { path: PathBuf, key: String },
    /// A value requests something that the queue does not support.
    #[error("{}: {key} is `{text}`; use {expected}", path.display())]
    BadValue {
        path: PathBuf,
        key: String,
        text: String,
        expected: String,
    },
    /// A cached path is outside of the tree.
    #[error("{}: `{text}` in {key} is not a path below the tree; use one such as `target` or `web/node_modules`", path.display())]
    CachePath {
        path: PathBuf,
        key: String,
        text: String,
    },
    #[error("{}: `{text}` of {key} is not a duration such as 30s or 10m", path.display())]
    Duration {
        path: PathBuf,
        key: String,
        text: String,
    },
}
