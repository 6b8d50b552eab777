//! Checks out the files that a commit only refers to: submodules, and the files that git-lfs
//! stores. Finds the work of submodules that no remote has.

use super::{Git, GitError, NETWORK};

/// The maximum number of attempts of a command that loses races for the configuration.
const TRIES: usize = 10;

/// Marks a line in the message of a rescue that names the commit of a submodule.
const SUBMODULE_LINE: &str = "Submodule ";

/// The commit that holds the work of one submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmoduleCommit {
    /// The folder in the outer repository.
    pub path: String,
    pub commit: String,
}

impl Git {
    /// Checks out the submodules of HEAD and the files that git-lfs stores. Submodules are reset to
    /// the recorded commits and cleaned: the caller must save their work.
    pub fn complete_checkout(&self) -> Result<(), GitError> {
        if self.folder().join(".gitmodules").is_file() {
            // A worktree of an older commit may have recorded another address.
            self.change_submodules(&["sync", "--recursive"])?;
            self.change_submodules(&["update", "--init", "--recursive", "--force"])?;
            self.plumbing(["submodule", "--quiet", "foreach", "--recursive"])
                .args(["git clean --quiet -f -f -d -x"])
                .run()?;
        }
        if self.uses_lfs("HEAD")? {
            self.set_up_lfs()?;
            self.plumbing(["lfs", "checkout"]).run()?;
            if !self.remotes()?.is_empty() {
                self.plumbing(["lfs", "pull"]).limit(NETWORK).run()?;
            }
        }
        Ok(())
    }

    /// Runs a command that writes the configuration, which all worktrees share. Retries if another
    /// one writes it at the same time.
    fn change_submodules(&self, args: &[&str]) -> Result<(), GitError> {
        let mut tries = 1;
        loop {
            let call = self.plumbing(["submodule", "--quiet"]).args(args);
            match call.limit(NETWORK).run() {
                Err(GitError::Failed { words, .. })
                    if tries < TRIES && words.contains("could not lock config file") => {}
                other => return other,
            }
            tries += 1;
        }
    }

    /// Returns true if git-lfs is installed.
    pub fn can_use_lfs(&self) -> bool {
        let version = self.plumbing(["lfs", "version"]).finish();
        version.is_ok_and(|finished| finished.is_success())
    }

    /// Sets the filters of git-lfs in this repository, because the user may not have set them
    /// globally.
    pub fn set_up_lfs(&self) -> Result<(), GitError> {
        if self.config_get("filter.lfs.process")?.is_some() {
            return Ok(());
        }
        self.plumbing(["lfs", "install", "--local", "--skip-repo"])
            .run()
    }

    /// Copies the files that git-lfs stores for all commits of another local repository.
    pub fn copy_lfs_files(&self, from: &std::path::Path) -> Result<(), GitError> {
        let url = format!("lfs.url=file://{}", from.display());
        self.plumbing(["-c", &url, "lfs", "fetch", "--all"])
            .limit(NETWORK)
            .run()
    }

    /// Uploads the files that git-lfs stores for a commit. Without its own hook, git pushes only
    /// their names.
    pub(super) fn push_lfs_files(&self, remote: &str, commit: &str) -> Result<(), GitError> {
        if !self.uses_lfs(commit)? {
            return Ok(());
        }
        self.plumbing(["lfs", "push", remote, commit])
            .limit(NETWORK)
            .run()
    }

    /// Returns the submodules whose checkout has uncommitted files, or a commit that no remote of
    /// the submodule has. Nested ones are included.
    pub fn submodules_with_work(&self) -> Result<Vec<String>, GitError> {
        let mut found = Vec::new();
        for path in self.index_gitlinks()? {
            let inner = self.in_folder(self.folder().join(&path));
            let is_checked_out = inner.folder().join(".git").exists();
            if !is_checked_out || !self.is_declared_submodule(&path)? {
                continue;
            }
            if !inner.is_clone_without_own_work() && !self.is_known_to_remotes(&inner)? {
                found.push(path.clone());
            }
            let deeper = inner.submodules_with_work()?;
            found.extend(deeper.iter().map(|deeper| format!("{path}/{deeper}")));
        }
        Ok(found)
    }

    /// Returns true if a remote branch of this repository records the clean commit of a submodule.
    /// A shallow submodule has no branch that contains it.
    fn is_known_to_remotes(&self, inner: &Self) -> Result<bool, GitError> {
        let Some(commit) = inner.resolve("HEAD")? else {
            return Ok(true);
        };
        if !inner.status()?.is_empty() {
            return Ok(false);
        }
        let find = format!("--find-object={commit}");
        let call = self.plumbing(["log", "--remotes", "-1", "--format=%H", &find]);
        Ok(!call.text()?.is_empty())
    }

    /// Returns true if a remote of the submodule has the commit that `tip` records for it, so that
    /// everyone can check it out.
    pub fn is_submodule_commit_pushed(&self, tip: &str, path: &str) -> Result<bool, GitError> {
        let inner = self.in_folder(self.folder().join(path));
        let recorded = self.object_at(tip, path)?;
        let (Some(commit), true) = (recorded, inner.folder().join(".git").exists()) else {
            return Ok(false);
        };
        let call = inner.plumbing(["for-each-ref", "--count=1", "--contains", &commit]);
        // A commit that the submodule does not have is an error.
        let finished = call.args(["refs/remotes"]).finish()?;
        Ok(finished.is_success() && !finished.text().is_empty())
    }
}

/// Adds the lines that name the commits of submodules to the message of a rescue.
pub(super) fn add_submodule_lines(message: &str, submodules: &[SubmoduleCommit]) -> String {
    let mut text = message.to_owned();
    for (number, SubmoduleCommit { path, commit }) in submodules.iter().enumerate() {
        let gap = if number == 0 { "\n\n" } else { "\n" };
        text.push_str(&format!("{gap}{SUBMODULE_LINE}{commit} {path}"));
    }
    text
}

/// Parses the lines of [`add_submodule_lines`].
pub(super) fn parse_submodule_lines(message: &str) -> Vec<SubmoduleCommit> {
    let lines = message.lines().skip(1);
    let parsed = lines.filter_map(|line| {
        let (commit, path) = line.strip_prefix(SUBMODULE_LINE)?.split_once(' ')?;
        let is_id = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| SubmoduleCommit {
            path: path.to_owned(),
            commit: commit.to_owned(),
        })
    });
    parsed.collect()
}
