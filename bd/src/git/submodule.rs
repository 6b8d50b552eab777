//! Checks out the files that a commit only refers to: submodules, and the files that git-lfs
//! stores. Finds the work of submodules that no remote has.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::run::{path_of_bytes, retry_races};
use super::{Git, GitError, NETWORK};

/// Marks a line in the message of a rescue that names the commit of a submodule.
const SUBMODULE_LINE: &str = "Submodule ";

/// A submodule with work that no remote has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmoduleWork {
    /// The folder in the outer repository.
    pub path: PathBuf,
    /// True if it has uncommitted files.
    pub is_dirty: bool,
    /// The last ones of the commits that no remote has.
    pub own_commits: Vec<String>,
}

/// A commit that holds work of a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmoduleCommit {
    /// The folder in the outer repository.
    pub path: PathBuf,
    pub commit: String,
}

impl Git {
    /// Checks out the submodules of HEAD and the files that git-lfs stores. Submodules are reset to
    /// the recorded commits and cleaned, except for ignored files: the caller must save their work.
    pub fn complete_checkout(&self) -> Result<(), GitError> {
        self.empty_submodule_folders()?;
        let paths = self.declared_submodules()?;
        if !paths.is_empty() {
            // A worktree of an older commit may have recorded another address.
            self.change_submodules(&["sync", "--recursive"], &paths)?;
            self.change_submodules(&["init"], &paths)?;
            self.ask_submodule_remotes(&paths)?;
            self.change_submodules(&["update", "--init", "--recursive", "--force"], &paths)?;
            self.clean_submodules(false)?;
        }
        // A branch without a commit has no files.
        if self.resolve("HEAD")?.is_some() && self.uses_lfs("HEAD")? {
            self.set_up_lfs()?;
            self.plumbing(["lfs", "checkout"]).run()?;
            if !self.remotes()?.is_empty() {
                self.plumbing(["lfs", "pull"]).limit(NETWORK).run()?;
            }
        }
        Ok(())
    }

    /// Asks the remotes of the submodules whose recorded commits are not here. A remote that does
    /// not answer is an error within the time limit of a query, and not only within that of a
    /// clone.
    fn ask_submodule_remotes(&self, paths: &[PathBuf]) -> Result<(), GitError> {
        let names = self.submodule_names()?;
        for path in paths {
            let Some(name) = names.get(path) else {
                continue;
            };
            let inner = self.submodule(path, name);
            let recorded = self.object_at("HEAD", path)?;
            if let Some(commit) = &recorded
                && inner.is_populated()
                && inner.resolve(commit)?.is_some()
            {
                continue;
            }
            if let Some(url) = self.config_get(&format!("submodule.{name}.url"))? {
                self.remote_head(&url)?;
            }
        }
        Ok(())
    }

    /// Removes the untracked files of submodules, and of those inside them.
    pub fn clean_submodules(&self, also_ignored: bool) -> Result<(), GitError> {
        let options = if also_ignored { "-ffdx" } else { "-ffd" };
        for (path, name) in self.declared_submodule_names()? {
            let inner = self.submodule(&path, &name);
            if inner.is_populated() {
                inner.plumbing(["clean", "--quiet", options]).run()?;
                inner.clean_submodules(also_ignored)?;
            }
        }
        Ok(())
    }

    /// Removes the folders of submodules that the checked-out commit does not have any more. Git
    /// leaves them, because they are repositories.
    pub fn remove_left_submodules(&self, before: &[PathBuf]) -> Result<(), GitError> {
        let now = self.declared_submodules()?;
        let left: Vec<&PathBuf> = before.iter().filter(|path| !now.contains(path)).collect();
        if left.is_empty() {
            return Ok(());
        }
        self.plumbing(["--literal-pathspecs", "clean", "--quiet", "-ffd", "--"])
            .args(left)
            .run()
    }

    /// Returns the folders of the submodules in the index that `.gitmodules` declares.
    pub fn declared_submodules(&self) -> Result<Vec<PathBuf>, GitError> {
        let submodules = self.declared_submodule_names()?.into_iter();
        Ok(submodules.map(|(path, _)| path).collect())
    }

    /// Returns the folders of the submodules in the index that `.gitmodules` declares, with their
    /// names.
    pub(super) fn declared_submodule_names(&self) -> Result<Vec<(PathBuf, String)>, GitError> {
        let names = self.submodule_names()?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let links = self.index_gitlinks()?.into_iter();
        Ok(links
            .filter_map(|(path, _)| {
                let name = names.get(&path)?.clone();
                Some((path, name))
            })
            .collect())
    }

    /// Addresses a submodule by its folder, also one inside another submodule.
    pub(super) fn submodule_at(&self, folder: &Path) -> Result<Self, GitError> {
        for (path, name) in self.declared_submodule_names()? {
            if let Ok(rest) = folder.strip_prefix(&path) {
                let inner = self.submodule(&path, &name);
                if rest.as_os_str().is_empty() {
                    return Ok(inner);
                }
                return inner.submodule_at(rest);
            }
        }
        let path = self.folder().join(folder);
        Err(GitError::NotARepository { path })
    }

    /// Runs a command that writes the configuration, which all worktrees share. Retries if another
    /// one writes it at the same time.
    fn change_submodules(&self, args: &[&str], paths: &[PathBuf]) -> Result<(), GitError> {
        let is_race = |words: &str| words.contains("could not lock config file");
        retry_races(is_race, || {
            let call = self.plumbing(["submodule", "--quiet"]).args(args);
            call.args(["--"]).args(paths).limit(NETWORK).run()
        })
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
    pub fn copy_lfs_files(&self, from: &Path) -> Result<(), GitError> {
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

    /// Returns the submodules whose checkout has uncommitted files, or commits that no remote of
    /// the submodule has: of HEAD, branches and stashes. Nested ones are included.
    pub fn submodules_with_work(&self) -> Result<Vec<SubmoduleWork>, GitError> {
        let mut found = Vec::new();
        for (path, name) in self.declared_submodule_names()? {
            let inner = self.submodule(&path, &name);
            if !inner.is_populated() {
                continue;
            }
            let is_dirty = !inner.status()?.is_empty()
                || !inner.hidden_changes()?.is_empty()
                || !inner.inner_repositories()?.is_empty();
            let own_commits = self.find_own_commits(&inner)?;
            for mut deeper in inner.submodules_with_work()? {
                deeper.path = path.join(&deeper.path);
                found.push(deeper);
            }
            if is_dirty || !own_commits.is_empty() {
                found.push(SubmoduleWork {
                    path,
                    is_dirty,
                    own_commits,
                });
            }
        }
        Ok(found)
    }

    /// Returns the commits of HEAD, branches and stashes of a submodule that no remote of it has.
    fn find_own_commits(&self, inner: &Self) -> Result<Vec<String>, GitError> {
        let head_commit = inner.resolve("HEAD")?;
        let branches = inner.plumbing(["for-each-ref", "--format=%(objectname)", "refs/heads"]);
        let branches = branches.text()?;
        let taken = inner.taken_branches()?.unwrap_or_default();
        let taken = taken.into_iter().map(|(_, tip)| tip);
        let stashes = inner.stashes()?.into_iter().map(|stash| stash.commit);
        let mut tips: Vec<String> = head_commit.iter().cloned().collect();
        tips.extend(branches.lines().map(str::to_owned));
        tips.extend(taken);
        tips.extend(stashes);
        tips.sort();
        tips.dedup();
        if tips.is_empty() {
            return Ok(Vec::new());
        }
        let call = inner.plumbing(["rev-list"]).args(&tips);
        let unpushed = call.args(["--not", "--remotes"]).text()?;
        let mut unpushed: HashSet<&str> = unpushed.lines().collect();
        // The commits at which a shallow history ends came from a remote.
        let shallow = inner.common_dir()?.join("shallow");
        let shallow = std::fs::read_to_string(shallow);
        for fetched in shallow.iter().flat_map(|shallow| shallow.lines()) {
            unpushed.remove(fetched);
        }
        if let Some(head_commit) = &head_commit
            && unpushed.contains(&**head_commit)
            && self.is_recorded_by_others(head_commit)?
        {
            unpushed.remove(&**head_commit);
        }
        tips.retain(|tip| unpushed.contains(&**tip));
        Ok(tips)
    }

    /// Returns true if a remote branch records a commit of a submodule. A pinned commit may be on a
    /// tag only. The branches of a town prove nothing, because unfinished work is pushed to them.
    fn is_recorded_by_others(&self, commit: &str) -> Result<bool, GitError> {
        let find = format!("--find-object={commit}");
        let call = self.plumbing(["log", "--exclude=*/polecat/*", "--exclude=*/gt/*"]);
        let call = call.args(["--remotes", "-1", "--format=%H", &find]);
        Ok(!call.text()?.is_empty())
    }

    /// Returns true if a remote of the submodule has the commit that `tip` records for it, so that
    /// everyone can check it out.
    pub fn is_submodule_commit_pushed(&self, tip: &str, path: &Path) -> Result<bool, GitError> {
        let inner = self.submodule_at(path)?;
        let recorded = self.object_at(tip, path)?;
        let (Some(commit), true) = (recorded, inner.is_populated()) else {
            return Ok(false);
        };
        if inner.is_separate() {
            return inner.is_fetched_from_origin(&commit);
        }
        if inner.is_on_remote(&commit)? {
            return Ok(true);
        }
        // The commit may be on a tag only. A tag of the worker is not on the remote.
        let call = inner.plumbing(["for-each-ref", "--contains", &commit]);
        let call = call.args(["--format=%(refname) %(objectname)", "refs/tags"]);
        let tags = call.finish()?;
        if !tags.is_success() || tags.text().is_empty() {
            return Ok(false);
        }
        let pushed = inner.ls_remote_all("origin", "refs/tags/*")?;
        Ok(tags.text().lines().any(|line| {
            let tag = line.split_once(' ');
            tag.is_some_and(|(name, id)| pushed.get(name).is_some_and(|found| found == id))
        }))
    }
}

/// Adds the lines that name the commits of submodules to the message of a rescue.
pub(super) fn add_submodule_lines(message: &str, submodules: &[SubmoduleCommit]) -> Vec<u8> {
    let mut text = message.as_bytes().to_owned();
    for (number, SubmoduleCommit { path, commit }) in submodules.iter().enumerate() {
        let gap = if number == 0 { "\n\n" } else { "\n" };
        text.extend_from_slice(format!("{gap}{SUBMODULE_LINE}{commit} ").as_bytes());
        text.extend_from_slice(path.as_os_str().as_bytes());
    }
    text
}

/// Parses the lines of [`add_submodule_lines`].
pub(super) fn parse_submodule_lines(message: &[u8]) -> Vec<SubmoduleCommit> {
    message
        .split(|byte| *byte == b'\n')
        .skip(1)
        .filter_map(|line| {
            let rest = line.strip_prefix(SUBMODULE_LINE.as_bytes())?;
            let end = rest.iter().position(|byte| *byte == b' ')?;
            let commit = std::str::from_utf8(&rest[..end]).ok()?;
            let is_id = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_id.then(|| SubmoduleCommit {
                path: path_of_bytes(&rest[end + 1..]),
                commit: commit.to_owned(),
            })
        })
        .collect()
}
