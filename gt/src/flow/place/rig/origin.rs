//! Clones a new rig's repository from its origin, and checks that the town supports it.

use std::path::{Path, PathBuf};

use bd::git::{Git, GitError, Identity, redact_urls};
use kit::sys::Env;

use super::RigError;

/// A repository with a work tree on this machine that may become a rig.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalRepository {
    pub root: PathBuf,
    /// The URL of its origin.
    pub remote: Option<String>,
}

impl LocalRepository {
    /// Returns the URL of its origin, otherwise its path.
    pub fn url(&self) -> String {
        let remote = self.remote.clone();
        remote.unwrap_or_else(|| self.root.display().to_string())
    }
}

/// Returns the repository around a folder.
pub fn find_repository_around(folder: &Path) -> Option<LocalRepository> {
    let root = Git::at(folder).top().ok()?;
    Some(LocalRepository {
        remote: Git::at(&root).remote_url("origin").ok().flatten(),
        root,
    })
}

/// The origin of a new rig's repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RigOrigin {
    /// A remote that work is pushed to.
    Remote(String),
    /// No remote: the rig's own repository is canonical. It starts as a copy of another one, or
    /// empty.
    Local(Option<PathBuf>),
}

impl RigOrigin {
    /// Parses the user's argument. A path becomes absolute, because git runs in another folder.
    pub(super) fn parse(url: Option<&str>, no_remote: bool, env: &Env) -> Self {
        match url {
            None => Self::Local(None),
            Some(url) if no_remote => Self::Local(Some(
                find_local_repository(url, env).unwrap_or_else(|| env.make_absolute(url)),
            )),
            Some(url) => Self::Remote(match find_local_repository(url, env) {
                Some(path) => path.to_string_lossy().into_owned(),
                None => url.to_owned(),
            }),
        }
    }

    /// Returns the origin's name for messages, without a password.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Remote(url) => redact_urls(url),
            Self::Local(Some(path)) => path.display().to_string(),
            Self::Local(None) => "the new repository".to_owned(),
        }
    }

    /// Clones the origin into `repo` and returns the branch that work is merged into: `branch`, or
    /// the default. Fails if the branch does not exist, if it uses git-lfs and that is not
    /// installed, or if it is checked out in the origin and git would reject pushes to it.
    pub(super) fn clone_into(&self, repo: &Git, branch: Option<&str>) -> anyhow::Result<String> {
        match self {
            Self::Remote(url) => repo.clone_bare(url)?,
            Self::Local(source) => {
                let head_branch = match source {
                    Some(source) => Git::at(source).head_branch()?,
                    None => None,
                };
                let initial_branch = branch
                    .map(str::to_owned)
                    .or(head_branch)
                    .unwrap_or_else(|| "main".to_owned());
                repo.import_bare(
                    source.as_deref(),
                    &initial_branch,
                    &initial_commit_identity(),
                )?;
                if let Some(source) = source
                    && repo.uses_lfs(&initial_branch)?
                    && repo.can_use_lfs()
                {
                    repo.copy_lfs_files(source)?;
                }
            }
        }
        let target_branch = self.find_branch(repo, branch)?;
        self.check_supported(repo, &target_branch)?;
        Ok(target_branch)
    }

    /// Returns the name of the ref that holds a branch of the origin in the rig's repository.
    fn branch_ref_name(&self, branch: &str) -> String {
        match self {
            Self::Remote(_) => format!("refs/remotes/origin/{branch}"),
            Self::Local(_) => format!("refs/heads/{branch}"),
        }
    }

    fn find_branch(&self, repo: &Git, requested: Option<&str>) -> anyhow::Result<String> {
        let url = self.describe();
        if let Some(branch) = requested {
            if repo.resolve(&self.branch_ref_name(branch))?.is_some() {
                return Ok(branch.to_owned());
            }
            let branch = branch.to_owned();
            return Err(RigError::NoBranch { url, branch }.into());
        }
        let default = repo.default_branch()?;
        for branch in default
            .into_iter()
            .chain(["main".to_owned(), "master".to_owned()])
        {
            if repo.resolve(&self.branch_ref_name(&branch))?.is_some() {
                return Ok(branch);
            }
        }
        Err(RigError::Empty { url }.into())
    }

    fn check_supported(&self, repo: &Git, branch: &str) -> anyhow::Result<()> {
        let url = self.describe();
        let tip = self.branch_ref_name(branch);
        match find_unsupported_feature(repo, &tip)? {
            Some(what) => Err(RigError::Unsupported { url, what }.into()),
            None => self.check_not_checked_out(branch),
        }
    }

    /// Refuses a branch that is checked out in its repository, because git rejects pushes to it
    /// unless configured otherwise.
    fn check_not_checked_out(&self, branch: &str) -> anyhow::Result<()> {
        let Self::Remote(url) = self else {
            return Ok(());
        };
        let path = PathBuf::from(url);
        if !path.is_absolute() || !path.is_dir() {
            return Ok(());
        }
        let git = Git::at(&path);
        if git.is_bare()? || git.head_branch()?.as_deref() != Some(branch) {
            return Ok(());
        }
        let setting = git.config_get("receive.denyCurrentBranch")?;
        if matches!(
            setting.as_deref(),
            Some("updateInstead" | "warn" | "ignore" | "false")
        ) {
            return Ok(());
        }
        let branch = branch.to_owned();
        Err(RigError::CheckedOut { path, branch }.into())
    }
}

/// Returns the existing local folder that a URL or a path names. Returns `None` for a remote, and
/// for a folder that does not exist.
fn find_local_repository(url: &str, env: &Env) -> Option<PathBuf> {
    if let Some(path) = url.strip_prefix("file://") {
        return Some(PathBuf::from(path)).filter(|path| path.is_dir());
    }
    let path = env.make_absolute(url);
    let is_remote = url.contains("://") || !Path::new(url).exists() && url.contains(':');
    (!is_remote && path.is_dir()).then(|| path.canonicalize().unwrap_or(path))
}

/// Returns the git identity for the first commit of a rig without an origin.
fn initial_commit_identity() -> Identity {
    Identity {
        name: "Gas Town".to_owned(),
        email: "town@gastown.local".to_owned(),
    }
}
/// Returns the program without which the files of a commit would not be whole, if it is not
/// installed.
pub(crate) fn find_unsupported_feature(
    git: &Git,
    commit: &str,
) -> Result<Option<&'static str>, GitError> {
    let is_missing = git.uses_lfs(commit)? && !git.can_use_lfs();
    Ok(is_missing.then_some("git-lfs"))
}
