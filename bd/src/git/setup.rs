//! Creates and configures repositories.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use super::{Git, GitError, Identity, redact_urls};
use kit::sys::file;

/// The time limit of the first download.
const CLONE_TIMEOUT: Duration = Duration::from_secs(3600);

impl Git {
    /// Creates a repository in the folder, and the folder if necessary, with `branch` checked out
    /// and no commit.
    pub fn init(&self, branch: &str, bare: bool) -> Result<(), GitError> {
        fs::create_dir_all(&self.folder).map_err(|error| Self::file_error(&self.folder, error))?;
        let mut call = self.plumbing(["init", "--quiet", "--initial-branch", branch]);
        if bare {
            call = call.args(["--bare"]);
        }
        call.run()
    }

    /// Creates the bare repository that the worktrees of a rig share, with `url` as its origin.
    /// Remote branches are separate from local ones, so that no fetch or prune can touch a ref of
    /// ours. A failed download leaves nothing behind.
    pub fn clone_bare(&self, url: &str) -> Result<(), GitError> {
        self.create_or_remove(|| self.download(url))
    }

    /// Creates a repository in a folder that has none yet. A failure leaves nothing behind.
    fn create_or_remove(
        &self,
        make: impl FnOnce() -> Result<(), GitError>,
    ) -> Result<(), GitError> {
        self.refuse_existing()?;
        let made = make();
        if made.is_err() {
            // The folder contains only files of this call.
            fs::remove_dir_all(&self.folder).ok();
        }
        made
    }

    fn refuse_existing(&self) -> Result<(), GitError> {
        if self.folder.exists() {
            let taken = io::Error::new(io::ErrorKind::AlreadyExists, "it exists already");
            return Err(Self::file_error(&self.folder, taken));
        }
        Ok(())
    }

    fn download(&self, url: &str) -> Result<(), GitError> {
        self.init("main", true)?;
        self.add_origin(url)?;
        self.config_set("gc.pruneExpire", "never")?;
        self.plumbing([
            "fetch",
            "--quiet",
            "--no-auto-gc",
            "--update-shallow",
            "origin",
        ])
        .remote("origin", CLONE_TIMEOUT)
        .finish_checked()?;
        if let Some(branch) = self.remote_head("origin")?.branch {
            let branch_ref = format!("refs/heads/{branch}");
            self.plumbing(["symbolic-ref", "HEAD", &branch_ref])
                .finish_checked()?;
            let known = format!("refs/remotes/origin/{branch}");
            if self.resolve(&known)?.is_some() {
                let call = self.plumbing(["symbolic-ref", "refs/remotes/origin/HEAD", &known]);
                call.finish_checked()?;
            }
        }
        Ok(())
    }

    /// Adds the remote `origin` with the single refspec that separates its branches.
    pub fn add_origin(&self, url: &str) -> Result<(), GitError> {
        self.hide_config_with(url)?;
        self.config_set("remote.origin.url", url)?;
        let refspec = "+refs/heads/*:refs/remotes/origin/*";
        self.config_set("remote.origin.fetch", refspec)
    }

    /// Creates the bare repository of a rig without an origin: with the branches and tags of
    /// `source`, a repository on this machine, or with one empty commit on `branch`. A failure
    /// leaves nothing behind.
    pub fn import_bare(
        &self,
        source: Option<&Path>,
        branch: &str,
        author: &Identity,
    ) -> Result<(), GitError> {
        self.create_or_remove(|| self.import(source, branch, author))
    }

    fn import(
        &self,
        source: Option<&Path>,
        branch: &str,
        author: &Identity,
    ) -> Result<(), GitError> {
        self.init(branch, true)?;
        self.config_set("gc.pruneExpire", "never")?;
        let Some(source) = source else {
            let empty = self.plumbing(["mktree"]).text()?;
            let first = self.commit_tree(&empty, &[], "Begin\n", author)?;
            return self.update_ref(&format!("refs/heads/{branch}"), &first, None);
        };
        self.plumbing(["fetch", "--quiet", "--no-auto-gc", "--update-shallow", "--"])
            .args([source])
            .args(["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"])
            .limit(CLONE_TIMEOUT)
            .run()
    }

    /// Clones `url` into the folder and checks out `branch` if it is given. Copies the objects that
    /// `reference`, a repository on this machine, already has.
    pub fn clone_tree(
        &self,
        url: &str,
        branch: Option<&str>,
        reference: Option<&Path>,
    ) -> Result<(), GitError> {
        self.refuse_existing()?;
        let parent = self.folder.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|error| Self::file_error(parent, error))?;
        let above = self.in_folder(parent);
        let mut call = above
            .plumbing(["clone", "--quiet"])
            .remote(url, CLONE_TIMEOUT);
        if let Some(branch) = branch {
            call = call.args(["--branch", branch]);
        }
        if let Some(reference) = reference {
            call = call.args(["--dissociate", "--reference-if-able"]);
            call = call.args([reference]);
        }
        call.args(["--", url])
            .args([&self.folder])
            .finish_checked()?;
        self.hide_config_with(url)?;
        self.complete_checkout()
    }

    /// Makes the configuration private if `url` contains a password. Git keeps the mode.
    fn hide_config_with(&self, url: &str) -> Result<(), GitError> {
        if redact_urls(url) == url {
            return Ok(());
        }
        let path = self.common_dir()?.join("config");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))
            .map_err(|error| Self::file_error(&path, error))
    }

    /// Returns a setting from the repository's or the user's configuration.
    pub fn config_get(&self, key: &str) -> Result<Option<String>, GitError> {
        let call = self.plumbing(["config", "--get", key]);
        Ok(call.finish_if_found()?.map(|finished| finished.text()))
    }

    /// Returns the entries of the repository's own configuration whose keys match a regular
    /// expression: pairs of a key and one of its values.
    pub fn own_config(&self, pattern: &str) -> Result<Vec<(String, String)>, GitError> {
        let call = self.plumbing(["config", "--local", "-z", "--get-regexp", pattern]);
        let Some(finished) = call.finish_if_found()? else {
            return Ok(Vec::new());
        };
        let text = finished.text();
        Ok(text
            .split('\0')
            .filter(|entry| !entry.is_empty())
            .map(|entry| entry.split_once('\n').unwrap_or((entry, "")))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect())
    }

    /// Sets a key in the repository's own configuration.
    pub fn config_set(&self, key: &str, value: &str) -> Result<(), GitError> {
        self.plumbing(["config", "--replace-all", key, value]).run()
    }

    /// Makes git ignore `pattern` in this clone and all its worktrees, without a change of a
    /// tracked file.
    pub fn exclude(&self, pattern: &str) -> Result<(), GitError> {
        Self::add_line(&self.common_dir()?.join("info/exclude"), pattern)?;
        self.exclude_in_own_repository(pattern)
    }

    /// Removes patterns from `info/exclude`. Returns true if any was there.
    pub fn remove_excludes(&self, patterns: &[String]) -> Result<bool, GitError> {
        Self::remove_lines(&self.common_dir()?.join("info/exclude"), patterns)
    }

    /// Adds a line to one of git's files, unless the file already has it.
    pub(super) fn add_line(path: &Path, line: &str) -> Result<(), GitError> {
        let failed = |error| Self::file_error(path, error);
        let bytes = file::read_file_if_exists(path)
            .map_err(failed)?
            .unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        if text.lines().any(|existing| existing.trim() == line) {
            return Ok(());
        }
        // Other lines stay byte for byte, in whatever encoding.
        let new = [&*bytes, lines_to_append(&text, &[line]).as_bytes()].concat();
        file::create_folder(path.parent().unwrap_or(Path::new(".")), 0o755).map_err(failed)?;
        file::replace_file(path, &new, 0o644).map_err(failed)
    }

    /// Removes lines that [`Self::add_line`] added to one of git's files, and the file if nothing
    /// else is in it. Returns true if any was there.
    pub(super) fn remove_lines(path: &Path, lines: &[String]) -> Result<bool, GitError> {
        let failed = |error| Self::file_error(path, error);
        let Some(bytes) = file::read_file_if_exists(path).map_err(failed)? else {
            return Ok(false);
        };
        let kept: Vec<&[u8]> = bytes
            .split(|byte| *byte == b'\n')
            .filter(|existing| !lines.iter().any(|line| line.as_bytes() == *existing))
            .collect();
        let new = kept.join(&b'\n');
        if new == bytes {
            return Ok(false);
        }
        if new.is_empty() {
            file::remove_file(path).map_err(failed)?;
        } else {
            file::replace_file(path, &new, 0o644).map_err(failed)?;
        }
        Ok(true)
    }
}

/// Returns the text that adds lines to the end of a file. If the last line of the file has no
/// newline, the last added line has none either, so that removing the lines restores the file.
pub(crate) fn lines_to_append(text: &str, lines: &[impl AsRef<str>]) -> String {
    let is_open = !text.is_empty() && !text.ends_with('\n');
    let lines = lines.iter().map(AsRef::as_ref);
    if is_open {
        lines.map(|line| format!("\n{line}")).collect()
    } else {
        lines.map(|line| format!("{line}\n")).collect()
    }
}
