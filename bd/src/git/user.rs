//! Owns who git's user is here: the name and address that `git config` answers.
//!
//! Asking the git command costs more than everything else that a small change does, so libgit2 reads the files. Where
//! it might answer otherwise than the command (conditional includes, files that variables name, a repository or a file
//! that it cannot read), and where it finds no user, the command is asked.

use std::time::Duration;

use git2::{Config, ConfigLevel, ErrorCode, Repository};

use super::Git;
use crate::sys::Env;

/// Who git says the user is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// `user.name`.
    pub name: Option<String>,
    /// `user.email`.
    pub email: Option<String>,
}

/// Variables that turn the git command, but not libgit2, to other files of settings.
const ELSEWHERE: [&str; 2] = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];

impl Git {
    /// Git's user in this folder.
    pub fn user(&self, env: &Env) -> User {
        let by_library = || {
            let is_elsewhere = ELSEWHERE.iter().any(|name| env.get(name).is_some());
            let is_same = self.env.is_empty() && !is_elsewhere;
            let has_system = env.get("GIT_CONFIG_NOSYSTEM").is_none();
            is_same.then(|| self.user_by_library(has_system)).flatten()
        };
        by_library().unwrap_or_else(|| self.user_by_command())
    }

    /// The user as libgit2 reads it; `None` where only the git command can tell.
    pub(super) fn user_by_library(&self, has_system: bool) -> Option<User> {
        let config = match Repository::discover(&self.folder) {
            Ok(repository) => repository.config(),
            Err(error) if error.code() == ErrorCode::NotFound => Config::open_default(),
            Err(error) => Err(error),
        };
        let config = config.and_then(|mut config| config.snapshot()).ok()?;
        if config.entries(Some("^includeif\\.")).ok()?.next().is_some() {
            return None;
        }
        let value = |key: &str| {
            let of_system = config.get_entry(key).ok()?.level() == ConfigLevel::System;
            let value = config.get_string(key).ok()?;
            (!value.is_empty() && (has_system || !of_system)).then_some(value)
        };
        let (name, email) = (value("user.name")?, value("user.email")?);
        Some(User {
            name: Some(name),
            email: Some(email),
        })
    }

    fn user_by_command(&self) -> User {
        let call = self.plumbing(["config", "-z", "--get-regexp", "^user\\.(name|email)$"]);
        // Without git, or without a user there, other sources stand in.
        let records = call.limit(Duration::from_secs(5)).records();
        let records = records.unwrap_or_default();
        let value = |key: &str| {
            let settings = records.iter().rev().map(|record| {
                let (name, value) = record.split_once('\n').unwrap_or((record, ""));
                (name, value.to_owned())
            });
            let mut settings = settings.filter(|(name, _)| *name == key);
            settings
                .next()
                .map(|(_, value)| value)
                .filter(|value| !value.is_empty())
        };
        User {
            name: value("user.name"),
            email: value("user.email"),
        }
    }
}
