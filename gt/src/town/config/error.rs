//! Defines the errors of settings.

use std::fmt;
use std::path::{Path, PathBuf};

/// The place of a setting that an error names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingPlace {
    File {
        path: PathBuf,
        /// The line, from 1 on, if it can be found.
        line: Option<usize>,
    },
    /// An environment variable.
    Environment(String),
}

impl SettingPlace {
    /// Returns a file as a place, without a line.
    pub fn in_file(path: &Path) -> Self {
        Self::File {
            path: path.to_owned(),
            line: None,
        }
    }
}

impl fmt::Display for SettingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File {
                path,
                line: Some(line),
            } => write!(f, "{}:{line}", path.display()),
            Self::File { path, line: None } => write!(f, "{}", path.display()),
            Self::Environment(variable) => write!(f, "environment variable {variable}"),
        }
    }
}

impl SettingsError {
    /// Returns true if the fault stands in this file.
    pub fn is_in(&self, file: &Path) -> bool {
        match self {
            Self::Io { path, .. } | Self::Invalid { path, .. } => path == file,
            Self::UnknownKey { place, .. }
            | Self::NoEffect { place, .. }
            | Self::WrongFile { place, .. }
            | Self::Misplaced { place, .. }
            | Self::Unsupported { place, .. }
            | Self::NoCommand { place, .. }
            | Self::BadValue { place, .. }
            | Self::CachePath { place, .. } => {
                matches!(place, SettingPlace::File { path, .. } if path == file)
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("cannot read {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The file is not valid JSON for settings.
    #[error("{} is not valid: {cause}", path.display())]
    Invalid {
        path: PathBuf,
        cause: serde_json::Error,
    },
    #[error("{place}: there is no setting {key}: the nearest is {near}; correct it or take it out")]
    UnknownKey {
        place: SettingPlace,
        key: String,
        /// The most similar known key.
        near: String,
    },
    /// Nothing reads the key, and nothing is similar to it.
    #[error("{place}: {key} has no effect here")]
    NoEffect { place: SettingPlace, key: String },
    /// The key has an effect in another file only.
    #[error("{place}: {key} has no effect in this file: move it to {}", to.display())]
    WrongFile {
        place: SettingPlace,
        key: String,
        to: PathBuf,
    },
    /// Gates are in a place that is not read.
    #[error("{place}: gates at {key} are not run: move them to {to}")]
    Misplaced {
        place: SettingPlace,
        key: String,
        to: String,
    },
    /// Another version reads the key.
    #[error("{place}: {key} is `{text}`, which has no effect here: {instead}")]
    Unsupported {
        place: SettingPlace,
        key: String,
        /// The value. Only `{...}` for an object, which may hold secrets.
        text: String,
        instead: &'static str,
    },
    /// A gate has no command.
    #[error(
        "{place}: the gate {key} has no command: set {key}.cmd, or take the gate out with `gt config unset {key}.cmd`"
    )]
    NoCommand { place: SettingPlace, key: String },
    /// A value of a wrong type or out of range.
    #[error("{place}: {key} is `{text}`; use {expected}")]
    BadValue {
        place: SettingPlace,
        key: String,
        text: String,
        expected: String,
    },
    /// A cached path is outside of the tree.
    #[error(
        "{place}: `{text}` in {key} is not a path below the tree; use one such as `target` or `web/node_modules`"
    )]
    CachePath {
        place: SettingPlace,
        key: String,
        text: String,
    },
}
