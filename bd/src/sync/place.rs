//! The place to which a store's beads are committed: repository, branch, path and remote.

use std::path::{Path, PathBuf};

use super::SyncError;
use crate::config::Config;
use crate::git::Git;
use crate::store::find::GitPlace;

/// The maximum length of a branch name.
const MAX_BRANCH_NAME: usize = 255;

/// The place to which a store's beads are committed.
#[derive(Debug, Clone)]
pub struct SyncPlace {
    pub git: Git,
    /// The path of the beads folder in the repository: empty, or with a final slash.
    pub prefix: String,
    pub branch: String,
}

impl SyncPlace {
    /// Determines the place of a beads folder from its settings.
    pub fn for_folder(dir: &Path, config: &Config) -> Result<Self, SyncError> {
        let branch = config.sync_branch().ok_or(SyncError::Off)?;
        check_name(&branch)?;
        let dir = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        if let Some(repository) = shared_repository(&dir) {
            let name = dir.file_name().unwrap_or_default().to_string_lossy();
            return Ok(Self {
                git: Git::at(repository),
                prefix: format!("{name}/"),
                branch,
            });
        }
        if GitPlace::around(&dir).root.is_none() {
            return Err(SyncError::NotInGit { dir });
        }
        let git = Git::at(&dir);
        let prefix = git.prefix()?;
        Ok(Self {
            git,
            prefix,
            branch,
        })
    }

    /// The full ref name of the branch.
    pub fn reference(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    /// The remote-tracking ref of the branch.
    pub fn tracking(&self, remote: &str) -> String {
        format!("refs/remotes/{remote}/{}", self.branch)
    }

    /// Fails if the branch is checked out.
    pub fn refuse_checked_out(&self) -> Result<(), SyncError> {
        match self.git.checked_out_worktree(&self.branch)? {
            None => Ok(()),
            Some(path) => Err(SyncError::CheckedOut {
                branch: self.branch.clone(),
                path,
            }),
        }
    }

    /// Returns the remote of the branch: the one in git's configuration, `origin`, or the only one.
    pub fn remote(&self) -> Result<Option<String>, SyncError> {
        let mut names = self.git.remotes()?;
        let configured = self
            .git
            .config_get(&format!("branch.{}.remote", self.branch))?;
        for wanted in configured.into_iter().chain(["origin".to_owned()]) {
            if names.contains(&wanted) {
                return Ok(Some(wanted));
            }
        }
        if names.len() > 1 {
            return Err(SyncError::Remotes {
                branch: self.branch.clone(),
                names,
            });
        }
        Ok(names.pop())
    }

    /// Returns true if the repository of a beads folder belongs to its project and does not merely
    /// enclose it. Only checks files.
    pub fn is_own(dir: &Path) -> bool {
        shared_repository(dir).is_some() || GitPlace::around(dir).root.as_deref() == dir.parent()
    }
}

/// Returns the bare repository that the worktrees of a rig share, if the folder is the rig's own.
fn shared_repository(dir: &Path) -> Option<PathBuf> {
    let repository = dir.parent()?.join(".repo.git");
    repository.join("HEAD").is_file().then_some(repository)
}

/// Fails for invalid branch names and for branches that users work on.
fn check_name(name: &str) -> Result<(), SyncError> {
    let refused = |reason| {
        Err(SyncError::Name {
            name: name.to_owned(),
            reason,
        })
    };
    if ["main", "master", "HEAD"].contains(&name) {
        return refused("work is done there; beads need a branch of their own");
    }
    let ends = [name.chars().next(), name.chars().next_back()];
    let is_branch = name.len() <= MAX_BRANCH_NAME
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".-_/".contains(c))
        && ends
            .into_iter()
            .all(|c| c.is_some_and(|c| c.is_ascii_alphanumeric()))
        && !["..", "//", "/.", "./"]
            .iter()
            .any(|odd| name.contains(odd))
        && name
            .split('/')
            .all(|part| part.strip_suffix(".lock").is_none());
    if is_branch {
        Ok(())
    } else {
        refused(
            "it has to begin and end with a letter or digit, with nothing but '.', '-', '_' and '/' inside",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_names_are_validated() {
        for good in ["beads-sync", "b", "team/beads.v2"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in [
            "main", "master", "HEAD", "", "-x", "x-", "a..b", "a b", "a//b", "x.lock",
        ] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
