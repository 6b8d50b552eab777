//! Determines the git user: the name and address that `git config` returns.
//!
//! The git command costs more than the rest of a small change. Its answer is remembered in
//! `bd-user` in the repository's own folder, as long as the settings files stay unchanged. If the
//! settings include other files, the command is run every time.

use std::path::PathBuf;
use std::time::Duration;

use super::Git;
use super::folders::{GitFolders, find_git_folders};
use kit::sys::{CachedAnswer, Env};

/// The user according to git.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitUser {
    pub name: Option<String>,
    pub email: Option<String>,
}

/// Files that git may read besides the repository's own settings.
const USER_SETTINGS: [(&str, &str); 5] = [
    ("GIT_CONFIG_SYSTEM", ""),
    ("GIT_CONFIG_GLOBAL", ""),
    ("XDG_CONFIG_HOME", "git/config"),
    ("HOME", ".config/git/config"),
    ("HOME", ".gitconfig"),
];

impl Git {
    /// Returns git's user in this folder.
    pub fn user(&self, env: &Env) -> GitUser {
        let folders = find_git_folders(&self.folder).filter(GitFolders::is_repository);
        let Some(folders) = folders.filter(|_| self.env.is_empty()) else {
            return self.user_by_command().0;
        };
        let has_system = env.get("GIT_CONFIG_NOSYSTEM").unwrap_or_default();
        let place = folders.git_dir.join("bd-user");
        let known = CachedAnswer::for_file(place, &list_settings_files(&folders, env), has_system);
        if let Some([name, email]) = known.parts() {
            let value = |text: String| Some(text).filter(|text| !text.is_empty());
            let name = value(name);
            let email = value(email);
            return GitUser { name, email };
        }
        let (user, is_whole) = self.user_by_command();
        if is_whole {
            let [name, email] = [&user.name, &user.email].map(|value| value.as_deref());
            known.store([name.unwrap_or_default(), email.unwrap_or_default()]);
        }
        user
    }

    /// Returns the user from the git command, and true if the answer may be remembered.
    fn user_by_command(&self) -> (GitUser, bool) {
        let keys = r"^(user\.(name|email)|include(if\..*)?\.path)$";
        let call = self.plumbing(["config", "-z", "--get-regexp", keys]);
        // Without git, or without a configured user, other sources apply.
        let records = call.limit(Duration::from_secs(5)).records();
        let is_answer = records.is_ok();
        let records = records.unwrap_or_else(|_| Vec::new());
        let value = |key: &str| {
            let value = records
                .iter()
                .rev()
                .map(|record| record.split_once('\n').unwrap_or((record, "")))
                .find(|(name, _)| *name == key)?
                .1;
            (!value.is_empty()).then(|| value.to_owned())
        };
        let user = GitUser {
            name: value("user.name"),
            email: value("user.email"),
        };
        let includes = records.iter().any(|record| record.starts_with("include"));
        (user, is_answer && !includes)
    }
}

/// Lists the files that determine git's answer.
fn list_settings_files(git: &GitFolders, env: &Env) -> Vec<PathBuf> {
    let named = USER_SETTINGS.iter().filter_map(|(variable, name)| {
        let place = PathBuf::from(env.get(variable)?);
        Some(if name.is_empty() {
            place
        } else {
            place.join(name)
        })
    });
    let usual = [
        PathBuf::from("/etc/gitconfig"),
        git.common.join("config"),
        git.git_dir.join("config.worktree"),
    ];
    named.chain(usual).collect()
}
